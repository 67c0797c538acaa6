"""The density of noise against scipy, quadrature and a plain grid; its logarithm against numpy."""

from __future__ import annotations

import math
import warnings

import naive_evidence as naive
import numba
import numpy as np
import pytest
from common import standardised
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, stats

from dagsearch.kernels import noise_shape
from dagsearch.kernels.elementary import exp_negative, log_positive
from dagsearch.scores import noise
from dagsearch.scores.mean_models import MeanModels
from dagsearch.scores.noise import MOST_GAIN, shape_gain

DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "two humps": lambda rng, n: rng.normal(size=n) + 4.0 * (rng.random(n) < 0.4),
    "cauchy": lambda rng, n: rng.standard_cauchy(n),
    "half zeros": lambda rng, n: np.maximum(rng.normal(size=n), 0.0),
    "five levels": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "binary": lambda rng, n: (rng.random(n) < 0.3).astype(float),
}


def drawn(kind, n=90, seed=0):
    """Ascending standardised values."""
    return np.sort(standardised(DRAWS[kind](np.random.default_rng(seed), n)))


def fitted(z):
    """Mode, shape and mean log density of the best density."""
    best = np.empty(3)
    noise_shape.fit_noise_shape(z, np.empty_like(z), np.empty_like(z), best)
    return best.tolist()


# ---------------------------------------------------------------- the density


@pytest.mark.parametrize("shape", [noise_shape.LEAST_SHAPE, 1.0, 2.0, 3.7, noise_shape.LARGEST_SHAPE])
@pytest.mark.parametrize("mode", [-0.4, 0.0, 1.1])
def test_with_equal_scales_the_density_is_the_generalised_normal_of_scipy(shape, mode):
    z = np.linspace(-3.0, 3.0, 40)
    z = z[np.abs(z - mode) > noise_shape.NARROWEST]
    expected = stats.gennorm.logpdf(z, shape, loc=mode, scale=0.8)
    assert naive.log_density(z, mode, shape, 0.8, 0.8) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", [0.8, 1.0, 2.0, 5.0])
def test_of_a_symmetric_sample_the_best_scales_are_those_that_scipy_fits(shape):
    half = np.random.default_rng(1).laplace(size=45)
    half = np.abs(half) + 2 * noise_shape.NARROWEST
    z = np.sort(standardised(np.concatenate([half, -half])))
    scale = stats.gennorm.fit(z, f0=shape, floc=0.0)[2]
    assert naive.best_scales(z, 0.0, shape) == pytest.approx([scale, scale], rel=1e-3)
    expected = stats.gennorm.logpdf(z, shape, scale=scale).mean()
    assert naive.mean_log_density(z, 0.0, shape) == pytest.approx(expected, abs=1e-6)
    # Other modes, shapes and scales are at hand as well: what is found is no worse but for the fineness of the search.
    assert fitted(z)[2] > expected - 1e-3


@pytest.mark.parametrize(
    ("mode", "shape", "left", "right"),
    [(0.0, 2.0, 1.4, 1.4), (0.5, 1.0, 0.2, 3.0), (-1.0, 0.6, 0.7, 0.1), (2.0, 10.0, 1.0, 2.5), (0.3, 4.0, 1e-2, 1.0)],
)
def test_the_density_integrates_to_one(mode, shape, left, right, monkeypatch):
    monkeypatch.setattr(noise_shape, "NARROWEST", 0.0)  # what is cut off at the mode is not part of the density

    def density(z):
        return math.exp(naive.log_density(np.array([z]), mode, shape, left, right)[0])

    reach = 50.0 ** (1.0 / shape)  # where the density is exp(-50) of its peak
    total = integrate.quad(density, mode - reach * left, mode, epsabs=1e-10, limit=200)[0]
    total += integrate.quad(density, mode, mode + reach * right, epsabs=1e-10, limit=200)[0]
    assert total == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("kind", ["normal", "exponential", "two humps"])
@pytest.mark.parametrize(("quantile", "shape"), [(0.3, 0.8), (0.5, 2.0), (0.8, 6.0)])
def test_no_other_scales_make_the_density_larger(kind, quantile, shape):
    z = drawn(kind)
    mode = np.quantile(z, quantile)
    left, right = naive.best_scales(z, mode, shape)
    best = naive.log_density(z, mode, shape, left, right).mean()
    for factor in (0.7, 0.99, 1.01, 1.4):
        for scales in ((left * factor, right), (left, right * factor), (left * factor, right * factor)):
            assert naive.log_density(z, mode, shape, *scales).mean() < best


# ---------------------------------------------------------------- the search for mode and shape


