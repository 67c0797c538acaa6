"""Which tasks there are, and which of them are hopeless."""

from __future__ import annotations

from collections.abc import Sequence

from study_runs.resume import counting

from dagsearch.experiments.store import LineStore
from search_study.methods import METHODS, takes
from search_study.parts import PARTS, Part, Problem
from search_study.task import SearchRecord, SearchTask


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


def hopeless(task: SearchTask, store: LineStore[SearchRecord], time_limit: float) -> bool:
    """Whether the method has exceeded the limit on this problem, or on one of the part that is no larger or denser."""
    return any(
        record.task.given_up_after is not None
        and (record.task.part, record.task.method) == (task.part, task.method)
        and _is_no_harder(task.part, record.task.problem, task.problem)
        for record in counting(store, time_limit)
    )


def _is_no_harder(part: str, first: str, second: str) -> bool:
    """Whether the first problem is the second, or has no more variables and no more edges per variable."""
    sizes = [PARTS[part].problem(name).size for name in (first, second)]
    if first == second or None in sizes:
        return first == second
    (n_nodes, n_edges), (n_other_nodes, n_other_edges) = sizes
    return n_nodes <= n_other_nodes and n_edges / n_nodes <= n_other_edges / n_other_nodes
