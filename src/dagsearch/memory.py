"""How much memory there is for one more thing, asked before it is taken."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from dagsearch.errors import InputError

MOST_WITHOUT_KNOWING = 8 * 2**30
"""Bytes that are taken to be free where the system does not tell."""

_SHARE = 0.9  # of what is free: other programs go on, and so does our own bookkeeping
_GROUPS = Path("/sys/fs/cgroup")
_NO_LIMIT = 2**60  # a limit above this is none, as older kernels write it


def free_bytes() -> int:
    """How many bytes may be taken, about: what the system, a container and limits on the process leave."""
    known = [number for number in (_of_system(), *_of_containers(), _of_process()) if number is not None]
    return max(int(_SHARE * min(known)), 0) if known else MOST_WITHOUT_KNOWING


def require(n_bytes: float, what: str, way_out: str, error: type[InputError] = InputError) -> None:
    """Raise where something needs more memory than there is.

    Parameters
    ----------
    n_bytes
        What it needs, about.
    what
        What needs it, with the numbers that matter; the message begins with it.
    way_out
        What to do instead.
    error
        What is raised.
    """
    if n_bytes < 2**24:  # less than what any table needs: not worth looking
        return
    free = free_bytes()
    if n_bytes > free:
        raise error(f"{what} would need {in_words(n_bytes)} of memory, {in_words(free)} are free: {way_out}")


def in_words(n_bytes: float) -> str:
    """A number of bytes in the unit that suits it."""
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1000.0:
            return f"{size:.3g} {unit}"
        size /= 1024.0
    return f"{size:,.1f} TiB" if size < 1e6 else f"{size:.1e} TiB"


def _of_system() -> int | None:
    """What can be given out without swapping."""
    told = _number_after("/proc/meminfo", "MemAvailable:")
    if told is not None:
        return 1024 * told
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not told on every system
        return None


def _of_containers() -> Iterator[int]:
    """What the control groups of this process, and those around them, leave of their limits."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):  # no Linux
        return
    for line in lines:
        _number, controllers, place = [*line.split(":", 2), "", ""][:3]
        if controllers == "":
            yield from _left_in(_GROUPS, place, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            yield from _left_in(
                _GROUPS / "memory", place, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            )


def _left_in(root: Path, place: str, limit_file: str, used_file: str, cache: str) -> Iterator[int]:
    """What a group and those that it is in leave; inside a container its own group may be mounted as the root."""
    group = root / place.strip("/")
    for folder in (group, *group.parents):
        limit, used = _number_in(folder / limit_file), _number_in(folder / used_file)
        if limit is not None and used is not None and limit < _NO_LIMIT:
            # Files that were read stay in memory only as long as nobody needs it.
            yield limit - used + (_number_after(folder / "memory.stat", cache) or 0)
        if folder == root:
            return


def _of_process() -> int | None:
    """What a limit on the address space of this process leaves."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - not on every system

    limit, _hard = resource.getrlimit(resource.RLIMIT_AS)
    taken = _number_in(Path("/proc/self/statm"))
    if limit == resource.RLIM_INFINITY or taken is None:
        return None
    return int(limit) - taken * resource.getpagesize()


def _number_in(path: Path) -> int | None:
    """The first number of a file; None where there is none, as where a limit is written as a word."""
    try:
        return int(path.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _number_after(path: Path | str, word: str) -> int | None:
    """The number that follows a word at the beginning of a line."""
    try:
        lines = Path(path).read_text(encoding="ascii").splitlines()
        return next((int(line.split()[1]) for line in lines if line.startswith(word)), None)
    except (OSError, ValueError, IndexError):
        return None
