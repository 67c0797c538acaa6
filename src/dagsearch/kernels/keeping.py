"""Where compiled kernels are kept: where numba keeps them, else in a temporary folder of the user, else nowhere.

Numba refuses to declare a kernel that it finds no folder for, and to run one that does not fit on the disk or whose
file is damaged. All that a kernel loses without a file is time: it is compiled anew, which is said once.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba import config

logger = logging.getLogger("dagsearch")

_ADVICE = "set NUMBA_CACHE_DIR to a folder with room that can be written to"
_said: set[str] = set()


def keep(kernel: Any) -> Any:
    """Let a kernel that numba has declared be kept on disk wherever it can be; returns it."""
    try:
        _enable(kernel)
    except RuntimeError:  # numba's, if it finds no folder
        _keep_elsewhere(kernel)
    return kernel


def _keep_elsewhere(kernel: Any) -> None:
    folder = temporary_folder()
    if folder is not None:
        with _in_place_of_the_usual(folder), suppress(RuntimeError):  # as above
            _enable(kernel)
            _say_once(f"compiled kernels are kept in {folder}, as no usual place can be written to: {_ADVICE}")
            return
    _say_once(f"compiled kernels cannot be kept, each process compiles its own: {_ADVICE}")


def _enable(kernel: Any) -> None:
    kernel.enable_caching()
    kernel._cache = _Forgiving(kernel._cache)


def temporary_folder() -> Path | None:
    """Return a folder for temporary files that nobody else can write to; None if there is none.

    What lies in it is run, and others may have made a folder of that name.
    """
    try:
        user = os.getuid() if hasattr(os, "getuid") else "user"  # Windows has a folder for each user
        folder = Path(tempfile.gettempdir()) / f"dagsearch-kernels-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    is_ours = user == "user" or (found.st_uid == user and not found.st_mode & 0o077)
    return folder if stat.S_ISDIR(found.st_mode) and is_ours else None


@contextmanager
def _in_place_of_the_usual(folder: Path) -> Iterator[None]:
    """Let kernels that are declared meanwhile be kept in a folder."""
    usual = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = usual


class _Forgiving:
    """A kernel's files, whose loss costs time only."""

    def __init__(self, files: Any) -> None:
        self._files = files

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled kernel, or None."""
        try:
            return self._files.load_overload(signature, target_context)
        except Exception as error:  # whatever unpickling of a damaged file may raise
            self._forget()
            _say_once(f"compiled kernels in {self._files.cache_path} cannot be read ({_brief(error)}): compiled anew")
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep the compiled kernel."""
        try:
            self._files.save_overload(signature, compiled)
        except OSError as error:
            self._forget()
            _say_once(f"compiled kernels cannot be kept in {self._files.cache_path} ({_brief(error)}): {_ADVICE}")

    def _forget(self) -> None:
        """Remove the index: it may name a file that was not written, and one of an older kernel may be there."""
        with suppress(OSError):  # of another user, or on a disk that cannot be written to: then it was not changed
            os.unlink(self._files._cache_file._index_path)


def _brief(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__


def _say_once(message: str) -> None:
    """Warn of the first that happens, in the first process alone."""
    if not _said and multiprocessing.parent_process() is None:
        logger.warning(message)
    _said.add(message)
