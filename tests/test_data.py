from __future__ import annotations

import itertools
import subprocess
import sys
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import matrices
from hypothesis import given
from hypothesis import strategies as st

from dagsearch.data import FEW_LEVELS, Dataset, as_dataset
from dagsearch.errors import DataError, InputError, UnknownNameError
from dagsearch.graph import DAG

ramp = np.arange(20.0)


def table(**columns):
    """A pandas table with a continuous column `z` beside the given ones."""
    n_rows = len(next(iter(columns.values()))) if columns else 20
    return pd.DataFrame({**columns, "z": np.linspace(0.1, 0.9, n_rows)})


def kind_of(column):
    return as_dataset(table(a=column)).kinds[0]


labelled_columns = st.lists(st.sampled_from(["low", "middle", "high", "None", "ß"]), min_size=5, max_size=30)


# ---------------------------------------------------------------- Dataset


def test_values_are_a_read_only_c_ordered_copy():
    source = np.asfortranarray(np.random.default_rng(1).normal(size=(6, 3)))
    data = as_dataset(source)
    assert data.values.flags.c_contiguous
    assert data.values.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        data.values[0, 0] = 1.0
    source[0, 0] = 99.0
    assert data.values[0, 0] != 99.0


def test_size_is_told_by_properties():
    data = as_dataset(np.random.default_rng(1).normal(size=(6, 3)))
    assert (data.n_samples, data.n_nodes) == (6, 3)


