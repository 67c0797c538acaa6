"""Causes before effects: topological orders, and the cycles that rule them out."""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components


def topological_order(adjacency: npt.NDArray[np.int8]) -> list[int]:
    """Order the nodes so that causes come before effects; among free nodes the lowest index comes first.

    Nodes on a cycle, and those behind one, are left out: the order is complete only for a DAG.
    """
    n_open_causes = adjacency.sum(axis=0, dtype=np.int64)
    free = [int(node) for node in np.flatnonzero(n_open_causes == 0)]
    order = []
    while free:
        node = heapq.heappop(free)
        order.append(node)
        for child in np.flatnonzero(adjacency[node]):
            n_open_causes[child] -= 1
            if n_open_causes[child] == 0:
                heapq.heappush(free, int(child))
    return order


def find_cycle(adjacency: npt.NDArray[np.int8]) -> list[int] | None:
    """Return the nodes of one directed cycle in the order of its edges, lowest index first, or None."""
    behind = np.ones(len(adjacency), dtype=bool)
    behind[topological_order(adjacency)] = False
    if not behind.any():
        return None
    # Every node that the order left out has a parent that was left out too: walking upwards must come round.
    walk = [int(np.flatnonzero(behind)[0])]
    while walk.count(walk[-1]) == 1:
        walk.append(int(np.flatnonzero(adjacency[:, walk[-1]] & behind)[0]))
    cycle = walk[walk.index(walk[-1]) + 1 :][::-1]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def edges_on_cycles(adjacency: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Tell which edges are part of a directed cycle: those with both ends in one strongly connected component."""
    _, component = connected_components(adjacency, directed=True, connection="strong")
    on_cycle: npt.NDArray[np.bool_] = adjacency & (component[:, None] == component[None, :])
    return on_cycle
