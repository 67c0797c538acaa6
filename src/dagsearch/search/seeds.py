"""Sets of parents that no climb from the empty set reaches: two that pay only together, as in an exclusive or."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.kernels.forest import MOST_SEEDS
from dagsearch.kernels.local import OUTSIDE
from dagsearch.search.checkpoint import NOT_KEPT, Arrays, Stage
from dagsearch.search.forest import Seed
from dagsearch.search.protocol import Problem, ScoreLike, pays

MOST_VISITED_ROWS = 200_000_000
"""Pairs times rows that a survey may visit: about a second."""


def interacting_pairs(
    problem: Problem, score: ScoreLike, check: Callable[[], None], stage: Stage = NOT_KEPT
) -> list[Seed]:
    """Pairs of parents that pay together, though neither pays alone; the best of each variable.

    ``check`` is called now and then and may raise. There are none where the survey of all pairs takes too long, or
    where the reward is no sum of local scores.
    """
    if stage.result is not None:
        return seeds_from(stage.result)
    d = problem.n_nodes
    n_rows = d * comb(d - 1, 2) * max(1.0, score.family.n_samples)
    if score.family.code == OUTSIDE or score.family.equal_variances or n_rows > MOST_VISITED_ROWS:
        return []
    seeds = []
    for node in range(d):
        check()
        seeds += _pairs_of(node, problem, score)
    stage.finish(arrays_of_seeds(seeds, d))
    return seeds


def arrays_of_seeds(seeds: Sequence[Seed], n_nodes: int) -> Arrays:
    """Seeds as a checkpoint keeps them."""
    return {
        "seed_nodes": np.array([seed.node for seed in seeds], dtype=np.int64),
        "seed_parents": np.array([seed.parents for seed in seeds], dtype=bool).reshape(len(seeds), n_nodes),
    }


def seeds_from(arrays: Arrays) -> list[Seed]:
    """Seeds that a checkpoint kept."""
    rows = zip(arrays["seed_nodes"], arrays["seed_parents"], strict=True)
    return [Seed(int(node), parents) for node, parents in rows]


def _pairs_of(node: int, problem: Problem, score: ScoreLike) -> list[Seed]:
    required = problem.start[:, node].astype(bool)
    if required.sum() + 2 > problem.max_parents:
        return []
    allowed = problem.allowed[:, node] & ~required
    allowed[node] = False
    causes = np.flatnonzero(allowed)
    alone = _values(node, _sets(required, causes[:, np.newaxis]), score)
    base = float(_values(node, required[np.newaxis], score)[0])
    idle = causes[[not pays(float(value), base) for value in alone]]
    pairs = np.array(list(combinations(idle, 2)), dtype=np.int64).reshape(-1, 2)
    if len(pairs) == 0:
        return []
    sets = _sets(required, pairs)
    together = _values(node, sets, score)
    best = np.argsort(-together, kind="stable")[:MOST_SEEDS]
    return [Seed(node, sets[k]) for k in best if pays(float(together[k]), base)]


def _sets(required: NDArray[np.bool_], added: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The required parents with others added, a set per row."""
    sets = np.tile(required, (len(added), 1))
    sets[np.arange(len(added))[:, np.newaxis], added] = True
    return sets


def _values(node: int, sets: NDArray[np.bool_], score: ScoreLike) -> NDArray[np.float64]:
    terms, _, _ = score.survey(node, rows_from_membership(sets), np.inf)
    values: NDArray[np.float64] = terms[:, 0] - terms[:, 1]
    return values
