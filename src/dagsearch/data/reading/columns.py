"""From a pandas column to numbers: missing entries are NaN, text is coded by its labels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types as pandas_types

from dagsearch._visible import half_of_a_pair
from dagsearch.data.reading.tables import type_name
from dagsearch.errors import DataError, in_brief

# pandas also takes "None" and "none" for missing, which are labels in many tables.
MISSING_ENTRIES = ["", "NA", "NaN", "nan", "N/A", "null", "NULL", "<NA>", "#N/A"]

# Floats hold whole numbers exactly up to here.
_EXACT = 2**53
_WHOLE_NUMBER = re.compile(r"\s*[+-]?\d{16,}\s*")
_MOST_DIGITS = 320  # of any float
_ON_DATES = "; turn dates into numbers, such as days since the first"


@dataclass(frozen=True, eq=False)
class Column:
    """One column as numbers: missing entries are NaN, text is coded by its sorted labels."""

    values: NDArray[np.float64]
    labels: tuple[str, ...] | None = None
    is_boolean: bool = False


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
        If the entries are neither numbers nor labels, if text stands among numbers by mistake, or if whole numbers are
        so large that floats would round them.
    """
    dtype = series.dtype
    if pandas_types.is_bool_dtype(dtype):
        return Column(_as_floats(series), is_boolean=True)
    if isinstance(dtype, pd.CategoricalDtype):
        return _labelled(series, order)
    if pandas_types.is_integer_dtype(dtype):
        return _read_integers(name, series, may_mix=may_mix)
    if pandas_types.is_numeric_dtype(dtype) and not pandas_types.is_complex_dtype(dtype):
        return _read_numbers(name, series, may_mix=may_mix)
    if pandas_types.is_object_dtype(dtype) or pandas_types.is_string_dtype(dtype):
        return _read_objects(name, series.astype(object), may_mix=may_mix)
    raise DataError(
        f"column {name!r} holds entries of type {dtype}; only numbers, booleans and text can be used"
        + (_ON_DATES if pandas_types.is_datetime64_any_dtype(dtype) else "")
    )


def _as_floats(series: pd.Series[Any]) -> NDArray[np.float64]:
    floats: NDArray[np.float64] = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return floats


def is_rounded(entry: object) -> bool:
    """Whether an entry is a whole number, as a number or as text, that is another one as a float."""
    if isinstance(entry, str):
        if not _WHOLE_NUMBER.fullmatch(entry):
            return False
        if len(entry) > _MOST_DIGITS:
            return True
        entry = int(entry)
    if isinstance(entry, Fraction) and entry.denominator == 1:
        entry = int(entry)
    if isinstance(entry, Decimal):
        # Beyond the largest float, where it would be infinite, an infinite value is refused in any case.
        if not entry.is_finite() or entry.adjusted() > _MOST_DIGITS or entry != entry.to_integral_value():
            return False
        entry = int(entry)
    if not isinstance(entry, Integral) or abs(int(entry)) <= _EXACT:
        return False
    try:
        return int(float(entry)) != int(entry)
    except OverflowError:
        return True


def become_the_same(entries: Iterable[object]) -> bool:
    """Whether different numbers, as texts or as decimals, become the same float, since they have too many digits.

    Only those beyond the whole numbers that floats hold exactly count: any measurement is rounded at its end.
    """
    exact: dict[float, Decimal] = {}
    for entry in set(entries):
        if not isinstance(entry, str | Decimal):
            continue
        try:
            number = Decimal(entry.strip() if isinstance(entry, str) else entry)
            is_large = number.is_finite() and not -_EXACT <= number <= _EXACT
        except InvalidOperation:
            continue
        if is_large and exact.setdefault(float(number), number) != number:
            return True
    return False


def _read_numbers(name: str, series: pd.Series[Any], *, may_mix: bool) -> Column:
    """Read a column of floats; those with more digits than ours must not become the same."""
    floats = _as_floats(series)
    has_more_digits = str(series.dtype).startswith(("decimal", "float128", "float96"))
    if has_more_digits and (np.abs(floats) > _EXACT).any():
        return _read_objects(name, series.map(_decimal).astype(object), may_mix=may_mix)
    return Column(floats)


