"""The best DAG over every subset of the nodes, by dynamic programming (Silander and Myllymaki 2006).

The best DAG over a set S has a sink v, whose parents are the best ones inside S - {v}. So with best(C, v) the score of
the best family of v whose parents lie in C,

    reward(S) = max over v in S of  reward(S - {v}) + best(S - {v}, v).

A set is a number: its low bits lie inside one *block* of subsets, its high bits number the block. ``best`` is made for
one block at a time and fits in the processor's cache; only ``reward`` is kept for all subsets. Families may have a cost
(their number of edges): rewards are then kept for each total.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import lowest_bit
from dagsearch.kernels.compile import entry_point, kernel


class FamilyTable(NamedTuple):
    """Families sorted by the high bits of their parents, and the scratch of one block."""

    n_nodes: int
    n_low: int  # low bits of a set
    n_costs: int  # costs are 0 to n_costs - 1
    n_totals: int  # totals that rewards are kept for: 0 to n_totals - 1
    starts: Any  # (2^n_high + 1,) int64   families whose parents have the high bits h: starts[h] to starts[h + 1]
    low: Any  # (n_families,) int64   low bits of the parents
    nodes: Any  # (n_families,) int64
    costs: Any  # (n_families,) int64
    scores: Any  # (n_families,) float64
    best: Any  # (n_nodes * n_costs * 2^n_low,) float64 scratch


@kernel
def _enter_families(table, block):
    """Write the scores of all families whose high parents lie in ``block`` to the place of their low parents."""
    best = table.best
    for k in range(best.shape[0]):
        best[k] = -np.inf
    high = block
    while True:
        for f in range(table.starts[high], table.starts[high + 1]):
            at = (table.nodes[f] * table.n_costs + table.costs[f]) << table.n_low | table.low[f]
            best[at] = max(best[at], table.scores[f])
        if high == 0:
            break
        high = (high - 1) & block


@kernel
def _spread_to_supersets(table, block):
    """Make the best score inside a set at least that inside each of its subsets; for nodes outside the block only."""
    best = table.best
    size = 1 << table.n_low
    for v in range(table.n_nodes):
        if block << table.n_low >> v & 1:
            continue
        for first in range(v * table.n_costs * size, (v + 1) * table.n_costs * size, size):
            width = 1
            while width < size:
                for start in range(first, first + size, 2 * width):
                    for k in range(start, start + width):
                        below, here = best[k], best[k + width]
                        best[k + width] = below if below > here else here
                width *= 2


@kernel
def _extend(rewards, smaller, larger, best, at, length):
    """Add one node to each of ``length`` neighbouring sets, whose best families are at ``at``."""
    for k in range(length):
        extended, here = rewards[smaller + k] + best[at + k], rewards[larger + k]
        rewards[larger + k] = extended if extended > here else here


@kernel
def _extend_free(table, rewards, block):
    """Pass the rewards of a block on to all sets with one node more; families cost nothing.

    Within the block, 2^v sets are final as soon as those before them are, and node v is then added to all at once.
    """
    n_low = table.n_low
    base, size = block << n_low, 1 << n_low
    for low in range(1, size):
        v = np.int64(lowest_bit(np.uint64(low)))
        length = 1 << v
        _extend(rewards, base + low - length, base + low, table.best, (v << n_low) + low - length, length)
    for v in range(n_low, table.n_nodes):
        if not base >> v & 1:
            _extend(rewards, base, base | 1 << v, table.best, v << n_low, size)


@kernel
def _extend_counting(table, rewards, block):
    """The same for each total cost."""
    n_low, n_costs, n_totals = table.n_low, table.n_costs, table.n_totals
    for low in range(1 << n_low):
        subset = block << n_low | low
        for v in range(table.n_nodes):
            if subset >> v & 1:
                continue
            larger = subset | 1 << v
            for cost in range(min(n_costs, n_totals)):
                score = table.best[(v * n_costs + cost) << n_low | low]
                if score == -np.inf:
                    continue
                for total in range(n_totals - cost):
                    extended = rewards[subset * n_totals + total] + score
                    at = larger * n_totals + total + cost
                    here = rewards[at]
                    rewards[at] = extended if extended > here else here


@entry_point
def extend_blocks(table, rewards, first, last):
    """Work through blocks ``first`` to ``last`` - 1.

    ``rewards`` (2^n_nodes * n_totals,) float64 starts at -inf, but for 0.0 at the start: no node, no cost.
    """
    for block in range(first, last):
        _enter_families(table, block)
        _spread_to_supersets(table, block)
        if table.n_costs == 1 and table.n_totals == 1:
            _extend_free(table, rewards, block)
        else:
            _extend_counting(table, rewards, block)
