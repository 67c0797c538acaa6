"""Which tasks there are, which of them are left, and carrying these out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from dagsearch.experiments.engines import Failure
from dagsearch.experiments.store import LineStore
from truth_study.conditions import Kind
from truth_study.methods import METHODS
from truth_study.task import TruthRecord, TruthTask

_MOST_EXCEEDED = 2

Store = LineStore[TruthRecord]
Listener = Callable[[int, int, TruthRecord | Failure], None]
"""Called with the number of runs that have ended, that of all that were left, and what came of the last one."""


def tasks_of(
    kinds: Sequence[Kind], variables: Iterable[int], rows: Iterable[int], n_seeds: int, methods: Sequence[str]
) -> list[TruthTask]:
    """All tasks, small tables first; without sizes that a method is not tried on."""
    sizes = sorted((d, n) for d in set(variables) for n in set(rows))
    return [
        TruthTask(kind, d, n, seed, method)
        for d, n in sizes
        for seed in range(n_seeds)
        for kind in kinds
        for method in methods
        if METHODS[method].most_nodes is None or d <= METHODS[method].most_nodes
    ]


def left(tasks: Iterable[TruthTask], store: Store, time_limit: float) -> list[TruthTask]:
    """Tasks that have neither ended nor been given up after as much time."""
    ended = {replace(record.task, given_up_after=None) for record in _counting(store, time_limit)}
    return [task for task in tasks if task not in ended]


def _counting(store: Store, time_limit: float) -> Iterator[TruthRecord]:
    """Records that still count with this limit."""
    return (record for record in store if (record.task.given_up_after or time_limit) >= time_limit)


def carry_out(tasks: Sequence[TruthTask], store: Store, engine: Any, listener: Listener) -> list[Failure]:
    """Run what is left, and keep every record at once.

    Returns
    -------
    list of Failure
        Runs that raised an exception; they have no record and would be tried again.
    """
    failures: list[Failure] = []
    missing = left(tasks, store, engine.time_limit)
    hopeful = (task for task in missing if not hopeless(task, store, engine.time_limit))
    with closing(engine.run_all(hopeful)) as outcomes:
        for n_done, outcome in enumerate(outcomes, start=1):
            if isinstance(outcome, Failure):
                failures.append(outcome)
            else:
                store.append(outcome)
            listener(n_done, len(missing), outcome)
    return failures


def hopeless(task: TruthTask, store: Store, time_limit: float) -> bool:
    """Whether the method has exceeded the limit twice on tables of some size that are no larger either way."""
    counts = Counter(
        (record.task.n_nodes, record.task.n_rows)
        for record in _counting(store, time_limit)
        if record.task.given_up_after is not None and record.task.method == task.method
    )
    return any(count >= _MOST_EXCEEDED and d <= task.n_nodes and n <= task.n_rows for (d, n), count in counts.items())
