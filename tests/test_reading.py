"""Tables from files."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from common import matrices
from hypothesis import given

from dagsearch import memory
from dagsearch.data import read_dataset, read_table
from dagsearch.data.reading.text import _checked_header, _without_comments
from dagsearch.errors import DataError, InputError, MissingExtraError, UnknownNameError

ramp = np.arange(20.0)


@pytest.fixture
def write(tmp_path):
    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


ROWS = [["0.5", "x"], ["1.5", "y"], ["2.25", "x"]]


def delimited(separator, header=("a", "b"), rows=ROWS):
    return "\n".join(separator.join(row) for row in [header, *rows]) + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", delimited(",")),
        ("T.CSV", delimited(", ")),
        ("t.csv", delimited(";")),
        ("t.csv", delimited(";").replace(".", ",")),
        ("t.csv", delimited("\t")),
        ("t.tsv", delimited("\t")),
        ("t.txt", delimited("\t")),
        ("t.txt", delimited(",")),
        ("t.csv", b"\xef\xbb\xbf" + delimited(",").encode()),
        ("t.csv", delimited(",").replace("\n", "\r\n")),
        ("t.csv", "\n" + delimited(",") + "\n \n"),
        ("t.csv", '"a","b"\n0.5,"x"\n1.5,"y"\n2.25,"x"'),
        ("t.csv", ",a,b\n0,0.5,x\n1,1.5,y\n2,2.25,x\n"),
        ("t.csv", '"","a","b"\n"1",0.5,"x"\n"2",1.5,"y"\n"3",2.25,"x"\n'),
    ],
)
def test_text_files_are_read_whatever_their_separator_and_dialect(write, name, content):
    data = read_dataset(write(name, content))
    assert data.names == ("a", "b")
    assert data.values.tolist() == [[0.5, 0], [1.5, 1], [2.25, 0]]
    assert data.labels == (None, ("x", "y"))


@given(matrix=matrices())
def test_csv_npy_and_parquet_give_back_the_same_numbers(matrix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    frame = pd.DataFrame(matrix, columns=[f"x{j}" for j in range(matrix.shape[1])])
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet")
    np.save(folder / "t.npy", matrix)
    for name in ("t.csv", "t.parquet", "t.npy"):
        data = read_dataset(folder / name)
        assert np.allclose(data.values, matrix, rtol=1e-15, atol=0.0)
        assert data.names == tuple(frame.columns)


def test_kinds_are_passed_on_from_files(write):
    path = write("t.csv", "a,b\n1,5\n2,6\n3+,8\n")
    assert read_dataset(path, kinds={"a": "discrete"}).kinds == ("discrete", "continuous")
    with pytest.raises(UnknownNameError, match="unknown column 'c'"):
        read_dataset(path, kinds={"c": "discrete"})


def test_none_is_a_label_in_text_and_a_mistake_among_numbers(write):
    data = read_dataset(write("t.csv", "a,b\nNone,1\nnone,2\nmild,4\n"))
    assert data.labels[0] == ("None", "mild", "none")
    with pytest.raises(DataError, match="column 'b': row 2 holds 'None'"):
        read_dataset(write("u.csv", "a,b\nx,1\ny,None\nx,4\n"))


@pytest.mark.parametrize("entry", ["", "NA", "NaN", "nan", "N/A", "null", "NULL", "<NA>", "#N/A"])
def test_the_usual_marks_of_missing_values_are_understood(write, entry):
    with pytest.raises(DataError, match="cells are missing: 1 in column 'a', 1 in column 'b'"):
        read_dataset(write("t.csv", f"a,b\nx,1\n{entry},{entry}\ny,4\n"))


def test_an_unnamed_first_column_that_does_not_count_rows_is_an_empty_name(write):
    with pytest.raises(DataError, match="column 1 has an empty name"):
        read_dataset(write("t.csv", ",a,b\n5,1,2\n6,2,4\n7,3,9\n"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", " \n\n", "is empty"),
        ("t.csv", "a,b\n", r"the table is empty \(0 rows, 2 columns\)"),
        ("t.csv", ",b\n", "column 1 has an empty name"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\xff", "not a text file in UTF-8"),
        ("t.csv", b"a,b\n1,\0\n", "is a binary file"),
        ("t.csv", "a,b\n1,2\n3\n4,5\n", "row 2 has 1 entries, the header has 2 names"),
        ("t.csv", "a,b\n1,2,\n2,4,\n3,5,\n", "row 1 has 3 entries, the header has 2 names"),
        ("t.csv", "a,b\nr,1,2\nr,2,4\ns,3,5\n", "column 1 has an empty name"),
        ("t.csv", "a,b\n1,2\n3,4\n4,5,6\n", "row 3 has 3 entries, the header has 2 names"),
        ("t.csv", "1,2.5\n3,4\n5,7\n6,6\n", "the first line must hold the column names"),
        ("t.csv", "a,b,a\n1,2,3\n4,5,7\n7,8,8\n", "2 columns have the name 'a'"),
        ("t.csv", "a,b\n1,2\ninf,3\n4,5\n", "column 'a': row 2 holds inf"),
        ("t.csv", "a,b\noops,2\n2,3\n4,5\n", "column 'a': row 1 holds 'oops'"),
        ("t.csv", "a b\n1 2\n2 4\n3 4\n", "at least 2 columns, got only 'a b'"),
        ("t.csv", f"a,b\n{'x' * 200_000},1\n", "cannot be read as a table"),
        ("t.npy", b"not an array", "is not an .npy file"),
        ("t.npy", b"", "is not an .npy file"),
        ("t.parquet", b"not parquet at all", "is not a parquet file"),
    ],
)
def test_unusable_files_are_refused_with_their_path(write, name, content, message):
    path = write(name, content)
    with pytest.raises(DataError, match=message) as caught:
        read_dataset(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "t.npy", np.array([[{}, 1]], dtype=object))
    with pytest.raises(DataError, match=r"t\.npy: is not an .npy file with plain numbers"):
        read_table(tmp_path / "t.npy")


def test_arrays_of_one_dimension_are_refused_with_their_path(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(4))
    with pytest.raises(DataError, match=r"t.npy: X must have 2 dimensions .*, got 1"):
        read_dataset(tmp_path / "t.npy")


def test_absent_files_and_folders_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"absent\.csv: there is no such file"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(DataError, match=r"absent\.parquet: there is no such file"):
        read_table(tmp_path / "absent.parquet")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=r"folder\.csv: is a folder"):
        read_table(tmp_path / "folder.csv")


def test_files_without_permission_are_refused(write, monkeypatch):
    def refuse(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("dagsearch.contents.open", refuse, raising=False)
    with pytest.raises(DataError, match=r"t.csv: cannot be read \(Permission denied\)"):
        read_table(write("t.csv", delimited(",")))


@pytest.mark.parametrize("name", ["t.xls", "t.npz", "t", "t.npz.gz", "t.gz"])
def test_unknown_suffixes_list_the_known_ones(write, name):
    with pytest.raises(
        InputError, match=r"must be one of \.csv, \.tsv, \.txt, \.parquet, .*\.xlsx, .*\.gz.* or \.zip, got"
    ):
        read_table(write(name, b""))


def test_a_missing_pyarrow_names_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"reading .parquet files .*\.\[parquet\]"):
        read_table(write("t.parquet", b"PAR1"))


def test_a_text_that_would_not_fit_into_memory_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 700_000)
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**25)
    with pytest.raises(DataError, match=r"a text of 1,400,003 entries would need .* keep the rows and columns"):
        read_table(path)


def test_a_text_is_checked_in_little_more_memory_than_it_has():
    text = "# about\na,b\n" + "1,2\n" * 50_000
    tracemalloc.start()
    rest, _ = _without_comments(text, ",;")
    _checked_header("t", rest, ",")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * len(text)
