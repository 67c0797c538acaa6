"""Models of discrete variables against slow twins and integrals, their laws, and tables that try them."""

from __future__ import annotations

import math

import naive_levels as naive
import numpy as np
import pandas as pd
import pytest
from scipy.integrate import dblquad
from scipy.special import log_expit

import dagsearch as ds
from dagsearch.scores import counts
from dagsearch.scores.counts import counts_gain
from dagsearch.scores.logistic import MOST_LEVELS, VARIANCES, Target, contrasts, multinomial_gains, ordered_gains

TWINS = {
    "multinomial": (multinomial_gains, naive.multinomial_log_evidence),
    "ordered": (ordered_gains, naive.ordered_log_evidence),
}


def softmax_levels(rng, features, n_levels, strength=1.0):
    """Codes, each of them seen, that depend on the features."""
    utilities = strength * rng.normal(size=(n_levels, len(features))) @ features
    codes = (utilities + rng.gumbel(size=utilities.shape)).argmax(axis=0)
    codes[:n_levels] = np.arange(n_levels)
    return codes


def cut_levels(rng, features, n_levels):
    latent = features.sum(axis=0) + rng.logistic(size=features.shape[1])
    return np.searchsorted(np.quantile(latent, np.arange(1, n_levels) / n_levels), latent)


# ---------------------------------------------------------------- logistic regressions


@pytest.mark.parametrize("n_levels", [2, 3, 5])
def test_contrasts_are_orthonormal_and_sum_to_zero(n_levels):
    columns = contrasts(n_levels)
    assert columns.T @ columns == pytest.approx(np.eye(n_levels - 1), abs=1e-12)
    assert columns.sum(axis=0) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("model", TWINS)
@pytest.mark.parametrize("make", [softmax_levels, cut_levels])
@pytest.mark.parametrize(("n_levels", "n_features"), [(2, 1), (3, 2), (4, 1)])
def test_gains_equal_those_of_the_slow_twin(model, make, n_levels, n_features):
    rng = np.random.default_rng(n_levels)
    features = rng.normal(size=(n_features, 60))
    codes = make(rng, features, n_levels)
    gains, twin = TWINS[model]
    without = twin(codes, np.empty((0, 60)), 1.0)
    expected = [twin(codes, features, variance) - without for variance in VARIANCES]
    assert gains(Target(codes), features) == pytest.approx(expected, abs=2e-2)


@pytest.mark.parametrize("variance", range(len(VARIANCES)))
def test_laplace_is_near_the_integral(variance):
    rng = np.random.default_rng(3)
    x = rng.normal(size=40)
    y = (x + rng.logistic(size=40) > 0).astype(int)
    # Odds of two levels are sqrt(2) times their one contrast.
    scale = math.sqrt(2.0 * VARIANCES[variance])

    def joint(slope, intercept):
        likelihood = log_expit(np.where(y == 1, 1.0, -1.0) * (intercept + slope * x)).sum()
        return math.exp(likelihood + 40 * math.log(2) - 0.5 * (slope / scale) ** 2)

    most = 8.0 * scale
    with_slope = dblquad(joint, -6, 6, -most, most, epsabs=1e-10)[0] / (scale * math.sqrt(2 * math.pi))
    without = dblquad(lambda _, intercept: joint(0.0, intercept), -6, 6, 0, 1, epsabs=1e-10)[0]
    found = multinomial_gains(Target(y), x[None])[variance]
    assert found == pytest.approx(math.log(with_slope / without), abs=0.15)


def test_names_of_levels_do_not_matter_to_the_multinomial_model_and_their_direction_not_to_the_ordered_one():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(2, 150))
    codes = softmax_levels(rng, features, 4)
    renamed = np.array([2, 0, 3, 1])[codes]
    gains = multinomial_gains(Target(codes), features)
    assert multinomial_gains(Target(renamed), features) == pytest.approx(gains, abs=1e-4)
    assert ordered_gains(Target(3 - codes), features) == pytest.approx(ordered_gains(Target(codes), features), abs=1e-4)
    assert np.abs(ordered_gains(Target(renamed), features) - ordered_gains(Target(codes), features)).max() > 1.0


def test_for_two_levels_both_models_say_nearly_the_same():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 300))
    target = Target(softmax_levels(rng, x, 2))
    # One slope is the difference of two: its prior has half the variance.
    assert multinomial_gains(target, x)[1:] == pytest.approx(ordered_gains(target, x)[1:], abs=1.5)


