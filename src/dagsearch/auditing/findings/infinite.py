"""Infinite values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "infinite",
    "high",
    "infinite values, often from a division by zero or the logarithm of it",
    "drop these rows, or make the cells empty: --na inf",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all columns with infinite values at once."""
    n_infinite = {column.name: int(np.isinf(column.values).sum()) for column in table.columns}
    names = tuple(name for name, count in n_infinite.items() if count)
    if names:
        n_cells = sum(n_infinite.values())
        message = f"{n_cells} {'cell is' if n_cells == 1 else 'cells are'} infinite in {listed(names)}"
        yield Finding(names, KIND.name, KIND.severity, message, KIND.remedy)
