"""How far the order by variance or by R squared gives the causal order away."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagsearch as ds
from dagsearch.errors import DataError, InputError
from dagsearch.metrics import r2_sortability, varsortability

CHAIN = [("a", "b"), ("b", "c")]


def table(*scales, names="abcdef"):
    """Independent columns with these standard deviations, up to rounding."""
    x = np.random.default_rng(0).normal(size=(50, len(scales)))
    return pd.DataFrame((x - x.mean(axis=0)) / x.std(axis=0) * scales, columns=list(names[: len(scales)]))


def naive_sortability(graph, scores, tolerance=1e-9):
    """Share of (cause, effect, length of path) along which the score grows, all paths enumerated."""
    paths = {(i, j, len(path)) for i in graph for j in graph if i != j for path in nx.all_simple_paths(graph, i, j)}
    verdicts = [
        0.5 if abs(scores[j] - scores[i]) <= tolerance * abs(scores[i]) else float(scores[j] > scores[i])
        for i, j, _ in paths
    ]
    return sum(verdicts) / len(verdicts) if verdicts else math.nan


def naive_r2(x, node):
    """Share of a column's variance that a regression on all other columns explains."""
    y = x[:, node] - x[:, node].mean()
    design = np.column_stack([np.ones(len(x)), np.delete(x, node, axis=1)])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return 1 - residual @ residual / (y @ y)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 7))
def test_both_agree_with_a_count_over_all_paths(seed, n_nodes):
    rng = np.random.default_rng(seed)
    place = rng.permutation(n_nodes)
    adjacency = np.triu(rng.integers(0, 2, (n_nodes, n_nodes)), 1)[np.ix_(place, place)]
    # Few different scales, so that some variances are equal.
    data = table(*rng.integers(1, 4, n_nodes), names="abcdefg")
    graph = nx.from_numpy_array(adjacency, create_using=nx.DiGraph)
    r2 = [naive_r2(data.to_numpy(), j) for j in range(n_nodes)]
    for found, scores in ((varsortability, data.to_numpy().var(axis=0)), (r2_sortability, r2)):
        wanted = naive_sortability(graph, scores)
        assert found(data, adjacency) == pytest.approx(wanted, nan_ok=True)


def test_variance_that_grows_shrinks_or_stays_is_one_zero_or_a_half():
    assert varsortability(table(1, 2, 3), CHAIN) == 1
    assert varsortability(table(3, 2, 1), CHAIN) == 0
    assert varsortability(table(2, 2, 2), CHAIN) == 0.5


def test_pairs_count_once_for_each_length_of_their_paths():
    # a -> c has lengths 1 and 2, in which variance grows; b -> c does too, a -> b does not: 3 of 4.
    assert varsortability(table(2, 1, 3), [*CHAIN, ("a", "c")]) == 0.75
    # Two paths of two edges from a to d are one pair of length 2.
    diamond = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert varsortability(table(2, 3, 1, 2.5), diamond) == pytest.approx((1 + 0 + 0 + 1 + 1) / 5)


def test_what_differs_by_less_than_the_tolerance_is_equal():
    nearly = table(1, 1 + 1e-12)
    assert varsortability(nearly, CHAIN[:1]) == 0.5
    assert varsortability(table(1, 1.01), CHAIN[:1]) == 1
    assert varsortability(table(1, 1.01), CHAIN[:1], tolerance=0.05) == 0.5
    assert varsortability(table(1.01, 1), CHAIN[:1], tolerance=0.05) == 0.5
    with pytest.raises(InputError, match="tolerance must be a number of at least 0 and below 1, got -1"):
        varsortability(nearly, CHAIN[:1], tolerance=-1)


def test_a_graph_without_edges_has_nothing_to_sort():
    assert math.isnan(varsortability(table(1, 2), np.zeros((2, 2))))


def test_r2_sortability_does_not_depend_on_units():
    data = ds.datasets.simulate(8, 300, random_state=0)
    changed = data.values * np.geomspace(1e-6, 1e6, 8)
    assert r2_sortability(changed, data.truth.adjacency) == r2_sortability(data)
    assert varsortability(changed, data.truth.adjacency) != varsortability(data)


def test_r2_of_a_column_that_others_determine_is_one():
    data = table(1, 1, 1)
    data["d"] = data.a + data.b
    # a, b and d determine each other (R squared 1), c stands alone.
    assert r2_sortability(data, [("c", "a"), ("c", "d")]) == 1
    assert r2_sortability(data, [("a", "b"), ("b", "d")]) == 0.5


def test_nodes_are_matched_by_name_and_by_position_where_there_are_none():
    data = table(1, 2, 3)
    assert varsortability(data[["c", "a", "b"]], CHAIN) == 1
    assert varsortability(data.to_numpy(), ds.DAG.from_edges(CHAIN)) == 1
    assert varsortability(data, np.eye(3, k=1)) == 1
    assert varsortability(data, CHAIN[1:]) == 1


def test_the_truth_of_a_data_set_is_the_default():
    data = ds.datasets.load("sachs")
    assert varsortability(data) == varsortability(data, data.truth)


@pytest.mark.parametrize(
    ("data", "graph", "message"),
    [
        (table(1, 2), None, "dag must be given"),
        (table(1, 2), [("a", "z")], "got the other node 'z'"),
        (table(1, 2), np.zeros((3, 3)), "dag must be a graph over the columns"),
        (table(1, 2), np.ones((2, 2)) - np.eye(2), "dag must be a DAG"),
    ],
)
def test_a_graph_that_does_not_fit_is_refused(data, graph, message):
    with pytest.raises(InputError, match=message):
        varsortability(data, graph)


def test_text_has_no_variance():
    with pytest.raises(DataError, match="column 'b' holds text"):
        varsortability(table(1, 2).assign(b=["no", "yes"] * 25), CHAIN[:1])
