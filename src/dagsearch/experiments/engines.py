"""Where runs are carried out: in this process, on the cores of this machine, or on a Dask cluster."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dagsearch.experiments.run import run
from dagsearch.experiments.task import Record, Task


@dataclass(frozen=True)
class Failure:
    """A run that raised an exception."""

    task: Task
    message: str
    details: str


class Engine(Protocol):
    """Carries out tasks."""

    def run_all(self, tasks: Sequence[Task]) -> Iterator[Record | Failure]:
        """Run all tasks, and yield what came of each as soon as it is there."""


def attempt(task: Task, cache_folder: Path | None) -> Record | Failure:
    """Run a task; an exception is its outcome, so that one bad run does not end the others."""
    try:
        return run(task, cache_folder)
    except Exception as error:
        return Failure(task, f"{type(error).__name__}: {error}", traceback.format_exc())


@dataclass(frozen=True)
class LocalEngine:
    """The cores of this machine, by joblib.

    Parameters
    ----------
    n_jobs
        Processes; with 1 everything happens in this one.
    cache_folder
        Where the processes exchange expensive local scores.
    """

    n_jobs: int = 1
    cache_folder: Path | None = None

    def run_all(self, tasks: Sequence[Task]) -> Iterator[Record | Failure]:
        """Run all tasks, as many at a time as there are processes."""
        from joblib import Parallel, delayed  # noqa: PLC0415 - help of the command needs no engine

        parallel = Parallel(n_jobs=self.n_jobs, return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(attempt)(task, self.cache_folder) for task in tasks)
