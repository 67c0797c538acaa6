"""Which tasks are left, and carrying these out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeVar

from dagsearch.experiments.engines import Failure
from dagsearch.experiments.store import LineStore
from study_runs.records import StudyRecord, StudyTask

AnyTask = TypeVar("AnyTask", bound=StudyTask)
Store = LineStore[Any]
Hopeless = Callable[[AnyTask, Store, float], bool]
"""Whether records say that a task, tried with so many seconds, would not end in time."""
Listener = Callable[[int, int, StudyRecord | Failure], None]
"""Called with the number of runs that have ended, that of all that were left, and what came of the last one."""


def counting(store: Store, time_limit: float) -> Iterator[Any]:
    """Records that still count with this limit."""
    return (record for record in store if (record.task.given_up_after or time_limit) >= time_limit)


def left(tasks: Iterable[AnyTask], store: Store, time_limit: float) -> list[AnyTask]:
    """Tasks that have neither ended nor been given up after as much time."""
    ended = {record.task.wanted for record in counting(store, time_limit) if record.is_final}
    return [task for task in tasks if task not in ended]


def given_up(tasks: Iterable[AnyTask], store: Store, time_limit: float, hopeless: Hopeless[AnyTask]) -> list[AnyTask]:
    """Tasks that are left and are not tried, since they would not end in time."""
    return [task for task in left(tasks, store, time_limit) if hopeless(task, store, time_limit)]


def carry_out(
    tasks: Sequence[AnyTask], store: Store, engine: Any, listener: Listener, hopeless: Hopeless[AnyTask]
) -> list[Failure]:
    """Run what is left and not hopeless, and keep every record at once.

    Returns
    -------
    list of Failure
        Runs that raised an exception; they have no record and would be tried again.
    """
    missing = left(tasks, store, engine.time_limit)
    hopeful = (task for task in missing if not hopeless(task, store, engine.time_limit))
    with closing(engine.run_all(hopeful)) as outcomes:
        return store.append_all(outcomes, len(missing), listener)
