"""Calls into HiGHS, which cannot be interrupted, and must not go on when nobody waits for its answer any more.

What is quickly solved is solved in a thread. What is not is begun anew in a process of its own, which can be killed.
"""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, NoReturn

from dagsearch.errors import DagsearchError

OUT_OF_TIME, INFEASIBLE = 1, 2
"""What SciPy calls the ends of a program that are none; 0 is an optimum."""

_SECONDS_IN_THREAD = 1.0
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_WAIT = 0.01

# It ends soon after its parent does, which may be killed; only SciPy is imported.
_PROCESS = """
import os, pickle, sys, threading, time

def end_without(parent):
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)

threading.Thread(target=end_without, args=(os.getppid(),), daemon=True).start()
from scipy import optimize
name, arguments = pickle.load(sys.stdin.buffer)
answer = pickle.dumps(getattr(optimize, name)(**arguments))
sys.stdout.buffer.write(answer)
"""


class Program(NamedTuple):
    """A linear program, or one with whole numbers, as SciPy takes it."""

    solver: str  # "linprog" or "milp"
    arguments: dict[str, Any]  # and its options
    options: dict[str, Any]

    def within(self, seconds: float) -> dict[str, Any]:
        """All arguments, with a time limit."""
        limit = {"time_limit": seconds} if math.isfinite(seconds) else {}
        return {**self.arguments, "options": {**self.options, **limit}}


def solved(program: Program, seconds: float, look: Callable[[], None]) -> Any:
    """What SciPy's HiGHS says of a program within so many seconds; ``look`` is called meanwhile.

    If ``look`` raises, nothing goes on for longer than a second.

    Raises
    ------
    DagsearchError
        If the solver's process ends without an answer.
    """
    found = _in_thread(program, min(seconds, _SECONDS_IN_THREAD), look)
    if found.status != OUT_OF_TIME or seconds <= _SECONDS_IN_THREAD:
        return found
    return _in_process(program, seconds - _SECONDS_IN_THREAD, look)


def _in_thread(program: Program, seconds: float, look: Callable[[], None]) -> Any:
    from scipy import optimize  # noqa: PLC0415

    results: list[Any] = []
    failures: list[BaseException] = []
    solve = partial(getattr(optimize, program.solver), **program.within(seconds))

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


def _in_process(program: Program, seconds: float, look: Callable[[], None]) -> Any:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    # Ctrl-C is this process's affair.
    child = subprocess.Popen([sys.executable, "-c", _PROCESS], **pipes, start_new_session=True)
    question: bytes | None = pickle.dumps((program.solver, program.within(seconds)))
    try:
        while True:
            try:
                answer, _ = child.communicate(question, timeout=_SECONDS_BETWEEN_LOOKS)
                break
            except subprocess.TimeoutExpired:
                question = None  # it is on its way
                look()
    finally:
        child.kill()
        child.communicate()
    if child.returncode:
        raise DagsearchError(f"HiGHS ended without an answer (exit code {child.returncode}); perhaps memory ran out")
    return pickle.loads(answer)


def wait_for_the_end(look: Callable[[], None]) -> NoReturn:
    """Look around until that raises: the clock of a solver that is out of time may be ahead of ours."""
    while True:
        look()
        time.sleep(_SECONDS_TO_WAIT)
