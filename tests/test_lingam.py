"""LiNGAM: each step of the algorithm, what it finds, and the numbers of its authors' package."""

from __future__ import annotations

import warnings
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from common import standardised
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_models import N_NODES, WEIGHTS, edges, uniform_table

import dagsearch as ds
from dagsearch.baselines import lingam as module
from dagsearch.baselines.lingam import lingam
from dagsearch.baselines.non_gaussian import Known, relevant
from dagsearch.errors import DataError

TABLE = uniform_table()


def normal_matrix(seed, n_rows, n_columns):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


# ---------------------------------------------------------------- the steps


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_an_unmixing_matrix_are_put_right_whatever_their_order_and_scale(seed):
    rng = np.random.default_rng(seed)
    unmixing = np.eye(N_NODES) - WEIGHTS.T
    mixed = rng.uniform(0.5, 2.0, (N_NODES, 1)) * rng.choice([-1, 1], (N_NODES, 1)) * unmixing
    np.testing.assert_allclose(module._effects(mixed[rng.permutation(N_NODES)]), WEIGHTS, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_diagonal_is_as_far_from_zero_as_any_order_of_the_rows_makes_it(seed):
    unmixing = normal_matrix(seed, 5, 5)
    best = min(permutations(range(5)), key=lambda rows: np.sum(1 / np.abs(unmixing[list(rows), range(5)])))
    rows = unmixing[list(best)]
    expected = np.eye(5) - rows / np.diag(rows)[:, None]
    np.testing.assert_allclose(module._effects(unmixing), expected.T, rtol=0, atol=1e-12)


def order_by_dropping_one_by_one(effects):
    """Causes before effects in the first acyclic graph, lowest index first."""
    effects = effects.copy()
    for position in np.argsort(np.abs(effects), axis=None, kind="stable"):
        graph = nx.from_numpy_array(effects, create_using=nx.DiGraph)
        if nx.is_directed_acyclic_graph(graph):
            return list(nx.lexicographical_topological_sort(graph))
        effects.flat[position] = 0.0
    raise AssertionError


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 7))
def test_the_order_is_that_of_dropping_the_smallest_effects_one_by_one(seed, n_nodes):
    effects = normal_matrix(seed, n_nodes, n_nodes)
    np.fill_diagonal(effects, 0.0)
    assert module._causal_order(effects, Known.over(len(effects))) == order_by_dropping_one_by_one(effects)


def test_an_acyclic_matrix_is_ordered_without_dropping_its_small_effects():
    effects = np.zeros((3, 3))
    effects[2, 1], effects[1, 0] = 1e-9, 5.0
    assert module._causal_order(effects, Known.over(len(effects))) == [2, 1, 0]


def test_effects_along_an_order_are_least_squares_on_the_parents_that_are_left():
    fit = lingam(TABLE, 0)
    for child in range(N_NODES):
        parents = np.flatnonzero(fit.weights[:, child])
        design = np.column_stack([TABLE[:, parents], np.ones(len(TABLE))])
        expected = np.linalg.lstsq(design, TABLE[:, child], rcond=None)[0][:-1]
        np.testing.assert_allclose(fit.weights[parents, child], expected, rtol=0, atol=1e-10)


def test_the_adaptive_lasso_keeps_causes_and_drops_most_noise():
    kept = []
    for seed in range(20):
        x = standardised(normal_matrix(seed, 500, 4))
        y = standardised(x[:, 2] - 0.5 * x[:, 0] + 0.3 * normal_matrix(seed + 100, 500, 1)[:, 0])
        kept.append(relevant(x, y))
    assert np.all(kept, axis=0)[[0, 2]].all()
    assert np.mean(kept, axis=0)[[1, 3]].max() < 0.3


