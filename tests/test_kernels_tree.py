"""Choices in the search tree where tables of logarithms and roots end."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from dagsearch.kernels.tree import TABULATED, best_by_ucb, record_return
from dagsearch.search.simulator import _new_tree


@numba.njit
def best_child(tree, exploration):
    return best_by_ucb(tree, 0, exploration)


@numba.njit
def visit(tree, node, value):
    record_return(tree, node, value)


def family(visits, means):
    """A root and its children, all of them expanded."""
    tree = _new_tree(len(visits) + 1)
    tree.first_child[0], tree.n_expanded[0] = 1, len(visits)
    tree.visits[:] = [sum(visits), *visits]
    tree.mean[1:] = means
    tree.spread[1:] = 1.0 / np.sqrt(visits)
    return tree


@pytest.mark.parametrize("n_visits", [TABULATED - 1, TABULATED, TABULATED + 1, 5 * TABULATED])
def test_children_are_chosen_by_ucb1_on_both_sides_of_the_end_of_the_table(n_visits):
    often, seldom = n_visits - n_visits // 4, n_visits // 4
    wider = math.sqrt(2.0 * math.log(n_visits)) * (1.0 / math.sqrt(seldom) - 1.0 / math.sqrt(often))
    for advantage, expected in ((1.01 * wider, 1), (0.99 * wider, 2)):
        assert best_child(family([often, seldom], [advantage, 0.0]), 1.0) == expected


@pytest.mark.parametrize("n_visits", [TABULATED - 2, TABULATED - 1, TABULATED])
def test_the_mean_of_returns_stays_one_on_both_sides_of_the_end_of_the_table(n_visits):
    tree = family([n_visits], [0.5])
    visit(tree, 1, 2.5)
    assert tree.mean[1] == pytest.approx(0.5 + 2.0 / (n_visits + 1), rel=1e-12)
    assert tree.spread[1] == pytest.approx(1.0 / math.sqrt(n_visits + 1), rel=1e-12)
