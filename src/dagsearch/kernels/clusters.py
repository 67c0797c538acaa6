"""Violated cluster inequalities of a fractional solution (Jaakkola et al. 2010; Bartlett and Cussens 2017).

In a DAG some node of every set C, a *cluster*, has no parent in C. For weights x of families this reads

    sum of x over families of nodes in C with no parent in C  >=  1.

With ``hits`` the sum over families of nodes in C with a parent in C, the left side is |C| - hits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel

_HOPELESS = 2.0  # a left side that is unlikely to fall below one again
_LESS = 1e-9


class Support(NamedTuple):
    """The families that have weight, and the scratch of growing clusters."""

    nodes: Any  # (n_families,) int64
    starts: Any  # (n_families + 1,) int64   parents of family f: starts[f] to starts[f + 1]
    parents: Any  # (n_parents,) int64
    weights: Any  # (n_families,) float64
    is_hit: Any  # (n_families,) bool scratch: a parent lies in the cluster
    gains: Any  # (n_nodes,) float64 scratch: how many hits a node would bring


@kernel
def _include(support, node, inside):
    """Put a node into the cluster; returns how many hits that brings."""
    brought = 0.0
    inside[node] = True
    for f in range(support.nodes.shape[0]):
        if support.nodes[f] == node and support.is_hit[f]:
            brought += support.weights[f]
        if not support.is_hit[f]:
            for k in range(support.starts[f], support.starts[f + 1]):
                if support.parents[k] == node:
                    support.is_hit[f] = True
                    if inside[support.nodes[f]]:
                        brought += support.weights[f]
                    break
    return brought


@kernel
def _best_gain(support, inside):
    """The node outside the cluster that would bring most hits, and how many; -1 if there is none."""
    gains = support.gains
    for v in range(gains.shape[0]):
        gains[v] = 0.0
    for f in range(support.nodes.shape[0]):
        if inside[support.nodes[f]]:
            if not support.is_hit[f]:
                for k in range(support.starts[f], support.starts[f + 1]):
                    gains[support.parents[k]] += support.weights[f]
        elif support.is_hit[f]:
            gains[support.nodes[f]] += support.weights[f]
    best, node = -1.0, -1
    for v in range(gains.shape[0]):
        if not inside[v] and gains[v] > best:
            best, node = gains[v], v
    return node


@kernel
def _grow(support, seed, inside, cluster):
    """Grow a cluster node by node; the one with the least left side on the way goes to ``cluster``."""
    n_nodes = inside.shape[0]
    for v in range(n_nodes):
        inside[v] = False
    for f in range(support.nodes.shape[0]):
        support.is_hit[f] = False
    left, least = 1.0 - _include(support, seed, inside), np.inf
    for _ in range(n_nodes - 1):
        left += 1.0 - _include(support, _best_gain(support, inside), inside)
        if left > _HOPELESS:
            break
        if left < least - _LESS:
            least = left
            for v in range(n_nodes):
                cluster[v] = inside[v]
    return least


@entry_point
def grow_clusters(support, clusters, left_sides, inside):
    """A cluster grown from each node: ``clusters`` (n_nodes, n_nodes) bool, their ``left_sides`` (n_nodes,).

    ``inside`` (n_nodes,) bool is scratch.
    """
    for seed in range(clusters.shape[0]):
        left_sides[seed] = _grow(support, seed, inside, clusters[seed])
