"""What the columns of a raw table are, whether or not a method could use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types as pandas_types

from dagsearch.data import FEW_LEVELS
from dagsearch.data.formats import days_of, plain_numbers, written_dates, written_numbers
from dagsearch.data.reading import MISSING_ENTRIES, become_the_same

Form = Literal[
    "empty",  # no cell holds anything
    "numbers",
    "booleans",
    "labels",
    "numbers as text",
    "written numbers",  # with marks of money, percent signs, units or separated thousands
    "text among numbers",
    "dates",
    "other",  # entries that are neither numbers nor text
]

# Such a share of entries that are dates makes the rest mistakes; with fewer they are labels.
_MOSTLY = 0.95

_MOST_EXAMPLES = 3


class Levels(NamedTuple):
    """The different values of a column and how often they are there."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column of a raw table.

    Attributes
    ----------
    name, position
        Where it is.
    form
        What its entries are.
    values
        (n_rows,) the numbers that entries are or mean, or codes of labels; NaN where there is nothing.
    labels
        What the codes stand for; empty for numbers.
    what
        What the numbers mean, where that takes words: ``"days since 2020-01-01"``.
    examples
        Some entries, as text.
    wrong
        (row, entry) of some that do not belong there.
    n_wrong
        How many of them there are.
    n_different
        Number of different entries.
    is_certain
        Whether entries can be read in one way only.
    is_kept
        Whether somebody speaks of the column elsewhere, so that it must not be dropped.
    """

    name: str
    position: int
    form: Form
    values: NDArray[np.float64]
    n_different: int = 0
    labels: tuple[str, ...] = ()
    what: str = ""
    examples: tuple[str, ...] = ()
    wrong: tuple[tuple[int, str], ...] = ()
    n_wrong: int = 0
    is_certain: bool = True
    is_kept: bool = False

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Which rows hold something, (n_rows,)."""
        return ~np.isnan(self.values)

    @cached_property
    def n_seen(self) -> int:
        """How many rows hold something."""
        return int(self.seen.sum())

    @cached_property
    def levels(self) -> Levels:
        """The different values, in ascending order."""
        values, counts = np.unique(self.values[self.seen], return_counts=True)
        return Levels(values, counts)

    @property
    def is_usable(self) -> bool:
        """Whether all entries have a value."""
        return self.form not in ("empty", "other", "text among numbers")

    @property
    def is_text(self) -> bool:
        """Whether the values are codes of labels."""
        return self.form == "labels"

    @cached_property
    def is_finite_number(self) -> bool:
        """Whether the values are numbers, or days, and none is infinite."""
        return self.is_usable and not self.is_text and bool(np.isfinite(self.values[self.seen]).all())

    @cached_property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        values = self.values[self.seen]
        return bool(np.isfinite(values).all()) and bool((values == np.round(values)).all())

    @cached_property
    def is_discrete(self) -> bool:
        """Whether a method would take the column as discrete, by the rule of `as_dataset`."""
        if self.is_text or self.form == "booleans":
            return True
        return self.is_whole and self.n_different <= FEW_LEVELS and 2 * self.n_different < self.n_seen


def raw_column(name: str, position: int, series: pd.Series[Any], *, is_kept: bool = False) -> RawColumn:
    """Find out what a pandas column holds."""
    read = _read(series)
    return RawColumn(name=name, position=position, is_kept=is_kept, **read)


def _read(series: pd.Series[Any]) -> dict[str, Any]:  # noqa: PLR0911 - one for each type
    """The attributes of a column that depend on its entries."""
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_categories(series)
    if pandas_types.is_bool_dtype(dtype):
        return _of_numbers(series, "booleans")
    if pandas_types.is_datetime64_any_dtype(dtype):
        return _of_moments(series)
    if isinstance(dtype, pd.PeriodDtype):
        return _of_moments(series.dt.to_timestamp())
    if pandas_types.is_numeric_dtype(dtype) and not pandas_types.is_complex_dtype(dtype):
        return _of_numbers(series, "numbers")
    if pandas_types.is_object_dtype(dtype) or pandas_types.is_string_dtype(dtype):
        return _of_objects(series.astype(object))
    return _of_others(len(series), str(dtype))


