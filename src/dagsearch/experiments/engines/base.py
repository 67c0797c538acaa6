"""What engines have in common: they attempt tasks, and a run that fails is an outcome like any other."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dagsearch.experiments.run import run
from dagsearch.experiments.task import Record, Task

GO_ON = "Finished runs are kept: the same command goes on from here."
"""What to say when an engine breaks down."""


@dataclass(frozen=True)
class Failure:
    """A run that raised an exception, or was never heard of again.

    Attributes
    ----------
    task
        What was run.
    message
        What went wrong, in a sentence.
    details
        The traceback, if there is one.
    """

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
