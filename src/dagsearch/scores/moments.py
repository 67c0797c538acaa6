"""Correlations of a table with missing cells: one matrix for all local scores, as on a complete table.

They are those of the multivariate normal distribution under which what was seen is most likely, found by expectation
maximisation (Dempster, Laird and Rubin 1977). Whether cells are missing may depend on what was seen in the same row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import DataError

MOST_COLUMNS = 100
"""Beyond it the correlations are those of pairs of columns, on the rows in which both were seen."""

_MOST_ROUNDS = 200
_TOLERANCE = 1e-4  # of a correlation, between two rounds
_LEAST_EIGENVALUE = 1e-3  # of correlations from pairs, which need not be those of any table

Matrix = NDArray[np.float64]


class Moments(NamedTuple):
    """Correlations, and how many complete rows would tell about as much."""

    correlations: Matrix  # (n_nodes, n_nodes)
    n_rows: float


def moments(values: Matrix, names: tuple[str, ...]) -> Moments:
    """Correlations of columns, (n_samples, n_nodes), of which some cells are NaN.

    Raises
    ------
    DataError
        If a column is constant where it was seen.
    """
    seen = ~np.isnan(values)
    mean, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    for j in np.flatnonzero(spread == 0.0):
        raise DataError(f"column {names[j]!r} is constant, a continuous score needs variation; drop it")
    x = (values - mean) / spread
    together = seen.T.astype(float) @ seen
    pairs = ~np.eye(len(together), dtype=bool)
    found = _of_pairs(np.where(seen, x, 0.0), seen)
    if len(found) <= MOST_COLUMNS:
        found = _most_likely(x, seen, found)
    return Moments(found, float(together[pairs].mean()))


def _of_pairs(filled: Matrix, seen: NDArray[np.bool_]) -> Matrix:
    """Correlations of each pair on its own rows, changed by as little as makes them those of some table."""
    weight = seen.astype(float)
    n = np.maximum(weight.T @ weight, 1.0)
    sums, squares = filled.T @ weight, np.square(filled).T @ weight
    variances = np.maximum(squares / n - np.square(sums / n), 1e-12)
    found = (filled.T @ filled / n - sums * sums.T / n**2) / np.sqrt(variances * variances.T)
    values, vectors = np.linalg.eigh(found)
    return _scaled((vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T)


def _most_likely(x: Matrix, seen: NDArray[np.bool_], start: Matrix) -> Matrix:
    """The most likely correlations, from a first guess."""
    patterns, pattern_of = np.unique(seen, axis=0, return_inverse=True)
    rows_of = [np.flatnonzero(pattern_of.ravel() == k) for k in range(len(patterns))]
    mean, covariance = np.zeros(x.shape[1]), start
    for _ in range(_MOST_ROUNDS):
        before = _scaled(covariance)
        mean, covariance = _round(x, patterns, rows_of, mean, covariance)
        if np.abs(_scaled(covariance) - before).max() < _TOLERANCE:
            break
    return _scaled(covariance)


def _round(
    x: Matrix, patterns: NDArray[np.bool_], rows_of: list[NDArray[np.intp]], mean: Matrix, covariance: Matrix
) -> tuple[Matrix, Matrix]:
    """Expected moments of the whole table, given what was seen and the moments of the round before."""
    filled, unsure = x.copy(), np.zeros_like(covariance)
    for seen, rows in zip(patterns, rows_of, strict=True):
        gone = ~seen
        if not gone.any():
            continue
        slopes = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[np.ix_(seen, gone)])
        filled[np.ix_(rows, gone)] = mean[gone] + (x[np.ix_(rows, seen)] - mean[seen]) @ slopes
        left = covariance[np.ix_(gone, gone)] - covariance[np.ix_(gone, seen)] @ slopes
        unsure[np.ix_(gone, gone)] += len(rows) * left
    mean = filled.mean(axis=0)
    centred = filled - mean
    return mean, (centred.T @ centred + unsure) / len(x)


def _scaled(covariance: Matrix) -> Matrix:
    scale = np.sqrt(np.diag(covariance))
    scaled: Matrix = covariance / np.outer(scale, scale)
    return scaled
