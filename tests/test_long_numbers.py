"""Whole numbers with more digits than floats hold are never rounded in silence: refused, or kept as labels."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dagsearch as ds
from dagsearch.auditing import mended_dataset
from dagsearch.errors import DataError, InputError

LONG = [2**53 + 1 + 2 * (k % 4) + k % 2 for k in range(12)]  # four different ones, three as floats
OTHER = np.random.default_rng(0).normal(size=12).tolist()
WITH_GAP = [None, *LONG[1:]]


def frame(column, **kind):
    return pd.DataFrame({"a": pd.Series(column, **kind), "b": OTHER})


IN_PANDAS = {
    "int64": frame(LONG),
    "uint64": frame(np.array(LONG, dtype=np.uint64) + np.uint64(2**63)),
    "Int64 with a gap": frame(WITH_GAP, dtype="Int64"),
    "objects": frame(LONG, dtype=object),
    "objects of 31 digits": frame([10**30 + k for k in LONG], dtype=object),
    "decimals": frame([Decimal(k) for k in LONG], dtype=object),
    "decimals with cents": frame([Decimal(10 * k) + Decimal("0.25") for k in LONG], dtype=object),
    "fractions": frame([Fraction(k) for k in LONG], dtype=object),
    "text": frame([str(k) for k in LONG], dtype=object),
    "text with a point": frame([f"{k}.0" for k in LONG], dtype=object),
    "text with an exponent": frame([f"{Decimal(k):.15e}" for k in LONG], dtype=object),
    "long double": frame(np.array(LONG, dtype=np.longdouble)),
}
IN_OTHER_FORMS = {
    "array": np.array([LONG, range(12)]).T,
    "array of objects": np.array([LONG, OTHER], dtype=object).T,
    "array of long doubles": np.array([LONG, range(12)], dtype=np.longdouble).T,
    "lists": [[k, k % 5] for k in LONG],
    "lists beside floats": [list(row) for row in zip(LONG, OTHER, strict=True)],
    "tuples beside floats": list(zip(LONG, OTHER, strict=True)),
    "lists with a gap": [list(row) for row in zip(LONG, [None, *range(11)], strict=True)],
    "masked array": np.ma.array(np.array([LONG, range(12)]).T, mask=np.eye(12, 2)),
    "dictionary": {"a": LONG, "b": OTHER},
    "dictionary with a gap": {"a": WITH_GAP, "b": OTHER},
    "dictionary of masked arrays": {"a": np.ma.array(LONG, mask=[True] + [False] * 11), "b": OTHER},
    "records": np.array(list(zip(LONG, OTHER, strict=True)), dtype=[("a", "i8"), ("b", "f8")]),
}


@pytest.mark.parametrize("form", [*IN_PANDAS, *IN_OTHER_FORMS])
def test_long_numbers_in_memory_are_refused(form):
    table = {**IN_PANDAS, **IN_OTHER_FORMS}[form]
    with pytest.raises(DataError, match=r"column '(a|x0)': row \d+ holds .* more digits than numbers here have"):
        ds.as_dataset(table, may_miss=True)


@pytest.mark.parametrize("form", IN_PANDAS)
def test_long_numbers_are_labels_if_the_column_is_declared_discrete(form):
    table = IN_PANDAS[form]
    read = ds.as_dataset(table, kinds={"a": "discrete"}, may_miss=True)
    assert len(read.labels[0]) == len(set(table["a"].dropna())) == 4


def test_long_numbers_of_polars_and_arrow_are_refused():
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    decimals = [Decimal(k) for k in LONG]
    for table in (
        polars.DataFrame({"a": LONG, "b": OTHER}),
        polars.DataFrame({"a": WITH_GAP, "b": OTHER}),
        polars.DataFrame({"a": decimals, "b": OTHER}),
        polars.DataFrame({"a": polars.Series(LONG, dtype=polars.Int128), "b": OTHER}),
        {"a": polars.Series(WITH_GAP), "b": OTHER},
        arrow.table({"a": LONG, "b": OTHER}),
        arrow.table({"a": WITH_GAP, "b": OTHER}),
        arrow.table({"a": arrow.array(decimals, arrow.decimal128(38, 0)), "b": OTHER}),
        pd.DataFrame({"a": pd.array(decimals, dtype=pd.ArrowDtype(arrow.decimal128(38, 0))), "b": OTHER}),
    ):
        with pytest.raises(DataError, match="more digits than numbers here have"):
            ds.as_dataset(table, may_miss=True)


def as_text(entries, separator=",", names="ab"):
    rows = zip(entries, OTHER, strict=True)
    return separator.join(names) + "\n" + "".join(f"{entry}{separator}{other}\n" for entry, other in rows)


TEXTS = {
    "plain.csv": as_text(LONG),
    "negative.csv": as_text([-k for k in LONG]),
    "quoted.csv": as_text([f'"{k}"' for k in LONG]),
    "gap.csv": as_text(["", *LONG[1:]]),
    "float_first.csv": as_text([1.5, *LONG[1:]]),
    "point.csv": as_text([f"{k}.0" for k in LONG]),
    "exponent.csv": as_text([f"{Decimal(k):.15e}" for k in LONG]),
    "long.csv": as_text([10**25 + k for k in LONG]),
    "semicolons.csv": as_text(LONG, ";"),
    "tabs.tsv": as_text(LONG, "\t"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("na", [(), ("-999",)])
def test_long_numbers_in_files_are_refused(tmp_path, name, na):
    (tmp_path / name).write_text(TEXTS[name])
    with pytest.raises(DataError, match=r"column 'a'.*more digits than numbers here have"):
        ds.read_dataset(tmp_path / name, may_miss=True, na=na)


@pytest.mark.parametrize("na", [(), ("3",)])
def test_long_numbers_in_arrays_are_refused_though_cells_are_emptied(tmp_path, na):
    np.save(tmp_path / "t.npy", np.array([LONG, range(12)]).T)
    with pytest.raises(DataError, match="more digits than numbers here have"):
        ds.read_dataset(tmp_path / "t.npy", may_miss=True, na=na)


@pytest.mark.parametrize("written", [str, "{:,}".format, "${}".format, "{}.0".format])
def test_mending_a_table_rounds_no_long_numbers(written):
    table = pd.DataFrame({"a": [written(k) for k in LONG], "b": OTHER, "c": OTHER[::-1]})
    if written(1000) in ("1,000", "$1000"):
        assert len(mended_dataset(table).labels[0]) == 4
        return
    with pytest.raises(DataError, match="more digits"):
        mended_dataset(table)


def test_large_floats_are_numbers(tmp_path):
    values = np.random.default_rng(0).normal(size=(40, 2)) * 1e22
    pd.DataFrame(values, columns=["a", "b"]).to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_array_equal(ds.read_dataset(tmp_path / "t.csv").values, values)
    np.savetxt(tmp_path / "u.csv", values, delimiter=",", header="a,b", comments="", fmt="%.17g")
    np.testing.assert_array_equal(ds.read_dataset(tmp_path / "u.csv").values, values)
    np.testing.assert_array_equal(ds.as_dataset(values.tolist()).values, values)
    whole = np.arange(24).reshape(12, 2) * 2**60
    np.testing.assert_array_equal(ds.as_dataset(whole).values, whole.astype(float))


def test_a_data_set_made_by_hand_takes_no_long_or_complex_numbers():
    table = ds.as_dataset(np.random.default_rng(0).normal(size=(12, 2)))
    for values in (np.array([LONG, range(12)]).T, table.values + 1j, table.values.astype(str), [[1, 2], [3]]):
        with pytest.raises(InputError, match="values must be"):
            ds.Dataset(values, table.names, table.kinds, table.labels)
