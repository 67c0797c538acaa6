"""Log weights of all parent sets that a posterior sums over: local scores in nats, -inf for what is ruled out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.kernels.local import OUTSIDE
from dagsearch.scores import Score

_CHUNK = 1 << 16
_CHUNK_FROM_OUTSIDE = 1 << 9  # these may take milliseconds each

Report = Callable[[float, str], None]
"""Called with the share of the work that is done, and what it is; may raise to end it."""


@dataclass(frozen=True)
class Restrictions:
    """Which parent sets there may be.

    Attributes
    ----------
    required, allowed
        (n_nodes, n_nodes) bool: edges that every DAG has, and edges that it may have.
    max_parents
        No set is larger; None: as large as the score can be asked for.
    """

    required: NDArray[np.bool_]
    allowed: NDArray[np.bool_]
    max_parents: int | None = None

    @property
    def candidates(self) -> NDArray[np.bool_]:
        """Edges that are neither required nor ruled out, (n_nodes, n_nodes) bool."""
        free: NDArray[np.bool_] = self.allowed & ~self.required & ~np.eye(len(self.allowed), dtype=bool)
        return free

    def n_sets(self, max_parents: int) -> int:
        """Number of parent sets of all nodes with at most so many parents."""
        return sum(
            math.comb(int(n_free), size)
            for n_free, n_required in zip(self.candidates.sum(axis=0), self.required.sum(axis=0), strict=True)
            for size in range(min(int(n_free), max_parents - int(n_required)) + 1)
        )


@dataclass(frozen=True)
class Weights:
    """Log weights in nats, and up to how many parents sets were looked at.

    Attributes
    ----------
    log_weights
        (n_nodes, 2^(n_nodes - 1)) float64; the parent set of node j is numbered by its bits, that of j taken out.
    max_parents
        The most parents of a set.
    """

    log_weights: NDArray[np.float64]
    max_parents: int


def unsqueezed(numbers: NDArray[np.int64], node: int) -> NDArray[np.int64]:
    """Sets as numbers whose bits are members, from numbers without the bit of ``node``."""
    below = (1 << node) - 1
    return (numbers & below) | (numbers & ~below) << 1


def most_parents(restrictions: Restrictions, score: Score) -> int:
    """The most parents that sets may have: as asked for, or else as many as the score can afford on its rows."""
    n_nodes = score.n_nodes
    rows_allow = n_nodes - 1 if score.max_parents is None else min(score.max_parents, n_nodes - 1)
    n_required = int(restrictions.required.sum(axis=0).max(initial=0))
    asked = restrictions.max_parents
    if asked is not None:
        if asked < n_required:
            raise InputError(
                f"max_parents must be at least {n_required}, the required causes of a variable, got {asked}"
            )
        if min(asked, n_nodes - 1) > rows_allow:
            raise InputError(
                f"max_parents must be at most {rows_allow}: {score.name} can tell no more causes of a variable apart "
                f"on so few rows, got {asked}"
            )
        return min(asked, n_nodes - 1)
    most = max(n_required, 1)
    while most < rows_allow and restrictions.n_sets(most + 1) <= score.affordable:
        most += 1
    return most


def weigh(score: Score, restrictions: Restrictions, report: Report) -> Weights:
    """Ask for the local scores of all parent sets that are not ruled out.

    Parameters
    ----------
    score
        A decomposable score, whose rewards are log probabilities.
    restrictions
        Which parent sets there may be.
    report
        Hears of progress.

    Raises
    ------
    InputError
        If more parents are asked for than the score can tell apart, or fewer than are required.
    """
    n_nodes, most = score.n_nodes, most_parents(restrictions, score)
    log_weights = np.full((n_nodes, 2 ** (n_nodes - 1)), -np.inf)
    numbers = np.arange(2 ** (n_nodes - 1), dtype=np.int64)
    n_all, n_done = max(restrictions.n_sets(most), 1), 0
    chunk = _CHUNK_FROM_OUTSIDE if score.family.code == OUTSIDE else _CHUNK
    with score.session():
        for node in range(n_nodes):
            sets = unsqueezed(numbers, node)
            asked = np.flatnonzero(_possible(sets, node, restrictions, most))
            for first in range(0, len(asked), chunk):
                these = asked[first : first + chunk]
                terms = score.survey(node, sets[these].astype(np.uint64), math.inf)[0]
                log_weights[node, these] = score.nats * (terms[:, 0] - terms[:, 1])
                n_done += len(these)
                report(n_done / n_all, "local scores")
    return Weights(log_weights, most)


def _possible(sets: NDArray[np.int64], node: int, restrictions: Restrictions, max_parents: int) -> NDArray[np.bool_]:
    """Which sets may be the parents of a node."""
    bits = 1 << np.arange(len(restrictions.required), dtype=np.int64)
    required = int(bits[restrictions.required[:, node]].sum())
    others = ~int(bits[restrictions.candidates[:, node]].sum()) & ~required
    possible: NDArray[np.bool_] = (
        (sets & others == 0) & (sets & required == required) & (np.bitwise_count(sets) <= max_parents)
    )
    return possible
