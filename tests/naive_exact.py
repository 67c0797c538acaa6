"""Slow twins of what exact search does with families: losses, dynamic programming over sinks, cluster inequalities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from naive import subsets


def losses_to_subsets(
    score: Callable[[frozenset[int]], float], candidates: Iterable[int], required: frozenset[int], most: int = 64
) -> dict[frozenset[int], float]:
    """What every set of at most so many parents loses to the best of its proper subsets; -inf if it has none."""
    best: dict[frozenset[int], float] = {}
    losses = {}
    for chosen in subsets(candidates, most - len(required)):
        own = score(chosen | required)
        best_below = max((best[chosen - {parent}] for parent in chosen), default=-math.inf)
        best[chosen], losses[chosen | required] = max(own, best_below), best_below - own
    return losses


def best_by_edges(families: list[list[tuple[frozenset[int], float]]]) -> dict[frozenset[int], dict[int, float]]:
    """Best reward over every set of nodes by number of edges, from the (parents, score) of each node."""
    best: dict[frozenset[int], dict[int, float]] = {frozenset(): {0: 0.0}}
    for nodes in list(subsets(range(len(families))))[1:]:
        best[nodes] = {}
        for sink in nodes:
            for parents, score in families[sink]:
                if parents <= nodes - {sink}:
                    for n_edges, reward in best[nodes - {sink}].items():
                        total = n_edges + len(parents)
                        best[nodes][total] = max(best[nodes].get(total, -math.inf), reward + score)
    return best


def left_side(families: list[list[tuple[frozenset[int], float]]], cluster: Iterable[int]) -> float:
    """Weight of the families of nodes in a cluster that have no parent in it, from the (parents, weight) of each."""
    members = set(cluster)
    return math.fsum(weight for node in members for parents, weight in families[node] if not parents & members)
