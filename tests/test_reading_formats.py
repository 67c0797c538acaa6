"""Tables of every common kind: each format and encoding, what reading decides, and files that are not what they say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import run

import dagsearch as ds
from dagsearch.data import as_dataset, read_dataset
from dagsearch.data.reading import packed
from dagsearch.errors import DataError, InputError, MissingExtraError, how_to_install

FRAME = pd.DataFrame({"a": [0.5, 1.5, 2.25, 4.0], "größe": ["x", "y", "x", "ä"], "n": [10, 20, 30, 45]})
CSV = FRAME.to_csv(index=False)


def packed_csv(name, text=CSV):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in [name] if isinstance(name, str) else name:
            archive.writestr(each, text)
    return buffer.getvalue()


def binary(method, **settings):
    buffer = io.BytesIO()
    getattr(FRAME, method)(buffer, **settings)
    return buffer.getvalue()


FILES = {
    "t.csv.gz": lambda: gzip.compress(CSV.encode()),
    "t.csv.bz2": lambda: bz2.compress(CSV.encode()),
    "T.CSV.XZ": lambda: lzma.compress(CSV.encode()),
    "t.tsv.gz": lambda: gzip.compress(FRAME.to_csv(index=False, sep="\t").encode()),
    "t.zip": lambda: packed_csv(["folder/t.csv", "readme.pdf", "__MACOSX/folder/._t.csv", ".hidden.csv"]),
    "utf16.csv": lambda: CSV.encode("utf-16"),
    "utf16be.csv": lambda: b"\xfe\xff" + CSV.encode("utf-16-be"),
    "utf32.csv": lambda: CSV.encode("utf-32"),
    "cp1252.csv": lambda: CSV.encode("cp1252"),
    "comments.csv": f"# made by hand\n# in 2024, by me\n{CSV}".encode,
    "names.csv": f"#{CSV}".encode,
    "t.xlsx": lambda: binary("to_excel", index=False),
    "indexed.xlsx": lambda: binary("to_excel"),
    "t.feather": lambda: binary("to_feather"),
    "t.parquet": lambda: binary("to_parquet"),
    "t.dta": lambda: binary("to_stata", write_index=False, version=118),
    "indexed.csv": lambda: FRAME.to_csv().encode(),
    "twice.csv": lambda: pd.read_csv(io.StringIO(FRAME.to_csv())).to_csv(index=False).encode(),
    "rows.csv": lambda: FRAME.set_axis(["r1", "r2", "r3", "r4"]).to_csv().encode(),
    "r.csv": lambda: FRAME.set_axis(["r1", "r2", "r3", "r4"]).to_csv().removeprefix(",").encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_table(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name]())
    data = read_dataset(tmp_path / name)
    assert data.names == tuple(FRAME)
    assert data.values[:, [0, 2]].tolist() == FRAME[["a", "n"]].to_numpy().tolist()
    assert [data.labels[1][int(code)] for code in data.values[:, 1]] == FRAME["größe"].tolist()


@pytest.mark.parametrize(
    ("name", "notes"),
    [
        ("t.csv.gz", []),
        ("t.parquet", []),
        ("t.xlsx", []),
        ("utf16.csv", ["read as UTF-16, since its first bytes say so"]),
        ("cp1252.csv", ["read as cp1252, since it is not UTF-8: check letters with accents"]),
        ("comments.csv", ["2 lines at the top, starting with #, left out"]),
        ("names.csv", ["the names of the columns are in a line that starts with #"]),
        ("indexed.csv", ["the first column has no name and numbers the rows: it was left out"]),
        ("twice.csv", ["the first column has no name and numbers the rows: it was left out"]),
        ("r.csv", ["the first column has no name and holds row names: it was left out"]),
        ("t.zip", ["read folder/t.csv in the archive"]),
    ],
)
def test_what_reading_decided_is_noted(tmp_path, name, notes):
    (tmp_path / name).write_bytes(FILES[name]())
    assert list(read_dataset(tmp_path / name).notes) == notes


def test_notes_reach_results_and_parts_of_the_table(tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["a", "é", "c"])
    path.write_bytes(frame.to_csv(index=False).encode("cp1252"))
    data = as_dataset(path)
    assert data.notes == data.take([0, 1, 2, 3]).notes == data.part(np.arange(9), [0, 1]).notes != ()
    for given in (str(path), path, data):
        assert ds.GreedySearch(score="bic-linear").fit(given).result_.notes[0] == data.notes[0]
    found = ds.discover(str(path), score="bic-linear", confidence="none").result_
    assert found.notes[1] == data.notes[0]
    assert data.notes[0] in run("discover", path, "--score", "bic-linear").stdout


def test_the_first_of_several_sheets_is_read_and_named(tmp_path):
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        FRAME.to_excel(book, sheet_name="first", index=False, startrow=2)
        FRAME.tail(3).to_excel(book, sheet_name="second")
    data = read_dataset(tmp_path / "t.xlsx")
    assert data.n_samples == 4
    assert data.notes == ("sheet 'first', the first of 2",)


def test_value_labels_of_stata_are_categories_without_an_order(tmp_path):
    labelled = FRAME.assign(sex=pd.Categorical(["m", "f", "f", "m"], ["m", "f", "other"], ordered=True))
    labelled.to_stata(tmp_path / "t.dta", write_index=False, version=118)
    data = read_dataset(tmp_path / "t.dta")
    assert (data.kinds[3], data.labels[3], data.ordered[3]) == ("discrete", ("f", "m"), False)


# ---------------------------------------------------------------- tables in memory


@pytest.mark.parametrize(
    "given",
    [
        pl.from_pandas(FRAME).lazy(),
        pl.from_pandas(FRAME).to_arrow(),
        pl.from_pandas(FRAME).to_arrow().to_batches()[0],
        FRAME.convert_dtypes(),
        FRAME.to_dict(orient="list"),
        {"a": FRAME["a"][::-1][::-1], "größe": pl.Series(FRAME["größe"]), "n": FRAME["n"].to_numpy()},
        FRAME.to_records(index=False),
    ],
    ids=["lazy", "arrow", "batch", "nullable", "lists", "columns", "records"],
)
def test_tables_of_other_libraries_keep_names_and_values(given):
    data, plain = as_dataset(given), as_dataset(FRAME)
    assert (data.names, data.labels, data.kinds) == (plain.names, plain.labels, plain.kinds)
    assert np.array_equal(data.values, plain.values)


def test_columns_of_a_dictionary_are_matched_by_position_whatever_their_index():
    shuffled = pd.Series([1.0, 2.0, 5.0], index=[2, 1, 0])
    assert as_dataset({"a": shuffled, "b": [3, 4, 9]}).values.tolist() == [[1, 3], [2, 4], [5, 9]]


DATES = np.array([["2020-01-01", "2020-02-01"]] * 3, dtype="datetime64[D]")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": [1, 2, 3], "b": [1, 2]}, "same number of entries, got 3 in 'a', 2 in 'b'"),
        ({"a": "abc", "b": [1, 2, 3]}, "column 'a' of X must be a list"),
        ({"a": np.ones((3, 2)), "b": [1, 2, 3]}, "column 'a' of X"),
        ({}, "the table is empty"),
        (pl.Series([1, 2, 3]), "2 dimensions"),
        (np.array([[1j, 2], [3, 4], [5, 6]]), "type complex128"),
        (np.ma.masked_equal(np.array([[1j, 2], [3, 4], [5, 6]]), 2), "type complex128"),
        (DATES, "turn dates into numbers"),
        (DATES.astype(object), "turn dates into numbers"),
        (pl.DataFrame({"a": DATES[:, 0], "b": [1, 2, 3]}), "turn dates into numbers"),
        ("sachs", "datasets.load('sachs')"),
    ],
)
def test_what_is_no_table_of_numbers_or_labels_is_refused(given, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace(")", r"\)")):
        as_dataset(given)


IDS = [2**60 + 1, 2**60 + 3, 2**60 + 5, 2**60 + 7]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(IDS),
        pd.Series(IDS, dtype="UInt64"),
        pd.Series([*IDS[:3], None], dtype="Int64"),
        pd.Series(list(map(str, IDS))),
        pd.Series([10**30 + k for k in range(4)], dtype=object),
    ],
)
def test_integers_that_floats_would_round_are_refused_or_labels(column):
    frame = pd.DataFrame({"id": column, "b": [1.5, 2, 3, 5]})
    with pytest.raises(DataError, match=r"column 'id': row 1 holds 1\d+.*, which has more digits .* looks like an id"):
        as_dataset(frame, may_miss=True)
    with pytest.raises(DataError, match="declare it discrete"):
        as_dataset(pd.concat([frame, frame]), may_miss=True)
    data = as_dataset(pd.concat([frame, frame]), kinds={"id": "discrete"}, may_miss=True)
    assert len(data.labels[0]) == column.notna().sum()


@pytest.mark.parametrize("gap", ["", "\n,7"])
def test_long_integers_in_files_and_polars_are_noticed_beside_gaps(tmp_path, gap):
    (tmp_path / "t.csv").write_text("id,b\n" + "\n".join(f"{k},{j}" for j, k in enumerate(IDS)) + gap)
    with pytest.raises(DataError, match=f"row 1 holds {IDS[0]}"):
        read_dataset(tmp_path / "t.csv", may_miss=True)
    with pytest.raises(DataError, match=f"row 1 holds {IDS[0]}"):
        as_dataset(pl.DataFrame({"id": [*IDS, None], "b": range(5)}), may_miss=True)


def test_large_integers_that_floats_hold_are_numbers():
    data = as_dataset({"a": [2**60, 2**61, 5, 2**53 + 1 - 1], "b": [1.0, 2.0, 3.5, 4.0]})
    assert data.values[:, 0].tolist() == [2.0**60, 2.0**61, 5.0, 2.0**53]


# ---------------------------------------------------------------- one line about a table


@pytest.mark.parametrize("name", ["x{}", "a very long name, " * 9 + "the {}th", "line\n{}"])
def test_a_table_is_shown_in_one_short_line(name):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(500, 70)), columns=[name.format(j) for j in range(70)])
    shown = repr(as_dataset(frame.assign(z=["u", "v"] * 250)))
    assert shown.startswith("Dataset(500 rows, 71 variables: ")
    assert shown.endswith("...; 70 continuous, 1 discrete)")
    assert len(shown) <= 120
    assert "\n" not in shown
    assert repr(ds.datasets.load("sachs")).endswith("; 11 continuous; truth known)")
    assert "variables: a, größe, n; " in repr(as_dataset(FRAME))


# ---------------------------------------------------------------- hostile files


def npy(header, body=b""):
    text = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


HOSTILE = {
    "cut.csv.gz": (gzip.compress(CSV.encode() * 50)[:-30], "is damaged or not a .gz file"),
    "text.csv.gz": (CSV.encode(), "is damaged or not a .gz file"),
    "text.csv.bz2": (CSV.encode(), "is damaged or not a .bz2 file"),
    "text.csv.xz": (CSV.encode(), "is damaged or not a .xz file"),
    "text.zip": (CSV.encode(), "is damaged or not a .zip file"),
    "two.zip": (packed_csv(["a.csv", "b.tsv"]), "exactly one table, it holds a.csv, b.tsv"),
    "none.zip": (packed_csv(["a.pdf"]), "exactly one table, it holds a.pdf"),
    "empty.zip": (packed_csv([]), "exactly one table, it holds no file"),
    "many.zip": (packed_csv([f"{k}.csv" for k in range(20)]), "7.csv and 12 more"),
    "text.xlsx": (CSV.encode(), "is damaged or not of the kind"),
    "zip.xlsx": (packed_csv("t.csv"), "is not an Excel workbook"),
    "text.feather": (CSV.encode(), "is not a feather file"),
    "start.feather": (b"ARROW1\0\0" + b"\xff" * 60, "is not a feather file"),
    "start.parquet": (b"PAR1" + b"\xff" * 60 + b"PAR1", "is not a parquet file"),
    "text.dta": (CSV.encode(), "is not a Stata file"),
    "cut.dta": (binary("to_stata", version=118)[:200], "is not a Stata file"),
    "header.csv": (b"a,b\n", "the table is empty"),
    "comments.csv": (b"# a\n# b\n", "only lines that start with #"),
    "half.csv": (CSV.encode("utf-16")[:-1], "not a text file in UTF-8"),
    "japanese.csv": (b"a,b\n" + "\u8868,1\n".encode("shift-jis") + b"\x81\x8d\n", "not a text file in UTF-8"),
    "one.csv": (b"a\n1\n2\n3\n4\n", "at least 2 columns"),
    "long.csv": (b"a,b\n1" + b"0" * 400 + b",2\n3,4\n5,6\n7,8\n", "more digits"),
    "short.npy": (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 2), }"), "promises 160 bytes"),
    "huge.npy": (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2000), }"), "promises"),
    "less.npy": (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, -2), }"), "is not an .npy file"),
    "nested.npy": (npy("(" * 5000), "is not an .npy file"),
    "complex.npy": (npy("{'descr': '<c8', 'fortran_order': False, 'shape': (3, 2), }", bytes(48)), "complex64"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_with_one_message(tmp_path, name):
    content, message = HOSTILE[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_dataset(tmp_path / name)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / name))
    result = run("discover", tmp_path / name)
    assert (result.exit_code, result.stdout) == (2, "")
    # Several problems of one table are one message, with a line for each.
    assert len([line for line in result.stderr.splitlines() if not line.startswith("  ")]) == 1
    assert message in result.stderr


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.bz2", "T.CSV.XZ", "t.zip", "t.xlsx"])
def test_files_that_unpack_to_more_than_the_limit_are_refused(tmp_path, monkeypatch, name):
    (tmp_path / name).write_bytes(FILES[name]())
    monkeypatch.setattr(packed, "MOST_BYTES", 20)
    with pytest.raises(DataError, match="unpacks to more than 20 bytes"):
        read_dataset(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("t.xlsx", "openpyxl", "excel"),
        ("t.parquet", "pyarrow", "parquet"),
        ("t.feather", "pyarrow", "parquet"),
    ],
)
def test_a_package_that_is_missing_names_the_extra(tmp_path, monkeypatch, name, package, extra):
    (tmp_path / name).write_bytes(FILES[name]())
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"needs the extra '{extra}': .*pip install '\.\[{extra}\]'"):
        read_dataset(tmp_path / name)
    assert run("discover", tmp_path / name).exit_code == 2


def test_packages_of_an_extra_come_from_the_metadata(monkeypatch):
    listed = ["numpy>=1.26", "openpyxl>=3.1; extra == 'excel'", 'more>2; python_version > "3" and extra == "excel"']
    monkeypatch.setattr("importlib.metadata.requires", lambda _: listed)
    assert how_to_install("excel").endswith("or pip install 'openpyxl>=3.1' 'more>2'")
    assert how_to_install("other").endswith("pip install '.[other]' in its folder")
