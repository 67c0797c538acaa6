"""The bytes of files, which must have an end and fit into memory."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from dagsearch import memory

_MOST_WITHOUT_SIZE = 2**24  # bytes of a file of which the system tells no size, or too small a one


def of(path: Path) -> bytes:
    """Read a whole file.

    Raises
    ------
    OSError
        If it cannot be read, is a pipe or a device, which may have no end, or is larger than what is free.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no name of a file holds a NUL character")
    with open(path, "rb", opener=_without_waiting) as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "is no regular file but a pipe or a device: copy what it gives into a file")
        free = memory.free_bytes()
        if about.st_size > free:
            held, left = memory.in_words(about.st_size), memory.in_words(free)
            raise OSError(errno.EFBIG, f"holds {held}, {left} of memory are free: keep the rows and columns you need")
        # Files of the system have no size, and may go on.
        content = file.read(max(about.st_size, _MOST_WITHOUT_SIZE) + 1)
        if len(content) > max(about.st_size, _MOST_WITHOUT_SIZE):
            raise OSError(errno.EFBIG, "goes on beyond its size: it is written to, or has no end")
        return content


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes to is opened, too, rather than waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