def _decimal(entry: Any) -> Any:
    """A number as a decimal that is equal to it; what is missing stays so."""
    if isinstance(entry, Decimal) or pd.isna(entry):
        return entry
    return Decimal(int(entry)) if entry == np.rint(entry) else Decimal(np.format_float_positional(entry))


def _read_integers(name: str, series: pd.Series[Any], *, may_mix: bool) -> Column:
    """Read a column of integers: numbers, or labels where they have more digits than a float and are said to be so."""
    present = series.dropna()
    if not len(present) or (int(present.max()) <= _EXACT and int(present.min()) >= -_EXACT):
        return Column(_as_floats(series))
    entries = series.astype(object)
    if not any(map(is_rounded, entries[entries.notna()])):
        return Column(_as_floats(series))
    return _long_numbers(name, entries, may_mix=may_mix)


def _long_numbers(name: str, series: pd.Series[Any], *, may_mix: bool) -> Column:
    """Keep whole numbers that a float would round as labels if that is wanted, and refuse them otherwise."""
    if may_mix:
        return _labelled(series)
    # Where none is a whole number, the first of many digits is shown.
    lengths = [len(str(entry)) for entry in series]
    row = next((row for row, entry in enumerate(series) if is_rounded(entry)), lengths.index(max(lengths)))
    shown = str(series.iloc[row]).strip()
    shown = shown if len(shown) <= 30 else f"{shown[:20]}... ({len(shown)} digits)"
    if series.dropna().is_unique:
        advice = "no two rows have the same, so that it looks like an id: drop the column"
    else:
        advice = "drop the column, state it in a larger unit, or declare it discrete, so that its entries are labels"
    raise DataError(
        f"column {name!r}: row {row + 1} holds {shown}, which has more digits than numbers here have; {advice}"
    )


def _read_objects(name: str, series: pd.Series[Any], *, may_mix: bool) -> Column:
    """Read a column of Python objects: numbers if all entries are, labels otherwise."""
    _require_plain_entries(name, series)
    series = series.mask(series.map(_is_blank))
    present = series.notna().to_numpy()
    numbers = _as_numbers(series)
    is_number = ~np.isnan(numbers)
    n_present, n_numbers = present.sum(), is_number.sum()
    if n_numbers == n_present:
        if (np.abs(numbers) > _EXACT).any() and (
            any(map(is_rounded, series[present])) or become_the_same(series[present])
        ):
            return _long_numbers(name, series, may_mix=may_mix)
        return Column(numbers, is_boolean=_all_booleans(series[present]))
    if 2 * n_numbers >= n_present and not may_mix:
        row = int(np.argmax(present & ~is_number))
        raise DataError(
            f"column {name!r}: row {row + 1} holds {in_brief(repr(series.iloc[row]), 80)}, which is not a number "
            "while at least half of the column is; correct the entry, or declare the column discrete"
        )
    return _labelled(series)


def _as_numbers(series: pd.Series[Any]) -> NDArray[np.float64]:
    """Numbers where entries are some, NaN elsewhere."""
    # pandas takes no integers beyond 64 bits together with others.
    known = series.map(_in_words_of_pandas)
    numbers: NDArray[np.float64] = pd.to_numeric(known, errors="coerce").to_numpy(dtype=np.float64)
    return numbers


def _in_words_of_pandas(entry: Any) -> Any:
    if isinstance(entry, Fraction):
        return float(entry)
    return str(entry) if is_rounded(entry) else entry


def _require_plain_entries(name: str, series: pd.Series[Any]) -> None:
    """Refuse dates, lists and other objects that are neither numbers nor text, and text that no file can hold."""
    plain = (str, bool, np.bool_, Real, Decimal)
    for row, entry in enumerate(series, start=1):
        if not isinstance(entry, plain) and not (pandas_types.is_scalar(entry) and pd.isna(entry)):
            raise DataError(
                f"column {name!r}: row {row} holds an entry of type {type_name(entry)}; "
                "only numbers, booleans and text can be used" + (_ON_DATES if isinstance(entry, date) else "")
            )
        if isinstance(entry, str) and half_of_a_pair(entry):
            raise DataError(
                f"column {name!r}: row {row} holds {in_brief(ascii(entry), 80)}, which has half a surrogate pair; "
                "write it as the letter that it stands for"
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
