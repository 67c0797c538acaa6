"""Slow, obvious twins of the chains: all DAGs one by one, and sums over partitions layer by layer."""

from __future__ import annotations

import math
from functools import cache

import naive
import numpy as np


def all_candidates(n_nodes: int) -> np.ndarray:
    """Every other node is a candidate."""
    return np.array([[cause for cause in range(n_nodes) if cause != node] for node in range(n_nodes)])


def as_node_sets(candidates: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """Sets of candidates, (n, n_nodes), as sets of nodes."""
    sets = np.zeros(parents.shape, dtype=np.int64)
    for node, row in enumerate(candidates):
        for place, cause in enumerate(row):
            sets[:, node] |= (parents[:, node].astype(np.int64) >> place & 1) << cause
    return sets


def all_dags(candidates: np.ndarray, log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Parents of every DAG as sets of candidates, (n_dags, n_nodes), and its log weight."""
    n_nodes = len(candidates)
    nodes = naive.parents_in_all_dags(n_nodes)
    parents = np.zeros_like(nodes)
    for node, row in enumerate(candidates):
        for place, cause in enumerate(row):
            parents[:, node] |= (nodes[:, node] >> cause & 1) << place
    return parents, sum(log_weights[node, parents[:, node]] for node in range(n_nodes))


def layers(node_sets: tuple[int, ...]) -> tuple[int, ...]:
    """The longest paths that end in each node of a DAG."""

    @cache
    def layer(node: int) -> int:
        return max((layer(p) + 1 for p in range(len(node_sets)) if node_sets[node] >> p & 1), default=0)

    return tuple(layer(node) for node in range(len(node_sets)))


def edge_probabilities(candidates: np.ndarray, parents: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Probabilities of edges, (n_nodes, n_nodes), from those of DAGs."""
    edges = np.zeros((len(candidates), len(candidates)))
    for node, row in enumerate(candidates):
        for place, cause in enumerate(row):
            edges[cause, node] = probability @ (parents[:, node] >> place & 1)
    return edges


class LayerSums:
    """Sums over all partitions by recursion over (nodes so far, last layer): positive terms only, in about 4^d steps.

    Weights are (n_nodes, 2^(n_nodes - 1)), all other nodes being candidates in order.
    """

    def __init__(self, log_weights: np.ndarray) -> None:
        self.n = len(log_weights)
        self.weights = np.exp(log_weights)
        self._subset_sums = self.weights.copy()
        for place in range(self.n - 1):
            for k in range(self.weights.shape[1]):
                if k >> place & 1:
                    self._subset_sums[:, k] += self._subset_sums[:, k ^ 1 << place]

    def _without(self, node: int, nodes: int) -> int:
        """A set of nodes as a set of candidates of ``node``."""
        return (nodes & ((1 << node) - 1)) | (nodes >> 1 & ~((1 << node) - 1))

    def total(self) -> float:
        """Sum of the weights of all DAGs."""
        full = (1 << self.n) - 1

        @cache
        def hit(node: int, before: int, last: int) -> float:
            inside = self._subset_sums[node]
            return float(inside[self._without(node, before)] - inside[self._without(node, before & ~last)])

        @cache
        def grow(before: int, last: int) -> float:
            """Sum over all ways to go on behind ``before``, whose last layer is ``last``."""
            if before == full:
                return 1.0
            rest, total = full & ~before, 0.0
            layer = rest
            while layer:
                ways = 1.0
                for node in range(self.n):
                    if layer >> node & 1:
                        ways *= hit(node, before, last) if last else float(self.weights[node, 0])
                if ways > 0.0:
                    total += ways * grow(before | layer, layer)
                layer = (layer - 1) & rest
            return total

        return grow(0, 0)


def exact_edge_probabilities(log_weights: np.ndarray) -> np.ndarray:
    """Edge probabilities, by leaving out all sets with the edge: 1 - total without / total."""
    n = len(log_weights)
    total, edges = LayerSums(log_weights).total(), np.zeros((n, n))
    for node in range(n):
        for place, cause in enumerate(all_candidates(n)[node]):
            without = log_weights.copy()
            has_edge = (np.arange(without.shape[1]) >> place & 1).astype(bool)
            without[node, has_edge] = -np.inf
            edges[cause, node] = 1.0 - LayerSums(without).total() / total
    return edges


def log_sum_meeting(log_weights: np.ndarray, inside: int, meeting: int) -> float:
    """Log sum of the weights of all subsets of a set that meet another, by adding them up exactly."""
    chosen = [w for k, w in enumerate(log_weights) if k & ~inside == 0 and k & meeting and w > -math.inf]
    if not chosen:
        return -math.inf
    return max(chosen) + math.log(math.fsum(math.exp(w - max(chosen)) for w in chosen))
