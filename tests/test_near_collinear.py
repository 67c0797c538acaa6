"""Columns that are nearly the same, or nearly sums of others: residuals are those of least squares on the columns."""

import itertools
import math

import numpy as np
import pytest
from common import normal_table, standardised
from test_quadratic_growth import check_growth

import dagsearch as ds
from dagsearch import scores
from dagsearch._twins import proportional
from dagsearch.causal_effects.regression import Regression
from dagsearch.scores.mean_models import RATIOS, MeanModels, log_evidence

NOISES = [10.0**-k for k in range(3, 11)]
UNITS = [1.0, 1e-8, 1e8]
DEGREES = {"bic-linear": 1, "bic-quadratic": 2}


def monomials(parents, degree):
    return [m for k in range(1, degree + 1) for m in itertools.combinations_with_replacement(parents, k)]


def least_squares(x, node, parents, degree=1):
    """Sum of squares that `numpy.linalg.lstsq` leaves; columns in one unit, or it drops those in large ones."""
    x = standardised(x)
    columns = [np.ones(len(x))]
    for monomial in monomials(parents, degree):
        column = x[:, list(monomial)].prod(axis=1)
        columns.append(standardised(column))
    matrix = np.column_stack(columns)
    coefficients = np.linalg.lstsq(matrix, x[:, node], rcond=None)[0]
    residuals = x[:, node] - matrix @ coefficients
    return float(residuals @ residuals)


def near_copies(noise, n_parents, seed=0, n_samples=500, unit=1.0):
    """Parents that are the first one and a little noise, and a last column that depends on the noise alone."""
    rng = np.random.default_rng(seed)
    first, own = rng.normal(size=n_samples), rng.normal(size=(n_samples, n_parents - 1))
    effect = own.sum(axis=1) + 0.1 * rng.normal(size=n_samples)
    units = unit ** rng.choice([-1.0, 0.0, 1.0], n_parents + 1)
    return np.column_stack([first, first[:, None] + noise * own, effect]) * units


