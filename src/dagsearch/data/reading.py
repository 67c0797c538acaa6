"""Tables from outside turned into columns of numbers.

::

    file --read_table--> pandas or array --as_table--> pandas columns --read_column--> Column
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib import format as npy_format
from numpy.typing import NDArray
from pandas.api import types as pandas_types

from dagsearch.errors import DataError, InputError, MissingExtraError

# pandas also takes "None" and "none" for missing, which are labels in many tables.
MISSING_ENTRIES = ["", "NA", "NaN", "nan", "N/A", "null", "NULL", "<NA>", "#N/A"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column as numbers: missing entries are NaN, text is coded by its sorted labels."""

    values: NDArray[np.float64]
    labels: tuple[str, ...] | None = None
    is_boolean: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """A table from outside, column by column.

    Attributes
    ----------
    names
        Names of the columns.
    columns
        Their entries.
    categories
        The labels that the type of each column lists, in its order; None if it lists none.
    ordered
        Whether that order means something.
    """

    names: list[Any]
    columns: list[pd.Series[Any]]
    categories: list[tuple[str, ...] | None]
    ordered: list[bool]

    @property
    def declared_levels(self) -> list[int | None]:
        """How many levels the type of each column declares."""
        return [None if labels is None else len(labels) for labels in self.categories]


# ---------------------------------------------------------------- files to tables


