"""Simulated data: non-linear mechanisms, noise that depends on the causes and errors of measurement, as measured."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import dagsearch as ds
from dagsearch.datasets import mechanisms, noises, simulate
from dagsearch.datasets.mechanisms import MECHANISMS, Shape
from dagsearch.errors import InputError

pytestmark = pytest.mark.usefixtures("one_thread")

CURVED = ("saturating", "bump", "interaction", "network")
SHAPE = Shape(weights=(0.5, 2.0), length_scale=1.0)
EDGE = np.eye(2, k=1)
COLLIDER = ds.DAG.from_edges([("a", "c"), ("b", "c")], names=["a", "b", "c"])
NORMAL = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)[:, None]  # of one parent, sorted


def effect(mechanism, parents, seed, shape=SHAPE):
    """The function with this seed at these values of the parents."""
    return MECHANISMS[mechanism].function(parents, np.random.default_rng(seed), shape)


def explained(terms, y):
    """Share of the variance of y that a linear regression on these columns explains."""
    design = np.column_stack([*terms, np.ones(len(y))])
    return 1 - np.var(y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) / np.var(y)


def powers(parents):
    """Powers of each parent, bounded: the terms of an additive model."""
    return [np.clip(column, -3, 3) ** degree for column in parents.T for degree in range(1, 8)]


def independent(n_parents, seed=0, n_samples=2000):
    return np.random.default_rng(seed).normal(size=(n_samples, n_parents))


# ---------------------------------------------------------------- all mechanisms


@pytest.mark.parametrize(
    ("mechanism", "last_row"),
    [
        ("linear", [-2.42964, 0.3659, -1.39611, 0.58822]),
        ("quadratic", [-0.17834, 0.3659, -1.39035, -0.35496]),
        ("gp", [-1.00064, 0.3659, -0.33169, 0.14206]),
        ("additive", [0.57774, 0.3659, -0.09195, 0.14206]),
    ],
)
def test_older_mechanisms_make_the_data_of_version_0_1(mechanism, last_row):
    values = simulate(4, 30, mechanism=mechanism, random_state=0).values
    np.testing.assert_allclose(values[-1], last_row, atol=1e-3)


@pytest.mark.parametrize("mechanism", CURVED)
def test_signals_have_variance_one_by_default(mechanism):
    noise = simulate(3, 300, n_edges=0, random_state=1).values
    data = simulate(n_samples=300, graph=COLLIDER, mechanism=mechanism, random_state=1)
    signal = data.values - noise
    np.testing.assert_allclose(signal[:, :2], 0, atol=0)
    assert (signal[:, 2].mean(), signal[:, 2].std()) == pytest.approx((0, 1), abs=1e-9)
    assert f"{mechanism} functions (weights of size 0.5 to 2, each rescaled to variance 1)" in data.citation


@pytest.mark.parametrize("mechanism", CURVED)
@pytest.mark.parametrize("n_parents", [1, 2, 3, 6])
def test_every_parent_matters(mechanism, n_parents):
    parents = independent(n_parents)
    for seed in range(10):
        before = effect(mechanism, parents, seed)
        for parent in range(n_parents):
            shuffled = parents.copy()
            shuffled[:, parent] = np.roll(shuffled[:, parent], 1)
            change = effect(mechanism, shuffled, seed) - before
            assert change.var() > 0.02 * before.var()


@pytest.mark.parametrize("mechanism", CURVED)
def test_units_of_the_parents_do_not_matter(mechanism):
    parents = independent(3)
    in_other_units = parents * [1000.0, 0.01, 5.0] + [7.0, 0.0, -400.0]
    np.testing.assert_allclose(effect(mechanism, in_other_units, 0), effect(mechanism, parents, 0), atol=1e-9)


@pytest.mark.parametrize("mechanism", CURVED)
@pytest.mark.parametrize("n_samples", [3, 40])
def test_values_are_finite_and_of_moderate_size_along_long_chains(mechanism, n_samples):
    graph = np.triu(np.ones((30, 30)), k=1)
    values = simulate(n_samples=n_samples, graph=graph, mechanism=mechanism, random_state=0).values
    assert np.abs(values).max() < np.sqrt(n_samples) + 5


# ---------------------------------------------------------------- one by one


def test_saturating_curves_are_monotone_and_flat_at_both_ends():
    signs = set()
    for seed in range(30):
        slopes = np.diff(effect("saturating", NORMAL, seed)) / np.diff(NORMAL[:, 0])
        assert np.abs(slopes[[0, -1]]).max() < 0.1 * np.abs(slopes).max()
        signs |= set(np.sign(slopes))
    assert signs == {-1, 1}


def test_bumps_rise_and_fall():
    signs = set()
    for seed in range(30):
        y = effect("bump", NORMAL, seed)
        top = np.abs(y).argmax()
        assert 0.1 < top / len(y) < 0.9
        assert np.abs(y[[0, -1]]).max() < 0.05 * np.abs(y[top])
        signs.add(np.sign(y[top]))
    assert signs == {-1, 1}


def test_effects_of_bumps_may_be_uncorrelated_but_are_dependent():
    n_uncorrelated = 0
    for seed in range(30):
        x, y = simulate(n_samples=1000, graph=EDGE, mechanism="bump", random_state=seed).values.T
        n_uncorrelated += abs(np.corrcoef(x, y)[0, 1]) < 0.1
        in_bins = np.sort(x).searchsorted(x) // 50 == np.arange(20)[:, None]
        assert explained(in_bins[1:], y) > 0.4
    assert n_uncorrelated >= 4


@pytest.mark.parametrize("mechanism", CURVED)
def test_only_interactions_and_networks_need_more_than_a_sum_over_the_parents(mechanism):
    # Standardising leaves the differences at the corners of a square as they are, as all means of columns agree.
    grid = np.array([[x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    contrasts = [effect(mechanism, grid, seed) @ [1, -1, -1, 1] for seed in range(10)]
    if mechanism in ("interaction", "network"):
        assert np.median(np.abs(contrasts)) > 0.5
    else:
        np.testing.assert_allclose(contrasts, 0, atol=1e-12)


@pytest.mark.parametrize("n_parents", [2, 3, 5])
def test_interactions_are_not_explained_by_an_additive_model_but_by_products(n_parents):
    for seed in range(10):
        parents = independent(n_parents, seed)
        y, bounded = effect("interaction", parents, seed), np.tanh(parents)
        products = [bounded[:, i] * bounded[:, j] for i in range(n_parents) for j in range(i)]
        assert 0.05 < explained(powers(parents), y) < 0.85
        assert explained(powers(parents) + products, y) > 0.99


def test_interactions_of_one_parent_are_curved():
    shares = [explained(NORMAL.T, effect("interaction", NORMAL, seed)) for seed in range(20)]
    assert max(shares) < 0.85
    assert explained(powers(NORMAL), effect("interaction", NORMAL, 0)) > 0.95


@pytest.mark.parametrize("n_parents", range(1, 8))
def test_every_parent_is_in_a_pair_with_another_if_there_is_one(n_parents):
    order = np.random.default_rng(0).permutation(n_parents)
    first, second = mechanisms._pairs(order)
    assert set(first) | set(second) == set(range(n_parents))
    assert len(first) == (n_parents + 1) // 2
    assert (first != second).all() == (n_parents > 1)


def test_networks_are_neither_linear_nor_additive():
    parents = independent(3)
    effects = [effect("network", parents, seed) for seed in range(20)]
    assert np.mean([explained(parents.T, y) for y in effects]) < 0.8
    assert np.mean([explained(powers(parents), y) for y in effects]) < 0.9


def test_larger_weights_make_rougher_networks():
    def roughness(weights):
        draws = [effect("network", NORMAL, seed, Shape((weights, weights), 1.0)) for seed in range(20)]
        return np.mean([np.mean((np.diff(y) / np.diff(NORMAL[:, 0])) ** 2) / y.var() for y in draws])

    assert roughness(10) > 2 * roughness(2) > 3 * roughness(0.2)


# ---------------------------------------------------------------- noise whose scale depends on the causes


@pytest.fixture(scope="module")
def noise():
    """Standard noise of a, b and c; and that of c where its scale depends on a and b."""
    options = {"n_samples": 5000, "graph": COLLIDER, "noise_scale": 1.0, "random_state": 3}
    plain, dependent = (simulate(**options, scale_dependence=strength).values for strength in (0.0, 0.5))
    constant = simulate(3, 5000, n_edges=0, noise_scale=1.0, random_state=3).values
    return constant, constant[:, 2] + (dependent - plain)[:, 2], (dependent - plain)[:, :2]


def test_scales_of_noise_vary_by_the_given_factor_around_one(noise):
    constant, dependent, _ = noise
    factors = dependent / constant[:, 2]
    assert factors.min() > 0
    assert (np.log(factors).mean(), np.log(factors).std()) == pytest.approx((0, 0.5), abs=1e-6)


def test_scales_of_noise_depend_on_every_parent_and_show_in_the_size_of_residuals(noise):
    constant, dependent, _ = noise

    def correlations(residuals):
        return np.abs([np.corrcoef(np.log(np.abs(residuals)), parent)[0, 1] for parent in constant[:, :2].T])

    assert correlations(dependent).min() > 0.1
    assert correlations(constant[:, 2]).max() < 0.04


def test_variables_without_parents_keep_their_noise(noise):
    np.testing.assert_array_equal(noise[2], 0)


def test_scales_of_noise_are_drawn_anew_for_every_seed_and_variable():
    parents = independent(1)
    first, again, other = (noises.scale_factors(parents, 0.5, np.random.default_rng(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)
    fork = simulate(n_samples=50, graph=[("a", "b"), ("a", "c")], scale_dependence=1.0, random_state=0)
    plain = simulate(n_samples=50, graph=[("a", "b"), ("a", "c")], random_state=0)
    unrelated = simulate(3, 50, n_edges=0, random_state=0)
    factors = 1 + (fork.values - plain.values)[:, 1:] / unrelated.values[:, 1:]
    assert not np.allclose(*factors.T)


def test_an_edge_leaves_the_scales_of_noise_elsewhere_as_they_are():
    names, options = list("abcd"), {"n_samples": 30, "scale_dependence": 1.0, "random_state": 0}
    with_both = simulate(graph=ds.DAG.from_edges([("a", "b"), ("c", "d")], names=names), **options)
    with_one = simulate(graph=ds.DAG.from_edges([("c", "d")], names=names), **options)
    np.testing.assert_array_equal(with_both.values[:, 2:], with_one.values[:, 2:])


@pytest.mark.parametrize("mechanism", ["linear", "gp", *CURVED])
@pytest.mark.parametrize("strength", [3.0, 1e308])
def test_strongly_dependent_noise_stays_within_bounds(mechanism, strength):
    options = {"n_nodes": 8, "n_samples": 200, "mechanism": mechanism, "rescale": True, "random_state": 0}
    values = simulate(**options, scale_dependence=strength).values
    assert np.abs(values).max() < 1000 * 6 + np.sqrt(200)
    factors = noises.scale_factors(independent(2), strength, np.random.default_rng(0))
    assert 0.001 * (1 - 1e-9) <= factors.min() < factors.max() <= 1000 * (1 + 1e-9)


# ---------------------------------------------------------------- errors of measurement


@pytest.mark.parametrize("mechanism", ["linear", "quadratic", *CURVED])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_errors_of_measurement_have_their_share_of_each_variance_and_are_independent(mechanism, share):
    options = {"n_nodes": 5, "n_samples": 2500, "mechanism": mechanism, "random_state": 0}
    clean, measured = (simulate(**options, measurement_error=s).values for s in (0.0, share))
    errors = measured - clean
    np.testing.assert_allclose(errors.var(axis=0) / measured.var(axis=0), share, rtol=0.1)
    assert np.abs(np.corrcoef(clean.T, errors.T)[:, 5:] - np.eye(10)[:, 5:]).max() < 0.08
    assert stats.kstest(stats.zscore(errors).ravel(), "norm").pvalue > 0.001


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_data_without_errors_and_dependent_scales_are_the_same_as_ever(noise):
    ever = simulate(5, 50, noise=noise, random_state=7)
    without = simulate(5, 50, noise=noise, measurement_error=0, scale_dependence=0, random_state=7)
    assert np.array_equal(ever.values, without.values)
    assert ever.citation == without.citation


def test_errors_come_before_columns_are_standardised():
    raw, scaled = (simulate(4, 80, measurement_error=0.4, standardise=s, random_state=0) for s in (False, True))
    np.testing.assert_allclose(scaled.values, raw.standardised(), atol=1e-12)
    assert scaled.citation.endswith(", measured with errors of 40% of each variance, standardised")


def test_more_rows_leave_the_errors_of_the_first_ones_but_for_their_size():
    few, many = (
        simulate(3, n, measurement_error=0.3, random_state=0).values - simulate(3, n, random_state=0).values
        for n in (40, 400)
    )
    ratios = many[:40] / few
    np.testing.assert_allclose(ratios, np.tile(ratios[0], (40, 1)), rtol=1e-6)


def test_errors_of_roots_stay_when_noise_begins_to_depend_on_causes():
    options = {"n_samples": 60, "graph": COLLIDER, "measurement_error": 0.3, "random_state": 0}
    plain, dependent = (simulate(**options, scale_dependence=strength).values for strength in (0.0, 1.0))
    np.testing.assert_array_equal(plain[:, :2], dependent[:, :2])
    assert not np.allclose(plain[:, 2], dependent[:, 2])


def test_the_citation_says_how_noise_depends_on_causes_and_what_is_measured():
    data = simulate(4, 20, scale_dependence=0.5, measurement_error=0.25, random_state=0)
    words = "times exp(0.5 g) with g a random function of the parents, measured with errors of 25% of each variance"
    assert data.citation.endswith(f"and gaussian noise with standard deviations of 0.5 to 1, {words}")


# ---------------------------------------------------------------- numbers and categories


def mixed(n_samples=2000, seed=0, **settings):
    return ds.datasets.simulate(10, n_samples, mechanism="mixed", random_state=seed, **settings)


def test_half_of_a_mixed_table_are_categories_with_levels_from_the_range():
    data = mixed(n_levels=(2, 5))
    assert sum(kind == "discrete" for kind in data.kinds) == 5
    for kind, labels, n_levels in zip(data.kinds, data.labels, data.n_levels(), strict=True):
        assert (labels is None) == (kind == "continuous")
        assert kind == "continuous" or 2 <= n_levels <= len(labels) <= 5
    assert len({mixed(50, seed).kinds for seed in range(5)}) > 1


def test_each_cause_of_a_mixed_table_matters_and_nothing_else_does():
    data = mixed(n_edges=9, seed=3)
    score = ds.scores.make("mixed", data, models=["linear", "joint"], min_effect=0.0)
    for node, name in enumerate(data.names):
        parents = [data.truth.index(parent) for parent in data.truth.parents(name)]
        for parent in parents:
            assert score.local(node, parents) > score.local(node, [other for other in parents if other != parent])


def test_a_seed_repeats_a_mixed_table_and_settings_that_it_ignores_are_refused():
    assert np.array_equal(mixed(seed=1).values, mixed(seed=1).values)
    assert not np.array_equal(mixed(seed=1).values, mixed(seed=2).values)
    assert mixed(seed=1).truth == mixed(100, seed=1).truth
    assert "half of the variables categories of 2 to 4 levels" in mixed(50).citation
    with pytest.raises(InputError, match="noise does not apply to mechanism 'mixed', got 'laplace'"):
        mixed(noise="laplace")
