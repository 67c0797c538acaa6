"""How long kernels have been compiled so far: time that no limit counts, and that users are told of.

A kernel is compiled when it is first called, and kept on disk afterwards. Numba announces when it begins and ends; what
JAX compiles is told afterwards, by whoever runs it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

Listener = Callable[[bool], None]
"""Called with True when something begins to be compiled, and with False when it is done."""


class _Clock:
    """Adds up the time in which at least one thread compiles; kernels that are compiled within others count once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_running = 0
        self._began = 0.0
        self._total = 0.0
        self.listeners: list[Listener] = []

    @property
    def seconds(self) -> float:
        """Time so far, of what is still being compiled too."""
        with self._lock:
            return self._total + (time.perf_counter() - self._began if self._n_running else 0.0)

    def add(self, seconds: float) -> None:
        """Count what was compiled without `begin` and `end`."""
        with self._lock:
            self._total += seconds

    def begin(self) -> None:
        """Something is being compiled from now on."""
        with self._lock:
            self._n_running += 1
            is_first = self._n_running == 1
            if is_first:
                self._began = time.perf_counter()
        if is_first:
            self._tell(True)

    def end(self) -> None:
        """It is done."""
        with self._lock:
            self._n_running -= 1
            is_last = self._n_running == 0
            if is_last:
                self._total += time.perf_counter() - self._began
        if is_last:
            self._tell(False)

    def _tell(self, begins: bool) -> None:
        for listener in tuple(self.listeners):
            listener(begins)


_CLOCK = _Clock()


def seconds() -> float:
    """Return how long this process has been compiling since the first call of this function."""
    _watch_numba()
    return _CLOCK.seconds


def add(compiled_for: float) -> None:
    """Count seconds of a compiler other than numba."""
    _CLOCK.add(compiled_for)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell a listener of everything that is compiled while the context is open."""
    _CLOCK.listeners.append(listener)
    try:
        yield
    finally:
        _CLOCK.listeners.remove(listener)


@cache
def _watch_numba() -> None:
    """Let numba announce what it compiles; it is imported here, as commands that need none should start at once."""
    from numba.core import event  # noqa: PLC0415

    class Watch(event.Listener):  # type: ignore[misc]
        def on_start(self, _: Any) -> None:
            _CLOCK.begin()

        def on_end(self, _: Any) -> None:
            _CLOCK.end()

    event.register("numba:compile", Watch())
