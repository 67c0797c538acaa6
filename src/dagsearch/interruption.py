"""Lets whatever takes long hear that its time is over, without being handed a clock.

A search opens `watched` with what is to be called now and then; loops beneath it call `look`, which raises when the
search is to end, and costs nothing where nobody watches. What calls packages of others, which do not look, is
`carried_out` in a thread of its own: an exception then reaches it between two steps of Python code.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context

import numpy as np
from numpy.typing import NDArray

_SECONDS_BETWEEN_LOOKS = 0.05
_SECONDS_UNTIL_RAISED_AGAIN = 0.1  # a callback of the garbage collector may have swallowed it
_FIRST_CHUNK = 256
_SECONDS_PER_CHUNK = 0.1


class OutOfTimeError(Exception):
    """Raised inside a search when its time limit is over; never leaves it."""


_watching: ContextVar[Callable[[], None] | None] = ContextVar("watching", default=None)


@contextmanager
def watched(check: Callable[[], None]) -> Iterator[None]:
    """Have `look` call ``check``, which may raise, while the context is open; in this thread."""
    before = _watching.set(check)
    try:
        yield
    finally:
        _watching.reset(before)


def is_watched() -> bool:
    """Whether somebody may want to end what this thread does."""
    return _watching.get() is not None


def look() -> None:
    """Raise what ends the search, if it is to end."""
    check = _watching.get()
    if check is not None:
        check()


def current() -> Callable[[], None]:
    """What `look` calls in this thread, for threads that work for it."""
    return _watching.get() or _nothing


def _nothing() -> None:
    """Nobody watches."""


def in_chunks(compute: Callable[[slice], NDArray[np.float64]], n: int) -> NDArray[np.float64]:
    """Rows 0 to n of a table, computed part by part, with a look at the clock about every `_SECONDS_PER_CHUNK`.

    What a row is must not depend on the rows that are computed with it.
    """
    parts: list[NDArray[np.float64]] = []
    start, size = 0, _FIRST_CHUNK
    while not parts or start < n:
        look()
        began = time.perf_counter()
        parts.append(compute(slice(start, start + size)))
        start += size
        size = max(1, min(2 * size, int(size * _SECONDS_PER_CHUNK / max(time.perf_counter() - began, 1e-9))))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def carried_out(work: Callable[[], None], ending: Callable[[], type[BaseException] | None]) -> None:
    """Do some work, which an exception ends between two steps of Python code.

    The work has a thread of its own, and the exception is raised in that thread alone: whoever waits here, and what it
    does afterwards, cannot be struck by one that comes a moment too late.

    Parameters
    ----------
    work
        What to do; what it raises is raised here. It sees the context variables of the caller.
    ending
        Asked now and then: what ends the work, or None. It is raised again should somebody have caught it.
    """
    if error := ending():
        raise error
    worker = _Worker(work)
    worker.start()
    try:
        while worker.is_alive() and (error := ending()) is None:
            worker.join(_SECONDS_BETWEEN_LOOKS)
        while error is not None and worker.is_alive():
            worker.end(error)
    except KeyboardInterrupt:  # another Ctrl-C: what does not end by now is left alone
        worker.end(KeyboardInterrupt)
        raise
    if worker.error is not None:
        raise worker.error
    if error is not None and not worker.is_done:
        raise error


class _Worker(threading.Thread):
    """Does some work and keeps what that raised."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._context = copy_context()
        self.is_done = self.is_over = False
        self.error: BaseException | None = None

    def end(self, error: type[BaseException]) -> None:
        """Raise something in the work, and give it time to end."""
        if not self.is_over and self.ident is not None:
            _raise_in(self.ident, error)
        self.join(_SECONDS_UNTIL_RAISED_AGAIN)

    def run(self) -> None:
        # No calls from the end of the work on: exceptions from outside arrive in calls and loops only.
        try:
            self._context.run(self._work)
            self.is_done = True
        except BaseException as error:
            self.is_over = True
            self.error = error
        self.is_over = True


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Have a thread raise an exception between two steps of Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
