"""BIC with Gaussian-process regression: RBF kernel, unit amplitude, median distance as length scale, noise 1e-10.

One factorisation per parent set serves all targets: with (K + a I) alpha = y the in-sample residual is exactly
a * alpha. The matrix is so close to singular that rounding shows in the fourth digit of the residuals, so the
arithmetic is the same whoever asks: all targets at once, one BLAS thread, whatever ``n_jobs`` is.
"""

from __future__ import annotations

import math
from queue import SimpleQueue
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch import memory
from dagsearch.data import Dataset
from dagsearch.errors import DagsearchError
from dagsearch.kernels.lapack import connect, factorise, invert_factor, solve_factorised
from dagsearch.kernels.rbf import collect_between, mean_distance, pivoted_cholesky, squared_distances, to_kernel
from dagsearch.scores.fitpool import Key
from dagsearch.scores.fitted import FittedScore

NOISE = 1e-10
ADDED_TO_RSS = 1.0  # as in the paper's runs
_N_SAMPLED_PAIRS = 4096
_FEW_PARENTS = 2
_LEFT_OUT = 1e-14  # far below the noise, so that a low-rank factor is as exact as the full one
_BYTES_PER_PAIR = 8 * (1 + 1 / 16 + 1 / 8)  # of rows: what a `_Workspace` has
_RANK_SHARE = 8  # a rank above n / 8 is no longer quicker


