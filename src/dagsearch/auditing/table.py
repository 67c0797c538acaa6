"""A raw table as the findings see it: its columns read once, and which of them could be variables."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.auditing.columns import RawColumn, raw_column
from dagsearch.auditing.linear_relations import Relation, linear_relations
from dagsearch.auditing.twin_groups import twin_groups
from dagsearch.data import Dataset
from dagsearch.data.reading import Table, as_table, read_file

#: With fewer rows all entries of a column may well differ by chance, and nothing is called a counter.
LEAST_ROWS_OF_COUNTERS = 10

#: Whole numbers that always grow, by at most this much on average, are counters with gaps; prices and years jump.
WIDEST_STEP = 3

#: Expensive comparisons of columns look at so many rows, evenly spread, and confirm what they find on all of them.
MOST_ROWS_COMPARED = 20_000

# "id", "patient_id", "userId", "UUID"; not "acid" or "paid".
_ID_NAME = re.compile(r"(?:^|[\s_.\-])(?:id|ids|uid|uuid|guid|index|idx|rowid|rownum|row)$|[a-z]I[dD]$")


def looks_like_id(name: str) -> bool:
    """Whether a column is called as identifiers are."""
    return _ID_NAME.search(name.strip()) is not None or _ID_NAME.search(name.strip().lower()) is not None


@dataclass(frozen=True, eq=False)
class RawTable:
    """The columns of a raw table.

    Attributes
    ----------
    columns
        In their order.
    n_rows
        Number of rows.
    """

    columns: tuple[RawColumn, ...]
    n_rows: int

    @cached_property
    def named(self) -> tuple[RawColumn, ...]:
        """Columns whose entries can be looked at."""
        return tuple(column for column in self.columns if column.is_usable)

    @cached_property
    def variables(self) -> tuple[RawColumn, ...]:
        """Columns that vary and are no identifiers: what a method would learn from."""
        return tuple(column for column in self.named if column.n_different > 1 and not is_identifier(column))

    @cached_property
    def numbers(self) -> tuple[RawColumn, ...]:
        """Variables that hold finite numbers, or dates."""
        return tuple(column for column in self.variables if column.is_finite_number)

    @cached_property
    def measured(self) -> tuple[RawColumn, ...]:
        """Variables that hold numbers which are no levels, nor dates."""
        return tuple(c for c in self.numbers if not c.is_discrete and c.form != "dates")

    @cached_property
    def discrete(self) -> tuple[RawColumn, ...]:
        """Variables that a method would take as discrete."""
        return tuple(column for column in self.variables if column.is_discrete)

    @cached_property
    def twins(self) -> list[list[RawColumn]]:
        """Groups of variables that hold the same."""
        return twin_groups(self.variables, self.sampled_rows)

    @cached_property
    def distinct(self) -> tuple[RawColumn, ...]:
        """Variables, of each group of twins only the first."""
        needless = {column.position for group in self.twins for column in group[1:]}
        return tuple(column for column in self.variables if column.position not in needless)

    @cached_property
    def linear_relations(self) -> list[Relation]:
        """Variables that are linear functions of others, twins apart."""
        return linear_relations([column for column in self.distinct if column.is_finite_number], self.sampled_rows)

    @cached_property
    def sampled_rows(self) -> NDArray[np.intp]:
        """Rows that expensive comparisons look at, evenly spread."""
        step = max(1, -(-self.n_rows // MOST_ROWS_COMPARED))
        return np.arange(0, self.n_rows, step)


def raw_table(X: Any, kept: Collection[str] = (), left_out: Collection[str] = ()) -> RawTable:
    """Read a table without refusing anything that is in it.

    Parameters
    ----------
    X
        A pandas or polars table, anything array-like, or a `Dataset`.
    kept
        Names of columns that must not be dropped.
    left_out
        Names of columns that are no variables.
    """
    table = table_of(X)
    columns = tuple(
        raw_column(str(name), position, series, is_kept=str(name) in kept)
        for position, (name, series) in enumerate(zip(table.names, table.columns, strict=True))
        if str(name) not in left_out
    )
    return RawTable(columns, len(table.columns[0]) if table.columns else 0)


def table_of(X: Any) -> Table:
    """A table from outside, or the file at a path, column by column."""
    if isinstance(X, Table):
        return X
    if isinstance(X, str | Path):
        return read_file(X)
    return as_table(X.to_pandas() if isinstance(X, Dataset) else X)


def is_counter(column: RawColumn) -> bool:
    """Whether whole numbers count the rows: each larger than the one before, without wide gaps."""
    if not _all_differ(column) or column.form not in ("numbers", "numbers as text") or not column.is_whole:
        return False
    steps = np.diff(column.values[column.seen])
    is_monotone = bool((steps > 0).all() or (steps < 0).all())
    return is_monotone and float(np.abs(steps).mean()) <= WIDEST_STEP


def is_permutation(column: RawColumn) -> bool:
    """Whether whole numbers are those from some one on, each once, in any order."""
    if not _all_differ(column) or column.form not in ("numbers", "numbers as text") or not column.is_whole:
        return False
    return bool(np.ptp(column.values[column.seen]) == column.n_seen - 1)


def is_identifier(column: RawColumn) -> bool:
    """Whether entries only tell rows apart: counters, and texts or whole numbers called so that all differ."""
    if not _all_differ(column) or column.form == "dates":
        return False
    if column.is_text:
        return True
    return is_counter(column) or (column.is_whole and column.form != "written numbers" and looks_like_id(column.name))


def _all_differ(column: RawColumn) -> bool:
    return column.n_seen >= LEAST_ROWS_OF_COUNTERS and column.n_different == column.n_seen
