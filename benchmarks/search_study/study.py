"""Which tasks there are, which of them are left, and carrying these out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

from dagsearch.experiments.engines import Failure
from dagsearch.experiments.store import LineStore
from search_study.methods import METHODS, takes
from search_study.parts import PARTS, Part, Problem
from search_study.task import REFUSED, SearchRecord, SearchTask

Store = LineStore[SearchRecord]
Listener = Callable[[int, int, SearchRecord | Failure], None]
"""Called with the number of runs that have ended, that of all that were left, and what came of the last one."""


def tasks_of(part: str, methods: Sequence[str], n_seeds: int, problems: Sequence[str] = ()) -> list[SearchTask]:
    """All tasks of a part: problem by problem, then by seed, so that what is compared is run at about the same time.

    Parameters
    ----------
    part
        Name of the part.
    methods
        Those of them are run that the part is for.
    n_seeds
        Seeds 0, 1, ...; a method that repeats itself has one on tables that do not depend on it.
    problems
        Names of problems; none: all.
    """
    known = PARTS[part]
    return [
        SearchTask(part, problem.name, method, seed)
        for problem in known.problems
        if not problems or problem.name in problems
        for seed in range(n_seeds)
        for method in methods
        if _is_run(known, problem, method, seed)
    ]


def _is_run(part: Part, problem: Problem, method: str, seed: int) -> bool:
    if method not in part.methods or not takes(method, problem):
        return False
    if seed > 0 and METHODS[method].repeats and not problem.seed_draws_data:
        return False
    return problem.size is None or problem.size[0] <= part.most_nodes.get(method, problem.size[0])


def left(tasks: Iterable[SearchTask], store: Store, time_limit: float) -> list[SearchTask]:
    """Tasks that have neither ended nor been given up after as much time; what was refused is tried again."""
    ended = {record.task.wanted for record in _counting(store, time_limit) if record.status != REFUSED}
    return [task for task in tasks if task not in ended]


def _counting(store: Store, time_limit: float) -> Iterator[SearchRecord]:
    """Records that still count with this limit."""
    return (record for record in store if (record.task.given_up_after or time_limit) >= time_limit)


def carry_out(tasks: Sequence[SearchTask], store: Store, engine: Any, listener: Listener) -> list[Failure]:
    """Run what is left, and keep every record at once.

    Returns
    -------
    list of Failure
        Runs that raised an exception that is not one of ours; they have no record and would be tried again.
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


def hopeless(task: SearchTask, store: Store, time_limit: float) -> bool:
    """Whether the method has exceeded the limit on this problem, or on one of the part that is no larger or denser."""
    return any(
        record.task.given_up_after is not None
        and (record.task.part, record.task.method) == (task.part, task.method)
        and _is_no_harder(task.part, record.task.problem, task.problem)
        for record in _counting(store, time_limit)
    )


def _is_no_harder(part: str, first: str, second: str) -> bool:
    """Whether the first problem is the second, or has no more variables and no more edges per variable."""
    sizes = [PARTS[part].problem(name).size for name in (first, second)]
    if first == second or None in sizes:
        return first == second
    (n_nodes, n_edges), (n_other_nodes, n_other_edges) = sizes
    return n_nodes <= n_other_nodes and n_edges / n_nodes <= n_other_edges / n_other_nodes