@given(matrices())
def test_standardised_columns_have_mean_zero_and_deviation_one(matrix):
    standardised = as_dataset(matrix).standardised()
    assert np.allclose(standardised.mean(axis=0), 0.0, atol=1e-9)
    assert np.allclose(standardised.std(axis=0), 1.0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_standardising_ignores_the_scale_even_where_squares_would_overflow(scale):
    matrix = np.random.default_rng(2).normal(size=(50, 2))
    expected = as_dataset(matrix).standardised()
    assert np.allclose(as_dataset(matrix * scale).standardised(), expected, rtol=1e-9)


def test_standardising_equals_the_textbook_formula_to_the_last_bit():
    matrix = np.random.default_rng(2).normal(size=(50, 2))
    assert np.array_equal(as_dataset(matrix).standardised(), (matrix - matrix.mean(axis=0)) / matrix.std(axis=0))


def test_standardising_text_names_the_column():
    with pytest.raises(DataError, match=r"column 'a' holds text/categories.*bic-discrete"):
        as_dataset(table(a=["x", "y"] * 10)).standardised()


@pytest.mark.parametrize("constant", [0, 0.1, -7])
def test_standardising_a_constant_names_the_column(constant):
    with pytest.raises(DataError, match="column 'a' is constant"):
        as_dataset(table(a=[constant] * 20)).standardised()


def test_codes_number_the_sorted_values_from_zero():
    frame = pd.DataFrame({"a": [7, -2, 7, 30], "b": ["y", "x", "y", "y"], "c": [0.5, 0.5, 0.25, 0.25]})
    codes = as_dataset(frame).codes()
    assert codes.dtype == np.int32
    assert codes.T.tolist() == [[1, 0, 1, 2], [1, 0, 1, 1], [1, 1, 0, 0]]


def test_constant_columns_have_codes():
    data = as_dataset(pd.DataFrame({"a": [0, 1, 1], "b": [5, 5, 5]}))
    assert data.codes()[:, 1].tolist() == [0, 0, 0]
    assert data.n_levels().tolist() == [2, 1]


def test_codes_of_a_column_without_repetition_name_it_with_levels_and_rows():
    with pytest.raises(DataError, match="column 'z' has 20 levels in 20 rows"):
        as_dataset(table(a=[0, 1] * 10)).codes()


@given(labelled_columns)
def test_codes_and_labels_give_the_text_back(column):
    data = as_dataset(table(a=column))
    assert [data.labels[0][int(code)] for code in data.values[:, 0]] == column
    assert list(data.labels[0]) == sorted(set(column))
    assert data.to_pandas()["a"].tolist() == column


@given(st.lists(st.integers(0, 50), min_size=4, max_size=60), st.integers(2, 8))
def test_bins_keep_order_and_ties_and_number_at_least_two(column, n_bins):
    data = as_dataset(table(a=[float(value) for value in column]), kinds={"a": "continuous"})
    binned = data.binned(["a"], n_bins)
    pairs = sorted(zip(column, binned.values[:, 0], strict=True))
    assert all(low[1] <= high[1] for low, high in itertools.pairwise(pairs))
    assert len({value for value, _ in pairs}) == len(set(pairs))
    assert min(2, len(set(column))) <= binned.n_levels()[0] <= n_bins


@given(st.integers(2, 6), st.integers(12, 50))
def test_bins_of_different_values_differ_by_at_most_one_in_size(n_bins, n_rows):
    values = np.random.default_rng(n_rows).permutation(n_rows) + 0.5
    binned = as_dataset(np.column_stack([values, values**2])).binned(["x0"], n_bins)
    sizes = np.bincount(binned.values[:, 0].astype(int))
    assert len(sizes) == n_bins
    assert sizes.max() - sizes.min() <= 1


def test_binned_columns_become_discrete_and_others_stay():
    data = as_dataset(table(a=ramp, b=ramp**2))
    binned = data.binned(["a"], 3)
    assert binned.kinds == ("discrete", "continuous", "continuous")
    assert np.array_equal(binned.values[:, 1:], data.values[:, 1:])
    assert data.kinds[0] == "continuous"


def test_binning_refuses_one_bin_unknown_and_discrete_columns():
    data = as_dataset(table(a=["x", "y"] * 10))
    with pytest.raises(InputError, match="n_bins must be at least 2, got 1"):
        data.binned(["z"], 1)
    with pytest.raises(UnknownNameError, match=r"unknown column 'zz'.*Did you mean 'z'"):
        data.binned(["zz"], 3)
    with pytest.raises(InputError, match="column 'a' is already discrete"):
        data.binned(["a"], 3)


def test_columns_that_are_the_same_after_binning_coincide():
    data = as_dataset(table(a=ramp, b=np.exp(ramp)))
    assert data.coinciding_columns() == ()
    assert data.binned(["a", "b"], 3).coinciding_columns() == (("a", "b"),)


def test_a_table_survives_the_way_to_pandas_and_back():
    frame = table(a=ramp, b=pd.Categorical(["1", "2"] * 10), c=[True, False] * 10)
    data = as_dataset(frame)
    again = as_dataset(data.to_pandas())
    assert np.array_equal(again.values, data.values)
    assert (again.names, again.kinds, again.labels) == (data.names, data.kinds, data.labels)


def test_to_pandas_gives_a_table_of_its_own():
    data = as_dataset(table(a=ramp))
    frame = data.to_pandas()
    frame.loc[0, "a"] = 77.0
    assert data.values[0, 0] == 0.0


def test_parts_of_a_dataset_must_fit_together():
    values = np.random.default_rng(0).normal(size=(5, 2))
    with pytest.raises(InputError, match="names must have 2 entries, one per column, got 1"):
        Dataset(values, ("a",), ("continuous",) * 2, (None, None))
    with pytest.raises(DataError, match="values must have 2 dimensions"):
        Dataset(values[0], ("a",), ("continuous",), (None,))
    with pytest.raises(InputError, match="truth must be a graph over the columns of the data"):
        Dataset(values, ("a", "b"), ("continuous",) * 2, (None, None), truth=DAG.from_edges([("b", "a")]))


# ---------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    "column",
    [
        ["x", "y"] * 10,
        [True, False] * 10,
        pd.array([True, False] * 10, dtype="boolean"),
        np.array([True, False] * 10, dtype=object),
        pd.Categorical([1.5, 2.5] * 10),
        [0, 1, 2, 3] * 5,
        [0.0, 1.0] * 10,
        ["0", "1"] * 10,
        [3] * 20,
    ],
)
def test_labels_booleans_and_few_whole_numbers_are_discrete(column):
    assert kind_of(column) == "discrete"


