"""From whatever holds a table in memory to names and pandas columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dagsearch.errors import DataError, in_brief

#: No method can do anything with tables of more columns, which only a mistake makes.
MOST_COLUMNS = 100_000


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
    notes
        What reading decided on the user's behalf.
    """

    names: list[Any]
    columns: list[pd.Series[Any]]
    categories: list[tuple[str, ...] | None]
    ordered: list[bool]
    notes: tuple[str, ...] = ()

    @property
    def declared_levels(self) -> list[int | None]:
        """How many levels the type of each column declares."""
        return [None if labels is None else len(labels) for labels in self.categories]


def as_table(X: Any) -> Table:
    """Split a table in memory into names and pandas columns.

    Parameters
    ----------
    X
        A pandas or polars data frame (lazy ones are collected), a pyarrow table, a dictionary of columns, a structured
        array, or anything array-like with two dimensions. A `Table` is returned as it is.

    Raises
    ------
    DataError
        If it is none of these.
    """
    if isinstance(X, Table):
        return X
    if type(X).__module__.startswith("scipy.sparse"):
        raise DataError("X is sparse, which is not supported: a dense table is needed, such as X.toarray()")
    if _is_of(X, "polars", "LazyFrame"):
        X = _collected(X)
    if _is_of(X, "pyarrow", "Table", "RecordBatch"):
        X = from_arrow(X)
    if _is_of(X, "polars", "DataFrame"):
        own_columns = X.get_columns()
        categories = [_categories(series.dtype) for series in own_columns]
        return Table(list(X.columns), [_from_polars(series) for series in own_columns], categories, [False] * X.width)
    if isinstance(X, pd.DataFrame):
        return _from_pandas(X)
    if isinstance(X, Mapping):
        return _from_columns(X)
    if isinstance(X, np.ndarray) and X.dtype.names is not None:
        if X.ndim != 1:
            raise DataError(f"X must have 1 dimension, since its rows have names for what they hold, got {X.ndim}")
        return _from_columns({name: X[name] for name in X.dtype.names})
    array = _two_dimensional(X)
    _require_width(array.shape[1])
    frame = pd.DataFrame(array)
    columns = [_native(series) for _, series in frame.items()]
    return Table([f"x{j}" for j in frame], columns, [None] * len(columns), [False] * len(columns))


def from_arrow(table: Any) -> pd.DataFrame:
    """Turn a pyarrow table into a pandas one; integers stay integers where cells are missing.

    Raises
    ------
    DataError
        If pandas has nothing for an entry: a date after the year 9999, an unknown time zone, text that is none.
    """
    import pyarrow as pa  # noqa: PLC0415 - whoever has such a table has the package

    exact = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    try:
        table.validate(full=True)
        frame: pd.DataFrame = table.to_pandas(types_mapper=exact.get)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise DataError(f"the Arrow table holds what pandas cannot take: {in_brief(error)}") from error
    return frame


def _collected(lazy: Any) -> Any:
    """The table of a query of polars, which may fail."""
    import polars as pl  # noqa: PLC0415 - whoever has such a table has the package

    try:
        return lazy.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"X is a lazy table of polars that cannot be collected: {in_brief(error)}") from error


def type_name(value: object) -> str:
    """What messages call the type of a value."""
    return type(value).__name__


def _require_width(n_columns: int) -> None:
    """Refuse what has far too many columns before each of them is looked at."""
    if n_columns > MOST_COLUMNS:
        raise DataError(f"the table has {n_columns:,} columns, at most {MOST_COLUMNS:,} are read; keep what matters")


def _from_pandas(frame: pd.DataFrame) -> Table:
    _require_width(frame.shape[1])
    columns = [_native(series) for _, series in frame.items()]
    ordered = [bool(getattr(series.dtype, "ordered", False)) for series in columns]
    header = frame.columns
    if isinstance(header, pd.MultiIndex) and header.nlevels == 1:
        header = header.get_level_values(0)
    return Table(list(header), columns, [_categories(series.dtype) for series in columns], ordered)


