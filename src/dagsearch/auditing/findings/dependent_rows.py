"""Rows that are like the rows before them: series in time, groups one after the other, sorted tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

#: Correlation of a row with the next one: rows are then worth a third less than as many independent ones.
LEAST_CORRELATION = 0.2

#: Standard errors from zero, so that among a thousand columns none is that far by chance.
LEAST_ERRORS = 5.0

#: Columns that must be so: one alone may be the one by which the table is sorted.
LEAST_COLUMNS = 2

_LEAST_ROWS = 30

KIND = Kind(
    "dependent-rows",
    "medium",
    "rows that resemble the row before them: a series in time, groups, or a sorted table",
    "every method takes rows as independent: use differences or one row per group; a sorted table does no harm",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding about all columns that go on from row to row."""
    told = {column.name: _carried_over(column) for column in table.variables if column.form != "dates"}
    found = {name: value for name, value in told.items() if value >= LEAST_CORRELATION}
    is_sorted = [column.name for column in table.variables if column.form != "dates" and _is_sorted(column)]
    if len(found) < LEAST_COLUMNS:
        return
    names = tuple(sorted(found, key=lambda name: -found[name]))
    message = f"rows resemble the row before them in {listed(names)} (correlation up to {found[names[0]]:.2f})"
    if is_sorted:
        message += f"; the table is sorted by {listed(is_sorted)}"
    yield Finding(names, KIND.name, "low" if is_sorted else KIND.severity, message, KIND.remedy)


def _carried_over(column: RawColumn) -> float:
    """How much of a row the next one shows: a correlation, or agreement beyond chance; 0 if chance explains it."""
    values = column.values[column.seen]
    if len(values) < _LEAST_ROWS or not np.isfinite(values).all():
        return 0.0
    share = _agreement(values) if column.is_text else _correlation(values)
    return share if share * np.sqrt(len(values)) > LEAST_ERRORS else 0.0


def _correlation(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    scaled = values / max(float(np.abs(values).max()), np.finfo(float).tiny)
    # Clipped, so that one outlier does not decide.
    low, high = np.quantile(scaled, (0.01, 0.99))
    centred = np.clip(scaled, low, high)
    centred = centred - centred.mean()
    return float(centred[1:] @ centred[:-1] / max(float(centred @ centred), np.finfo(float).tiny))


def _agreement(codes: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    shares = np.unique(codes, return_counts=True)[1] / len(codes)
    by_chance = float(np.square(shares).sum())
    return float((np.mean(codes[1:] == codes[:-1]) - by_chance) / max(1.0 - by_chance, 1.0 / len(codes)))


def _is_sorted(column: RawColumn) -> bool:
    steps = np.diff(column.values[column.seen])
    return not column.is_text and bool((steps >= 0).all() or (steps <= 0).all())