def _of_others(n_rows: int, type_name: str) -> dict[str, Any]:
    return {"form": "other", "values": np.full(n_rows, np.nan), "what": type_name}


def _of_numbers(series: pd.Series[Any], form: Form) -> dict[str, Any]:
    values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    seen = ~np.isnan(values)
    if not seen.any():
        return {"form": "empty", "values": values}
    n_different = int(series.nunique())  # of whole numbers that floats cannot tell apart, too
    examples = tuple(f"{value:g}" for value in values[seen][:_MOST_EXAMPLES])
    days = _compact_days(values, n_different) if form == "numbers" else None
    if days is not None:
        return {**days, "n_different": n_different, "examples": tuple(f"{v:.0f}" for v in values[seen][:2])}
    return {"form": form, "values": values, "n_different": n_different, "examples": examples}


def _compact_days(values: NDArray[np.float64], n_different: int) -> dict[str, Any] | None:
    """Dates written as numbers such as 20200131, if all of several different ones are."""
    seen = values[~np.isnan(values)]
    if n_different < 5 or seen.min() < 1900_01_01 or seen.max() > 2100_12_31 or (seen != np.round(seen)).any():
        return None
    levels, codes = np.unique(seen, return_inverse=True)
    read = written_dates([f"{value:.0f}" for value in levels])
    if read is None or read.n_read < len(levels):
        return None
    days = np.full(len(values), np.nan)
    days[~np.isnan(values)] = read.values[codes]
    return {"form": "dates", "values": days, "what": read.what}


def _of_moments(series: pd.Series[Any]) -> dict[str, Any]:
    moments = series.dt.tz_convert("UTC").dt.tz_localize(None) if getattr(series.dt, "tz", None) else series
    read = days_of(moments)
    if not read.n_read:
        return {"form": "empty", "values": read.values}
    examples = tuple(str(moment) for moment in series.dropna().iloc[:2])
    return {
        "form": "dates",
        "values": read.values,
        "what": read.what,
        "n_different": int(series.nunique()),
        "examples": examples,
    }


def _of_categories(series: pd.Series[Any]) -> dict[str, Any]:
    """Categories are labels, unless they are dates or numbers with marks."""
    codes = series.cat.codes.to_numpy()
    categories = list(series.cat.categories)
    used = np.unique(codes[codes >= 0])
    dense = np.searchsorted(used, codes).astype(np.int64)
    dense[codes < 0] = -1
    entries = [categories[k] for k in used]
    if entries and all(isinstance(entry, str) for entry in entries) and not series.cat.ordered:
        read = _of_texts(dense, entries)
        if read["form"] in ("dates", "written numbers"):
            return read
    return _as_labels(dense, [str(entry) for entry in entries])


def _of_objects(series: pd.Series[Any]) -> dict[str, Any]:
    """Python objects, by their different values."""
    try:
        codes, different = pd.factorize(series.to_numpy(dtype=object))
    except TypeError:  # lists and the like cannot be told apart
        odd = next(entry for entry in series if not _is_plain(entry))
        return _of_others(len(series), type(odd).__name__)
    is_blank = np.array([isinstance(e, str) and e.strip() in MISSING_ENTRIES for e in different], dtype=bool)
    codes, entries = _without(codes, list(different), is_blank)
    if not entries:
        return {"form": "empty", "values": np.full(len(series), np.nan)}
    for entry in entries:
        if not _is_plain(entry):
            return _of_others(len(series), type(entry).__name__)
    if all(isinstance(entry, date) for entry in entries):
        return _of_moments(pd.to_datetime(series, errors="coerce", utc=True))
    if any(isinstance(entry, date) for entry in entries):
        return _of_others(len(series), "date beside others")
    return _of_texts(codes, entries)


def _is_plain(entry: Any) -> bool:
    return isinstance(entry, str | bool | np.bool_ | Real | Decimal | date)