@pytest.mark.parametrize("kind", DRAWS)
def test_the_found_density_is_what_its_formula_says(kind):
    z = drawn(kind)
    mode, shape, density = fitted(z)
    assert density == pytest.approx(naive.mean_log_density(z, mode, shape), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("kind", DRAWS)
def test_the_found_mode_and_shape_are_in_their_ranges(kind):
    z = drawn(kind)
    mode, shape, _ = fitted(z)
    least, largest = np.quantile(z, [noise_shape.LEAST_QUANTILE, noise_shape.LARGEST_QUANTILE])
    assert least - 1e-12 <= mode <= largest + 1e-12
    assert noise_shape.LEAST_SHAPE * (1 - 1e-12) <= shape <= noise_shape.LARGEST_SHAPE * (1 + 1e-12)


@pytest.mark.parametrize("kind", DRAWS)
def test_no_point_of_a_plain_grid_is_better_by_a_tenth_of_a_nat(kind):
    z = drawn(kind)
    gap = len(z) * (naive.best_mean_log_density(z, n_modes=49, n_shapes=29) - fitted(z)[2])
    assert gap < 0.1


@pytest.mark.parametrize(
    ("kind", "least", "largest"), [("laplace", 0.8, 1.3), ("normal", 1.6, 2.5), ("uniform", 4, 11)]
)
def test_the_shape_of_many_values_is_that_of_their_distribution(kind, least, largest):
    assert least < fitted(drawn(kind, n=4000))[1] < largest


def test_normal_values_gain_almost_nothing_and_others_much():
    # Four parameters fitted instead of two gain about one nat by chance.
    assert 0.0 <= shape_gain(drawn("normal", 1000)) < 6.0
    for kind, per_row in (("laplace", 0.05), ("uniform", 0.1), ("exponential", 0.3)):
        assert shape_gain(drawn(kind, 1000)) > 1000 * per_row


@settings(max_examples=60, deadline=None)
@given(values=hnp.arrays(np.float64, st.integers(3, 60), elements=st.floats(-1e6, 1e6)))
def test_no_values_at_all_have_a_density_above_its_bound(values):
    if np.ptp(values) < 1e-3:
        return
    z = np.sort(standardised(values))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        density = fitted(z)[2]
    assert math.isfinite(density)
    assert density <= noise_shape.MOST_DENSITY + 1e-9
    assert shape_gain(z) <= len(z) * MOST_GAIN


def test_values_that_all_lie_at_the_mode_have_the_largest_density():
    assert fitted(np.zeros(50))[2] == pytest.approx(noise_shape.MOST_DENSITY, rel=1e-9)
    assert fitted(np.zeros(5000))[2] == pytest.approx(noise_shape.MOST_DENSITY, rel=1e-9)


# ---------------------------------------------------------------- mirror images


@pytest.mark.parametrize("kind", ["normal", "laplace", "exponential", "two humps", "cauchy"])
def test_a_mirror_image_gains_the_same(kind):
    # With 90 values no quantile of the coarse search is a value itself.
    z = drawn(kind, 90)
    assert shape_gain(-z) == pytest.approx(shape_gain(z), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("kind", "n"), [("half zeros", 200), ("binary", 200), ("exponential", 101)])
def test_a_mirror_image_gains_the_same_even_if_the_mode_is_a_value(kind, n):
    z = drawn(kind, n)
    assert shape_gain(-z) == pytest.approx(shape_gain(z), rel=1e-6)


# ---------------------------------------------------------------- a scale per row


@pytest.mark.long
def test_scales_that_differ_a_thousandfold_are_cut_off_as_in_the_slow_twin(monkeypatch):
    rng = np.random.default_rng(0)
    group = (np.arange(200) < 6).astype(float)
    errors = rng.normal(size=200) * np.where(group, 1.0, 1e-3)
    errors /= math.sqrt(np.mean(errors**2))
    z = standardised(np.column_stack([group, errors]))
    smoother = MeanModels(np.ascontiguousarray(z.T), ("linear",)).on((0,)).smoother(0)
    kernel = np.outer(z[:, 0], z[:, 0])
    found = noise.scale_gain(errors, smoother)
    assert found == pytest.approx(naive.scale_gain(errors, kernel, noise._mean_log_density), rel=1e-8)
    assert found <= 200 * MOST_GAIN
    monkeypatch.setattr(noise, "_LARGEST_LOG_SCALE", 100.0)
    assert abs(noise.scale_gain(errors, smoother) - found) > 1.0


# ---------------------------------------------------------------- exponential and logarithm


@numba.njit
def _logarithms(x, out):
    for i in range(len(x)):
        out[i] = log_positive(x[i])


@numba.njit
def _there_and_back(x, out):
    for i in range(len(x)):
        out[i] = log_positive(exp_negative(x[i]))


def test_logarithm_is_within_two_units_in_the_last_place():
    rng = np.random.default_rng(3)
    x = np.concatenate([10.0 ** rng.uniform(-307, 308, 50_000), 1.0 + rng.uniform(-1e-3, 1e-3, 5000)])
    x = np.concatenate([x, 2.0 ** np.arange(-1022, 1024), np.sqrt(2.0) ** np.arange(-100, 100), [1.0]])
    found = np.empty_like(x)
    _logarithms(x, found)
    unit = np.finfo(float).eps * np.maximum(1.0, np.abs(np.log(x)))
    assert (np.abs(found - np.log(x)) / unit).max() <= 2.0
    assert found[-1] == 0.0


def test_exponential_and_logarithm_are_inverse():
    x = -np.concatenate([np.linspace(0, 700, 20_001), np.geomspace(1e-15, 1.0, 500)])
    found = np.empty_like(x)
    _there_and_back(x, found)
    assert found == pytest.approx(x, rel=1e-14, abs=1e-15)
