"""Locks that several processes share through a file, and that the system releases when a process ends, however it does.

A lock is a byte of the file, which stays empty: bytes are locked, not written. Threads of a process share its locks.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dagsearch.errors import DagsearchError

logger = logging.getLogger("dagsearch")

N_LOCKS = 2**31 - 1
"""Of a file; Windows counts no further."""

_SECONDS_BETWEEN_TRIES = 0.01
_SECONDS_TO_WAIT = 60.0
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}
_UNKNOWN = {errno.ENOLCK, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP}  # to some network file systems

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, number: int) -> None:
        os.lseek(descriptor, number, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int, number: int) -> None:
        os.lseek(descriptor, number, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int, number: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)

    def _unlock(descriptor: int, number: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, number)


class FileLocks:
    """The locks of a file, by number; get them by `locks_of`.

    Closing a file releases all locks that its process has on it, so that a process must open it only once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._held: set[int] = set()
        self._process = os.getpid()
        self._guard = threading.Lock()

    def take(self, number: int) -> bool:
        """Take a lock; False if another process, or another thread of this one, has it.

        Raises
        ------
        DagsearchError
            If the file cannot be made.
        """
        with self._guard:
            descriptor = self._opened()
            if number in self._held:
                return False
            try:
                _lock(descriptor, number)
            except OSError as error:
                if error.errno in _TAKEN:
                    return False
                if error.errno not in _UNKNOWN:
                    raise
                _warn_once(self._path, error)
            self._held.add(number)
            return True

    def release(self, number: int) -> None:
        """Release a lock, if this process has it."""
        with self._guard:
            if self._process == os.getpid() and number in self._held:
                assert self._descriptor is not None
                self._held.remove(number)
                with suppress(OSError):  # a file system that knows no locks, or is gone
                    _unlock(self._descriptor, number)

    @contextmanager
    def holding(self, number: int) -> Iterator[None]:
        """Hold a lock, for which others are waited for.

        Raises
        ------
        DagsearchError
            If another process has it for a minute, or the file cannot be made.
        """
        started = time.monotonic()
        while not self.take(number):
            if time.monotonic() - started > _SECONDS_TO_WAIT:
                raise DagsearchError(f"{self._path}: another process has locked it for {_SECONDS_TO_WAIT:.0f} seconds")
            time.sleep(_SECONDS_BETWEEN_TRIES)
        try:
            yield
        finally:
            self.release(number)

    def _opened(self) -> int:
        """The open file: anew after a fork, which inherits no locks, and where somebody has deleted it."""
        if self._process != os.getpid():
            self._process, self._held = os.getpid(), set()
        if self._descriptor is not None and os.fstat(self._descriptor).st_nlink == 0:
            os.close(self._descriptor)
            self._descriptor, self._held = None, set()
        if self._descriptor is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise DagsearchError(f"{self._path}: cannot be made ({error.strerror})") from error
        return self._descriptor


_known: dict[str, FileLocks] = {}
_known_guard = threading.Lock()
_warned: set[Path] = set()


def locks_of(path: Path) -> FileLocks:
    """Return the locks of a file, the same object for the same file; it is made when the first lock is taken."""
    with _known_guard:
        return _known.setdefault(os.path.realpath(path), FileLocks(path.absolute()))


def _warn_once(path: Path, error: OSError) -> None:
    if path not in _warned:
        _warned.add(path)
        logger.warning("%s: cannot be locked (%s), so that one process alone may write here", path, error.strerror)
