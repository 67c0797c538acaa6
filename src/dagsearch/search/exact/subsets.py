"""Dynamic programming over all subsets of the nodes, with or without counting edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.kernels.subsets import FamilyTable, extend_blocks
from dagsearch.search.exact.families import Families

_BLOCK_BYTES = 1 << 18  # of the scratch of a block: what a processor's second-level cache holds
_MIN_LOW = 4


@dataclass(frozen=True)
class BestBySubset:
    """The best rewards over all subsets of nodes, from which optimal graphs are read off.

    Attributes
    ----------
    families
        What graphs are made of.
    costs
        (n_families,) edges of each family, or zeros if edges were not counted.
    rewards
        (2^n_nodes, n_totals) best reward over each subset, for each number of edges if these were counted.
    """

    families: Families
    costs: NDArray[np.int64]
    rewards: NDArray[np.float64]

    @property
    def by_edges(self) -> NDArray[np.float64]:
        """Best rewards of whole graphs by number of edges (one entry if they were not counted); -inf: there is none."""
        row: NDArray[np.float64] = self.rewards[-1]
        return row

    def choice(self, n_edges: int = 0) -> NDArray[np.int64]:
        """Positions of the families of a best graph, one per node, with so many edges if these were counted."""
        sets = _as_numbers(self.families.parents)
        chosen = np.empty(self.families.n_nodes, dtype=np.int64)
        subset, total = len(self.rewards) - 1, n_edges
        while subset:
            sink, family = self._last_step(subset, total, sets)
            chosen[sink] = family
            subset, total = subset & ~(1 << sink), total - int(self.costs[family])
        return chosen

    def _last_step(self, subset: int, total: int, sets: NDArray[np.int64]) -> tuple[int, int]:
        """A sink of the best graph over ``subset``, and its family; sums equal those of the kernel to the last bit."""
        for sink in range(self.families.n_nodes):
            smaller = subset & ~(1 << sink)
            if smaller == subset:
                continue
            of_sink = self.families.of(sink)
            costs = self.costs[of_sink]
            inside = (sets[of_sink] & ~smaller == 0) & (costs <= total)
            before = self.rewards[smaller, np.where(inside, total - costs, 0)]
            hits = np.flatnonzero(inside & (before + self.families.scores[of_sink] == self.rewards[subset, total]))
            if len(hits):
                return sink, of_sink.start + int(hits[0])
        raise AssertionError("no sink explains the reward of a subset")


def bytes_needed(n_nodes: int, most_edges: int | None = None) -> int:
    """Memory that `best_by_subset` takes."""
    return int(8 * 2**n_nodes * (1 if most_edges is None else most_edges + 1))


def best_by_subset(families: Families, most_edges: int | None, report: Callable[[float], None]) -> BestBySubset:
    """Find the best reward over every subset of nodes.

    Parameters
    ----------
    families
        Families of all nodes.
    most_edges
        Keep rewards by number of edges, up to this one; None: whatever their number.
    report
        Called with the share of the work that is done; may raise to end it.
    """
    n_nodes = families.n_nodes
    n_totals = 1 if most_edges is None else most_edges + 1
    costs = np.zeros(len(families), dtype=np.int64) if most_edges is None else families.sizes
    table = _table(families, costs, n_totals)
    rewards = np.full(2**n_nodes * n_totals, -np.inf)
    rewards[0] = 0.0
    n_blocks = 2 ** (n_nodes - table.n_low)
    step = max(1, n_blocks // 256)
    for first in range(0, n_blocks, step):
        extend_blocks(table, rewards, first, min(first + step, n_blocks))
        report(first / n_blocks)
    return BestBySubset(families, costs, rewards.reshape(-1, n_totals))


def _table(families: Families, costs: NDArray[np.int64], n_totals: int) -> FamilyTable:
    n_nodes, n_costs = families.n_nodes, int(costs.max(initial=0)) + 1
    n_low = min(n_nodes, _MIN_LOW)
    while n_low < n_nodes and 8 * n_nodes * n_costs * 2 ** (n_low + 1) <= _BLOCK_BYTES:
        n_low += 1
    sets = _as_numbers(families.parents)
    high = sets >> n_low
    order = np.argsort(high, kind="stable")
    return FamilyTable(
        n_nodes=n_nodes,
        n_low=n_low,
        n_costs=n_costs,
        n_totals=n_totals,
        starts=np.searchsorted(high[order], np.arange(2 ** (n_nodes - n_low) + 1)),
        low=(sets & (2**n_low - 1))[order],
        nodes=families.nodes[order],
        costs=costs[order],
        scores=families.scores[order],
        best=np.empty(n_nodes * n_costs * 2**n_low),
    )


def _as_numbers(parents: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Each set as the number whose bits are its members."""
    numbers: NDArray[np.int64] = parents @ (1 << np.arange(parents.shape[1], dtype=np.int64))
    return numbers
