"""Slow twins of the search over orders: parents by climbs from scratch, every place of a variable, all DAGs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import naive
import numpy as np
from naive import NEGLIGIBLE


def climbed_parents(
    local: Callable[[frozenset[int]], float],
    candidates: frozenset[int],
    required: frozenset[int] = frozenset(),
    max_parents: int = 64,
    exchanges: bool = False,
    start: frozenset[int] | None = None,
) -> frozenset[int]:
    """Parents by the best addition while one pays, else by the best drop or exchange (ties: the first)."""
    chosen = required if start is None else start
    while True:
        others, free = sorted(candidates - chosen), sorted(chosen - required)
        additions = [chosen | {c} for c in others] if len(chosen) < max_parents else []
        drops = [chosen - {p} for p in free]
        swapped = [chosen - {p} | {c} for c in others for p in free] if exchanges else []
        before = chosen
        for steps in (additions, drops + swapped):
            best = max(steps, key=local, default=chosen)
            if chosen == before and local(best) > local(chosen) + NEGLIGIBLE:
                chosen = best
        if chosen == before:
            return chosen


def orders_with_one_moved(order: list[int], node: int) -> list[list[int]]:
    """The orders in which ``node`` is at place 0, 1, ... and the others are as they were."""
    others = [other for other in order if other != node]
    return [[*others[:place], node, *others[place:]] for place in range(len(order))]


class Twin:
    """Parents and rewards of orders from scratch, by a score's local scores."""

    def __init__(self, problem, local, exchanges=False):
        self.problem = problem
        self.local = functools.cache(lambda node, parents: local(node, tuple(sorted(parents))))
        self.exchanges = exchanges

    @functools.cache  # noqa: B019 - a twin lives no longer than its test
    def parents(self, node, before):
        candidates = frozenset(c for c in before if self.problem.allowed[c, node])
        required = frozenset(np.flatnonzero(self.problem.start[:, node]).tolist())
        return climbed_parents(
            lambda parents: self.local(node, parents), candidates, required, self.problem.max_parents, self.exchanges
        )

    def edges(self, order):
        return frozenset(
            (cause, node) for k, node in enumerate(order) for cause in self.parents(node, frozenset(order[:k]))
        )

    def reward(self, order):
        return math.fsum(self.local(node, self.parents(node, frozenset(order[:k]))) for k, node in enumerate(order))

    def keeps_required_edges(self, order):
        return all(order.index(cause) < order.index(effect) for cause, effect in naive.edges_of(self.problem.start))

    def best_move(self, order, node):
        """The highest reward of orders in which one variable is elsewhere."""
        return max(map(self.reward, filter(self.keeps_required_edges, orders_with_one_moved(order, node))))


def best_of_all_dags(own, n_nodes):
    sets = [tuple(p for p in range(n_nodes) if chosen >> p & 1) for chosen in range(2**n_nodes)]
    table = np.array([[-math.inf if v in s else own.local(v, s) for s in sets] for v in range(n_nodes)])
    return table[np.arange(n_nodes), naive.parents_in_all_dags(n_nodes)].sum(axis=1).max()
