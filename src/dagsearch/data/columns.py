"""What single columns are like: their scale, their levels, and bins of them; missing cells are NaN."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns, (n_samples, n_columns), with mean 0 and standard deviation 1; constant ones become zeros."""
    # Scaling by a power of two is exact, and squares of the result neither overflow nor vanish.
    _, exponents = np.frexp(np.abs(values).max(axis=0, initial=0.0))
    scaled = np.ldexp(values, -exponents)
    spread = np.where(constant_columns(values), 1.0, scaled.std(axis=0))
    centred: NDArray[np.float64] = np.where(constant_columns(values), 0.0, scaled - scaled.mean(axis=0)) / spread
    return centred


def equal_frequency_bins(values: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Give every value the bin in which the middle of its ranks falls, so that ties stay together."""
    _, level, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle_ranks = np.cumsum(counts) - counts / 2
    bins = np.floor(middle_ranks * n_bins / len(values))
    _, dense_bins = np.unique(bins, return_inverse=True)
    return np.asarray(dense_bins[level], dtype=np.float64)


def n_different(column: NDArray[np.float64]) -> int:
    """Number of different values; missing cells are none."""
    return len(np.unique(column[~np.isnan(column)]))


def constant_columns(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which columns, (n_samples, n_columns), hold one value only, missing cells apart."""
    first = np.take_along_axis(values, np.isnan(values).argmin(axis=0)[None], axis=0)  # of the values that were seen
    constant: NDArray[np.bool_] = ((values == first) | np.isnan(values)).all(axis=0)
    return constant
