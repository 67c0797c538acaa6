"""Positive numbers over several orders of magnitude, which a logarithm would tame."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

#: Skewness: that of exponential noise is 2, that of a log-normal with standard deviation one is 6.
SKEWED = 3.0

#: The largest value is so many times the median.
WIDE = 10.0

_LEAST_ROWS = 50

KIND = Kind(
    "skewed",
    "low",
    "positive numbers with a long tail on the right",
    "take the logarithm of the column before the search",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all such columns at once."""
    names = tuple(column.name for column in columns(table))
    if names:
        are = "is" if len(names) == 1 else "are"
        message = f"{listed(names)} {are} positive with a long tail on the right"
        yield Finding(names, KIND.name, KIND.severity, message, KIND.remedy)


def columns(table: RawTable) -> list[RawColumn]:
    """Measured columns that are more even on a logarithmic scale."""
    return [c for c in table.measured if c.form != "other" and c.n_seen >= _LEAST_ROWS and _is_skewed(c)]


def _is_skewed(column: RawColumn) -> bool:
    values = column.values[column.seen]
    median = float(np.median(values))
    if values.min() <= 0.0 or values.max() < WIDE * median:
        return False
    skewness = _skewness(values)
    return skewness > SKEWED and abs(_skewness(np.log(values))) < skewness / 2


def _skewness(values: NDArray[np.float64]) -> float:
    scaled = values / np.abs(values).max()
    centred = scaled - scaled.mean()
    return float(np.mean(centred**3) / max(float(np.mean(centred**2)) ** 1.5, np.finfo(float).tiny))
