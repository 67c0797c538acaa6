"""Calls into solvers that cannot be interrupted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_WAIT = 0.01


def watched(solve: Callable[[], Any], look: Callable[[], None]) -> Any:
    """The result of a solver that runs in a thread of its own, beside which we look around.

    If ``look`` raises, the thread is left behind; it ends by itself or with the process. What ``solve`` raises is
    raised here.
    """
    results: list[Any] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(solve())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_SECONDS_BETWEEN_LOOKS)
        look()
    if failures:
        raise failures[0]
    return results[0]


def wait_for_the_end(look: Callable[[], None]) -> NoReturn:
    """Look around until that raises: the clock of a solver that is out of time may be ahead of ours."""
    while True:
        look()
        time.sleep(_SECONDS_TO_WAIT)
