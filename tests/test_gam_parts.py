"""Parts of the additive models: LAPACK inside kernels, tails of ratios, radial sums, spline bases, knots."""

from __future__ import annotations

import math
from itertools import pairwise

import naive_gam
import numba
import numpy as np
import pytest
from scipy import linalg, stats
from scipy.integrate import quad
from scipy.interpolate import CubicSpline

from dagsearch.blas import one_blas_thread
from dagsearch.gam import basis
from dagsearch.gam.basis import smooth_term
from dagsearch.gam.knots import MAX_KNOTS, _RGenerator, sampled_knots
from dagsearch.kernels import lapack
from dagsearch.kernels.chisquared import ratio_tail
from dagsearch.kernels.radial import sum_cubed_distances

SIZES = [1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 40]
CANARY = 12345.6789


# ---------------------------------------------------------------- LAPACK


def way_in(kernel):
    """An inner kernel as something that Python can call."""
    return numba.njit(lambda *args: kernel(*args))  # noqa: PLW0108 - a kernel is no Python function


multiply = way_in(lapack.multiply)
triangularise = way_in(lapack.triangularise)
triangularise_pair = way_in(lapack.triangularise_pair)
invert_upper = way_in(lapack.invert_upper)
right_singular_vectors = way_in(lapack.right_singular_vectors)
eigen_symmetric = way_in(lapack.eigen_symmetric)


@numba.njit
def tail(weights, d, k):
    return ratio_tail(weights, weights.size, d, k)


class Memory:
    """Arrays with a canary behind each, to tell whether a routine wrote past an end."""

    def __init__(self):
        self.buffers = []

    def array(self, *shape):
        size = math.prod(shape)
        buffer = np.full(size + 512, CANARY)
        self.buffers.append((buffer, size))
        return buffer[:size].reshape(shape)

    def of(self, matrix):
        """A matrix as kernels have it: column by column."""
        array = self.array(*matrix.T.shape)
        array[...] = matrix.T
        return array

    def is_sound(self):
        return all(np.all(buffer[size:] == CANARY) for buffer, size in self.buffers)


@pytest.fixture
def memory():
    made = Memory()
    yield made
    assert made.is_sound(), "something was written past the end of an array"


def scratch_for(memory, n):
    return memory.array(lapack.SCRATCH_PER_COLUMN * (n + 1))


def conditioned(rng, n):
    """An upper triangular matrix far from singular."""
    return np.triu(rng.normal(size=(n, n))) / math.sqrt(n) + np.diag(rng.choice([-2.0, 2.0], n))


