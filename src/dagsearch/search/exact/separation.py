"""Clusters whose inequality a solution of the relaxed program violates; see `dagsearch.kernels.clusters`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, coo_array
from scipy.sparse.csgraph import connected_components, shortest_path

from dagsearch.kernels.clusters import grow_clusters
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
    """Clusters whose inequality is violated by weights of the families, (n, n_nodes); none only if there is none.

    Growing clusters from each node finds most at once; a small integer program finds the rest, or proves that there is
    none.
    """
    used = weights > _IN_USE
    nodes, parents, used_weights = families.nodes[used], families.parents[used], weights[used]
    n_nodes = families.n_nodes
    clusters, left_sides = np.zeros((n_nodes, n_nodes), dtype=bool), np.empty(n_nodes)
    grow_clusters(nodes, parents, used_weights, clusters, left_sides, np.empty(n_nodes, dtype=bool))
    found = np.unique(clusters[left_sides < 1.0 - VIOLATED], axis=0)
    return found if len(found) else _most_violated(nodes, parents, used_weights)


def _most_violated(
    nodes: NDArray[np.int64], parents: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """The most violated cluster, by an integer program over nodes in the cluster and families with a parent in it.

    A family f of v counts as hit, h_f <= c_v and h_f <= sum of c_p over its parents; maximise w h - sum of c, which is
    above -1 for a violated cluster. Families of weight zero cannot be hit, nor those without parents.
    """
    n_nodes = parents.shape[1]
    with_parents = parents.any(axis=1)
    nodes, parents, weights = nodes[with_parents], parents[with_parents], weights[with_parents]
    n_families = len(nodes)
    if n_families == 0:
        return np.zeros((0, n_nodes), dtype=bool)
    numbers = np.arange(n_families)
    in_cluster = coo_array((np.ones(n_families), (numbers, nodes)), shape=(n_families, n_nodes))
    hits = coo_array((np.ones(n_families), (numbers, numbers)), shape=(n_families, n_families))
    of_parents = coo_array(parents.astype(float))
    matrix = block_array([[hits, -in_cluster], [hits, -of_parents]], format="csr")
    cost = np.concatenate([-weights, np.ones(n_nodes)])
    # The empty cluster is a solution; it is ruled out by two nodes at least.
    size = np.concatenate([np.zeros(n_families), np.ones(n_nodes)])[np.newaxis]
    solution = milp(
        cost,
        integrality=np.concatenate([np.zeros(n_families), np.ones(n_nodes)]),
        bounds=Bounds(0.0, 1.0),
        constraints=[LinearConstraint(matrix, -np.inf, 0.0), LinearConstraint(size, 2.0, np.inf)],
    )
    if solution.x is None or solution.fun > 1.0 - VIOLATED:
        return np.zeros((0, n_nodes), dtype=bool)
    cluster: NDArray[np.bool_] = solution.x[n_families:] > 0.5
    return cluster[np.newaxis]


def _as_rows(groups: list[tuple[int, ...]], n_nodes: int) -> NDArray[np.bool_]:
    rows = np.zeros((len(groups), n_nodes), dtype=bool)
    for row, members in zip(rows, groups, strict=True):
        row[list(members)] = True
    return rows
