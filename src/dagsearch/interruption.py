"""Lets whatever takes long hear that its time is over, without being handed a clock.

A search opens `watched` with what is to be called now and then; loops beneath it call `look`, which raises when the
search is to end, and costs nothing where nobody watches. Packages of others, which do not look, run inside
`interrupting`: an exception then reaches them between two steps of Python code.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

_SECONDS_UNTIL_RAISED_AGAIN = 1.0
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


class Interruption:
    """Raises `OutOfTimeError` in a thread when a time is over, but not while that runs shielded code.

    Parameters
    ----------
    seconds_left
        How long the thread may go on; it is asked again whenever that should be over, since the clock may stand still.
    """

    def __init__(self, seconds_left: Callable[[], float]) -> None:
        self._seconds_left = seconds_left
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._n_shields = 0
        self._is_over = False
        self.is_closed = False
        self._watchdog = threading.Thread(target=self._watch, daemon=True)
        self._watchdog.start()

    def _watch(self) -> None:
        while (left := self._seconds_left()) > 0.0:
            if self._closed.wait(min(left, 60.0)):
                return
        while not self._closed.is_set():
            with self._lock:
                self._is_over = True
                if not self._n_shields and not self._closed.is_set():
                    _raise_in(self._thread, OutOfTimeError)
            self._closed.wait(_SECONDS_UNTIL_RAISED_AGAIN)  # should somebody have caught it

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Keep the exception out of code that must not be left half-way; it is raised before or after."""
        with self._lock:
            self._n_shields += 1
            if self._is_over:
                _raise_in(self._thread, None)
        try:
            if self._is_over:
                raise OutOfTimeError
            yield
        finally:
            with self._lock:
                self._n_shields -= 1
        if self._is_over:
            raise OutOfTimeError

    def close(self) -> None:
        """Raise nothing from now on."""
        with self._lock:
            self._closed.set()
            _raise_in(self._thread, None)
        self.is_closed = True


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have a thread raise an exception between two steps of Python code; None: what it was to raise is forgotten."""
    argument = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), argument)


@contextmanager
def interrupting(seconds_left: Callable[[], float] | None) -> Iterator[Interruption | None]:
    """Raise `OutOfTimeError` in the enclosed code when no seconds are left; None: it may take as long as it likes."""
    if seconds_left is None:
        yield None
        return
    interruption = Interruption(seconds_left)
    try:
        yield interruption
    finally:
        while not interruption.is_closed:
            # What the enclosed code has just escaped from may strike here.
            with suppress(OutOfTimeError):
                interruption.close()
