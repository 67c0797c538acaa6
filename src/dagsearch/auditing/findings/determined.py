"""Discrete columns that another column determines: countries by cities, groups by ages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "determined",
    "medium",
    "a discrete column whose level follows from another column: groups of it, or bins",
    "drop the coarser column, or the finer one",
)

#: With fewer rows beside the most frequent level, a column may follow from another by chance.
LEAST_OTHERS = 10

#: Levels with fewer rows on average determine anything.
LEAST_ROWS_PER_LEVEL = 5


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each column that follows from others."""
    columns = table.distinct
    coarse = [column for column in columns if column.is_discrete and _varies(column)]
    for target in coarse:
        by_levels = [c for c in columns if c.is_discrete and c is not target and _is_function(target, c, table)]
        by_bins = [c for c in columns if not c.is_discrete and c.is_finite_number and _is_binned(target, c, table)]
        if by_levels or by_bins:
            names = [column.name for column in (*by_levels, *by_bins)]
            message = f"{target.name!r} follows from {listed(names)} in every row"
            remedy = f"drop {target.name!r}, or what it follows from"
            yield Finding((target.name, *names), KIND.name, KIND.severity, message, remedy)


def _varies(column: RawColumn) -> bool:
    return bool(column.n_seen - column.levels.counts.max() >= LEAST_OTHERS)


def _is_function(target: RawColumn, other: RawColumn, table: RawTable) -> bool:
    """Whether every level of another discrete column comes with one level of the target."""
    if other.n_different <= target.n_different or other.n_different * LEAST_ROWS_PER_LEVEL > other.n_seen:
        return False
    return all(_pairs_are_unique(target, other, rows) for rows in (table.sampled_rows[:500], slice(None)))


def _pairs_are_unique(target: RawColumn, other: RawColumn, rows: NDArray[np.intp] | slice) -> bool:
    together = target.seen[rows] & other.seen[rows]
    codes = np.searchsorted(other.levels.values, other.values[rows][together])
    answers = np.searchsorted(target.levels.values, target.values[rows][together])
    answer_of = np.zeros(len(other.levels.values), dtype=np.intp)
    answer_of[codes] = answers
    return bool((answer_of[codes] == answers).all())


def _is_binned(target: RawColumn, other: RawColumn, table: RawTable) -> bool:
    """Whether the levels of the target are intervals of a column of numbers."""
    return all(_changes_once(target, other, rows) for rows in (table.sampled_rows[:500], slice(None)))


def _changes_once(target: RawColumn, other: RawColumn, rows: NDArray[np.intp] | slice) -> bool:
    together = target.seen[rows] & other.seen[rows]
    in_order = target.values[rows][together][np.argsort(other.values[rows][together], kind="stable")]
    n_changes = int((np.diff(in_order) != 0).sum())
    return n_changes == len(np.unique(in_order)) - 1
