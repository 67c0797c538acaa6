"""Least squares, and which functions of the coefficients the data determine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Eigenvalues of correlations below it are not known well, but for those of the columns themselves.
_UNSURE = 1e-6
# Singular values of columns of length 1 below it count as zero: what rounding leaves of them.
_DEPENDENT = 1e-13
_CONSTANT = 1e-24  # variance of a column, as a share of its variance in all rows
_LEANS = 1e-5  # on what is not determined, as a share of a function's size


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients of least squares.

    Attributes
    ----------
    coefficients
        (n_columns, n_targets); the shortest ones where the data do not determine them.
    undetermined
        (n_columns, k) a basis of the directions in which coefficients can be changed without changing the fit.
    scale
        (n_columns,) standard deviations of the columns; those that are constant have 0.
    inverse
        (n_columns, n_columns) of the covariance of the columns, without what is not determined: times the variance of
        the residuals and divided by the number of rows, it is the covariance of the coefficients.
    """

    coefficients: Floats
    undetermined: Floats
    scale: Floats
    inverse: Floats

    @property
    def rank(self) -> int:
        """How many coefficients the data determine."""
        n_varying = int(np.count_nonzero(self.scale))
        return n_varying - int(self.undetermined.shape[1])

    def value(self, function: Floats) -> Floats | None:
        """A function of the coefficients, (n_columns,), for each target; None if the data do not determine it."""
        varies = self.scale > 0.0
        if (function[~varies] != 0.0).any():
            return None
        scaled = np.divide(function, self.scale, out=np.zeros_like(function), where=varies)
        leaning = float(np.linalg.norm(scaled @ self.undetermined))
        return None if leaning > _LEANS * float(np.linalg.norm(scaled)) else np.asarray(function @ self.coefficients)


class Regression:
    """Targets, (n_samples, n_targets), on columns, (n_samples, n_columns), and an intercept, for any weights of rows.

    All values must be of moderate size.
    """

    def __init__(self, columns: Floats, targets: Floats) -> None:
        self.n_samples, self.n_columns = columns.shape
        together = np.hstack([columns, targets])
        centred = together - together.mean(axis=0)
        self._table = np.hstack([np.ones((len(columns), 1)), centred])
        self._least = _CONSTANT * np.abs(together).max(axis=0, initial=0.0) ** 2

    def solve(self, weights: Floats | None = None) -> Solution:
        """Fit by least squares; `weights`, (n_samples,), say how often each row counts, once by default."""
        covariance = self._own_covariance if weights is None else self._covariance(weights)
        return self._solved(covariance, np.arange(self.n_columns), weights)

    def unexplained(self, columns: NDArray[np.intp]) -> float:
        """What some of the columns leave of the variance of the targets, summed over these."""
        covariance, p = self._own_covariance, self.n_columns
        fitted = self._solved(covariance, columns, None).coefficients * covariance[:p, p:]
        return float(max(np.trace(covariance[p:, p:]) - fitted.sum(), 0.0))

    @cached_property
    def _own_covariance(self) -> Floats:
        return self._covariance(None)

    def _covariance(self, weights: Floats | None) -> Floats:
        """Of columns and targets, (n_columns + n_targets, n_columns + n_targets)."""
        weighted = self._table if weights is None else self._table * weights[:, None]
        products = weighted.T @ self._table / (self.n_samples if weights is None else weights.sum())
        means = products[0, 1:]
        return np.asarray(products[1:, 1:] - np.outer(means, means))

    def _solved(self, covariance: Floats, columns: NDArray[np.intp], weights: Floats | None) -> Solution:
        """Least squares by some of the columns; the others have the coefficient 0."""
        p = self.n_columns
        variances = np.zeros(p)
        variances[columns] = np.diag(covariance)[columns]
        scale = np.sqrt(np.where(variances > self._least[:p], variances, 0.0))
        used = np.flatnonzero(scale)
        correlations = covariance[np.ix_(used, used)] / np.outer(scale[used], scale[used])
        sizes, directions = np.linalg.eigh(correlations)
        if len(used) and sizes[0] <= _UNSURE:
            sizes, directions, explained = self._decomposed(used, scale, weights)
        else:
            explained = directions.T @ (covariance[used, p:] / scale[used, None])
        free = sizes <= _DEPENDENT**2
        kept = directions[:, ~free]
        coefficients, undetermined = np.zeros((p, covariance.shape[1] - p)), np.zeros((p, int(free.sum())))
        coefficients[used] = kept @ (explained[~free] / sizes[~free, None]) / scale[used, None]
        undetermined[used] = directions[:, free]
        inverse, half = np.zeros((p, p)), kept / np.sqrt(sizes[~free]) / scale[used, None]
        inverse[np.ix_(used, used)] = half @ half.T
        return Solution(coefficients, undetermined, scale, inverse)

    def _decomposed(
        self, used: NDArray[np.intp], scale: Floats, weights: Floats | None
    ) -> tuple[Floats, Floats, Floats]:
        """Eigenvalues and eigenvectors of correlations, and what these have in common with the targets.

        From the columns: of small eigenvalues, their products have lost the square root that columns still have.
        """
        shares = np.full(self.n_samples, 1.0 / self.n_samples) if weights is None else weights / weights.sum()
        centred = (self._table[:, 1:] - shares @ self._table[:, 1:]) * np.sqrt(shares)[:, None]
        # Rows of zeros change nothing, and let there be as many directions as columns.
        whole = np.vstack([centred, np.zeros((max(len(used) - self.n_samples, 0), centred.shape[1]))])
        left, lengths, right = np.linalg.svd(whole[:, used] / scale[used], full_matrices=False)
        return np.square(lengths), right.T, lengths[:, None] * (left.T @ whole[:, self.n_columns :])