def read_table(path: str | Path, na: Sequence[str] = ()) -> pd.DataFrame | NDArray[Any]:
    """Read a file into a table that ``as_dataset`` accepts.

    Parameters
    ----------
    path
        A ``.csv``, ``.tsv``, ``.txt``, ``.parquet`` or ``.npy`` file. Text files are UTF-8, name their
        columns in the first line and are separated by tabs (``.tsv``), by commas, or by semicolons (with
        decimal commas or points). An unnamed first column that counts the rows from 0 or 1, as pandas and R
        write it, is dropped.
    na
        Entries of a text file that stand for a missing cell, beside `MISSING_ENTRIES`; numbers, such as ``"-999"``, are
        recognised in any file.

    Returns
    -------
    DataFrame or ndarray
        The array of an ``.npy`` file, a pandas table otherwise.

    Raises
    ------
    InputError
        If the suffix is none of the above.
    DataError
        If the file is absent, empty, not readable, or not a table.
    MissingExtraError
        If a ``.parquet`` file is given and pyarrow is not installed.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: the suffix must be one of {', '.join(_READERS)}, got {path.suffix!r}")
    if path.is_dir():
        raise DataError(f"{path}: is a folder, a file is needed")
    try:
        return _with_gaps(reader(path, na), na)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from error


def _with_gaps(table: pd.DataFrame | NDArray[Any], na: Sequence[str]) -> pd.DataFrame | NDArray[Any]:
    """Empty the cells that hold one of ``na``: the text, or the number that it is."""
    if not na:
        return table
    marks: list[Any] = [*na, *(float(text) for text in na if _is_number(text))]
    emptied = pd.DataFrame(table).apply(lambda column: column.mask(column.isin(marks)))
    gappy: pd.DataFrame | NDArray[Any] = emptied if isinstance(table, pd.DataFrame) else emptied.to_numpy()
    return gappy


def _read_npy(path: Path, _: Sequence[str]) -> NDArray[Any]:
    """Read one array; pickled objects are refused."""
    try:
        with path.open("rb") as file:
            array: NDArray[Any] = npy_format.read_array(file, allow_pickle=False)
    except ValueError as error:
        raise DataError(f"{path}: is not an .npy file with plain numbers ({error})") from error
    return array


def _read_parquet(path: Path, _: Sequence[str]) -> pd.DataFrame:
    """Read a parquet file with pyarrow."""
    try:
        return pd.read_parquet(path, engine="pyarrow")
    except ImportError as error:
        raise MissingExtraError("reading .parquet files", "parquet") from error
    except ValueError as error:
        raise DataError(f"{path}: is not a parquet file ({error})") from error


def _read_delimited(path: Path, na: Sequence[str], separators: str) -> pd.DataFrame:
    """Read a text file, split by the first of `separators` that divides its header."""
    text = _decoded(path)
    try:
        separator = _separator(text, separators)
        header = _checked_header(path, text, separator)
        frame = _parsed(text, separator, na)
    except (csv.Error, pd.errors.ParserError) as error:
        raise DataError(f"{path}: cannot be read as a table ({error})") from error
    # pandas renames duplicates ("a", "a.1"); the names as written let the duplicate be reported.
    frame.columns = pd.Index(header)
    return frame.iloc[:, 1:] if _starts_with_row_numbers(frame) else frame


_READERS: dict[str, Callable[[Path, Sequence[str]], pd.DataFrame | NDArray[Any]]] = {
    ".csv": partial(_read_delimited, separators=",;\t"),
    ".tsv": partial(_read_delimited, separators="\t"),
    ".txt": partial(_read_delimited, separators="\t,;"),
    ".parquet": _read_parquet,
    ".npy": _read_npy,
}


def _parsed(text: str, separator: str, na: Sequence[str]) -> pd.DataFrame:
    """Parse a checked text with a header into typed columns."""
    return pd.read_csv(
        io.StringIO(text),
        sep=separator,
        # Between semicolons a comma can only be a decimal comma; numbers with decimal points are then left
        # as text, which read_column turns into numbers.
        decimal="," if separator == ";" else ".",
        index_col=False,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=[*MISSING_ENTRIES, *na],
        low_memory=False,
    )


def _decoded(path: Path) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not a text file in UTF-8; save it as UTF-8") from error
    if "\0" in text:
        raise DataError(f"{path}: is a binary file, text is needed")
    if not text.strip():
        raise DataError(f"{path}: is empty")
    return text


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    """Split the text into its rows of entries, without blank lines."""
    rows = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    return (row for row in rows if row not in ([], [""]))


def _separator(text: str, separators: str) -> str:
    """Choose the first separator that gives the header more than one name."""
    return next((mark for mark in separators if len(next(_rows(text, mark))) > 1), separators[0])


def _checked_header(path: Path, text: str, separator: str) -> list[str]:
    """Return the names in the first line after checking that every row has as many entries."""
    rows = _rows(text, separator)
    header = [name.strip() for name in next(rows)]
    if all(_is_number(name) for name in header):
        raise DataError(f"{path}: the first line must hold the column names, it holds only numbers")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise DataError(f"{path}: row {number} has {len(row)} entries, the header has {len(header)} names")
    return header


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _starts_with_row_numbers(frame: pd.DataFrame) -> bool:
    """Tell whether the first column is an index that pandas (from 0) or R (from 1) wrote without a name."""
    if frame.columns[0] or frame.empty:
        return False
    first = frame.iloc[:, 0].to_numpy()
    count = np.arange(len(frame))
    return np.array_equal(first, count) or np.array_equal(first, count + 1)


# ---------------------------------------------------------------- tables to columns


def as_table(X: Any) -> Table:
    """Split a pandas or polars table, or anything array-like, into names and pandas columns."""
    if isinstance(X, pd.DataFrame):
        columns = [series for _, series in X.items()]
        ordered = [bool(getattr(series.dtype, "ordered", False)) for series in columns]
        return Table(list(X.columns), columns, [_categories(series.dtype) for series in columns], ordered)
    if _is_polars(X):
        own_columns = X.get_columns()
        categories = [_categories(series.dtype) for series in own_columns]
        return Table(list(X.columns), [_from_polars(series) for series in own_columns], categories, [False] * X.width)
    frame = pd.DataFrame(_two_dimensional(X))
    n_columns = frame.shape[1]
    columns = [series for _, series in frame.items()]
    return Table([f"x{j}" for j in frame], columns, [None] * n_columns, [False] * n_columns)


def _categories(dtype: Any) -> tuple[str, ...] | None:
    """Labels of a pandas Categorical or polars Enum, used or not; None for any other type.

    A polars Categorical lists what has been seen, here or in other columns, which declares nothing.
    """
    if not isinstance(dtype, pd.CategoricalDtype) and not _is_enum(dtype):
        return None
    # Labels are text, so that 1 and "1" are the same one.
    return tuple(dict.fromkeys(str(category) for category in dtype.categories))


def _is_enum(dtype: Any) -> bool:
    """Recognise a polars Enum without importing polars."""
    return type(dtype).__module__.partition(".")[0] == "polars" and type(dtype).__name__ == "Enum"


def _is_polars(X: Any) -> bool:
    """Recognise a polars table without importing polars."""
    return type(X).__module__.partition(".")[0] == "polars" and type(X).__name__ == "DataFrame"


def _from_polars(series: Any) -> pd.Series[Any]:
    """Convert without pyarrow: numbers to floats, categories to categories, the rest to objects."""
    if series.dtype.is_numeric():
        return pd.Series(series.cast(float).to_numpy())
    is_category = str(series.dtype).startswith(("Categorical", "Enum"))
    return pd.Series(series.to_list(), dtype="category" if is_category else "object")


def _two_dimensional(X: Any) -> NDArray[Any]:
    """Return `X` as an array with rows and columns; masked entries become NaN."""
    try:
        array = np.ma.filled(X.astype(float), np.nan) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
    except ValueError as error:
        raise DataError(f"X cannot be turned into an array: {error}") from error
    if array.ndim != 2:
        raise DataError(f"X must have 2 dimensions (samples x variables), got {array.ndim} ({_type_name(X)})")
    return array


def read_column(
    name: str, series: pd.Series[Any], *, may_mix: bool = False, order: tuple[str, ...] | None = None
) -> Column:
    """Turn a pandas column into numbers.

    Parameters
    ----------
    name
        The column's name, for messages.
    series
        Its entries.
    may_mix
        Whether text beside mostly numbers is meant (all are labels) rather than a mistake.
    order
        All labels, in the order that codes of a category follow; None: they are sorted.

    Raises
    ------
    DataError
        If the entries are neither numbers nor labels, or if text stands among numbers by mistake.
    """
    dtype = series.dtype
    if pandas_types.is_bool_dtype(dtype):
        return Column(_as_floats(series), is_boolean=True)
    if isinstance(dtype, pd.CategoricalDtype):
        return _labelled(series, order)
    if pandas_types.is_numeric_dtype(dtype) and not pandas_types.is_complex_dtype(dtype):
        return Column(_as_floats(series))
    if pandas_types.is_object_dtype(dtype) or pandas_types.is_string_dtype(dtype):
        return _read_objects(name, series.astype(object), may_mix=may_mix)
    raise DataError(f"column {name!r} holds entries of type {dtype}; only numbers, booleans and text can be used")


def _as_floats(series: pd.Series[Any]) -> NDArray[np.float64]:
    floats: NDArray[np.float64] = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return floats


def _read_objects(name: str, series: pd.Series[Any], *, may_mix: bool) -> Column:
    """Read a column of Python objects: numbers if all entries are, labels otherwise."""
    _require_plain_entries(name, series)
    series = series.mask(series.map(_is_blank))
    present = series.notna().to_numpy()
    numbers = pd.to_numeric(series, errors="coerce").to_numpy(dtype=np.float64)
    is_number = ~np.isnan(numbers)
    n_present, n_numbers = present.sum(), is_number.sum()
    if n_numbers == n_present:
        return Column(numbers, is_boolean=_all_booleans(series[present]))
    if 2 * n_numbers >= n_present and not may_mix:
        row = int(np.argmax(present & ~is_number))
        raise DataError(
            f"column {name!r}: row {row + 1} holds {series.iloc[row]!r}, which is not a number "
            "while at least half of the column is; correct the entry, or declare the column discrete"
        )
    return _labelled(series)


def _require_plain_entries(name: str, series: pd.Series[Any]) -> None:
    """Refuse dates, lists, complex numbers and other objects that are neither numbers nor text."""
    plain = (str, bool, np.bool_, Real, Decimal)
    for row, entry in enumerate(series, start=1):
        if not isinstance(entry, plain) and not (pandas_types.is_scalar(entry) and pd.isna(entry)):
            raise DataError(
                f"column {name!r}: row {row} holds an entry of type {_type_name(entry)}; "
                "only numbers, booleans and text can be used"
            )


def _is_blank(entry: object) -> bool:
    """Whether a text stands for a missing cell, as it would in a file."""
    return isinstance(entry, str) and entry.strip() in MISSING_ENTRIES


def _all_booleans(series: pd.Series[Any]) -> bool:
    return all(isinstance(entry, bool | np.bool_) for entry in series)


def _labelled(series: pd.Series[Any], order: tuple[str, ...] | None = None) -> Column:
    """Code the entries by their labels that are seen, sorted or in a given order."""
    present = series.notna().to_numpy()
    entries = [str(entry) for entry in series[present]]
    seen = set(entries)
    labels = tuple(sorted(seen) if order is None else (label for label in order if label in seen))
    code_of = {label: code for code, label in enumerate(labels)}
    values = np.full(len(series), np.nan)
    values[present] = [code_of[entry] for entry in entries]
    return Column(values, labels)


def _type_name(value: object) -> str:
    return type(value).__name__
