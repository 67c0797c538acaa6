"""Violated cluster inequalities of a fractional solution (Jaakkola et al. 2010; Bartlett and Cussens 2017).

In a DAG some node of every set C, a *cluster*, has no parent in C. For weights x of families this reads

    sum of x over families of nodes in C with no parent in C  >=  1.

With ``hits`` the sum over families of nodes in C with a parent in C, the left side is |C| - hits.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel


@kernel
def _left_side(nodes, parents, weights, inside, n_inside):
    """|C| - hits for the cluster ``inside``."""
    hits = 0.0
    for f in range(nodes.shape[0]):
        if inside[nodes[f]]:
            for p in range(parents.shape[1]):
                if inside[p] and parents[f, p]:
                    hits += weights[f]
                    break
    return n_inside - hits


@kernel
def _grow(nodes, parents, weights, inside, best, n_nodes):
    """Grow ``inside`` by the best node until none is left; the best cluster on the way goes to ``best``."""
    n_inside, least = 1, np.inf
    while n_inside < n_nodes:
        chosen, value = -1, np.inf
        for v in range(n_nodes):
            if not inside[v]:
                inside[v] = True
                left = _left_side(nodes, parents, weights, inside, n_inside + 1)
                inside[v] = False
                if left < value:
                    chosen, value = v, left
        if value > 2.0:
            break
        inside[chosen] = True
        n_inside += 1
        if value < least - 1e-9:
            least = value
            for v in range(n_nodes):
                best[v] = inside[v]
    return least


@entry_point
def grow_clusters(nodes, parents, weights, clusters, left_sides, inside):
    """A cluster grown from each node: ``clusters`` (n_nodes, n_nodes) bool, their ``left_sides`` (n_nodes,).

    ``nodes`` (n,), ``parents`` (n, n_nodes) bool and ``weights`` (n,) are the families in use; ``inside`` is scratch.
    """
    n_nodes = parents.shape[1]
    for seed in range(n_nodes):
        for v in range(n_nodes):
            inside[v] = v == seed
        left_sides[seed] = _grow(nodes, parents, weights, inside, clusters[seed], n_nodes)
