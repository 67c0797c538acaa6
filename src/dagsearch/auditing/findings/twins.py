"""Columns that hold the same: equal values, other labels for the same rows, or another unit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.relations import ROUNDING, line_through, tidy
from dagsearch.auditing.repairs import without
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "twins",
    "high",
    "columns that hold the same values, the same under other labels, or the same in another unit",
    "keep one of them",
    mended_by_fix=True,
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each group of columns."""
    for group in table.twins:
        kept = max(group, key=lambda column: (column.is_kept, column.n_seen, -column.position))
        # What the one that is kept does not hold is not thrown away.
        gone = [c for c in group if c is not kept and not c.is_kept and bool((kept.seen | ~c.seen).all())]
        names = tuple(column.name for column in group)
        said = "; ".join(_said(kept, column) for column in group if column is not kept)
        remedy = f"keep one of them, {kept.name!r}: --fix (fix=True)" if gone else "keep one of them"
        yield Finding(names, KIND.name, KIND.severity, said, remedy, without(gone, f"{said}"))


def _said(kept: RawColumn, column: RawColumn) -> str:
    """In what way a column holds the same as another."""
    both = kept.seen & column.seen
    if not kept.is_text and not column.is_text:
        if np.array_equal(kept.values[both], column.values[both]):
            return f"{column.name!r} and {kept.name!r} hold the same values"
        line = line_through(column, [kept])
        if line is not None and line.largest_residual < ROUNDING:
            return f"{column.name!r} is {_formula(tidy(line.slopes[0]), tidy(line.intercept), kept, column)}"
    elif kept.is_text and column.is_text and listed(kept.labels, 99) == listed(column.labels, 99):
        return f"{column.name!r} and {kept.name!r} hold the same values"
    return f"{column.name!r} and {kept.name!r} hold the same under other labels"


def _formula(slope: float, intercept: float, kept: RawColumn, column: RawColumn) -> str:
    times = repr(kept.name) if slope == 1.0 else f"{slope:g} times {kept.name!r}"
    # What is left of an intercept by rounding is none.
    if abs(intercept) < ROUNDING * float(np.nanmax(np.abs(column.values))):
        return times
    return f"{times} {'plus' if intercept > 0 else 'minus'} {abs(intercept):g}"