# ---------------------------------------------------------------- what it finds


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_a_linear_model_are_recovered_in_the_right_direction(seed):
    fit = lingam(uniform_table(3000, seed), seed)
    assert fit.converged
    assert edges(fit.weights) >= edges(WEIGHTS)
    np.testing.assert_allclose(fit.weights, WEIGHTS, rtol=0, atol=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_the_graph_follows_the_order(seed):
    fit = lingam(standardised(normal_matrix(seed, 60, 7)), seed)
    assert sorted(fit.order) == list(range(7))
    position = np.argsort(fit.order)
    assert all(position[cause] < position[effect] for cause, effect in edges(fit.weights))


def test_means_change_nothing():
    fit, shifted = lingam(TABLE, 0), lingam(TABLE + np.array([5.0, -3.0, 0.0, 100.0, 1.0, 7.0]), 0)
    assert shifted.order == fit.order
    np.testing.assert_allclose(shifted.weights, fit.weights, rtol=0, atol=1e-8)


def test_a_number_and_a_generator_repeat_and_a_generator_is_advanced():
    assert lingam(TABLE, 3).n_iterations == lingam(TABLE, 3).n_iterations
    first, second = np.random.default_rng(3), np.random.default_rng(3)
    fits = [lingam(TABLE, first) for _ in range(4)]
    assert [fit.n_iterations for fit in fits] == [lingam(TABLE, second).n_iterations for _ in range(4)]
    assert len({fit.n_iterations for fit in fits}) > 1
    assert first.bit_generator.state != np.random.default_rng(3).bit_generator.state


def test_variables_that_have_nothing_to_do_with_each_other_may_stay_alone():
    fits = [lingam(np.random.default_rng(seed).uniform(size=(500, 3)), seed) for seed in range(10)]
    n_edges = [len(edges(fit.weights)) for fit in fits]
    assert n_edges.count(0) >= 5
    assert max(n_edges) <= 2


# ---------------------------------------------------------------- convergence


def test_too_few_iterations_are_a_field_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = lingam(TABLE, 0, max_iter=2)
    assert (fit.n_iterations, fit.converged) == (2, False)
    n_needed = lingam(TABLE, 0).n_iterations
    assert lingam(TABLE, 0, max_iter=n_needed).converged
    assert not lingam(TABLE, 0, max_iter=n_needed - 1).converged


def test_other_warnings_are_passed_on(monkeypatch):
    class Talkative(module.FastICA):
        def fit(self, *arguments):
            warnings.warn("something else", UserWarning, stacklevel=1)
            return super().fit(*arguments)

    monkeypatch.setattr(module, "FastICA", Talkative)
    with pytest.warns(UserWarning, match="something else"):
        assert lingam(TABLE, 0).converged


# ---------------------------------------------------------------- tables that cannot be used


def with_column(column):
    return np.column_stack([TABLE, column])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (TABLE[:6], "more rows than columns, got 6 rows and 6 columns"),
        (with_column(np.full(400, 3.7)), "columns that vary; constant: column 6$"),
        (with_column(TABLE[:, 2]), "the same up to their units: column 2, column 6; drop all but one of them$"),
        (with_column(5.0 - 3.0 * TABLE[:, 4]), "the same up to their units: column 4, column 6; drop all but one"),
        (with_column(TABLE[:, 0] + TABLE[:, 1]), "dependent: column 0, column 1, column 6; drop one of them$"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_by_column(table, message):
    with pytest.raises(DataError, match=message):
        lingam(table, 0)


def test_one_row_more_than_columns_is_enough():
    assert lingam(TABLE[:7], 0).weights.shape == (N_NODES, N_NODES)


# ---------------------------------------------------------------- numbers of the authors' package


def test_weights_and_order_agree_with_the_package_of_the_authors():
    # ICALiNGAM(random_state=0) of lingam 1.13.0 with scikit-learn 1.9.1
    expected = {
        (0, 5): -0.87132566,
        (2, 4): -1.20208448,
        (2, 5): 1.07001909,
        (3, 0): 1.20825085,
        (3, 1): 0.909029,
        (5, 1): 1.02275214,
    }
    fit = lingam(TABLE, 0)
    assert fit.order == (2, 3, 0, 4, 5, 1)
    assert edges(fit.weights) == set(expected)
    assert [fit.weights[edge] for edge in expected] == pytest.approx(list(expected.values()), abs=1e-7)


def test_sachs_has_the_graph_of_the_package_of_the_authors():
    # The same versions, on the standardised table; seeds 0 to 7 agree.
    expected = {
        (1, 0): 0.793231,
        (1, 3): 0.084292,
        (2, 3): 0.092188,
        (2, 4): 0.110205,
        (3, 4): 0.263445,
        (5, 6): 0.991666,
        (5, 7): -2.577489,
        (6, 7): 2.991391,
        (8, 9): 0.737276,
        (8, 10): -0.415514,
        (9, 10): 0.282912,
    }
    data = ds.datasets.load("sachs")
    for seed in range(3):
        fit = lingam(data.standardised(), seed)
        assert edges(fit.weights) == set(expected)
        assert [fit.weights[edge] for edge in expected] == pytest.approx(list(expected.values()), abs=1e-6)
    found = ds.DAG.from_adjacency((fit.weights != 0).astype(np.int8), names=data.names)
    scores = ds.metrics.compare(ds.prune(found, data, "cam"), data.truth)
    assert (round(scores["tpr"], 3), round(scores["fdr"], 3), scores["shd"]) == (0.235, 0.556, 14)
