"""The cores of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dagsearch.experiments.engines.base import Failure, attempt
from dagsearch.experiments.task import Record, Task


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