@pytest.mark.parametrize(
    "column",
    [
        ramp,
        [0.5, 1.0] * 10,
        np.arange(22) % (FEW_LEVELS + 1),
        [1, 2, 1, 2],
        ["0.5", "1"] * 10,
        [Decimal("0.5"), Decimal("1.5")] * 10,
    ],
)
def test_fractions_and_many_whole_numbers_are_continuous(column):
    assert kind_of(column) == "continuous"


def test_a_declared_kind_wins_over_the_inferred_one():
    data = as_dataset(table(a=[0, 1] * 10, b=ramp), kinds={"a": "continuous", "b": "discrete"})
    assert data.kinds == ("continuous", "discrete", "continuous")


def test_kinds_of_a_dataset_can_be_overridden_and_the_original_stays():
    data = as_dataset(table(a=ramp))
    assert as_dataset(data) is data
    assert as_dataset(data, kinds={"a": "discrete"}).kinds == ("discrete", "continuous")
    assert data.kinds == ("continuous", "continuous")


def test_kinds_reject_unknown_columns_unknown_kinds_and_continuous_text():
    frame = table(abc=["x", "y"] * 10)
    with pytest.raises(UnknownNameError, match=r"unknown column 'abd'.*Did you mean 'abc'"):
        as_dataset(frame, kinds={"abd": "discrete"})
    with pytest.raises(InputError, match="column 'z' must be 'continuous', 'discrete' or 'ordered', got 'ordinal'"):
        as_dataset(frame, kinds={"z": "ordinal"})
    with pytest.raises(DataError, match="column 'abc' holds text/categories and cannot be continuous"):
        as_dataset(frame, kinds={"abc": "continuous"})


# ---------------------------------------------------------------- sources


@given(matrices())
def test_pandas_polars_numpy_and_lists_give_the_same_dataset(matrix):
    names = [f"x{j}" for j in range(matrix.shape[1])]
    sources = [
        matrix,
        matrix.tolist(),
        pd.DataFrame(matrix, columns=names),
        pl.DataFrame(matrix, schema=names),
    ]
    first, *others = map(as_dataset, sources)
    for other in others:
        assert np.array_equal(other.values, first.values)
        assert (other.names, other.kinds, other.labels) == (first.names, first.kinds, first.labels)


@given(
    labelled_columns,
    st.sampled_from([pl.String, pl.Categorical, pl.Enum(["high", "low", "middle", "None", "ß"])]),
)
def test_polars_text_and_categories_equal_those_of_pandas(column, dtype):
    ours = as_dataset(pl.DataFrame({"a": pl.Series(column, dtype=dtype), "z": np.linspace(0, 1, len(column))}))
    expected = as_dataset(pd.DataFrame({"a": column, "z": np.linspace(0, 1, len(column))}))
    assert np.array_equal(ours.values, expected.values)
    assert (ours.kinds, ours.labels) == (expected.kinds, expected.labels)


def test_polars_booleans_integers_and_decimals_are_read():
    frame = pl.DataFrame({"b": [True, False] * 10, "i": range(20), "d": [Decimal("1.5"), Decimal("2.25")] * 10})
    data = as_dataset(frame)
    assert data.values[1].tolist() == [0.0, 1.0, 2.25]
    assert data.kinds == ("discrete", "continuous", "continuous")


@given(matrices())
def test_the_input_is_never_changed(matrix):
    frame = pd.DataFrame(matrix)
    frame["text"] = ["x", "y", "z"] + ["x"] * (len(frame) - 3)
    before, array_before = frame.copy(deep=True), matrix.copy()
    as_dataset(frame, kinds={"text": "discrete"}).to_pandas()
    as_dataset(matrix).standardised()
    pd.testing.assert_frame_equal(frame, before)
    assert np.array_equal(matrix, array_before)
    assert matrix.flags.writeable


