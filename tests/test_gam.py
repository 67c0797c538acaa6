"""Additive models against a slow twin, numbers from R's mgcv, finite differences, and tables made to break them."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import naive_gam
import numba
import numpy as np
import pytest
from scipy import stats

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.gam import AdditiveModels, basis_size, max_parents_for
from dagsearch.gam.table import TermTable, _workspace
from dagsearch.kernels.additive import complete, evaluate, load, set_ranks
from dagsearch.kernels.gcv import differentiate
from dagsearch.kernels.update import apply_change, gcv_after

data_folder = os.environ.get("DAGSEARCH_DATA")
needs_data_folder = pytest.mark.skipif(not data_folder, reason="DAGSEARCH_DATA is not set")

pytestmark = pytest.mark.usefixtures("one_thread")


# ---------------------------------------------------------------- data


def table(n, p, seed=0, digits=12):
    """Parents, normal and skew in turn, and a target: a wave of the first, a line of the last, noise."""
    rng = np.random.default_rng(seed)
    x = np.round(np.where(np.arange(p) % 2, np.exp(rng.normal(size=(n, p))), rng.normal(size=(n, p))), digits)
    return np.sin(2 * x[:, 0]) + 0.3 * x[:, -1] + rng.normal(size=n), x


def with_levels(x, *n_levels, seed=0):
    """The table with its first columns replaced by columns of so many different values."""
    rng = np.random.default_rng(seed)
    x = x.copy()
    for j, m in enumerate(n_levels):
        x[:, j] = np.sort(rng.normal(size=m))[np.append(np.arange(m), rng.integers(0, m, len(x) - m))]
    return x


def fit(y, x, many=True, **options):
    return AdditiveModels(x, y[:, None], many=many, **options).fit(0, range(x.shape[1]))


def linear_p_values(y, x):
    """F tests of single coefficients in a linear model, by hand."""
    design = np.column_stack([np.ones(len(y)), x])
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    left = len(y) - design.shape[1]
    variance = np.sum((y - design @ beta) ** 2) / left
    return stats.f.sf(beta**2 / (variance * np.diag(inverse)), 1, left)[1:]


def agree(found, expected, p_tolerance, rtol=1e-7):
    """Whether two fits are the same; smoothing parameters beyond 1e6 are as good as infinite."""
    assert found.rss == pytest.approx(expected.rss, rel=rtol)
    assert found.gcv == pytest.approx(expected.gcv, rel=1e-9)
    assert found.scale == pytest.approx(expected.scale, rel=rtol)
    np.testing.assert_allclose(found.edf, expected.edf, atol=1e3 * rtol)
    finite = np.asarray(expected.smoothing) < 1e6
    np.testing.assert_allclose(found.smoothing[finite], np.asarray(expected.smoothing)[finite], rtol=1e3 * rtol)
    assert np.all(found.smoothing[~finite] > 1e5)
    np.testing.assert_allclose(found.p_values, expected.p_values, atol=p_tolerance)


# ---------------------------------------------------------------- the slow twin

TABLES = {
    **{f"{n} rows, {p} parents": table(n, p, seed) for seed, (n, p) in enumerate([(60, 1), (200, 2), (150, 3)])},
    **{f"ties, {n} rows, {p} parents": table(n, p, n, digits=1) for n, p in ((80, 1), (250, 3))},
    "few rows": table(25, 3, 5),
    "a straight line": (table(100, 2, 6)[0], table(100, 2, 6)[1] @ [[1.0, 0.0], [0.0, 1e-3]]),
    "12 parents": table(60, 12, 7),
    "19 parents": table(120, 19, 8),
    "Newton steps that fail": table(100, 3, 1001),
    "Newton steps that fail, ties": table(40, 3, 1354, digits=1),
    "only noise": (np.random.default_rng(9).normal(size=120), table(120, 3, 9)[1]),
    "hardly any noise": (np.sin(3 * table(90, 2, 10)[1][:, 0]) + 1e-3 * table(90, 2, 11)[0], table(90, 2, 10)[1]),
    **{f"{m} different values": (table(90, 2, m)[0], with_levels(table(90, 2, m)[1], m)) for m in range(2, 12)},
    "2, 3 and 5 different values": (table(70, 3, 12)[0], with_levels(table(70, 3, 12)[1], 2, 3, 5)),
    "2 and 2 different values": (table(70, 2, 13)[0], with_levels(table(70, 2, 13)[1], 2, 2)),
}


@pytest.mark.parametrize("name", TABLES)
def test_fit_equals_the_slow_twin(name):
    y, x = TABLES[name]
    twin = naive_gam.fit(y, x, basis_size(*x.shape))
    for many in (True, False):
        agree(fit(y, x, many), twin, p_tolerance=2e-6)
    np.testing.assert_allclose(ds.gam_pvalues(y, x), twin.p_values, atol=2e-6)


@pytest.mark.parametrize("basis", [3, 4, 7, 20])
def test_fit_with_another_basis_equals_the_slow_twin(basis):
    y, x = table(100, 1, 20)
    twin = naive_gam.fit(y, x, basis)
    agree(fit(y, x, basis=basis), twin, p_tolerance=2e-6)
    np.testing.assert_allclose(ds.gam_pvalues(y, x, basis=basis), twin.p_values, atol=2e-6)


# ---------------------------------------------------------------- GCV and its derivatives


@numba.njit
def gcv_at(model, terms, target, rho, j, change):
    """GCV at rho with its derivatives, and as it would be after a change of rho[j]; kernels have no other way in."""
    load(model, terms, target)
    for i in range(rho.size):
        model.log_smoothing[i] = rho[i]
    set_ranks(model, terms)
    value = evaluate(model, terms)
    complete(model)
    differentiate(model)
    return value, gcv_after(model, j, change)


@numba.njit(_nrt=False)
def change_one(model, j, change):
    """The update of a complete model."""
    apply_change(model, j, change)


class Criterion:
    """GCV of an additive model as a function of log smoothing parameters."""

    def __init__(self, y, x):
        made = TermTable(x, y[:, None], basis_size(*x.shape), reduce=False)
        self.terms, self.target = made._terms, made._targets[0]
        self.model = _workspace(self.terms, np.arange(x.shape[1]), len(y))

    def __call__(self, rho):
        return self.now_and_after(rho, 0, 0.0)[0]

    def now_and_after(self, rho, j, change):
        return gcv_at(self.model, self.terms, self.target, np.array(rho, dtype=float), j, change)

    def gradient(self, rho):
        self(rho)
        return self.model.gradient.copy()

    def differences(self, function, rho, h=1e-4):
        """Central differences, one row per parameter, of fourth order."""
        steps = h * np.eye(len(rho))
        return np.array(
            [
                (8 * (function(rho + s) - function(rho - s)) - function(rho + 2 * s) + function(rho - 2 * s))
                for s in steps
            ]
        ) / (12 * h)


POINTS = [np.array(point, dtype=float) for point in ([0, 0, 0], [-6, 2, 5], [4, -3, 1], [8, 8, -8])]


@pytest.mark.long
@pytest.mark.parametrize("rho", POINTS)
def test_gradient_and_hessian_of_gcv_equal_finite_differences(rho):
    criterion = Criterion(*table(120, 3, 1))
    slopes = criterion.differences(criterion, rho)
    curvatures = criterion.differences(criterion.gradient, rho)
    gradient, hessian = criterion.gradient(rho), criterion.model.hessian
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(hessian, curvatures, rtol=1e-6, atol=1e-10)
    np.testing.assert_array_equal(hessian, hessian.T)


@pytest.mark.long
@pytest.mark.parametrize("rho", [*POINTS, np.array([20.0, 0.0, 0.0]), np.array([-3.0, 24.0, 24.0])])
def test_gcv_and_derivatives_equal_the_slow_twin_however_large_the_smoothing(rho):
    y, x = table(120, 3, 2)
    criterion, problem = Criterion(y, x), naive_gam.problem_of(y, x, 10)
    at = naive_gam.evaluate(problem, rho)
    assert criterion(rho) == pytest.approx(at.gcv, rel=1e-9)
    gradient, hessian = naive_gam.derivatives(problem, rho, at)
    np.testing.assert_allclose(criterion.model.gradient, gradient, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(criterion.model.hessian, hessian, rtol=1e-5, atol=1e-8)


@pytest.mark.long
def test_small_penalties_are_lost_beside_huge_ones():
    y, x = table(120, 3, 2)
    criterion = Criterion(y, x)
    criterion(np.zeros(3))
    assert criterion.model.ranks.tolist() == [8, 8, 8]
    criterion(np.array([-3.0, 34.0, -3.0]))
    assert criterion.model.ranks[1] == 8
    assert max(criterion.model.ranks[[0, 2]]) < 8


@pytest.mark.parametrize("change", [-4.0, -2.0, 2.0, 8.0])
@pytest.mark.parametrize("rho", POINTS[:3])
def test_gcv_after_a_change_of_one_parameter_equals_a_full_evaluation(rho, change):
    criterion = Criterion(with_levels(table(120, 3, 3)[1], 2)[:, 1], with_levels(table(120, 3, 3)[1], 7, 4))
    for j in range(3):
        _, updated = criterion.now_and_after(rho, j, change)
        assert updated == pytest.approx(criterion(rho + change * (np.arange(3) == j)), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("change", [-4.0, 2.0, 8.0])
@pytest.mark.parametrize("rho", POINTS[:3])
def test_a_model_updated_for_one_parameter_equals_one_fitted_anew(rho, change):
    parts = ("covariance", "sandwich", "coefficients", "pull", "log_smoothing")
    for j in range(3):
        updated, anew = (Criterion(*table(120, 3, 3)) for _ in range(2))
        updated(rho)
        bound = updated.model.summary["inverse_square"][0]
        change_one(updated.model, j, change)
        anew(rho + change * (np.arange(3) == j))
        for part in parts:
            new, old = getattr(anew.model, part), getattr(updated.model, part)
            assert old == pytest.approx(new, rel=1e-7, abs=1e-9 * np.abs(new).max()), part
        assert updated.model.summary["inverse_square"][0] == pytest.approx(bound * np.exp(max(-change, 0.0)))
        assert updated.model.summary["inverse_square"][0] >= np.linalg.eigvalsh(anew.model.covariance)[-1]
        for field in ("rss", "trace", "gcv"):
            assert updated.model.summary[field] == pytest.approx(anew.model.summary[field], rel=1e-9)


def test_gcv_of_duplicate_columns_is_that_of_the_shortest_solution():
    y, x = table(100, 1, 4)
    criterion = Criterion(y, np.hstack([x, x]))
    at = naive_gam.evaluate(naive_gam.problem_of(y, np.hstack([x, x]), 10), np.array([1.0, 3.0]))
    assert criterion([1.0, 3.0]) == pytest.approx(at.gcv, rel=1e-9)
    assert criterion.model.summary[0]["deficient"] == 1


# ---------------------------------------------------------------- numbers from R


def formula_table(n):
    """Columns and noise that any language computes alike."""
    i = np.arange(n)
    a, b, c = ((i * step) % 1.0 for step in (0.6180339887498949, 0.7548776662466927, 0.5698402909980532))
    return np.column_stack([a, b**2, c]), (43758.5453 * np.sin(12.9898 * (i + 1))) % 1.0 - 0.5


def formula_case(name):
    x, noise = formula_table({"many": 3000, "plain": 250, "levels": 250, "short": 70}[name])
    wave, line, scale = {"many": (1, 0.2, 2), "plain": (1, 0.2, 1), "levels": (1, 0.4, 2), "short": (1, 0.4, 1)}[name]
    y = wave * np.sin(6 * x[:, 0]) + line * x[:, 1] + scale * noise
    if name == "levels":
        x = np.column_stack([np.round(x[:, 0], 1), np.floor(6 * x[:, 1]), np.floor(3 * x[:, 2]) ** 2])
    return y, x


# R 4.2.2, mgcv 1.8-41: gam(y ~ s(a, k = 10) + ...), with k the number of different values where that is less.
FROM_R = {
    "many": {  # more different values than knots
        "rss": 976.249156389004,
        "gcv": 0.327699337355335,
        "edf": [6.67794618455, 1.00000001891, 1.79022529549],
        "smoothing": [2.496802063e-01, 6.040897832e09, 7.766588668e01],
        "p_values": [0.0, 6.266609335e-06, 9.136924439e-02],
    },
    "plain": {
        "rss": 20.0399932262008,
        "gcv": 0.086103388198064,
        "edf": [5.78257956242, 1.00000000454, 1.00000000357],
        "smoothing": [5.107780767e-02, 2.177812178e09, 3.266808032e09],
        "p_values": [0.0, 0.1155861569, 0.6213490800],
    },
    "levels": {
        "rss": 82.5059557089273,
        "gcv": 0.353111015724055,
        "edf": [4.89581457746, 1.41510960396, 1.00000005584],
        "smoothing": [3.725563491e-01, 3.786267132e00, 2.222931291e07],
        "p_values": [0.0, 0.2073656043, 0.4041126945],
    },
    "short": {
        "rss": 4.90461524173167,
        "gcv": 0.0955456377797785,
        "edf": [5.07391928090, 1.10501005938, 2.87702369515],
        "smoothing": [0.01707602643, 20.74421078415, 0.26351798348],
        "p_values": [0.0, 0.01621634214, 0.44724164419],
    },
}


@pytest.mark.parametrize("name", FROM_R)
def test_fit_equals_that_of_r(name):
    found, expected = fit(*formula_case(name)), FROM_R[name]
    for quantity in ("rss", "gcv"):
        assert getattr(found, quantity) == pytest.approx(expected[quantity], rel=1e-9)
    np.testing.assert_allclose(found.edf, expected["edf"], rtol=1e-7)
    np.testing.assert_allclose(found.smoothing, expected["smoothing"], rtol=1e-4)
    np.testing.assert_allclose(found.p_values, expected["p_values"], atol=2e-6)


@cache
def models_of(file, n_rows):
    x = np.load(Path(data_folder) / file)
    x = ((x - x.mean(axis=0)) / x.std(axis=0))[:n_rows]
    return AdditiveModels(x, x)


@cache
def r_cases():
    """Fits of real data by R beside those of this package."""
    cases = json.loads((Path(data_folder).parent / "oracles" / "gam_mgcv.json").read_text())
    return [(case, models_of(case["data"], case["n_rows"]).fit(case["target"], case["parents"])) for case in cases]


@needs_data_folder
def test_fits_of_real_data_equal_those_of_r():
    assert len(r_cases()) > 400
    for case, found in r_cases():
        assert basis_size(case["n_rows"], len(case["parents"])) == case["k"]
        expected = naive_gam.SimpleNamespace(**case, smoothing=case["sp"])
        agree(found, expected, p_tolerance=2e-5, rtol=1e-6)


@needs_data_folder
def test_decisions_and_small_p_values_of_real_data_equal_those_of_r():
    expected, found = (
        np.concatenate(p) for p in zip(*((c["p_values"], f.p_values) for c, f in r_cases()), strict=True)
    )
    np.testing.assert_array_equal(found < 0.001, expected < 0.001)
    logs = np.log10(np.maximum(1e-6, np.stack([found, expected])))
    assert np.corrcoef(logs)[0, 1] > 0.999


# ---------------------------------------------------------------- basis size


@pytest.mark.parametrize(
    ("n_samples", "n_parents", "size"),
    [
        (300, 10, 10),
        (299, 10, 10),
        (270, 10, 9),
        (271, 10, 10),
        (500, 19, 9),
        (853, 9, 10),
        (60, 4, 5),
        (60, 9, 3),
        (30, 1, 10),
        (29, 1, 10),
        (27, 1, 9),
        (9, 1, 3),
        (3, 1, 3),
        (11, 5, 3),
        (10, 5, 2),
        (21, 19, 2),
    ],
)
def test_basis_shrinks_with_few_rows_per_parent(n_samples, n_parents, size):
    assert basis_size(n_samples, n_parents) == size
    x = np.random.default_rng(0).normal(size=(n_samples, n_parents))
    terms = TermTable(x, x[:, :1], size)
    assert np.diff(terms._terms.offsets).tolist() == [size - 1] * n_parents


def test_basis_asked_for_is_kept_where_there_are_rows_for_it():
    assert basis_size(1000, 3, 20) == 20
    assert basis_size(80, 3, 20) == 9
    assert basis_size(80, 3, 4) == 4
    assert max_parents_for(10) == 8


@pytest.mark.parametrize("p", [1, 2, 5, 19])
def test_fewest_possible_rows_fit_straight_lines(p):
    rng = np.random.default_rng(p)
    y, x = rng.normal(size=p + 2), with_levels(rng.normal(size=(p + 2, p)), 2)
    np.testing.assert_allclose(ds.gam_pvalues(y, x), linear_p_values(y, x), rtol=1e-6)
    with pytest.raises(InputError, match=f"of {p} parents needs at least {p + 2} rows, got {p + 1}"):
        ds.gam_pvalues(y[1:], x[1:])


# ---------------------------------------------------------------- laws


def test_two_valued_columns_are_tested_as_in_a_linear_model():
    y, x = table(60, 3, 1)
    x = with_levels(x, 2, 2, 2)
    np.testing.assert_allclose(ds.gam_pvalues(y, x), linear_p_values(y, x), rtol=1e-8)


@pytest.mark.parametrize("scale_y", [1e-300, 1e-9, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("scale_x", [1e-300, 1e-9, 1e12, 1e300])
def test_units_do_not_matter(scale_y, scale_x):
    y, x = table(150, 2, 2)
    y = (y - y.mean()) / y.std()
    np.testing.assert_allclose(ds.gam_pvalues(scale_y * y, scale_x * x), ds.gam_pvalues(y, x), rtol=1e-8)


def test_values_may_come_near_the_largest_number():
    y, x = (v - v.min(axis=0) + 1.0 for v in table(150, 2, 2))
    y, x = y / y.max(), x / x.max()
    expected = ds.gam_pvalues((y - y.mean()) / y.std(), x)
    np.testing.assert_allclose(ds.gam_pvalues(1.7e308 * y, 1.7e308 * x), expected, rtol=1e-8)


def test_order_of_rows_does_not_matter():
    y, x = table(150, 3, 3)
    order = np.random.default_rng(0).permutation(150)
    np.testing.assert_allclose(ds.gam_pvalues(y[order], x[order]), ds.gam_pvalues(y, x), rtol=1e-6)


def test_p_values_of_noise_are_nearly_uniform():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(100, 2))
    p = np.array([ds.gam_pvalues(rng.normal(size=100), x) for _ in range(200)])
    assert 0.02 < np.mean(p < 0.05) < 0.1
    assert 0.4 < np.mean(p < 0.5) < 0.7


def test_more_noise_makes_p_values_larger():
    y, x = table(200, 1, 5)
    noise = np.random.default_rng(6).normal(size=200)
    p = [ds.gam_pvalues(y + size * noise, x)[0] for size in (0.0, 1.0, 3.0, 10.0)]
    assert p[0] < 1e-12 < p[1] < p[2] < p[3]
