"""Clusters whose inequality a solution of the relaxed program violates; see `dagsearch.kernels.clusters`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, shortest_path

from dagsearch.kernels.clusters import Support, grow_clusters
from dagsearch.search.exact.families import Families

VIOLATED = 1e-3
"""Inequalities that lack less than this are not worth a round."""

_IN_USE = 1e-7


def clusters_on_cycles(adjacency: NDArray[np.int8]) -> NDArray[np.bool_]:
    """The node sets of shortest cycles of a graph, one through each node that lies on any; (n, n_nodes)."""
    n_nodes = len(adjacency)
    n_components, _ = connected_components(adjacency, directed=True, connection="strong")
    if n_components == n_nodes:
        return np.zeros((0, n_nodes), dtype=bool)
    distances, before = shortest_path(adjacency, unweighted=True, return_predecessors=True)
    back = distances + np.where(adjacency.T == 1, 0.0, np.inf)  # along a path and over the edge that closes it
    np.fill_diagonal(back, np.inf)
    clusters: dict[tuple[int, ...], None] = {}
    for start in np.flatnonzero(np.isfinite(back.min(axis=1))):
        members, end = {int(start)}, int(back[start].argmin())
        while end != start:
            members.add(end)
            end = int(before[start, end])
        clusters[tuple(sorted(members))] = None
    return _as_rows(list(clusters), n_nodes)


def violated_clusters(families: Families, weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Clusters, grown from each node, whose inequality is violated by weights of the families; (n, n_nodes).

    That none is found does not mean that there is none: to find the most violated one is as hard as the whole problem.
    """
    used = np.flatnonzero(weights > _IN_USE)
    family, parent = np.nonzero(families.parents[used])
    n_nodes = families.n_nodes
    support = Support(
        nodes=families.nodes[used],
        starts=np.searchsorted(family, np.arange(len(used) + 1)),
        parents=parent,
        weights=weights[used],
        is_hit=np.empty(len(used), dtype=bool),
        gains=np.empty(n_nodes),
    )
    clusters, left_sides = np.zeros((n_nodes, n_nodes), dtype=bool), np.empty(n_nodes)
    grow_clusters(support, clusters, left_sides, np.empty(n_nodes, dtype=bool))
    found: NDArray[np.bool_] = np.unique(clusters[left_sides < 1.0 - VIOLATED], axis=0)
    return found


def _as_rows(groups: list[tuple[int, ...]], n_nodes: int) -> NDArray[np.bool_]:
    rows = np.zeros((len(groups), n_nodes), dtype=bool)
    for row, members in zip(rows, groups, strict=True):
        row[list(members)] = True
    return rows
