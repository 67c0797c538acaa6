"""What several findings about pairs and groups of columns need: correlations, and exact linear relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch.auditing.columns import RawColumn

#: Residuals of an exact relation, as a share of the range: numbers are often written with seven digits.
ROUNDING = 1e-6

_TINY = float(np.finfo(float).tiny)


class Line(NamedTuple):
    """A column as a linear function of others."""

    intercept: float
    slopes: NDArray[np.float64]
    largest_residual: float


def scaled(columns: Sequence[RawColumn], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Some rows of columns with mean 0 and variance 1, (n_rows, n_columns); nothing stays NaN, constants become 0."""
    values = np.stack([column.values[rows] for column in columns], axis=1)
    largest = np.nanmax(np.abs(values), axis=0, initial=0.0)
    values = values / np.where(largest > 0.0, largest, 1.0)
    n_seen = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    centred = values - np.nansum(values, axis=0) / n_seen
    spread = np.sqrt(np.nansum(np.square(centred), axis=0) / n_seen)
    scaled_values: NDArray[np.float64] = centred / np.where(spread > 0.0, spread, 1.0)
    return scaled_values


def pairwise_correlations(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations of scaled columns, (n_columns, n_columns), each on the rows that hold both; 0 without any."""
    seen = (~np.isnan(values)).astype(np.float64)
    filled = np.nan_to_num(values)
    counts = np.maximum(seen.T @ seen, 1.0)
    means = filled.T @ seen / counts  # [i, j]: of column i where j is seen
    variances = np.square(filled).T @ seen / counts - np.square(means)
    covariances = filled.T @ filled / counts - means * means.T
    scale = np.sqrt(np.maximum(variances * variances.T, 0.0))
    return np.divide(covariances, scale, out=np.zeros_like(scale), where=scale > 1e-12)


def line_through(target: RawColumn, causes: Sequence[RawColumn]) -> Line | None:
    """The least-squares line on all rows that hold everything; None with too few of them."""
    together = target.seen & np.logical_and.reduce([column.seen for column in causes])
    if together.sum() < 3 * (len(causes) + 1):
        return None
    size = max(float(np.abs(target.values[together]).max()), _TINY)
    y = target.values[together] / size
    x = np.stack([column.values[together] for column in causes], axis=1)
    sizes = np.maximum(np.abs(x).max(axis=0), _TINY)
    x = x / sizes
    # Centred and scaled, so that large numbers such as years cost no digits, and huge ones do not overflow.
    spread = np.where(np.ptp(x, axis=0) > 0.0, np.ptp(x, axis=0), 1.0)
    centred = (x - x.mean(axis=0)) / spread
    coefficients, *_ = np.linalg.lstsq(centred, y - y.mean(), rcond=None)
    residuals = y - y.mean() - centred @ coefficients
    slopes = coefficients / spread
    largest = float(np.abs(residuals).max() / max(float(np.ptp(y)), _TINY))
    intercept = float((y.mean() - x.mean(axis=0) @ slopes) * size)
    return Line(intercept, slopes * (size / sizes), largest)


def tidy(value: float) -> float:
    """A number without what rounding left: 2.54, not 2.5400000003."""
    return float(f"{value:.6g}")
