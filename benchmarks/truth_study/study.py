"""Which tasks there are, and which of them are hopeless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from study_runs.resume import counting

from dagsearch.experiments.store import LineStore
from truth_study.conditions import Kind
from truth_study.methods import METHODS
from truth_study.task import TruthRecord, TruthTask

_MOST_EXCEEDED = 2


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


def hopeless(task: TruthTask, store: LineStore[TruthRecord], time_limit: float) -> bool:
    """Whether the method has exceeded the limit twice on tables of some size that are no larger either way."""
    counts = Counter(
        (record.task.n_nodes, record.task.n_rows)
        for record in counting(store, time_limit)
        if record.task.given_up_after is not None and record.task.method == task.method
    )
    return any(count >= _MOST_EXCEEDED and d <= task.n_nodes and n <= task.n_rows for (d, n), count in counts.items())