def _without(codes: NDArray[np.int64], entries: list[Any], is_gone: NDArray[np.bool_]) -> tuple[Any, list[Any]]:
    """Codes and entries after some of them are missing."""
    if not is_gone.any():
        return codes, entries
    renumbered = np.where(is_gone, -1, np.cumsum(~is_gone) - 1)
    return np.where(codes < 0, -1, renumbered[codes]), [e for e, gone in zip(entries, is_gone, strict=True) if not gone]


def _of_texts(codes: NDArray[np.int64], entries: list[Any]) -> dict[str, Any]:
    """Different texts and numbers: what all of them, or nearly all, mean."""
    texts = [entry if isinstance(entry, str) else str(entry) for entry in entries]
    counts = np.bincount(codes[codes >= 0], minlength=len(entries))
    numbers = _as_numbers(entries)
    common = {"n_different": len(entries), "examples": tuple(texts[:_MOST_EXAMPLES])}
    if become_the_same(texts):
        return _as_labels(codes, texts)
    if not np.isnan(numbers).any():
        form: Form = "numbers as text" if any(isinstance(entry, str) for entry in entries) else "numbers"
        if all(isinstance(entry, bool | np.bool_) for entry in entries):
            form = "booleans"
        dates = written_dates(texts) if form == "numbers as text" and len(texts) >= 5 else None
        if dates is None or dates.n_read < len(texts):
            return {"form": form, "values": _spread(codes, numbers), **common}
    for reader, form in ((written_numbers, "written numbers"), (written_dates, "dates")):
        read = reader(texts)
        if read is None:
            continue
        if form == "written numbers" and _merges(read.values):
            return _as_labels(codes, texts)
        share = counts[~np.isnan(read.values)].sum() / counts.sum()
        is_number = np.isnan(numbers).any() and form == "written numbers"
        if share == 1.0 or (share >= _MOSTLY and form == "dates"):
            wrong = _wrong(codes, texts, np.isnan(read.values))
            return {
                "form": form,
                "values": _spread(codes, read.values),
                "what": read.what,
                "is_certain": read.is_certain,
                **wrong,
                **common,
            }
        if is_number and share > 0.0:
            numbers = np.where(np.isnan(numbers), read.values, numbers)
    if 2 * counts[~np.isnan(numbers)].sum() >= counts.sum():
        wrong = _wrong(codes, texts, np.isnan(numbers))
        return {"form": "text among numbers", "values": _spread(codes, numbers), **wrong, **common}
    return _as_labels(codes, texts)


def _merges(values: NDArray[np.float64]) -> bool:
    """Whether different texts mean the same number, one so large that floats do not hold every digit."""
    large = values[np.abs(values) > 2.0**53]
    return len(np.unique(large)) < len(large)


def _as_numbers(entries: list[Any]) -> NDArray[np.float64]:
    """Numbers that entries are, or that are written plainly; NaN for the others."""
    if all(isinstance(entry, str) for entry in entries):
        return plain_numbers(entries)
    return np.array([_as_number(entry) for entry in entries], dtype=np.float64)


def _as_number(entry: Any) -> float:
    try:
        return float(entry)
    except ValueError:
        return np.nan
    except OverflowError:
        return np.inf if entry > 0 else -np.inf


def _spread(codes: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of all rows from those of the different entries."""
    with_nothing: NDArray[np.float64] = np.append(values, np.nan)[codes]  # -1 is the last one
    return with_nothing


def _wrong(codes: NDArray[np.int64], texts: Sequence[str], is_wrong: NDArray[np.bool_]) -> dict[str, Any]:
    """Where entries are that do not belong, at most a few of them."""
    rows = np.flatnonzero(np.append(is_wrong, False)[codes])
    return {
        "wrong": tuple((int(row) + 1, texts[codes[row]]) for row in rows[:_MOST_EXAMPLES]),
        "n_wrong": len(rows),
    }


def _as_labels(codes: NDArray[np.int64], texts: list[str]) -> dict[str, Any]:
    form: Form = "labels" if texts else "empty"
    values = _spread(codes, np.arange(len(texts), dtype=np.float64))
    return {
        "form": form,
        "values": values,
        "labels": tuple(texts),
        "n_different": len(texts),
        "examples": tuple(texts[:_MOST_EXAMPLES]),
    }