@pytest.mark.parametrize("n", SIZES)
def test_multiply_equals_numpy_for_all_transpositions(memory, n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    for left, transpose_left in ((a, False), (a.T, True)):
        for right, transpose_right in ((b, False), (b.T, True)):
            product = memory.array(n, n)
            connection, first, second = lapack.connect(), memory.of(left), memory.of(right)
            multiply(connection, first, transpose_left, second, transpose_right, n, product)
            np.testing.assert_allclose(product.T, a @ b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("extra", [0, 1, 50])
def test_triangularise_leaves_the_triangle_of_a_qr_factorisation(memory, n, extra):
    a = np.random.default_rng(n).normal(size=(n + extra, n))
    matrix = memory.of(a)
    triangularise(lapack.connect(), matrix, n + extra, n, memory.array(n), scratch_for(memory, n))
    r = np.triu(matrix.T[:n])
    np.testing.assert_allclose(np.abs(r), np.abs(np.linalg.qr(a, mode="r")), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(r.T @ r, a.T @ a, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("n", SIZES)
def test_triangularise_pair_is_the_triangle_of_both_stacked(memory, n):
    rng = np.random.default_rng(n)
    above, under = np.triu(rng.normal(size=(n, n))), np.triu(rng.normal(size=(n, n)))
    upper, below = memory.of(above + np.tril(np.full((n, n), 7.0), -1)), memory.of(under)
    triangularise_pair(lapack.connect(), upper, below, n, memory.array(16 * n), memory.array(16 * n))
    r = np.triu(upper.T)
    np.testing.assert_allclose(r.T @ r, above.T @ above + under.T @ under, rtol=1e-11, atol=1e-11)
    assert np.all(np.tril(upper.T, -1) == np.tril(np.full((n, n), 7.0), -1))


@pytest.mark.parametrize("n", SIZES)
def test_invert_upper_inverts_and_leaves_the_rest_alone(memory, n):
    upper = conditioned(np.random.default_rng(n), n)
    matrix = memory.of(upper + np.tril(np.full((n, n), 7.0), -1))
    invert_upper(lapack.connect(), matrix, n)
    np.testing.assert_allclose(np.triu(matrix.T) @ upper, np.eye(n), atol=1e-10)
    assert np.all(np.tril(matrix.T, -1) == np.tril(np.full((n, n), 7.0), -1))


@pytest.mark.parametrize("n", SIZES)
def test_right_singular_vectors_equal_numpys(memory, n):
    a = np.random.default_rng(n).normal(size=(n, n))
    values, vectors = memory.array(n), memory.array(n, n)
    connection = lapack.connect()
    right_singular_vectors(connection, memory.of(a), n, values, vectors, scratch_for(memory, n))
    assert not connection.failures[0]
    np.testing.assert_allclose(values, np.linalg.svd(a, compute_uv=False), rtol=1e-9, atol=1e-12)
    vt = vectors.T  # vectors as rows, stored column by column
    np.testing.assert_allclose(vt @ vt.T, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(a @ vt.T, axis=0), values, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", SIZES)
def test_eigen_symmetric_equals_numpy(memory, n):
    a = np.random.default_rng(n).normal(size=(n, n))
    a = a + a.T
    matrix, values = memory.of(a), memory.array(n)
    eigen_symmetric(lapack.connect(), matrix, n, values, scratch_for(memory, n))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(a @ matrix.T, matrix.T * values, atol=1e-10)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(n), atol=1e-12)


# ---------------------------------------------------------------- tails


@pytest.mark.parametrize("m", [1, 2, 3, 9, 20, 60, 200])
@pytest.mark.parametrize("k", [1.0, 2.5, 30.0, 843.3, 1e5])
def test_tail_of_equal_weights_is_that_of_the_f_distribution(m, k):
    reached = 1.0
    for d in m * 10.0 ** np.arange(-3, 3, 0.1):
        expected = stats.f.sf(d / m, m, k)
        if expected > 1e-100:
            assert tail(np.ones(m), d, k) == pytest.approx(expected, rel=1e-9)
            reached = min(reached, expected)
    assert reached < 1e-50 or k < 100.0


@pytest.mark.parametrize("m", [1, 4, 9])
def test_tail_is_that_of_chi_squared_if_the_denominator_is_certain(m):
    for d in (0.1, 1.0, 5.0, 20.0, 60.0):
        assert tail(np.ones(m), d, 1e9) == pytest.approx(stats.chi2.sf(d, m), rel=1e-5)


@pytest.mark.parametrize("k", [1.0, 7.0, 480.0])
@pytest.mark.parametrize("weights", [[1.0, 0.3], [1.3, 0.2, 1.0, 1.0], [1.0] * 7 + [1.39, 0.01], [1.0, 1e-9]])
def test_tail_of_unequal_weights_is_imhofs_integral(weights, k):
    for d in (0.05, 1.0, 4.0, 15.0, 30.0):
        assert tail(np.array(weights), d, k) == pytest.approx(naive_gam.tail(weights, d, k), abs=1e-9)


def tail_of_two(weights, d, k):
    """In polar coordinates a tail of two weights is an integral over the angle."""

    def integrand(angle):
        size = weights[0] * math.cos(angle) ** 2 + weights[1] * math.sin(angle) ** 2
        return 2 / math.pi * math.exp(-0.5 * k * math.log1p(d / k / size))

    ends = [0.0, *(math.pi / 2 - 10.0 ** -np.arange(0.5, 5.0, 0.5)), math.pi / 2]
    return sum(quad(integrand, a, b, epsabs=0.0, epsrel=1e-12, limit=200)[0] for a, b in pairwise(ends))


@pytest.mark.parametrize("k", [1.0, 7.0, 480.0])
@pytest.mark.parametrize("part", [1e-9, 1e-5, 1e-3, 0.01, 0.1, 0.5, 0.9])
def test_tail_of_two_weights_is_an_integral_over_the_angle(part, k):
    larger = 0.5 * (part + 1.0 + math.sqrt(1.0 - part**2))
    weights = np.array([larger, part + 1.0 - larger])
    for d in (1e-8, 1e-4, 0.01, 0.08, 0.5, 4.0, 30.0, 200.0):
        assert tail(weights, d, k) == pytest.approx(tail_of_two(weights, d, k), rel=1e-10)


def test_tail_does_not_change_with_the_unit_of_weights_and_threshold():
    weights = np.array([1.0, 0.7, 0.2])
    for unit in (1e-6, 1e5):
        assert tail(unit * weights, unit * 40.0, 300.0) == pytest.approx(tail(weights, 40.0, 300.0), rel=1e-11)


@pytest.mark.parametrize("k", [1.0, 12.0, 500.0])
def test_tail_falls_from_one_to_zero(k):
    weights = np.array([1.0, 1.0, 1.2, 0.1])
    tails = [tail(weights, d, k) for d in np.concatenate([[0.0], 10.0 ** np.arange(-8, 300, 0.5), [1e308, math.inf]])]
    assert tails[0] == 1.0
    assert np.all(np.diff(tails) <= 1e-14)
    assert min(tails) >= 0.0
    assert tails[-1] < 1e-140
    assert tail(weights, -1.0, k) == 1.0


# ---------------------------------------------------------------- radial sums


@pytest.mark.parametrize(("n_points", "n_sources"), [(1, 1), (1, 7), (7, 1), (40, 40), (13, 60), (60, 13)])
@pytest.mark.parametrize("digits", [0, 1, 12])
def test_sum_of_cubed_distances_equals_the_dense_matrix(n_points, n_sources, digits):
    rng = np.random.default_rng(n_points + n_sources)
    points, sources = (np.sort(np.round(rng.normal(size=n), digits)) for n in (n_points, n_sources))
    weights, sums = rng.normal(size=n_sources), np.empty(n_points)
    sum_cubed_distances(points, sources, weights, sums)
    dense = np.abs(points[:, None] - sources) ** 3
    np.testing.assert_allclose(sums, dense @ weights, atol=1e-13 * (dense @ np.abs(weights)).max())


@pytest.mark.parametrize("shift", [-10.0, 10.0])
def test_sum_of_cubed_distances_to_sources_all_on_one_side(shift):
    points, sources = np.linspace(0.0, 1.0, 9), shift + np.linspace(0.0, 1.0, 5)
    weights, sums = np.arange(1.0, 6.0), np.empty(9)
    sum_cubed_distances(points, sources, weights, sums)
    np.testing.assert_allclose(sums, np.abs(points[:, None] - sources) ** 3 @ weights, rtol=1e-13)


# ---------------------------------------------------------------- bases


@pytest.fixture(autouse=True)
def one_thread():
    with one_blas_thread():
        yield


def columns_of_values():
    """None is symmetric: there, rounding would decide the coordinates."""
    rng = np.random.default_rng(5)
    return {
        "normal": rng.normal(size=200),
        "skew": np.exp(rng.normal(size=150)),
        "ties": np.round(rng.normal(size=300), 1),
        "grid": np.linspace(3.0, 4.0, 61) ** 3,
        "few": rng.integers(0, 7, 90) ** 1.5,
        "three": rng.choice([0.0, 1.0, 5.0], 40),
        "many": rng.uniform(size=350),
    }


VALUES = columns_of_values()
each_column = pytest.mark.parametrize("name", VALUES)


def term_and_twin(name, k=10):
    x = VALUES[name]
    return smooth_term(x, k), *naive_gam.smooth(x, min(k, len(np.unique(x))))


def projection(columns):
    return linalg.orth(columns) @ linalg.orth(columns).T


def as_function_of_fits(columns, quadratic):
    """A quadratic form in coefficients as one in fitted values, which does not depend on coordinates."""
    inverse = np.linalg.pinv(columns)
    return inverse.T @ quadratic @ inverse


@each_column
@pytest.mark.parametrize("k", [3, 4, 10, 25])
def test_columns_have_mean_zero_and_one_is_lost_to_that(name, k):
    term = smooth_term(VALUES[name], k)
    assert term.width == min(k, len(np.unique(VALUES[name]))) - 1 == np.linalg.matrix_rank(term.columns)
    np.testing.assert_allclose(term.columns.mean(axis=0), 0.0, atol=1e-11 * np.abs(term.columns).max())


@each_column
@pytest.mark.parametrize("k", [3, 5, 10])
def test_span_and_penalty_are_those_of_the_slow_twin(name, k):
    term, columns, penalty = term_and_twin(name, k)
    np.testing.assert_allclose(projection(term.columns), projection(columns), atol=1e-7)
    own = linalg.eigvalsh(np.diag(term.penalty), term.columns.T @ term.columns)
    np.testing.assert_allclose(own, linalg.eigvalsh(penalty, columns.T @ columns), rtol=1e-5, atol=1e-8 * own.max())


@each_column
def test_straight_line_is_in_the_span_and_costs_nothing(name):
    term, line = smooth_term(VALUES[name], 10), VALUES[name] - VALUES[name].mean()
    beta = np.linalg.lstsq(term.columns, line)[0]
    np.testing.assert_allclose(term.columns @ beta, line, atol=1e-8 * np.abs(line).max())
    assert term.penalty[-1] == 0.0
    assert beta**2 @ term.penalty < 1e-10 * (beta @ beta) * term.penalty.max()


@pytest.mark.parametrize("n", [3, 4, 6, 9])
def test_penalty_of_a_full_basis_is_the_bending_energy_of_the_natural_spline(n):
    rng = np.random.default_rng(n)
    x = np.sort(rng.normal(size=n))
    term, ratios = smooth_term(x, 10), []
    for _ in range(4):
        f = rng.normal(size=n)
        beta = np.linalg.solve(np.column_stack([np.ones(n), term.columns]), f)[1:]
        bend = CubicSpline(x, f, bc_type="natural")(x, 2)
        energy = np.sum(np.diff(x) * (bend[1:] ** 2 + bend[1:] * bend[:-1] + bend[:-1] ** 2)) / 3
        ratios.append(beta**2 @ term.penalty / energy)
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-7)
    assert ratios[0] > 0.0


@each_column
def test_roots_rebuild_the_penalty_from_its_first_pivots(name):
    term, columns, penalty = term_and_twin(name)
    factor, order, _, _ = linalg.lapack.dpstrf(penalty, tol=0.0)
    for rank in range(term.width):
        root = np.zeros((rank, term.width))
        root[:, order - 1] = np.triu(factor)[:rank]
        kept = term.roots[rank]
        assert np.all(np.tril(kept, -1) == 0.0)
        expected = as_function_of_fits(columns, root.T @ root)
        found = as_function_of_fits(term.columns, kept.T @ kept)
        np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max(initial=1e-300))
    whole = term.roots[term.width - 1]
    np.testing.assert_allclose(whole.T @ whole, np.diag(term.penalty), rtol=1e-12, atol=1e-14 * term.penalty[0])
    np.testing.assert_allclose(term.pivots[:-1], np.diag(factor)[: term.width - 1] ** 2, rtol=1e-5)


@each_column
def test_pivots_and_penalties_descend_to_zero(name):
    term = smooth_term(VALUES[name], 10)
    for values in (term.pivots, term.penalty):
        assert np.all(np.diff(values) <= 0.0)
        assert np.all(values[:-1] > 0.0)
        assert values[-1] == 0.0


@each_column
def test_start_of_the_search_sees_the_penalised_coordinates_of_the_slow_twin(name):
    term, columns, penalty = term_and_twin(name)
    np.testing.assert_allclose(term.start_squares[:-1], np.sum(columns**2, axis=0)[:-1], rtol=1e-6)
    np.testing.assert_allclose(term.start_penalties[:-1], np.diag(penalty)[:-1], rtol=1e-6)
    assert term.start_squares[-1] == term.start_penalties[-1] == 0.0


@each_column
@pytest.mark.parametrize(("scale", "shift"), [(1e-9, 0.0), (-3.0, 1.0), (1e12, 1e12), (1e-200, 0.0), (1e300, 0.0)])
def test_term_depends_on_values_only_up_to_a_line(name, scale, shift):
    term, moved = smooth_term(VALUES[name], 10), smooth_term(scale * VALUES[name] + shift, 10)
    np.testing.assert_allclose(projection(moved.columns), projection(term.columns), atol=1e-6)


@pytest.mark.parametrize("n", [61, 150, 400])
def test_iterative_and_dense_eigenvectors_give_the_same_term(n, monkeypatch):
    x = np.random.default_rng(n).gamma(2.0, size=n)
    term = smooth_term(x, 10)
    monkeypatch.setattr(basis, "_DENSE", n)
    dense = smooth_term(x, 10)
    np.testing.assert_allclose(projection(term.columns), projection(dense.columns), atol=1e-8)
    np.testing.assert_allclose(term.penalty, dense.penalty, rtol=1e-6)


def test_constant_has_no_term_and_two_values_make_a_straight_line():
    for constant in (0.0, 0.1, 1e300, 5e-324):
        assert smooth_term(np.full(7, constant), 10) is None
    term = smooth_term(np.array([1e9, 1e9 + 1, 1e9, 1e9]), 10)
    assert term.columns.shape == (4, 1)
    np.testing.assert_allclose(term.columns[:, 0] / term.columns[1, 0], [-1 / 3, 1, -1 / 3, -1 / 3], rtol=1e-12)
    assert term.penalty.tolist() == term.pivots.tolist() == [0.0]


# ---------------------------------------------------------------- knots


def sample(seed, n, size):
    """R's ``set.seed(seed); sample(n, size)``."""
    generator, left, drawn = _RGenerator(seed), list(range(1, n + 1)), []
    for _ in range(size):
        k = generator.below(len(left))
        drawn.append(left[k])
        left[k] = left[-1]
        left.pop()
    return drawn


def test_generator_draws_what_r_draws():
    assert sample(1, 10, 10) == [9, 4, 7, 1, 2, 5, 3, 10, 6, 8]
    assert sample(42, 10, 10) == [1, 5, 10, 8, 2, 4, 6, 9, 7, 3]
    assert sample(1, 100_000, 5) == [24388, 59521, 43307, 69586, 11571]


def test_knots_are_rs_sample_of_seed_1_in_ascending_order():
    knots = sampled_knots(3000)
    assert sample(1, 3000, 2000)[:6] == [1017, 679, 2177, 930, 1533, 471]
    assert knots.tolist() == sorted(k - 1 for k in sample(1, 3000, 2000))
    assert (1 + knots[:6]).tolist() == [3, 4, 7, 8, 9, 11]
    assert len(set(knots.tolist())) == MAX_KNOTS


@pytest.mark.long
def test_fewer_knots_than_values_span_nearly_the_same_functions(monkeypatch):
    x = np.random.default_rng(0).normal(size=300)
    whole = smooth_term(x, 10)
    monkeypatch.setattr(basis, "MAX_KNOTS", 250)
    monkeypatch.setattr(basis, "sampled_knots", lambda n: sampled_knots(n, 250))
    term = smooth_term(x, 10)
    np.testing.assert_allclose(term.columns.mean(axis=0), 0.0, atol=1e-11)
    cosines = np.linalg.svd(linalg.orth(term.columns).T @ linalg.orth(whole.columns), compute_uv=False)
    assert 0.99 < cosines.min() < 1.0 - 1e-9
    assert smooth_term(x, 260).width == 249