def chained(noise, n_parents, seed=0, n_samples=500):
    """Each parent is what the ones before tell, and a little noise, which tells of the effect."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(n_samples, n_parents))
    parents = own[:, [0]]
    for k in range(1, n_parents):
        parents = np.column_stack([parents, parents @ rng.normal(size=k) + noise * own[:, k]])
    return np.column_stack([parents, own.sum(axis=1) + 0.3 * rng.normal(size=n_samples)])


# Entries are rounded by 1e-16: of differences of 1e-10 a millionth is lost, whoever looks at them.
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("noise", NOISES)
def test_residual_sums_on_near_copies_are_those_of_least_squares(noise, unit):
    for n_parents, seed in itertools.product(range(2, 7), range(3)):
        x = near_copies(noise, n_parents, seed, unit=unit)
        found = scores.make("bic-linear", x).rss(n_parents, range(n_parents))
        assert found == pytest.approx(least_squares(x, n_parents, range(n_parents)), rel=max(1e-6, 1e-15 / noise))


# Squares of near copies differ by squares of differences as well, which rounding reaches sooner: of those of 1e-6 it
# is left to chance whether they count.
@pytest.mark.parametrize("noise", [noise for noise in NOISES if not 1e-7 < noise < 1e-5])
def test_quadratic_residual_sums_on_near_copies_are_those_of_least_squares(noise):
    for n_parents, seed in itertools.product([2, 3], range(3)):
        x = near_copies(noise, n_parents, seed)
        found = scores.make("bic-quadratic", x).rss(n_parents, range(n_parents))
        assert found == pytest.approx(least_squares(x, n_parents, range(n_parents), 2), rel=1e-5)


@pytest.mark.parametrize("noise", [0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("name", DEGREES)
def test_residual_sums_where_each_parent_nearly_follows_from_those_before_are_those_of_least_squares(name, noise):
    for n_parents, seed in itertools.product(range(2, 7 if name == "bic-linear" else 5), range(4)):
        x = chained(noise, n_parents, seed)
        found = scores.make(name, x).rss(n_parents, range(n_parents))
        assert found == pytest.approx(least_squares(x, n_parents, range(n_parents), DEGREES[name]), rel=1e-6)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("name", DEGREES)
def test_what_is_nearly_determined_has_the_residual_sum_of_least_squares(name, noise):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3))
    x = np.column_stack([x, x @ [1.0, -2.0, 0.5] + noise * rng.normal(size=400)])
    found = scores.make(name, x).rss(3, [0, 1, 2])
    assert found == pytest.approx(least_squares(x, 3, [0, 1, 2], DEGREES[name]), rel=1e-5)


@pytest.mark.parametrize("noise", [1e-3, 1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("penalty", ["edges", "parameters"])
@pytest.mark.parametrize("name", DEGREES)
def test_searches_that_grow_parent_sets_see_the_same_scores(name, penalty, noise):
    x = np.column_stack([normal_table(300, 4, seed=1), near_copies(noise, 3, n_samples=300)])
    assert check_growth(scores.make(name, x, penalty=penalty), [1, 2, 3, 4, 5, 2, 6, 3, 4], tolerance=1e-6) > 50


@pytest.mark.parametrize("name", DEGREES)
def test_exact_combinations_still_say_nothing(name):
    x = normal_table(300, 4, seed=1)
    x = np.column_stack([x, x[:, 0], x[:, 1] + x[:, 2], -2.54 * x[:, 0] + 7.0])
    score = scores.make(name, x, penalty="parameters")
    per_parameter = math.log(300) / 300
    assert score.local(3, [0, 4]) == pytest.approx(score.local(3, [0]) - per_parameter, rel=1e-9)
    assert score.local(3, [1, 2, 5]) == pytest.approx(score.local(3, [1, 2]) - per_parameter, rel=1e-9)


def test_more_monomials_than_rows_explain_everything_and_are_not_fitted_again():
    x = normal_table(20, 8, seed=3)
    assert scores.make("bic-quadratic", x).rss(7, range(7)) == 0.0


@pytest.mark.parametrize("estimator", [ds.OrderSearch, ds.CDUCT])
def test_searches_find_the_effect_of_a_difference(estimator):
    x = near_copies(1e-6, 2)
    model = estimator(score="bic-linear", prune="none", random_state=0).fit(x)
    without = scores.make("bic-linear", x).reward([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    assert model.reward_ > without + 4.0


@pytest.mark.parametrize("noise", NOISES)
def test_direct_effects_of_near_copies_are_the_coefficients_of_least_squares(noise):
    x = near_copies(noise, 2)
    centred = x - x.mean(axis=0)
    expected = np.linalg.lstsq(centred[:, :2], centred[:, 2], rcond=None)[0]
    solution = Regression(centred[:, :2], centred[:, 2:]).solve()
    assert solution.rank == 2
    assert solution.coefficients[:, 0] == pytest.approx(expected, rel=max(1e-6, 1e-15 / noise))


def test_effects_of_exact_copies_are_not_determined():
    x = normal_table(200, 3)
    assert Regression(np.column_stack([x[:, 0], 3 * x[:, 0] + 1]), x[:, 2:]).solve().rank == 1


@pytest.mark.parametrize("noise", [1e-4, 1e-6, 1e-8])
def test_columns_that_differ_by_more_than_rounding_are_no_twins(noise):
    x = near_copies(noise, 2)
    assert proportional(standardised(x), x) == []
    assert proportional(standardised(x[:, [0, 0, 2]]), x[:, [0, 0, 2]]) == [[0, 1]]


def test_twins_in_single_precision_and_in_other_units_are_twins():
    x = normal_table(300, 2)[:, 0]
    single = x.astype(np.float32)
    table = np.column_stack([x, single * np.float32(0.3048), single, x * 1.8 + 32, 273.15 + x]).astype(float)
    assert proportional(standardised(table), table) == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize("noise", NOISES)
def test_the_linear_evidence_of_near_copies_is_that_of_singular_values(noise):
    """The prior of coefficients does not let them grow: eigenvalues of products are as good as singular values."""
    x = near_copies(noise, 3)
    columns = np.ascontiguousarray(standardised(x).T)
    left = np.linalg.svd(columns[:3].T, full_matrices=False)
    products = left[1][:, None] * (left[0].T @ columns.T)
    gains = log_evidence(np.square(left[1]), products, np.full(4, 500.0), 500)
    expected = np.logaddexp.reduce(gains, axis=0) - math.log(len(RATIOS))
    found = MeanModels(columns, ("linear",)).on((0, 1, 2)).fit().gain
    assert found[3] == pytest.approx(expected[3], rel=1e-6)


@pytest.mark.parametrize("noise", [1e-3, 1e-5, 1e-7, 1e-9])
def test_pruning_by_coefficients_keeps_both_parts_of_a_difference(noise):
    x = near_copies(noise, 2)
    dag = ds.DAG.from_adjacency([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert ds.prune(dag, x, method="coefficients").n_edges == 3
