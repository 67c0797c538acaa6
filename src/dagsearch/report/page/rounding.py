"""Numbers of pictures: as short as they may be, and as fine as eyes can tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.report.page.markup import Exact

_STEPS = 3  # powers of ten between the smallest difference that is kept and the range of most values
_MOST_DIGITS = 17


def as_drawn(record: Mapping[str, Any], *axes: tuple[str, ...]) -> dict[str, Any]:
    """The same record with shorter numbers; years and times that differ by little still differ.

    Parameters
    ----------
    record
        Values by name: numbers, and lists of numbers and None.
    axes
        Names of the values that are drawn along one axis; None of them need be in the record.
    """
    short = dict(record)
    for axis in axes:
        drawn = {name: np.asarray(record[name], dtype=np.float64) for name in axis if record.get(name) is not None}
        step = _smallest_power([values.ravel() for values in drawn.values()])
        if step is not None:
            short |= {name: _rounded(values.tolist(), step) for name, values in drawn.items()}
    return short


def _smallest_power(drawn: list[NDArray[np.float64]]) -> int | None:
    """The power of ten of the last digit that is kept; None where nothing differs."""
    values = np.concatenate([*drawn, np.empty(0)])
    values = values[np.isfinite(values)]
    if not values.size:
        return None
    quarters = values / 4  # whose differences are finite
    low, high = np.quantile(quarters, [0.05, 0.95])
    # Of most values, or else of all: a few far out would hide what the others do.
    span = float(high - low) or float(quarters.max() - quarters.min())
    return None if span <= 0.0 else math.floor(math.log10(span) + math.log10(4)) - _STEPS


def _rounded(value: Any, step: int) -> Any:
    if isinstance(value, list):
        return [_rounded(each, step) for each in value]
    if not math.isfinite(value) or value == 0.0:
        return value
    digits = min(max(math.floor(math.log10(abs(value))) - step + 1, 1), _MOST_DIGITS)
    rounded = float(f"{value:.{digits}g}")
    return Exact(rounded if math.isfinite(rounded) else value)
