"""Searches over orders as tests run them: whole, or look by look; and refinement of a graph."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from common import discrete_frame, normal_table

from dagsearch import scores
from dagsearch.kernels.moves import DONE, PAUSED, search_orders
from dagsearch.search.monitor import Monitor
from dagsearch.search.order_climb import OrderClimb
from dagsearch.search.orders import OrderSettings, order_search
from dagsearch.search.refine import Refinement

# The loop of monomials takes as long to compile as those of all other scores together.
COMPILED = ["bic-linear", pytest.param("bic-quadratic", marks=pytest.mark.long), "bic-discrete", "bdeu"]
EQUAL = [(name, {"variances": "equal"}) for name in ("bic-linear", "bic-quadratic")]
COMPILED_OR_EQUAL = [
    ("bic-linear", {}),
    pytest.param("bic-quadratic", {}, marks=pytest.mark.long),
    ("bic-discrete", {}),
    ("bdeu", {}),
    *EQUAL,
]


def tables(name, seed, n_nodes=7):
    """A table that suits a score."""
    if name in ("bic-discrete", "bdeu"):
        return discrete_frame(300, n_nodes, seed)
    return normal_table(100, n_nodes, seed)


class Weights:
    """A number for every edge: in a given order, growing finds the best parents of all."""

    def __init__(self, seed, n_nodes):
        self.of_edge = np.round(np.random.default_rng(seed).normal(size=(n_nodes, n_nodes)), 1) / 8

    def local(self, node, parents):
        return float(self.of_edge[list(parents), node].sum())


def found_by(problem, score, seed=0, monitor=None, **chosen):
    chosen = {"n_restarts": 2, "n_kicks": 5, **chosen}
    return order_search(problem, score, OrderSettings(**chosen), np.random.default_rng(seed), monitor or Monitor())


def climb_from(trees, order, seed=0, n_kicks=0):
    return OrderClimb(trees, np.array(order), seed, n_kicks, len(order), lambda _reward: None)


def look_at(climb, n_looks):
    """Let a search look at so many variables (at none: learn the parents in its order); returns whether it goes on."""
    search, trees = climb._search, climb._trees
    search.state["n_target"] = search.state["n_looks"] + n_looks
    while (status := search_orders(trees.growth, trees.forest, search)) not in (DONE, PAUSED):
        climb._supply(status)
    return status == PAUSED


def edges_in(climb):
    """The edges of the order that a search is at."""
    return naive.edges_of(climb.graphs()[1])


def refined(problem, own, edges, seed=0, monitor=None, n_kicks=None):
    """The edges that refinement of a graph leads to."""
    score = own if isinstance(own, scores.Score) else scores.adapt(own, problem.n_nodes)
    monitor = monitor or Monitor()
    before = naive.adjacency_of(edges, problem.n_nodes)
    refinement = Refinement(problem, score, before, np.random.default_rng(seed), monitor)
    with monitor.guard():
        refinement.run(n_kicks)
    assert naive.edges_of(before) == edges  # not changed in place
    return naive.edges_of(refinement.best)
