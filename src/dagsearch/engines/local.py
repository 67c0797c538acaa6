"""The cores of this machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any, Generic

from dagsearch.engines.base import GO_ON, Failure, Record, Task, attempt
from dagsearch.engines.orphans import end_with
from dagsearch.errors import DagsearchError

Outcomes = Generator[Any, None, None]


@dataclass(frozen=True)
class LocalEngine(Generic[Task, Record]):
    """The cores of this machine, by joblib.

    Parameters
    ----------
    work
        Runs a task.
    n_jobs
        Processes; with 1 everything happens in this one.
    advice
        How to go on if a process was killed, which depends on what is kept.
    """

    work: Callable[[Task], Record]
    n_jobs: int = 1
    advice: str = GO_ON

    def run_all(self, tasks: Iterable[Task]) -> Iterator[Record | Failure]:
        """Run all tasks, as many at a time as there are processes.

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C; nothing is yielded of the runs that were under way.
        DagsearchError
            If the system has killed a process.
        """
        if self.n_jobs == 1:
            yield from (attempt(self.work, task) for task in tasks)
        else:
            yield from self._in_processes(tasks)

    def _in_processes(self, tasks: Iterable[Task]) -> Outcomes:
        outcomes: Outcomes | None = None
        try:
            with _deaf_children():
                outcomes = self._begin(tasks)
            # Not `yield from`, which would hand a close on to joblib before its warnings are off.
            for outcome in outcomes:  # noqa: UP028
                yield outcome
        except BrokenProcessPool as error:
            message = "a process that ran a task was killed, perhaps because memory ran out: fewer jobs need less."
            raise DagsearchError(f"{message} {self.advice}".rstrip()) from error
        finally:
            if outcomes is not None:
                _close(outcomes)

    def _begin(self, tasks: Iterable[Task]) -> Outcomes:
        """Start the processes."""
        from joblib import Parallel, delayed  # noqa: PLC0415 - help of the command needs no engine

        ending = {"initializer": end_with, "initargs": (os.getpid(),)}
        parallel = Parallel(self.n_jobs, "loky", return_as="generator_unordered", batch_size=1, **ending)
        outcomes: Outcomes = parallel(delayed(attempt)(self.work, task) for task in tasks)
        return outcomes


def _close(outcomes: Outcomes) -> None:
    """End the processes if there is anything left to do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about runs that nobody waits for any more
        outcomes.close()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes that are started here never hear Ctrl-C, which a terminal sends to them too.

    They would print what they were at, and end their runs early. This process hears it, though only once they have
    started, and ends them.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    resource_tracker.ensure_running()  # it would lift the mask when the first process starts
    handler = signal.signal(signal.SIGINT, note)  # other threads may hear what this one does not
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if noted:
        signal.raise_signal(signal.SIGINT)
