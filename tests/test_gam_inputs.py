"""P-values of additive models for inputs of all kinds: degenerate, badly scaled, wrong, shared between threads."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

import dagsearch as ds
from dagsearch.blas import one_blas_thread
from dagsearch.errors import DagsearchError, InputError
from dagsearch.gam import AdditiveModels
from dagsearch.kernels.lapack import connect
from dagsearch.pruning.cam import p_values_of_edges


def table(n=120, p=2, seed=0):
    """A target that depends on the first column of two or more."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return np.sin(2 * x[:, 0]) + 0.5 * rng.normal(size=n), x


def p_values(y, x, **options):
    """P-values, which must be numbers from 0 to 1."""
    found = ds.gam_pvalues(y, x, **options)
    assert np.all((found >= 0.0) & (found <= 1.0)), found
    return found


# ---------------------------------------------------------------- degenerate data


def test_constant_column_has_p_value_1_and_changes_nothing():
    y, x = table()
    for constant in (0.0, 0.1, -1e12):
        found = p_values(y, np.insert(x, 1, constant, axis=1), basis=8)
        assert found[1] == 1.0
        np.testing.assert_allclose(found[[0, 2]], p_values(y, x, basis=8), rtol=1e-9)


def test_constant_target_has_p_values_1():
    _, x = table()
    for constant in (0.0, 0.1, -1e12):
        assert p_values(np.full(120, constant), x).tolist() == [1.0, 1.0]


def test_columns_that_are_all_constant_leave_the_mean(capfd):
    y, _ = table()
    x = np.ones((120, 2))
    assert p_values(y, x).tolist() == [1.0, 1.0]
    fit = AdditiveModels(x, y[:, None]).fit(0, [0, 1])
    assert fit.rss == pytest.approx(120 * y.var(), rel=1e-12)
    assert fit.scale == pytest.approx(y.var(ddof=1), rel=1e-12)
    assert fit.gcv == pytest.approx(fit.scale * 120 / 119, rel=1e-12)
    assert fit.total_edf == 1.0
    assert fit.edf.tolist() == [0.0, 0.0]
    assert fit.smoothing.tolist() == [np.inf, np.inf]
    assert capfd.readouterr() == ("", ""), "LAPACK complained"


@pytest.mark.parametrize("m", range(3, 10))
def test_column_of_few_values_is_found_to_matter(m):
    rng = np.random.default_rng(m)
    x = np.column_stack([rng.permutation(np.arange(150) % m), rng.normal(size=150)])
    found = p_values((x[:, 0] - (m - 1) / 2) ** 2 + 0.1 * m * rng.normal(size=150), x)
    assert found[0] < 1e-6 < found[1]


@pytest.mark.parametrize("nearly", [0.0, 1e-14, 1e-10, 1e-6])
def test_duplicate_columns_share_one_effect(nearly):
    y, x = table(200, 1)
    copy = x * (1.0 + nearly * np.random.default_rng(1).normal(size=(200, 1)))
    both = p_values(y, np.hstack([x, copy]))
    assert p_values(y, x)[0] < 1e-12
    assert both.min() < 1.0


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-7, 1e-3])
def test_collinear_columns_have_p_values(noise):
    y, x = table(200, 3)
    total = x.sum(axis=1, keepdims=True) + noise * np.random.default_rng(1).normal(size=(200, 1))
    assert len(p_values(y, np.hstack([x, total]))) == 4


def test_an_outlier_does_no_harm_to_other_columns():
    y, x = table(200, 2)
    far = np.hstack([np.random.default_rng(2).normal(size=(200, 1)), x])
    far[17, 0] = 1e6
    found = p_values(y, far)
    assert found[1] < 1e-12
    assert found[2] > 1e-3
    y[17] = 1e6
    assert p_values(y, x).min() > 1e-3


@pytest.mark.parametrize("exact", [lambda x: x[:, 0], lambda x: 3.0 - 1e6 * x[:, 0], lambda x: np.sign(x[:, 0])])
def test_perfect_fit_is_significant(exact):
    _, x = table(100, 2)
    x[:, 0] = np.random.default_rng(3).integers(0, 7, 100) - 3.0
    assert p_values(exact(x), x)[0] < 1e-12
    assert p_values(exact(x), x[:, 0])[0] < 1e-12


@pytest.mark.parametrize("p", [1, 2, 4, 10, 19])
@pytest.mark.parametrize("extra", [2, 3, 4, 7])
def test_few_rows_have_p_values(p, extra):
    rng = np.random.default_rng(p)
    for x in (rng.normal(size=(p + extra, p)), rng.integers(0, 3, (p + extra, p)) + 0.0):
        assert len(p_values(rng.normal(size=p + extra), x)) == p