class _Workspace:
    """The memory of one factorisation, reused from one parent set to the next."""

    def __init__(self, n_nodes: int, n_samples: int) -> None:
        self.lapack = connect()
        self.weights = np.empty((n_nodes, n_samples))
        self.matrix = np.empty((n_samples, n_samples))
        self.found = np.empty(max(n_samples * (n_samples - 1) // 16, n_samples, 64))
        self.low_rank = np.empty((n_samples // _RANK_SHARE, n_samples))


class MedianDistance:
    """Median of all pairwise Euclidean distances, exactly, with few values sorted.

    The median of a fixed sample of pairs brackets the true one; the values inside the bracket are then selected from.

    Parameters
    ----------
    n_samples
        Number of points.
    """

    def __init__(self, n_samples: int) -> None:
        self.n_pairs = n_samples * (n_samples - 1) // 2
        rng = np.random.default_rng(0)
        i, j = rng.integers(0, n_samples, (2, _N_SAMPLED_PAIRS))
        self._i, self._j = np.minimum(i, j)[i != j], np.maximum(i, j)[i != j]

    def __call__(self, squared: NDArray[np.float64], found: NDArray[np.float64]) -> float:
        """Median given squared distances above the diagonal; ``found`` is scratch."""
        sample = np.sort(squared[self._i, self._j])
        ranks = ((self.n_pairs - 1) // 2, self.n_pairs // 2)
        for margin in (0.02, 0.06):
            low = sample[int((0.5 - margin) * len(sample))]
            high = sample[min(int((0.5 + margin) * len(sample)) + 1, len(sample) - 1)]
            n_below, n_in = collect_between(squared, low, high, found)
            if n_below <= ranks[0] and ranks[1] < n_below + n_in and n_in <= len(found):
                middle = np.partition(found[:n_in], [rank - n_below for rank in ranks])
                return float(np.sqrt(middle[[rank - n_below for rank in ranks]]).mean())
        above = np.triu_indices(len(squared), 1)
        return float(np.median(np.sqrt(squared[above])))


class GPScore(FittedScore):
    """BIC of Gaussian-process regressions, with the paper's +1.0 in residual sums; parameters as of `FittedScore`."""

    name: ClassVar[str] = "bic-gp"
    fits_all_nodes: ClassVar[bool] = True
    least_rss: ClassVar[float] = ADDED_TO_RSS
    no_probability: ClassVar[str] = (
        "its curves pass almost through the points, so that its residuals measure no likelihood, and its penalty "
        "counts edges rather than what was fitted"
    )

    def __init__(
        self,
        data: Dataset,
        variances: str = "different",
        penalty: str = "edges",
        n_jobs: int = 1,
        min_effect: float = 0.0,
    ) -> None:
        n_rows = data.n_samples
        memory.require(
            _BYTES_PER_PAIR * n_rows**2,
            f"bic-gp on {n_rows:,} rows",
            "use fewer rows, or another score, such as evidence or bic-gam",
        )
        self._columns = np.ascontiguousarray(data.standardised().T)
        self._median_distance = MedianDistance(data.n_samples)
        super().__init__(data, variances, penalty, n_jobs, min_effect)

    def _start_workers(self, known: dict[Key, NDArray[np.float64]]) -> None:
        self._workspaces: SimpleQueue[_Workspace] = SimpleQueue()
        super()._start_workers(known)

    def _residual_sum(self, fit: NDArray[np.float64], node: int) -> float:
        return float(fit[node])

    def _fit(self, key: Key) -> NDArray[np.float64]:
        """Residual sums (+1.0) of all nodes on one parent set, then the effective number of parameters."""
        if not key:
            return np.append(np.square(self._columns).sum(axis=1) + ADDED_TO_RSS, 0.0)
        workspace = self._borrow()
        try:
            return self._fit_members(self._columns[list(key)], workspace)
        finally:
            self._workspaces.put(workspace)

    def _borrow(self) -> _Workspace:
        if self._workspaces.empty():
            return _Workspace(*self._columns.shape)
        return self._workspaces.get()

    def _fit_members(self, columns: NDArray[np.float64], workspace: _Workspace) -> NDArray[np.float64]:
        """Fit a parent set that is not empty, the quicker way if there are two."""
        squared_distances(columns, workspace.matrix)
        # A column that holds mostly one value has a median distance of zero: the mean distance stands in for it.
        length = self._median_distance(workspace.matrix, workspace.found) or mean_distance(workspace.matrix)
        scale = 0.5 / length**2
        if len(columns) <= _FEW_PARENTS:
            fit = self._fit_low_rank(columns, scale, workspace)
            if fit is not None:
                return fit
        return self._fit_dense(scale, workspace)

    def _fit_low_rank(
        self, columns: NDArray[np.float64], scale: float, workspace: _Workspace
    ) -> NDArray[np.float64] | None:
        """By a factor of low rank, which a smooth kernel of one or two variables has; None if the rank is not low.

        With K = B'B the residual is that of the ridge regression of y on B, solved by orthogonal factors since B'B
        itself would be singular to working precision.
        """
        rank = pivoted_cholesky(columns, scale, _LEFT_OUT, workspace.found[: columns.shape[1]], workspace.low_rank)
        if rank < 0:
            return None
        augmented = np.concatenate([workspace.low_rank[:rank], math.sqrt(NOISE) * np.eye(rank)], axis=1).T
        basis = np.linalg.qr(augmented)[0][: columns.shape[1]]
        residuals = self._columns - (self._columns @ basis) @ basis.T
        rss = np.einsum("kn,kn->k", residuals, residuals) + ADDED_TO_RSS
        return np.append(rss, np.square(basis).sum())

    def _fit_dense(self, scale: float, workspace: _Workspace) -> NDArray[np.float64]:
        """By Cholesky factorisation of the full kernel matrix; squared distances are in the workspace."""
        matrix = workspace.matrix
        to_kernel(matrix, scale, NOISE)
        if not factorise(workspace.lapack, matrix):
            raise DagsearchError("a Gaussian-process kernel matrix is not positive definite")
        weights = workspace.weights
        weights[:] = self._columns
        solve_factorised(workspace.lapack, matrix, weights)
        rss = NOISE**2 * np.einsum("kn,kn->k", weights, weights) + ADDED_TO_RSS
        return np.append(rss, self._effective_parameters(workspace))

    def _effective_parameters(self, workspace: _Workspace) -> float:
        """Trace of the smoother, n - a tr((K + a I)^-1), if the penalty asks for it; the factor is overwritten."""
        if not self.family.penalise_parameters:
            return math.nan
        factor = workspace.matrix
        invert_factor(workspace.lapack, factor)
        return len(factor) - NOISE * sum(float(row[i:] @ row[i:]) for i, row in enumerate(factor))

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        del state["_workspaces"]
        return state
