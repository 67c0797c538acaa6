"""Files that appear complete or not at all, and places that are tried before the work rather than after it.

What is written goes to a draft in the same folder, to the disk, and then to its place by renaming, over an older file:
whatever happens in between, a full disk or ``kill -9``, there is the old file or the new one. Every writer of the
package writes this way.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from dagsearch.errors import InputError, in_brief

Content = str | bytes | Callable[[IO[bytes]], object]
"""Of a file: text (written as UTF-8, line breaks as they are), bytes, or what writes them to an open file."""

_DRAFT = ".writing-"
_MOST_FOLDERS = 100  # made one in another
_PROBE = b"\0" * 4096


def write_whole(path: str | Path, content: Content, argument: str = "path") -> Path:
    """Write a file so that it appears complete or not at all, and is on the disk before this returns.

    Parameters
    ----------
    path
        The file, whose folder exists; a device or pipe is written to as it is, a link is followed.
    content
        What is written.
    argument
        What messages call the path.

    Raises
    ------
    InputError
        If it cannot be written; an older file is then as it was.
    """
    path = Path(path)
    with _named_in_errors(path, argument):
        write_all({path: content})
    return path


def write_all(contents: Mapping[Path, Content]) -> list[Path]:
    """Write some files as `write_whole` does; none appears before all are complete.

    Raises
    ------
    OSError
        If one of them cannot be written: for callers who have better words for it.
    """
    drafts: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            if _is_special(path):
                _write(path, content, "wb")
                continue
            target = _behind_links(path)
            drafts[target] = target.parent / f"{_DRAFT}{uuid4().hex}"
            _write_draft(drafts[target], target, content)
        for target, draft in drafts.items():
            os.replace(draft, target)
        for folder in {target.parent for target in drafts}:
            _sync_folder(folder)
    finally:
        for draft in drafts.values():
            with suppress(OSError):  # it is in its place by now, or never was, or its folder is gone
                draft.unlink()
    return list(contents)


def require_writable_file(path: str | Path, argument: str = "path") -> None:
    """Raise where a file cannot be written, as far as can be told by writing something beside it.

    Raises
    ------
    InputError
        If the path is a folder, its folder does not exist, cannot be written to or has no room left, or the name is
        too long.
    """
    path = Path(path)
    if os.path.isdir(path):
        raise InputError(f"{argument} must be a file, {in_brief(path)} is a folder")
    parent = os.path.dirname(path) or "."
    if not os.path.isdir(parent):
        raise InputError(f"{argument} must be a file in a folder that can be written to, got {in_brief(path)}")
    with _named_in_errors(path, argument):
        if _exists(path) and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if not _is_special(path):
            _try_folder(_behind_links(path).parent)


def require_writable_folder(folder: str | Path, argument: str = "folder") -> None:
    """Raise where files cannot be written to a folder, which need not exist; nothing is made.

    Raises
    ------
    InputError
        If it is a file or below one, or it, or the folder that it would be made in, cannot be written to.
    """
    folder = Path(folder)
    try:
        existing = next((place for place in (folder, *folder.parents) if _exists(place)), Path("."))
        if not os.path.isdir(existing):
            raise InputError(f"{argument} must be a folder, {in_brief(existing)} is a file")
        missing = folder.relative_to(existing).parts
        if len(missing) > _MOST_FOLDERS:
            raise InputError(f"{argument} must be at most {_MOST_FOLDERS} new folders deep, got {len(missing)}")
        for name in missing:
            _exists(existing / name)  # a name that is too long is an error
        _try_folder(existing)
    except NotADirectoryError as error:
        raise InputError(f"{argument} must be a folder, {in_brief(error.filename)} is below a file") from error
    except OSError as error:
        raise InputError(
            f"{argument} must be a folder that can be written to, got {in_brief(folder)}: {reason_of(error)}"
        ) from error


def reason_of(error: OSError) -> str:
    """Return what the system said, without numbers and paths."""
    return error.strerror or in_brief(error)


# ---------------------------------------------------------------- how


@contextmanager
def _named_in_errors(path: Path, argument: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"{argument} must be a file that can be written, got {in_brief(path)}: {reason_of(error)}"
        raise InputError(message) from error


def _write_draft(draft: Path, target: Path, content: Content) -> None:
    if os.path.isdir(target):  # which renaming would find out when other files are in their places
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if _exists(target) and not os.access(target, os.W_OK):  # which renaming would not mind
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    _write(draft, content, "xb")
    if _exists(target):
        shutil.copymode(target, draft)


def _write(path: Path, content: Content, mode: str) -> None:
    with open(path, mode, opener=_without_waiting) as file:
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(file.fileno(), True)
        if callable(content):
            content(file)
        else:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        file.flush()
        if mode == "xb":
            os.fsync(file.fileno())


def _without_waiting(path: str, flags: int) -> int:
    """Open a file to write to; a pipe that nobody reads from is an error rather than waited for."""
    try:
        return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "is a pipe that nobody reads from", path) from error
        raise


def _try_folder(folder: Path) -> None:
    """Write something to a folder and remove it: neither permissions nor free space tell all."""
    probe = folder / f"{_DRAFT}{uuid4().hex}"
    try:
        probe.write_bytes(_PROBE)
    finally:
        with suppress(OSError):
            probe.unlink()


def _sync_folder(folder: Path) -> None:
    """Let the names of files reach the disk, where the system can do so."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems cannot; their files are on the disk all the same
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _behind_links(path: Path) -> Path:
    """The file itself; not by `Path.resolve` alone, which asks for the working directory even where there is none."""
    return path.resolve() if path.is_symlink() else path


def _is_special(path: Path) -> bool:
    """Whether a path is a device, a pipe or the like, which no other file can take the place of."""
    return _exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _exists(path: Path) -> bool:
    """`Path.exists`; OSError if that cannot be told, as of a name that is too long."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    return True
