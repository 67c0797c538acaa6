"""One BLAS thread: our fits are small, several run at once, and rounding must not depend on the number of threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController


class _OneThread:
    """One BLAS thread while anyone holds this: limits that overlap would undo each other in the wrong order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_holders = 0
        self._limit: Any = None

    def acquire(self) -> None:
        with self._lock:
            if not self._n_holders:
                self._limit = _blas().limit(limits=1, user_api="blas")
                _let_others_set_limits()
            self._n_holders += 1

    def release(self) -> None:
        with self._lock:
            self._n_holders -= 1
            if not self._n_holders:
                self._limit.restore_original_limits()
                _let_others_set_limits()


def _let_others_set_limits() -> None:
    """Since version 3.8 threadpoolctl would ignore the release of a limit by another thread than set it."""
    if hasattr(OpenBLASController, "clear_controlling_thread"):
        OpenBLASController.clear_controlling_thread()


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of this process; finding them takes longer than a fit."""
    return ThreadpoolController()


_one_thread = _OneThread()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread while the context is open; contexts may overlap and nest, in any thread."""
    _one_thread.acquire()
    try:
        yield
    finally:
        _one_thread.release()