def test_saturated_fit_rejects_nothing():
    y, x = np.array([1.0, 5.0, 2.0]), np.array([0.0, 1.0, 7.0])
    assert p_values(y, x)[0] > 0.01
    fit = AdditiveModels(x[:, None], y[:, None]).fit(0, [0])
    assert 2.0 < fit.total_edf <= 3.0
    assert np.isnan(fit.scale) or fit.scale >= 0.0


def test_ten_and_more_parents_are_told_apart():
    rng = np.random.default_rng(4)
    for p in (10, 12, 19):
        x = rng.normal(size=(500, p))
        found = p_values(np.cos(2 * x[:, 0]) + x[:, p - 1] + 0.5 * rng.normal(size=500), x)
        assert max(found[0], found[p - 1]) < 1e-12
        assert np.sum(found < 0.001) == 2


sizes = st.sampled_from([0.0, 1e-300, 1e-12, 1.0, 1e6, 1e150, 1e300])
columns = st.one_of(
    st.tuples(st.just("levels"), st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5)),
    st.tuples(st.just("any"), st.just([])),
    st.tuples(st.just("wide"), st.just([])),
    st.tuples(st.just("copy"), st.just([])),
)


@st.composite
def nasty_tables(draw):
    """Few rows, repeated values, copies, sums and powers, each in a unit of its own."""
    p = draw(st.integers(1, 5))
    n = p + 2 + draw(st.one_of(st.integers(0, 6), st.integers(0, 60)))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    made = []
    for kind, values in draw(st.lists(columns, min_size=p + 1, max_size=p + 1)):
        column = rng.normal(size=n)
        if kind == "levels":
            column = rng.choice(values, n)
        elif kind == "wide":
            column = np.copysign(10.0 ** rng.uniform(-20, 20, n), column)
        elif kind == "copy" and made:
            column = np.sum(made[-2:], axis=0) * (1.0 + draw(st.sampled_from([0.0, 1e-12, 1e-3])) * column)
        made.append(column)
    scaled = [column / (np.abs(column).max() or 1.0) * (draw(sizes) or 1.0) for column in made]
    return scaled[-1], np.column_stack(scaled[:-1])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(nasty_tables(), st.sampled_from([3, 10, 25]))
def test_p_values_of_nasty_tables_are_numbers_from_0_to_1(made, basis):
    y, x = made
    y.flags.writeable = x.flags.writeable = False
    assert p_values(y, x, basis=basis).shape == (x.shape[1],)


# ---------------------------------------------------------------- kinds of input


def test_input_is_not_modified():
    y, x = table()
    for unit in (1.0, 1e9):
        given_y, given_x = unit * y, unit * x
        before = given_y.copy(), given_x.copy()
        p_values(given_y, given_x)
        np.testing.assert_array_equal(given_y, before[0])
        np.testing.assert_array_equal(given_x, before[1])


def test_lists_frames_strides_and_other_numbers_are_read_as_arrays():
    y, x = table(60, 3)
    y, x = np.round(8 * y), np.round(8 * x)
    expected = p_values(y, x)
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    for given_y, given_x in (
        (y.tolist(), x.tolist()),
        (pd.Series(y, index=range(60, 0, -1)), frame),
        (y.astype(np.int8), x.astype(np.float32)),
        (y, np.asfortranarray(x)),
        (np.repeat(y, 2)[::2], np.repeat(x, 2, axis=1)[:, ::2]),
    ):
        np.testing.assert_array_equal(ds.gam_pvalues(given_y, given_x), expected)


def test_one_column_may_have_one_dimension():
    y, x = table(60, 1)
    for column in (x[:, 0], x[:, 0].tolist(), pd.Series(x[:, 0])):
        np.testing.assert_array_equal(p_values(y, column), p_values(y, x))


def test_basis_may_be_any_whole_number_from_3():
    y, x = table(200, 1)
    np.testing.assert_array_equal(p_values(y, x, basis=np.int64(6)), p_values(y, x, basis=6))
    assert p_values(y, x, basis=3)[0] > p_values(y, x, basis=6)[0]
    assert p_values(y, x, basis=150)[0] < 1e-12


@pytest.mark.parametrize("basis", [2, 1, 0, -10, 2.5, 10.0, True, None, "10"])
def test_other_basis_is_refused(basis):
    with pytest.raises(InputError, match=r"basis must be a whole number of at least 3, got "):
        ds.gam_pvalues(*table(), basis=basis)


def wrong(y_value=None, x_value=None):
    y, x = table(20, 2)
    if y_value is not None:
        y[3] = y_value
    if x_value is not None:
        x[3, 1] = x_value
    return y, x