def hard_targets():
    n = np.arange(200)
    yield "separable", n >= 100
    yield "one row", n == 7
    yield "one row each", np.minimum(n, 5)
    yield "in the middle", np.abs(n - 100) < 3
    yield "at an end", n == 199


@pytest.mark.parametrize("model", TWINS)
@pytest.mark.parametrize(("kind", "codes"), list(hard_targets()))
@pytest.mark.parametrize("outlier", [0.0, 1e3])
def test_gains_of_hard_targets_are_finite(model, kind, codes, outlier):
    x = np.vstack([np.linspace(-1.7, 1.7, 200), np.linspace(-1.7, 1.7, 200) ** 3])
    x[0, -1] += outlier
    gains = TWINS[model][0](Target(codes.astype(int)), x)
    assert np.isfinite(gains).all(), kind


def test_rare_levels_are_taken_as_one():
    rng = np.random.default_rng(0)
    codes = np.unique(np.minimum(rng.geometric(0.05, size=400), 60), return_inverse=True)[1]
    target = Target(codes)
    assert target.n_levels > MOST_LEVELS
    fewer = target.most_frequent
    assert fewer.n_levels == MOST_LEVELS
    assert sorted(fewer.counts[:-1]) == sorted(target.counts)[-MOST_LEVELS + 1 :]
    for level in range(MOST_LEVELS - 1):
        assert len(set(codes[fewer.codes == level])) == 1
    assert Target(fewer.codes).most_frequent.n_levels == MOST_LEVELS


# ---------------------------------------------------------------- counts


@pytest.mark.parametrize(("n_parents", "n"), [(1, 50), (2, 50), (3, 200)])
def test_gains_by_counts_equal_those_of_the_slow_twin(n_parents, n):
    rng = np.random.default_rng(n_parents)
    parents = [softmax_levels(rng, rng.normal(size=(1, n)), levels) for levels in (2, 4, 3)[:n_parents]]
    target = (parents[0] + rng.integers(0, 3, n)) % 3
    expected = naive.counts_gain(target, parents, counts.SAMPLE_SIZES)
    assert counts_gain(target, parents) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("sample_size", [1.0, 16.0])
def test_with_equal_shares_that_nobody_estimates_gains_by_counts_are_those_of_bdeu(monkeypatch, sample_size):
    monkeypatch.setattr(counts, "SAMPLE_SIZES", np.array([sample_size]))
    monkeypatch.setattr(counts, "_price_of_a_share", lambda *_: 0.0)  # BDeu estimates none
    rng = np.random.default_rng(0)
    a, b = np.repeat([0, 1], 60), np.tile(np.repeat([0, 1, 2], 20), 2)
    c = np.tile([0, 1, 2, 3], 30)
    table = pd.DataFrame({"a": a, "b": b, "c": rng.permutation(c)}).astype(str)
    bdeu = ds.scores.make("bdeu", table, sample_size=sample_size)
    for node, parents in ((2, (0,)), (2, (0, 1)), (0, (2,)), (1, (0, 2))):
        columns = [table.iloc[:, k].to_numpy().astype(int) for k in parents]
        gain = counts_gain(table.iloc[:, node].to_numpy().astype(int), columns)
        # rewards of BDeu are per row
        expected = bdeu.nats * (bdeu.local(node, parents) - bdeu.local(node, ()))
        assert gain == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("strength", [0.0, 0.5, 3.0])
def test_counts_say_the_same_about_both_directions(strength):
    rng = np.random.default_rng(1)
    a = rng.integers(0, 5, 300)
    b = softmax_levels(rng, (a == np.arange(5)[:, None]).astype(float), 3, strength)
    assert counts_gain(a, [b]) == pytest.approx(counts_gain(b, [a]), abs=1e-8)


@pytest.mark.parametrize(("n", "n_levels"), [(200, 200), (1000, 990), (1000, 200), (1000, 5), (1000, 2)])
def test_an_irrelevant_parent_gains_less_by_counts_than_an_edge_costs_however_many_levels_it_has(n, n_levels):
    for rng in np.random.default_rng(0).spawn(20):
        target, parent = rng.integers(0, 3, n), rng.permutation(np.arange(n) % n_levels)
        score = ds.scores.make("mixed", pd.DataFrame({"a": target.astype(str), "b": rng.normal(size=n)}))
        price = score.least_needed + score._penalties[1]
        assert 2.0 * counts_gain(target, [parent]) < price
