"""Slow, obvious twins of the posterior: all DAGs listed, or exact fractions instead of floating-point numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import naive
import numpy as np


def squeezed(parents: np.ndarray, node: int) -> np.ndarray:
    """Numbers of sets without the bit of ``node``."""
    below = (1 << node) - 1
    return (parents & below) | (parents >> 1 & ~below)


def listed(log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Adjacency matrices of all DAGs, (n_dags, n_nodes, n_nodes) [cause, effect], and their probabilities."""
    n_nodes = len(log_weights)
    parents = naive.parents_in_all_dags(n_nodes)
    logs = sum(log_weights[node, squeezed(parents[:, node], node)] for node in range(n_nodes))
    weights = np.exp(logs - logs.max())
    adjacency = (parents[:, None, :] >> np.arange(n_nodes)[None, :, None]) & 1
    return adjacency, weights / weights.sum()


def log_total(log_weights: np.ndarray) -> float:
    """Logarithm of the sum of the weights of all DAGs."""
    n_nodes = len(log_weights)
    parents = naive.parents_in_all_dags(n_nodes)
    logs = sum(log_weights[node, squeezed(parents[:, node], node)] for node in range(n_nodes))
    return float(np.logaddexp.reduce(logs))


def closure(adjacency: np.ndarray) -> np.ndarray:
    """Which nodes are reached from which by a directed path, for many graphs at once."""
    paths = adjacency.astype(bool)
    for middle in range(adjacency.shape[1]):
        paths |= paths[:, :, [middle]] & paths[:, [middle], :]
    return paths


def edges_in_fractions(weights: list[list[Fraction]]) -> list[list[Fraction]]:
    """P(i -> j) by a recursion of positive terms, over the set of nodes so far and its last layer of all.

    A node enters the layer after the last one if some of its parents are in the last one, and none is outside. Weights
    are [node][set of parents, numbered without the bit of the node].
    """
    n_nodes = len(weights)
    everything = 2**n_nodes - 1

    def between(node: int, members: int, last: int, with_parent: int | None) -> Fraction:
        total = Fraction(0)
        for number, weight in enumerate(weights[node]):
            below = (1 << node) - 1
            parents = (number & below) | (number & ~below) << 1
            enters = parents & ~members == 0 and (parents & last or not members)
            if enters and (with_parent is None or parents >> with_parent & 1):
                total += weight
        return total

    def total_with(edge: tuple[int, int] | None) -> Fraction:
        @cache
        def rest(members: int, last: int) -> Fraction:
            if members == everything:
                return Fraction(1)
            outside, total = everything & ~members, Fraction(0)
            layer = outside
            while layer:
                product = Fraction(1)
                for node in range(n_nodes):
                    if layer >> node & 1:
                        cause = edge[0] if edge and edge[1] == node else None
                        product *= between(node, members, last, cause)
                total += product * rest(members | layer, layer)
                layer = (layer - 1) & outside
            return total

        return rest(0, 0)

    every = total_with(None)
    return [[total_with((i, j)) / every if i != j else Fraction(0) for j in range(n_nodes)] for i in range(n_nodes)]


def n_dags(n_nodes: int) -> int:
    """Number of DAGs by Robinson's recursion, in whole numbers."""
    counts = [1]
    for n in range(1, n_nodes + 1):
        counts.append(
            sum((-1) ** (k + 1) * math.comb(n, k) * 2 ** (k * (n - k)) * counts[n - k] for k in range(1, n + 1))
        )
    return counts[n_nodes]
