"""Rows that are there twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dagsearch.auditing.finding import Finding, Kind
from dagsearch.auditing.table import RawTable

#: Share of duplicates from which they weigh on the result.
MANY = 0.01

#: Rows can be told apart if some measured column has so large a share of different values; otherwise rows repeat by
#: chance.
LEAST_DIFFERENT = 0.5

KIND = Kind(
    "duplicate-rows",
    "medium",
    "rows that are there more than once though they hold measured numbers",
    "drop the copies unless they are observations of their own",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield how many rows are copies of others, identifiers apart."""
    if not any(column.n_different >= LEAST_DIFFERENT * table.n_rows for column in table.measured):
        return
    n_copies = table.n_rows - len(np.unique(_marks(table)))
    if n_copies:
        severity = KIND.severity if n_copies >= MANY * table.n_rows else "low"
        rows = "1 row is a copy" if n_copies == 1 else f"{n_copies:,} rows are copies"
        yield Finding((), KIND.name, severity, f"{rows} of another one", KIND.remedy)


def _marks(table: RawTable) -> NDArray[np.uint64]:
    """A number for each row that only equal rows share."""
    odd = np.uint64(0x9E3779B97F4A7C15)
    marks = np.zeros(table.n_rows, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in table.variables:
            bits = (column.values + 0.0).view(np.uint64)  # adding zero makes -0.0 and 0.0 the same
            marks = (marks ^ bits) * odd
            marks ^= marks >> np.uint64(29)
    return marks