def _from_columns(columns: Mapping[Any, Any]) -> Table:
    """A dictionary of columns; rows are matched by position, whatever index pandas columns have."""
    read = [_native(_as_series(name, entries)) for name, entries in columns.items()]
    lengths = {str(name): len(series) for name, series in zip(columns, read, strict=True)}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{length} in {name!r}" for name, length in lengths.items())
        raise DataError(f"the columns of X must have the same number of entries, got {shown}")
    ordered = [bool(getattr(series.dtype, "ordered", False)) for series in read]
    return Table(list(columns), read, [_categories(series.dtype) for series in read], ordered)


def _native(series: pd.Series[Any]) -> pd.Series[Any]:
    """The same column in the byte order of this machine, which pandas computes with."""
    dtype = series.dtype
    if not isinstance(dtype, np.dtype) or dtype.isnative:
        return series
    return series.astype(dtype.newbyteorder("="))


def _as_series(name: object, entries: Any) -> pd.Series[Any]:
    """One entry of a dictionary as a pandas column."""
    if _is_of(entries, "polars", "Series"):
        return _from_polars(entries)
    if isinstance(entries, str | bytes | Mapping) or not hasattr(entries, "__len__"):
        raise DataError(f"column {name!r} of X must be a list or an array of entries, got {type_name(entries)}")
    if isinstance(entries, np.ma.MaskedArray):
        entries = _unmasked(entries)
    try:
        series = pd.Series(entries)
        if _may_be_rounded(series.to_numpy(), entries):
            series = pd.Series(entries, dtype="object")
        return series.reset_index(drop=True)
    except (ValueError, TypeError) as error:
        raise DataError(f"column {name!r} of X cannot be turned into a column: {error}") from error


def _categories(dtype: Any) -> tuple[str, ...] | None:
    """Labels of a pandas Categorical or polars Enum, used or not; None for any other type.

    A polars Categorical lists what has been seen, here or in other columns, which declares nothing.
    """
    if not isinstance(dtype, pd.CategoricalDtype) and not _is_of(dtype, "polars", "Enum"):
        return None
    # Labels are text, so that 1 and "1" are the same one.
    return tuple(dict.fromkeys(str(category) for category in dtype.categories))


def _is_of(X: Any, package: str, *names: str) -> bool:
    """Recognise a type of an optional package without importing it."""
    return type(X).__module__.partition(".")[0] == package and type(X).__name__ in names


def _from_polars(series: Any) -> pd.Series[Any]:
    """Convert without pyarrow: numbers to numbers, categories to categories, the rest to objects."""
    if series.dtype.is_integer():
        # As floats, long ids would be rounded before anybody could notice; NumPy has no integers of 128 bits.
        as_objects = series.null_count() or "128" in str(series.dtype)
        return pd.Series(series.to_list(), dtype="object") if as_objects else pd.Series(series.to_numpy())
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        return pd.Series(series.cast(float).to_numpy())
    is_category = str(series.dtype).startswith(("Categorical", "Enum"))
    return pd.Series(series.to_list(), dtype="category" if is_category else "object")


def _two_dimensional(X: Any) -> NDArray[Any]:
    """Return `X` as an array with rows and columns; masked entries become NaN."""
    try:
        array = _unmasked(X) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
        if _may_be_rounded(array, X):
            array = np.asarray(X, dtype=object)
    except ValueError as error:
        raise DataError(f"X cannot be turned into an array: {error}") from error
    if array.ndim != 2:
        raise DataError(f"X must have 2 dimensions (samples x variables), got {array.ndim} ({type_name(X)})")
    return array


def _may_be_rounded(array: NDArray[Any], given: Any) -> bool:
    """Whether whole numbers in lists became floats, beside other entries, that cannot hold them."""
    if array.dtype.kind != "f" or isinstance(given, np.ndarray | pd.Series):
        return False
    return bool((np.abs(array) > 2**53).any())


def _unmasked(masked: Any) -> NDArray[Any]:
    """Masked entries as NaN; complex numbers stay so, and are refused later."""
    if np.iscomplexobj(masked):
        return np.asarray(masked.data)
    if masked.dtype.kind in "iu":
        return np.asarray(masked.astype(object).filled(np.nan))
    unmasked: NDArray[Any] = np.ma.filled(masked.astype(float), np.nan)
    return unmasked
