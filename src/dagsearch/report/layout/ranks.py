"""Which layer each node of a DAG lies in: every edge leads to a lower one."""

from __future__ import annotations

from collections.abc import Sequence

Edge = tuple[int, int]

_N_ROUNDS = 8


def ranks(n_nodes: int, edges: Sequence[Edge]) -> list[int]:
    """Return the layer of each node, the uppermost is 0; edges are short, and causes stand near their effects."""
    above: list[list[int]] = [[] for _ in range(n_nodes)]
    below: list[list[int]] = [[] for _ in range(n_nodes)]
    for upper, lower in edges:
        above[lower].append(upper)
        below[upper].append(lower)
    order = _order(above, below)
    rank = [0] * n_nodes
    for node in order:
        rank[node] = max((rank[cause] + 1 for cause in above[node]), default=0)
    _shorten(rank, order, above, below)
    top = min(rank, default=0)
    return [layer - top for layer in rank]


def _order(above: list[list[int]], below: list[list[int]]) -> list[int]:
    """Nodes with causes before effects."""
    n_open = [len(causes) for causes in above]
    order = [node for node, n_causes in enumerate(n_open) if n_causes == 0]
    for node in order:  # which grows as it is walked
        for effect in below[node]:
            n_open[effect] -= 1
            if n_open[effect] == 0:
                order.append(effect)
    return order


def _shorten(rank: list[int], order: list[int], above: list[list[int]], below: list[list[int]]) -> None:
    """Move nodes between their causes and effects so that the edges become shorter in sum."""
    for _ in range(_N_ROUNDS):
        before = list(rank)
        for node in reversed(order):
            if len(below[node]) > len(above[node]):
                rank[node] = min(rank[effect] for effect in below[node]) - 1
        for node in order:
            if len(above[node]) > len(below[node]):
                rank[node] = max(rank[cause] for cause in above[node]) + 1
        if rank == before:
            return
