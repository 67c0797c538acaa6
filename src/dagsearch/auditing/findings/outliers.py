"""Values far from all others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.findings import missing_codes, skewed
from dagsearch.auditing.table import RawTable

#: Distance from the median in robust standard deviations; noise with exponential tails stays below in a million rows.
FAR = 25.0

#: More of them are no outliers but a heavy tail, or another population.
LARGEST_SHARE = 0.01

#: A share of so few rows is more than one row.
LEAST_ROWS = 50

_NORMAL = 1.4826  # from the median distance to the median, to the standard deviation of a normal

KIND = Kind(
    "outliers",
    "medium",
    f"values more than {FAR:g} robust standard deviations from the median",
    "correct or drop them if they are mistakes; a heavy tail is no mistake",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all columns with outliers at once, without codes for missing and what a logarithm would tame."""
    tamed = {column.position for column in skewed.columns(table)} | missing_codes.positions(table)
    counts = {c.name: _n_far(c) for c in table.measured if c.position not in tamed and c.n_seen >= LEAST_ROWS}
    names = tuple(name for name, count in counts.items() if count)
    if names:
        n_cells = sum(counts.values())
        cells = "1 value lies" if n_cells == 1 else f"{n_cells} values lie"
        message = f"{cells} very far from all others in {listed(names)}"
        yield Finding(names, KIND.name, KIND.severity, message, KIND.remedy)


def _n_far(column: RawColumn) -> int:
    """Number of outliers; none if they are too many to be such, or if most values are the same."""
    values = column.values[column.seen]
    # Halves, so that the difference of two huge numbers does not overflow.
    distances = np.abs(values / 2 - np.median(values / 2))
    spread = _NORMAL * float(np.median(distances))
    n_far = int((distances > FAR * spread).sum()) if spread > 0.0 else 0
    return n_far if n_far <= max(1, LARGEST_SHARE * len(values)) else 0
