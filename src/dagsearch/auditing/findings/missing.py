"""Missing cells: how many, where, together with which others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

#: Up to such a share of cells, what becomes of them hardly matters.
FEW_CELLS = 0.01

#: Patterns that are told.
_MOST_PATTERNS = 2

KIND = Kind(
    "missing",
    "medium",
    "missing cells: how many, in which columns, in which patterns, and how many rows are complete",
    "local scores use what there is: --missing local (the default); others: --missing drop, --missing impute",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding about all missing cells; columns that hold nothing at all are found by another."""
    gappy = [column for column in table.named if column.n_seen < table.n_rows]
    if not gappy:
        return
    gappy.sort(key=lambda column: column.n_seen)
    n_missing = sum(table.n_rows - column.n_seen for column in gappy)
    gaps = np.stack([~column.seen for column in gappy], axis=1)
    n_complete = int((~gaps.any(axis=1)).sum())
    share = n_missing / (table.n_rows * len(table.named))
    shares = [f"{column.name!r} ({1 - column.n_seen / table.n_rows:.1%})" for column in gappy]
    listed_shares = ", ".join(shares[:4]) + (f" and {len(shares) - 4} more" if len(shares) > 4 else "")
    message = (
        f"{n_missing:,} cells ({share:.1%}) are missing, in {listed_shares}; {n_complete:,} of {table.n_rows:,} rows "
        f"are complete{_patterns(gappy, gaps)}"
    )
    remedy = "local scores use what there is: --missing local (the default); others: --missing drop, --missing impute"
    severity = "low" if share <= FEW_CELLS else KIND.severity
    yield Finding(tuple(column.name for column in gappy), KIND.name, severity, message, remedy)


def _patterns(columns: Sequence[RawColumn], gaps: NDArray[np.bool_]) -> str:
    """What is most often missing together, if anything is."""
    # Random weights tell patterns apart, which is faster than comparing rows.
    weights = np.random.default_rng(0).integers(1, 2**62, size=len(columns), dtype=np.uint64)
    _, first, counts = np.unique(gaps @ weights, return_index=True, return_counts=True)
    together = [(count, gaps[row]) for count, row in zip(counts, first, strict=True) if gaps[row].sum() > 1]
    together.sort(key=lambda pattern: -pattern[0])
    said = [
        f"{listed([columns[k].name for k in np.flatnonzero(pattern).tolist()])} in {count:,} rows"
        for count, pattern in together[:_MOST_PATTERNS]
        if count > 1
    ]
    return f"; most often missing together: {'; '.join(said)}" if said else ""
