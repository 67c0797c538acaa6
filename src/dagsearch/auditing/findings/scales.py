"""Columns whose scales differ by orders of magnitude."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind
from dagsearch.auditing.table import RawTable

#: Ratio of standard deviations; units such as metres and millimetres differ that much, causes and effects seldom do.
WIDE = 1e4

KIND = Kind(
    "scales",
    "low",
    f"standard deviations that differ by a factor of more than {WIDE:,.0f}",
    "standardise the columns before methods outside this package that go by the scale; those here do so themselves",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield the columns with the smallest and the largest scale."""
    spreads = {column.name: _spread(column) for column in table.measured}
    spreads = {name: spread for name, spread in spreads.items() if 0.0 < spread < np.inf}
    if len(spreads) < 2:
        return
    small, large = min(spreads, key=spreads.__getitem__), max(spreads, key=spreads.__getitem__)
    ratio = spreads[large] / spreads[small]
    if ratio > WIDE:
        message = f"{large!r} varies {ratio:.1g} times as much as {small!r}: methods that go by the scale follow units"
        yield Finding((small, large), KIND.name, KIND.severity, message, KIND.remedy)


def _spread(column: RawColumn) -> float:
    """Standard deviation, by the largest value, so that squares do not overflow."""
    values = column.values[column.seen]
    largest = float(np.abs(values).max())
    return float(np.std(values / largest)) * largest if largest > 0.0 else 0.0