def test_names_can_be_given_and_are_converted_to_text():
    matrix = np.random.default_rng(0).normal(size=(5, 2))
    assert as_dataset(matrix).names == ("x0", "x1")
    assert as_dataset(matrix, names=["a", 2]).names == ("a", "2")
    assert as_dataset(pd.DataFrame(matrix)).names == ("0", "1")


def test_names_must_be_as_many_as_columns_and_absent_for_a_dataset():
    matrix = np.random.default_rng(0).normal(size=(5, 2))
    with pytest.raises(InputError, match="names must have 2 entries, one per column, got 3"):
        as_dataset(matrix, names=["a", "b", "c"])
    with pytest.raises(InputError, match="names must be None when X is a Dataset"):
        as_dataset(as_dataset(matrix), names=["a", "b"])


def test_importing_data_loads_neither_numba_nor_sklearn_nor_polars():
    code = "import sys, dagsearch.data; print([m for m in ('numba', 'sklearn', 'polars') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------- tables that cannot be used


def test_text_among_numbers_names_column_row_and_value():
    with pytest.raises(DataError, match="column 'a': row 3 holds 'oops', which is not a number"):
        as_dataset(table(a=["1", 2.5, "oops", "4", "x"]))


def test_text_among_numbers_is_fine_in_a_column_declared_discrete():
    data = as_dataset(table(a=["1", "2", "3+", "1"]), kinds={"a": "discrete"})
    assert data.labels[0] == ("1", "2", "3+")


def test_numbers_among_text_are_labels():
    assert as_dataset(table(a=["x", "y", "1", "x"])).labels[0] == ("1", "x", "y")


@pytest.mark.parametrize(
    ("column", "kind_of_entry"),
    [
        (pd.date_range("2024-01-01", periods=3), "datetime64"),
        (pd.to_timedelta([1, 2, 3]), "timedelta64"),
        (pd.period_range("2024-01", periods=3, freq="M"), "period"),
        (np.array([1j, 2, 3]), "complex128"),
        ([date(2024, 1, 1)] * 3, "date"),
        ([[1], [2], [3]], "list"),
        ([b"x", b"y", b"z"], "bytes"),
    ],
)
def test_entries_that_are_neither_numbers_nor_text_are_refused(column, kind_of_entry):
    with pytest.raises(DataError, match=f"column 'a'.* of type {kind_of_entry}"):
        as_dataset(table(a=column))


@pytest.mark.parametrize("column", [pl.Series([date(2024, 1, 1)] * 3), pl.Series([[1], [2], [3]])])
def test_polars_dates_and_lists_are_refused(column):
    with pytest.raises(DataError, match="column 'a': row 1 holds an entry of type"):
        as_dataset(pl.DataFrame({"a": column, "b": [1, 2, 3]}))


@pytest.mark.parametrize(
    "column",
    [
        [1.5, np.nan, 2.5, np.nan],
        ["x", None, "y", np.nan],
        pd.array([1, None, 2, None], dtype="Int64"),
        pd.array([True, None, False, None], dtype="boolean"),
        pd.array(["x", None, "y", None], dtype="string"),
        pd.Categorical(["x", None, "y", None]),
        [True, None, False, pd.NA],
        pl.Series([1, None, 2, None]),
        pl.Series(["x", None, "y", None]),
        pl.Series([True, None, False, None]),
    ],
)
def test_missing_values_are_counted_and_located(column):
    make = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    frame = make({"a": column, "b": [1.5, 2.5, 3.5, 4.5], "c": [None, 2.0, 3.0, 5.0]})
    with pytest.raises(DataError, match=r"cells are missing: 2 in column 'a', 1 in column 'c'; drop .* impute"):
        as_dataset(frame)


def test_masked_entries_are_missing_values():
    masked = np.ma.masked_greater(np.arange(8).reshape(4, 2), 6)
    with pytest.raises(DataError, match="cells are missing: 1 in column 'x1'"):
        as_dataset(masked)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_name_column_row_and_value(value):
    with pytest.raises(DataError, match=f"column 'a': row 2 holds {value}"):
        as_dataset(table(a=[1.0, value, 2.0]))


