"""Good DAGs quickly, for the integer program to start from: local search over orders of the nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.orders import FamilyLists, improve_order
from dagsearch.search.exact.families import Families

Found = tuple[float, NDArray[np.int64]]
"""Reward and families of a DAG, one per node by position."""

_KICKED = 4  # nodes that a kick moves


class OrderSearch:
    """Improves orders over fixed families.

    Parameters
    ----------
    families
        Families of all nodes.
    """

    def __init__(self, families: Families) -> None:
        self._families = families
        n_words, self._words = words_for(families.n_nodes)
        self._before = np.zeros(n_words, dtype=np.uint64)
        self._lists = FamilyLists(
            starts=np.searchsorted(families.nodes, np.arange(families.n_nodes + 1)),
            rows=rows_from_membership(families.parents),
            scores=families.scores,
        )
        starts = self._lists.starts[:-1]
        self._always = np.logical_and.reduceat(families.parents, starts, axis=0)  # [v, p]: p is in all sets of v

    def improved(self, order: NDArray[np.int64]) -> Found:
        """Reward and families of a local optimum near an order; -inf if no DAG was met."""
        reward, chosen, _ = self._local_optimum(order)
        return reward, chosen

    def _local_optimum(self, order: NDArray[np.int64]) -> tuple[float, NDArray[np.int64], NDArray[np.int64]]:
        """Reward, families and order of a local optimum."""
        chosen, better = np.empty(self._families.n_nodes, dtype=np.int64), self._possible(order)
        reward = improve_order(self._lists, better, chosen, self._before, self._words)
        return float(reward), chosen, better

    def _possible(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """The order, changed as little as needed for parents that a node cannot do without to come before it."""
        left, placed = order.tolist(), np.zeros(len(order), dtype=bool)
        possible = []
        while left:
            ready = next((node for node in left if placed[self._always[node]].all()), left[0])
            left.remove(ready)
            placed[ready] = True
            possible.append(ready)
        return np.array(possible)

    def best_of(self, n_starts: int, n_kicks: int, rng: np.random.Generator, look: Callable[[], None]) -> Found:
        """The best of several random starts, improved further by moving some nodes anywhere and climbing again.

        ``look`` is called between any two climbs and may raise to end this.
        """
        n_nodes = self._families.n_nodes
        found = [self._local_optimum(rng.permutation(n_nodes)) for _ in range(n_starts)]
        reward, chosen, order = max(found, key=lambda each: each[0])
        for _ in range(n_kicks):
            look()
            moved = rng.choice(n_nodes, min(_KICKED, n_nodes), replace=False)
            rest = order[~np.isin(order, moved)]
            kicked = np.insert(rest, rng.integers(0, len(rest) + 1, len(moved)), moved)
            other = self._local_optimum(kicked)
            if other[0] >= reward:
                reward, chosen, order = other
        return reward, chosen

    def from_weights(self, weights: NDArray[np.float64]) -> Found:
        """A DAG near a fractional solution: nodes of which the least weight waits for parents go first."""
        families, n_nodes = self._families, self._families.n_nodes
        pull = np.zeros((n_nodes, n_nodes))
        used = weights > 0.0
        np.add.at(pull, families.nodes[used], families.parents[used] * weights[used, np.newaxis])
        order, left = [], np.ones(n_nodes, dtype=bool)
        while left.any():
            waiting = np.where(left, pull[:, left].sum(axis=1), np.inf)
            node = int(waiting.argmin())
            order.append(node)
            left[node] = False
        return self.improved(np.array(order))