@pytest.mark.parametrize(
    ("y", "x", "message"),
    [
        (*wrong(y_value=np.nan), "y must hold finite numbers"),
        (*wrong(y_value=np.inf), "y must hold finite numbers"),
        (*wrong(x_value=np.nan), "X must hold finite numbers"),
        (*wrong(x_value=-np.inf), "X must hold finite numbers"),
        ([None] * 20, wrong()[1], "y must hold finite numbers"),
        (["a"] * 20, wrong()[1], "y and X must hold numbers: .*'a'"),
        (wrong()[0], [["a", 1.0]] * 20, "y and X must hold numbers: .*'a'"),
        (wrong()[0], [[1.0, 2.0], [1.0]], "y and X must hold numbers"),
        (wrong()[0], object(), "y and X must hold numbers"),
        (wrong()[0][:, None], wrong()[1], "y must have 1 dimension and X 2, got 2 and 2"),
        (wrong()[0], wrong()[1][:, :, None], "y must have 1 dimension and X 2, got 1 and 3"),
        (1.0, 2.0, "y must have 1 dimension and X 2, got 0 and 0"),
        (wrong()[0][:-1], wrong()[1], "as many rows as each other, got 19 and 20"),
        (wrong()[0], wrong()[1][:, :0], "X must have at least one column, got none"),
        ([], np.zeros((0, 2)), "of 2 parents needs at least 4 rows, got 0"),
        ([1.0, 1.0], [3.0, 4.0], "of 1 parents needs at least 3 rows, got 2"),
        ([1.0, 1.0, 1.0], np.ones((3, 2)), "of 2 parents needs at least 4 rows, got 3"),
    ],
)
def test_wrong_input_is_refused(y, x, message):
    with pytest.raises(InputError, match=message):
        ds.gam_pvalues(y, x)


# ---------------------------------------------------------------- threads and processes


def test_threads_do_not_disturb_each_other():
    tables = [table(100 + 10 * i, 1 + i % 4, seed=i) for i in range(12)]
    expected = [ds.gam_pvalues(y, x) for y, x in tables]
    with ThreadPoolExecutor(3) as pool:
        for _ in range(3):
            for found, right in zip(pool.map(lambda t: ds.gam_pvalues(*t), tables), expected, strict=True):
                np.testing.assert_array_equal(found, right)


def test_threads_can_share_models():
    _, x = table(150, 6)
    families = [(node, [k for k in range(6) if k != node][: 1 + node % 5]) for node in range(6)] * 4
    shared = AdditiveModels(x, x)
    with one_blas_thread(), ThreadPoolExecutor(3) as pool:
        expected = [AdditiveModels(x, x).fit(*family).p_values for family in families]
        for found, right in zip(pool.map(lambda f: shared.fit(*f), families), expected, strict=True):
            np.testing.assert_array_equal(found.p_values, right)


def test_number_of_jobs_does_not_matter():
    _, x = table(150, 7)
    adjacency = np.triu(np.ones((7, 7), dtype=np.int8), 1)
    one = p_values_of_edges(adjacency, x, "abcdefg", n_jobs=1)
    assert np.isfinite(one[adjacency == 1]).all()
    assert np.isnan(one[adjacency == 0]).all()
    for n_jobs in (2, 5):
        np.testing.assert_array_equal(p_values_of_edges(adjacency, x, "abcdefg", n_jobs=n_jobs), one)


def test_overlapping_limits_of_blas_threads_are_taken_back():
    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before, inside, proceed = threads(), threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            inside.set()
            proceed.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait(10)
    with one_blas_thread():
        proceed.set()
        thread.join()
        assert set(threads()) == {1}
    assert threads() == before


def test_models_survive_pickling():
    _, x = table(100, 3)
    models = AdditiveModels(x, x)
    expected = models.fit(0, [1, 2])
    again = pickle.loads(pickle.dumps(models)).fit(0, [1, 2])
    np.testing.assert_array_equal(again.p_values, expected.p_values)
    assert again.rss == expected.rss


def test_fit_without_p_values_is_the_same_fit():
    _, x = table(100, 3)
    models = AdditiveModels(x, x)
    quick, full = models.fit(0, [1, 2], p_values=False), models.fit(0, [1, 2])
    assert (quick.rss, quick.total_edf) == (full.rss, full.total_edf)
    assert np.isnan(quick.p_values).all()


def test_a_matrix_iteration_that_does_not_converge_is_an_error(monkeypatch):
    failed = connect()
    failed.failures[0] = 1
    monkeypatch.setattr("dagsearch.gam.table.connect", lambda: failed)
    with pytest.raises(DagsearchError, match="a matrix iteration did not converge"):
        ds.gam_pvalues(np.arange(20.0) ** 2, np.arange(20.0))


def test_a_basis_larger_than_the_rows_allow_shrinks_to_what_they_allow():
    x = np.random.default_rng(0).normal(size=(90, 3))
    y = np.sin(2 * x[:, 0]) + x[:, 1]
    np.testing.assert_array_equal(ds.gam_pvalues(y, x, basis=500), ds.gam_pvalues(y, x, basis=30))