def test_duplicate_names_are_refused_also_after_conversion_to_text():
    with pytest.raises(DataError, match="2 columns have the name '1'"):
        as_dataset(pd.DataFrame([[1, 2], [3, 5], [4, 4]], columns=[1, "1"]))


def test_empty_names_are_refused():
    with pytest.raises(DataError, match="column 2 has an empty name"):
        as_dataset(np.eye(3), names=["a", " ", "c"])


def test_continuous_columns_coincide_if_their_values_are_equal():
    frame = table(a=[0.0, 1.5, 2.0], c=[5, 6, 8], b=[-0.0, 1.5, 2.0], d=[0.0, 3.0, 4.0], e=[0.0, 1.5, 2.0])
    assert as_dataset(frame).coinciding_columns() == (("a", "b", "e"),)


def test_discrete_columns_coincide_whatever_their_levels_are_called():
    text, numbers = ["x", "y", "y", "z"] * 5, [7, 2, 2, 3] * 5
    frame = table(a=text, b=[True, False] * 10, c=["x", "x", "y", "z"] * 5, d=numbers, e=[2, 1] * 10)
    assert as_dataset(frame).coinciding_columns() == (("a", "d"), ("b", "e"))


def test_constants_coincide_with_nothing():
    assert as_dataset(table(a=[1] * 20, b=[1] * 20, c=["x"] * 20)).coinciding_columns() == ()


@pytest.mark.parametrize("seed", range(20))
def test_coinciding_columns_are_those_of_all_pairs_compared(seed):
    # Rare levels first appear after many rows, so that columns may differ late.
    rng = np.random.default_rng(seed)
    x = (rng.random((600, 12)) < rng.choice([0.002, 0.01, 0.5], 12)).astype(float) + rng.integers(0, 2, (600, 1))
    x[:, 6:9], x[:, 9] = x[:, :3], 3.0 - x[:, 0]
    x[-1, 7] += 1.0
    kinds = np.where(rng.random(12) < 0.5, "continuous", "discrete").tolist()
    data = as_dataset(x, kinds={f"x{j}": kind for j, kind in enumerate(kinds)})

    def coincide(i, j):
        if kinds[i] != kinds[j] or np.ptp(x[:, i]) == 0 or np.ptp(x[:, j]) == 0:
            return False
        pairs = set(zip(x[:, i], x[:, j], strict=True))
        one_to_one = len(pairs) == len(set(x[:, i])) == len(set(x[:, j]))
        return one_to_one if kinds[i] == "discrete" else all(first == second for first, second in pairs)

    found = data.coinciding_columns()
    assert {pair for group in found for pair in itertools.combinations(group, 2)} == {
        (data.names[i], data.names[j]) for i, j in itertools.combinations(range(12), 2) if coincide(i, j)
    }


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame(), r"the table is empty \(0 rows, 0 columns\)"),
        (pd.DataFrame({"a": [], "b": []}), r"the table is empty \(0 rows, 2 columns\)"),
        (np.empty((5, 0)), "the table is empty"),
        (pl.DataFrame(), "the table is empty"),
        (pd.DataFrame({"a": [1, 2, 3]}), "at least 2 columns, got only 'a'"),
        ([[1, 2], [3, 4]], "at least 3 rows, got 2"),
        (np.arange(5), r"must have 2 dimensions \(samples x variables\), got 1"),
        (np.zeros((2, 2, 2)), "must have 2 dimensions .*, got 3"),
        (pd.Series([1, 2, 3]), "must have 2 dimensions .*, got 1"),
        (None, r"must have 2 dimensions .*, got 0 \(NoneType\)"),
        ([[1, 2], [3]], "X cannot be turned into an array"),
    ],
)
def test_tables_of_the_wrong_shape_are_refused(X, message):
    with pytest.raises(DataError, match=message):
        as_dataset(X)
