"""Simulated data: graphs, mechanisms and noise are what they are said to be."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from common import is_dag
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import dagsearch as ds
from dagsearch.datasets import mechanisms, simulate
from dagsearch.datasets.mechanisms import Shape
from dagsearch.datasets.random_network import RandomTables
from dagsearch.errors import CycleError, InputError, UnknownNameError
from dagsearch.metrics import varsortability

pytestmark = pytest.mark.usefixtures("one_thread")

CONTINUOUS = ("linear", "quadratic", "gp", "additive", "saturating", "bump", "interaction", "network")
ALL = (*CONTINUOUS, "discrete")
KINDS = ("erdos-renyi", "scale-free")
SHAPE = Shape(weights=(0.5, 2.0), length_scale=1.0)


def regression(data, node):
    """Coefficients of a variable on its parents, and its residuals."""
    parents = [data.names.index(name) for name in data.truth.parents(node)]
    design = np.column_stack([data.values[:, parents], np.ones(data.n_samples)])
    y = data.values[:, data.names.index(node)]
    coefficients = np.linalg.lstsq(design, y, rcond=None)[0]
    return coefficients[:-1], y - design @ coefficients


# ---------------------------------------------------------------- graphs


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(KINDS), st.integers(2, 9), st.floats(0, 1), st.integers(0, 10**6))
def test_random_graphs_are_acyclic_and_have_exactly_so_many_edges(kind, n_nodes, density, seed):
    n_edges = round(density * n_nodes * (n_nodes - 1) / 2)
    truth = simulate(n_nodes, 20, graph=kind, n_edges=n_edges, weights=0.5, random_state=seed).truth
    assert is_dag(truth)
    assert truth.n_edges == n_edges
    assert truth.names == tuple(f"X{k}" for k in range(1, n_nodes + 1))


@pytest.mark.parametrize("kind", KINDS)
def test_by_default_there_are_two_edges_per_node_or_as_many_as_there_can_be(kind):
    assert [simulate(n, 10, graph=kind, random_state=0).truth.n_edges for n in (2, 4, 5, 10)] == [1, 6, 10, 20]


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_columns_says_nothing_about_the_causal_order(kind):
    forward = [
        i < j
        for seed in range(60)
        for i, j in np.argwhere(simulate(6, 3, graph=kind, n_edges=6, random_state=seed).truth.adjacency)
    ]
    assert np.mean(forward) == pytest.approx(0.5, abs=0.1)


def test_erdos_renyi_edges_are_equally_likely_everywhere():
    counts = sum(simulate(4, 3, n_edges=3, random_state=seed).truth.adjacency.astype(int) for seed in range(200))
    expected = 200 * 3 / 12
    off_diagonal = counts[~np.eye(4, dtype=bool)]
    assert np.abs(off_diagonal - expected).max() < 4 * np.sqrt(expected)


def test_hubs_of_scale_free_graphs_are_causes():
    truth = simulate(150, 3, graph="scale-free", n_edges=300, random_state=0).truth
    n_effects, n_causes = truth.adjacency.sum(axis=1), truth.adjacency.sum(axis=0)
    assert n_causes.max() <= 3
    assert n_effects.max() >= 15
    even = simulate(150, 3, n_edges=300, rescale=True, random_state=0).truth
    assert even.adjacency.sum(axis=1).max() < n_effects.max()


@pytest.mark.parametrize("mechanism", ALL)
def test_a_given_graph_keeps_its_names_and_their_order(mechanism):
    truth = ds.DAG.from_edges([("c", "a"), ("a", "b")], names=["b", "lonely", "a", "c"])
    data = simulate(n_samples=50, graph=truth, mechanism=mechanism, random_state=0)
    assert data.truth == truth
    assert data.names == truth.names
    assert "given graph of 4 nodes and 2 edges" in data.citation


def test_a_graph_can_come_in_any_form():
    matrix = np.eye(3, k=1, dtype=int)
    assert simulate(3, 20, graph=matrix, random_state=0).truth.edges == [("X1", "X2"), ("X2", "X3")]
    assert simulate(n_samples=20, graph=nx.DiGraph([("u", "v")]), random_state=0).names == ("u", "v")
    named = pd.DataFrame(matrix, index=list("pqr"), columns=list("pqr"))
    assert simulate(n_samples=20, n_edges=2, graph=named, random_state=0).names == ("p", "q", "r")
    assert simulate(n_samples=20, graph=[("u", "v")], random_state=0).truth.edges == [("u", "v")]


# ---------------------------------------------------------------- randomness


@pytest.mark.parametrize("mechanism", ALL)
def test_one_seed_repeats_and_two_seeds_differ(mechanism):
    first, again, other = (simulate(6, 60, mechanism=mechanism, random_state=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.values, again.values)
    assert (first.truth, first.citation) == (again.truth, again.citation)
    assert not np.array_equal(first.values, other.values)
    assert first.truth != other.truth


def test_a_generator_is_used_up_and_none_is_fresh_and_named_in_the_citation():
    rng = np.random.default_rng(0)
    first, second = simulate(4, 20, random_state=rng), simulate(4, 20, random_state=rng)
    assert not np.array_equal(first.values, second.values)
    assert np.array_equal(first.values, simulate(4, 20, random_state=np.random.default_rng(0)).values)
    fresh = simulate(4, 20)
    seed = int(fresh.citation.split("seed ")[1].split(":")[0])
    assert np.array_equal(simulate(4, 20, random_state=seed).values, fresh.values)
    assert not np.array_equal(simulate(4, 20).values, fresh.values)


def test_rows_mechanism_noise_and_scale_leave_the_graph_as_it_is():
    truth = simulate(7, 100, random_state=5).truth
    others = [{"n_samples": 50}, {"noise": "laplace"}, {"standardise": True}, {"weights": 1}, {"noise_scale": 2.0}]
    others += [{"scale_dependence": 1.0}, {"measurement_error": 0.5}]
    others += [{"mechanism": mechanism} for mechanism in ALL]
    for other in others:
        assert simulate(7, **{"n_samples": 40, **other}, random_state=5).truth == truth


def test_more_rows_leave_linear_functions_and_the_first_rows_as_they_are():
    few, many = simulate(6, 40, random_state=2), simulate(6, 400, random_state=2)
    np.testing.assert_allclose(many.values[:40], few.values, rtol=1e-9)


def test_more_rows_leave_the_tables_as_they_are():
    few, many = (simulate(5, n, mechanism="discrete", random_state=2) for n in (4000, 8000))
    for name in few.names:
        shares = [data.to_pandas()[name].value_counts(normalize=True).sort_index() for data in (few, many)]
        np.testing.assert_allclose(*shares, atol=0.05)


# ---------------------------------------------------------------- mechanisms and noise


@pytest.mark.parametrize("noise", ["gaussian", "uniform", "laplace", "exponential", "gumbel"])
def test_regression_on_the_true_parents_recovers_weights_and_noise_of_the_linear_mechanism(noise):
    data = simulate(8, 20_000, n_edges=14, noise=noise, weights=(0.7, 0.9), noise_scale=(1.5, 2), random_state=1)
    signs = []
    for node in data.names:
        weights, residual = regression(data, node)
        assert ((np.abs(weights) > 0.65) & (np.abs(weights) < 0.95)).all()
        assert 1.45 < residual.std() < 2.05
        signs += list(np.sign(weights))
    assert {-1, 1} == set(signs)


def test_weights_and_noise_of_one_size_are_of_this_size():
    data = simulate(6, 20_000, n_edges=9, weights=1, noise_scale=0.5, random_state=0)
    for node in data.names:
        weights, residual = regression(data, node)
        np.testing.assert_allclose(np.abs(weights), 1, atol=0.03)
        assert residual.std() == pytest.approx(0.5, rel=0.03)


@pytest.mark.parametrize(
    ("noise", "skewness", "kurtosis"),
    [("gaussian", 0, 0), ("uniform", 0, -1.2), ("laplace", 0, 3), ("exponential", 2, 6), ("gumbel", 1.14, 2.4)],
)
def test_noise_has_mean_zero_the_given_variance_and_the_shape_of_its_distribution(noise, skewness, kurtosis):
    x = simulate(4, 100_000, n_edges=0, noise=noise, noise_scale=1, random_state=0).values
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=0.02)
    np.testing.assert_allclose(x.var(axis=0), 1, atol=0.03)
    np.testing.assert_allclose(stats.skew(x).mean(), skewness, atol=0.1)
    np.testing.assert_allclose(stats.kurtosis(x).mean(), kurtosis, atol=0.25)
    assert abs(np.corrcoef(x.T)[0, 1]) < 0.02


def test_quadratic_functions_are_sums_of_monomials_that_involve_every_parent():
    parents = np.random.default_rng(0).normal(size=(100, 3))
    a, b, c = parents.T
    terms = np.column_stack([a, b, c, a * a, a * b, a * c, b * b, b * c, c * c])
    n_terms = []
    for seed in range(40):
        y = mechanisms.quadratic(parents, np.random.default_rng(seed), SHAPE)
        weights, *_ = np.linalg.lstsq(terms, y, rcond=None)
        np.testing.assert_allclose(terms @ weights, y, atol=1e-9)
        size = np.abs(weights)
        there = size > 1e-9
        assert ((size[there] >= 0.5) & (size[there] <= 2)).all()
        assert there[[0, 3, 4, 5]].any()
        assert there[[1, 4, 6, 7]].any()
        assert there[[2, 5, 7, 8]].any()
        n_terms.append(there.sum())
    assert np.mean(n_terms) == pytest.approx(4.5, abs=0.8)


@pytest.mark.parametrize("draw", [mechanisms._exact_draw, mechanisms._fourier_draw])
def test_draws_from_a_gaussian_process_have_the_covariance_of_its_kernel(draw):
    points = np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 1.0], [4.0, 0.0]])
    rng = np.random.default_rng(0)
    draws = np.array([draw(points, rng) for _ in range(2500)])
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(draws.mean(axis=0), 0, atol=0.06)
    np.testing.assert_allclose(np.cov(draws.T), np.exp(-distances / 2), atol=0.1)


def test_a_longer_length_scale_makes_smoother_functions():
    x = np.linspace(-3, 3, 200)[:, None]

    def roughness(length_scale):
        rng, shape = np.random.default_rng(0), Shape((1, 1), length_scale)
        draws = [mechanisms.gaussian_process(x, rng, shape) for _ in range(20)]
        return np.mean(np.diff(draws, axis=1) ** 2)

    assert roughness(0.5) > 3 * roughness(1) > 9 * roughness(2)


def test_additive_functions_have_no_interactions_and_joint_ones_do():
    grid = np.array([[x, y] for x in (0.0, 2.0) for y in (0.0, 2.0)])
    contrast = np.array([1, -1, -1, 1])
    additive = [mechanisms.additive(grid, np.random.default_rng(seed), SHAPE) @ contrast for seed in range(5)]
    joint = [mechanisms.gaussian_process(grid, np.random.default_rng(seed), SHAPE) @ contrast for seed in range(5)]
    np.testing.assert_allclose(additive, 0, atol=2e-3)
    assert np.abs(joint).max() > 0.5


def test_beyond_the_limit_of_exact_draws_the_citation_says_so(monkeypatch):
    monkeypatch.setattr(mechanisms, "MOST_EXACT_ROWS", 20)
    monkeypatch.setattr("dagsearch.datasets.continuous.MOST_EXACT_ROWS", 20)
    exact, approximate = (simulate(3, n, mechanism="gp", random_state=0) for n in (20, 50))
    assert "Fourier" not in exact.citation
    assert "approximated by 1000 random Fourier features" in approximate.citation
    assert np.isfinite(approximate.values).all()


def test_gaussian_process_scores_tell_a_nonlinear_chain_from_its_reverse():
    # With several parents bic-gp interpolates, and prefers the graph with more of them to the true one.
    def gain(mechanism, seed):
        chain = np.eye(4, k=1, dtype=np.int8)
        settings = {"noise_scale": 0.3, "standardise": True, "random_state": seed}
        score = ds.scores.make("bic-gp", simulate(n_samples=120, graph=chain, mechanism=mechanism, **settings))
        return score.reward(chain) - score.reward(np.ascontiguousarray(chain.T))

    assert np.mean([gain("gp", seed) for seed in range(5)]) > 0.3
    assert np.mean([gain("linear", seed) for seed in range(5)]) < 0.1


@pytest.mark.parametrize("mechanism", CONTINUOUS)
def test_standardised_columns_have_mean_zero_and_variance_one_and_nothing_else_changed(mechanism):
    raw, scaled = (simulate(5, 80, mechanism=mechanism, standardise=s, random_state=0) for s in (False, True))
    np.testing.assert_allclose(scaled.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.values.std(axis=0), 1)
    np.testing.assert_allclose(scaled.values, raw.standardised(), atol=1e-12)
    assert scaled.citation == raw.citation + ", standardised"


@pytest.mark.parametrize("mechanism", CONTINUOUS)
def test_rescaled_functions_have_mean_zero_and_variance_one(mechanism):
    options = {"n_samples": 60, "random_state": 0}
    noise = simulate(2, n_edges=0, **options).values[:, 1]
    rescaled, plain = (simulate(graph=np.eye(2, k=1), mechanism=mechanism, rescale=r, **options) for r in (True, False))
    effect = plain.values[:, 1] - noise
    np.testing.assert_allclose(rescaled.values[:, 1] - noise, (effect - effect.mean()) / effect.std(), atol=1e-9)
    assert ("rescaled to variance 1" in rescaled.citation, "rescaled" in plain.citation) == (True, False)


def test_quadratic_values_stay_finite_along_long_chains():
    data = simulate(n_samples=200, graph=np.eye(60, k=1), mechanism="quadratic", random_state=0)
    assert np.abs(data.values).max() < np.sqrt(200) + 10
    with pytest.raises(InputError, match=r"mechanism 'quadratic' makes the values of X.* rounding swallows the noise"):
        simulate(n_samples=200, graph=np.eye(60, k=1), mechanism="quadratic", rescale=False, random_state=0)


def test_variances_of_linear_data_give_the_order_away_unless_standardised():
    raw = [varsortability(simulate(12, 500, random_state=seed)) for seed in range(8)]
    assert np.mean(raw) > 0.9
    assert [varsortability(simulate(12, 500, standardise=True, random_state=s)) for s in range(3)] == [0.5] * 3


# ---------------------------------------------------------------- discrete


def test_frequencies_of_a_discrete_sample_converge_to_the_tables():
    truth = ds.DAG.from_edges([("a", "c"), ("b", "c")])
    network = RandomTables(n_levels=(2, 3), concentration=1.0).network(truth, np.random.default_rng(0))
    frame = network.sample(100_000, random_state=1).to_pandas()
    tables = dict(zip(network.names, network.tables, strict=True))
    levels = dict(zip(network.names, network.levels, strict=True))
    for i, of_a in enumerate(levels["a"]):
        assert (frame.a == of_a).mean() == pytest.approx(tables["a"][i], abs=0.01)
        for j, of_b in enumerate(levels["b"]):
            rows = frame.c[(frame.a == of_a) & (frame.b == of_b)]
            shares = rows.value_counts(normalize=True).reindex(levels["c"], fill_value=0)
            np.testing.assert_allclose(shares, tables["c"][i, j], atol=4 / np.sqrt(len(rows)))


def test_discrete_variables_have_as_many_levels_as_asked_for():
    data = simulate(40, 30, mechanism="discrete", n_edges=0, n_levels=(3, 5), random_state=0)
    assert set(data.declared_levels) == {3, 4, 5}
    assert set(data.kinds) == {"discrete"}
    assert set(simulate(5, 90, mechanism="discrete", n_levels=12, random_state=0).declared_levels) == {12}
    assert "discrete variables of 3 to 5 levels, tables from Dirichlet distributions (1)" in data.citation


def test_a_smaller_concentration_makes_surer_tables():
    def surest(concentration):
        tables = RandomTables((4, 4), concentration).network(simulate(8, 3, random_state=0).truth, rng()).tables
        return np.mean([table.max(axis=-1).mean() for table in tables])

    def rng():
        return np.random.default_rng(0)

    assert surest(0.1) > 0.8 > surest(1) > 0.4 > surest(20)


# ---------------------------------------------------------------- wrong arguments

WRONG = [
    ({"n_nodes": 1}, "n_nodes must be a whole number of at least 2, got 1"),
    ({"n_nodes": 2.5}, "n_nodes must be a whole number of at least 2, got 2.5"),
    ({"n_samples": 2}, "n_samples must be a whole number of at least 3, got 2"),
    ({"n_nodes": 4, "n_edges": 7}, "n_edges must be between 0 and 6 for 4 variables, got 7"),
    ({"n_edges": -1}, "n_edges must be a whole number of at least 0, got -1"),
    ({"graph": np.eye(3, k=1), "n_nodes": 4}, "n_nodes must be 3, as in the given graph, got 4"),
    ({"graph": np.eye(3, k=1), "n_edges": 1}, "n_edges must be 2, as in the given graph, got 1"),
    ({"graph": np.ones((2, 2)) - np.eye(2)}, "graph must be a DAG"),
    ({"graph": np.zeros((1, 1))}, "graph must have at least 2 nodes, got 1"),
    ({"weights": (2, 1)}, r"weights must be a number above 0 or a pair .* got \(2, 1\)"),
    ({"weights": 0}, "weights must be a number above 0"),
    ({"noise_scale": (0, 1)}, "noise_scale must be a number above 0"),
    ({"noise_scale": float("nan")}, "noise_scale must be a number above 0"),
    ({"noise_scale": (1, float("inf"))}, "noise_scale must be a number above 0"),
    ({"mechanism": "gp", "length_scale": 0}, "length_scale must be a number above 0, got 0"),
    ({"mechanism": "gp", "length_scale": "long"}, "length_scale must be a number above 0, got 'long'"),
    ({"mechanism": "gp", "weights": (1, 2)}, "weights does not apply to mechanism 'gp'"),
    ({"scale_dependence": -0.1}, "scale_dependence must be a number of at least 0, got -0.1"),
    ({"scale_dependence": float("inf")}, "scale_dependence must be a number of at least 0, got inf"),
    ({"scale_dependence": None}, "scale_dependence must be a number of at least 0, got None"),
    ({"measurement_error": 1}, "measurement_error must be a number of at least 0 and below 1, got 1"),
    ({"measurement_error": -0.1}, "measurement_error must be a number of at least 0 and below 1, got -0.1"),
    ({"measurement_error": float("nan")}, "measurement_error must be a number of at least 0 and below 1, got nan"),
    ({"measurement_error": "20%"}, "measurement_error must be a number of at least 0 and below 1, got '20%'"),
    ({"measurement_error": False, "mechanism": "bump"}, "measurement_error must be a number .* got False"),
    ({"mechanism": "network", "length_scale": 2.0}, "length_scale does not apply to mechanism 'network', got 2.0"),
    ({"length_scale": 2.0}, "length_scale does not apply to mechanism 'linear', got 2.0"),
    ({"n_levels": 3}, "n_levels does not apply to mechanism 'linear', got 3"),
    ({"mechanism": "discrete", "noise": "laplace"}, "noise does not apply to mechanism 'discrete'"),
    ({"mechanism": "discrete", "standardise": True}, "standardise does not apply"),
    ({"mechanism": "discrete", "measurement_error": 0.1}, "measurement_error does not apply to mechanism 'discrete'"),
    ({"mechanism": "discrete", "scale_dependence": 0.1}, "scale_dependence does not apply to mechanism 'discrete'"),
    ({"mechanism": "discrete", "n_levels": 1}, "n_levels must be a whole number from 2 to 1000 or a pair"),
    ({"mechanism": "discrete", "n_levels": (3, 2)}, "n_levels must be a whole number from 2 to 1000 or a pair"),
    ({"mechanism": "discrete", "n_levels": (2, 2.5)}, "n_levels must be a whole number from 2 to 1000 or a pair"),
    ({"mechanism": "discrete", "concentration": -1}, "concentration must be a number above 0, got -1"),
    ({"mechanism": "discrete", "n_nodes": 30, "n_edges": 400}, "at most 1000000 are possible: take fewer edges"),
    ({"standardise": 1}, "standardise must be True or False, got 1"),
    ({"rescale": "yes"}, "rescale must be True or False, got 'yes'"),
    ({"random_state": -1}, "random_state must be a whole number of at least 0, got -1"),
    ({"n_nodes": 100, "n_edges": 4950}, "rescale the functions"),
]


def test_columns_of_a_small_sample_may_come_out_the_same():
    data = simulate(n_samples=3, mechanism="discrete", n_levels=2, random_state=0)
    assert data.n_nodes == 10
    assert data.coinciding_columns()


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_a_wrong_argument_is_named(arguments, message):
    with pytest.raises(InputError, match=message):
        simulate(**{"random_state": 0, **arguments})


@pytest.mark.parametrize(
    ("argument", "name", "nearest"),
    [("graph", "erdos-reny", "erdos-renyi"), ("mechanism", "liner", "linear"), ("noise", "laplac", "laplace")],
)
def test_a_name_that_is_nearly_right_brings_the_right_one(argument, name, nearest):
    with pytest.raises(UnknownNameError, match=f"Did you mean '{nearest}'"):
        simulate(**{argument: name})


def test_a_cyclic_graph_is_refused():
    with pytest.raises(CycleError):
        simulate(graph=[("a", "b"), ("b", "c"), ("c", "a")])
