"""What engines have in common: they attempt tasks, and a run that fails is an outcome like any other."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

GO_ON = "Finished runs are kept: the same command goes on from here."
"""What to say when an engine breaks down, if whoever gave it tasks keeps what is finished."""

Task = TypeVar("Task")
Record = TypeVar("Record")
Task_contra = TypeVar("Task_contra", contravariant=True)
Record_co = TypeVar("Record_co", covariant=True)


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

    task: Any
    message: str
    details: str


class Engine(Protocol, Generic[Task_contra, Record_co]):
    """Carries out tasks."""

    def run_all(self, tasks: Iterable[Task_contra]) -> Iterator[Record_co | Failure]:
        """Run all tasks, and yield what came of each as soon as it is there; tasks are asked for in their turn."""


def attempt(work: Callable[[Task], Record], task: Task) -> Record | Failure:
    """Run a task; an exception is its outcome, so that one bad run does not end the others."""
    try:
        return work(task)
    except Exception as error:
        return Failure(task, f"{type(error).__name__}: {error}", traceback.format_exc())
