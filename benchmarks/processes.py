"""An engine whose runs end in time: each has a process of its own, which is killed when its time is over.

Processes of joblib cannot be ended one at a time, which is why this is not `dagsearch.experiments.engines.LocalEngine`;
tasks and outcomes are handed over in the same way.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from dagsearch.experiments.engines import Failure

_BEGUN = "begun"
_MOST_SECONDS_TO_BEGIN = 600.0  # the first process may have to compile everything
_SECONDS_BEYOND = 60  # after which a process ends itself, should its parent be gone
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

Run = Callable[[Any, float, Callable[[], None]], Any]
"""From a task, the seconds that it may take, and what to call when work begins, to a record; a function of a module, or
a `functools.partial` of one."""


@dataclass(frozen=True)
class ProcessEngine:
    """Some processes at a time on this machine.

    Parameters
    ----------
    n_jobs
        So many at a time.
    time_limit
        Seconds of a fit, after which its process is killed.
    run
        Carries out a task.
    exceeded
        From a task and the time limit to the record of a run that was ended.
    n_threads
        Of each process, for libraries that have threads of their own.
    """

    n_jobs: int
    time_limit: float
    run: Run
    exceeded: Callable[[Any, float], Any]
    n_threads: int = 1

    def run_all(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Run all tasks, and yield the record of each, or a `Failure`; a task is taken when there is room for it.

        When the caller stops, by Ctrl-C or by closing, what is under way is killed.
        """
        context, waiting, under_way = _context(self.run, self.n_threads), iter(tasks), list[_Child]()
        try:
            while True:
                while len(under_way) < self.n_jobs and (task := next(waiting, None)) is not None:
                    under_way.append(_Child(context, task, self))
                if not under_way:
                    return
                wait([child.connection for child in under_way], min(child.seconds_left for child in under_way))
                for child in list(under_way):
                    outcome = child.outcome()
                    if outcome is not None:
                        under_way.remove(child)
                        yield outcome
        finally:
            for child in under_way:
                child.kill()


class _Child:
    """A process that carries out a task."""

    def __init__(self, context: Any, task: Any, engine: ProcessEngine) -> None:
        self.task, self.engine, self.has_begun = task, engine, False
        self.deadline = time.monotonic() + _MOST_SECONDS_TO_BEGIN
        self.connection, theirs = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_carry_out, args=(engine.run, task, engine.time_limit, theirs), daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def seconds_left(self) -> float:
        """Until the process must have said something."""
        return max(self.deadline - time.monotonic(), 0.0)

    def outcome(self) -> Any:
        """What came of the task; None if it is still under way."""
        try:
            if self.connection.poll():
                return self._heard(self.connection.recv())
        except EOFError:
            self.kill()
            return Failure(self.task, f"its process died, with exit code {self._process.exitcode}", "")
        if self.seconds_left > 0:
            return None
        self.kill()
        if self.has_begun:
            return self.engine.exceeded(self.task, self.engine.time_limit)
        return Failure(self.task, f"did not begin within {_MOST_SECONDS_TO_BEGIN:g} s", "")

    def _heard(self, message: Any) -> Any:
        if message == _BEGUN:
            self.has_begun, self.deadline = True, time.monotonic() + self.engine.time_limit
            return None
        self.kill()
        return message

    def kill(self) -> None:
        """End the process and whatever it has started."""
        if hasattr(os, "killpg") and self.has_begun:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self.connection.close()


def _context(run: Run, n_threads: int) -> Any:
    """How processes are started: forked by a server that has imported everything, where there are forks."""
    for name in _THREADS:
        os.environ.setdefault(name, str(n_threads))
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # The server of Python 3.11 is not told where its parent looks for modules, and keeps silent about what it misses.
    folder = str(Path(__file__).parent)
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if folder not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *filter(None, paths)])
    function = run.func if isinstance(run, partial) else run
    context.set_forkserver_preload([function.__module__])
    return context


def _carry_out(run: Run, task: Any, time_limit: float, connection: Connection) -> None:
    """Run a task in this process, which no Ctrl-C of the terminal reaches."""
    if hasattr(os, "setsid"):
        os.setsid()
        signal.alarm(int(_MOST_SECONDS_TO_BEGIN + time_limit) + _SECONDS_BEYOND)
    try:
        connection.send(run(task, time_limit, lambda: connection.send(_BEGUN)))
    except Exception as error:
        connection.send(Failure(task, f"{type(error).__name__}: {error}", traceback.format_exc()))
