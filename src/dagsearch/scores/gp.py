"""BIC with Gaussian-process regression: RBF kernel, unit amplitude, median distance as length scale, noise 1e-10.

One factorisation per parent set serves all targets: with (K + a I) alpha = y the in-sample residual is exactly
a * alpha. The matrix is so close to singular that rounding shows in the fourth digit of the residuals, so the
arithmetic is the same whoever asks: all targets at once, one BLAS thread, whatever ``n_jobs`` is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from dagsearch.data import Dataset
from dagsearch.errors import DagsearchError
from dagsearch.graph.bitset import Rows, members_of_each
from dagsearch.kernels.local import regression_terms_of
from dagsearch.kernels.rbf import collect_between, mean_distance, pivoted_cholesky, squared_distances, to_kernel
from dagsearch.scores import lapack
from dagsearch.scores.base import Score, empty_family
from dagsearch.scores.fitpool import FitPool
from dagsearch.scores.regression import bic_settings

NOISE = 1e-10
ADDED_TO_RSS = 1.0  # as in the paper's runs
_N_SAMPLED_PAIRS = 4096
_FEW_PARENTS = 2
_LEFT_OUT = 1e-14  # far below the noise, so that a low-rank factor is as exact as the full one
_RANK_SHARE = 8  # a rank above n / 8 is no longer quicker


class _Workspace:
    """The memory of one factorisation, reused from one parent set to the next."""

    def __init__(self, n_nodes: int, n_samples: int) -> None:
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


class GPScore(Score):
    """BIC of Gaussian-process regressions.

    Parameters
    ----------
    data
        Table of continuous columns.
    variances
        ``"different"`` (F_HV) or ``"equal"`` (F_EV).
    penalty
        ``"edges"``, the paper's, or ``"parameters"``: the effective degrees of freedom of the fit.
    n_jobs
        Parent sets factorised at a time; during a search the spare threads fit those likely to be asked for next.
    """

    name: ClassVar[str] = "bic-gp"

    def __init__(self, data: Dataset, variances: str = "different", penalty: str = "edges", n_jobs: int = 1) -> None:
        settings = bic_settings(data.n_samples, data.n_nodes, variances, penalty)
        super().__init__(data.n_nodes, empty_family(data.n_nodes, **settings))
        self.n_jobs = n_jobs
        self._columns = np.ascontiguousarray(data.standardised().T)
        self._median_distance = MedianDistance(data.n_samples)
        self._start_workers()

    def _start_workers(self, known: dict[tuple[int, ...], NDArray[np.float64]] | None = None) -> None:
        self._workspaces: SimpleQueue[_Workspace] = SimpleQueue()
        self._blas = ThreadpoolController()
        self._fits = FitPool(self._fit, self.n_jobs)
        self._fits.known.update(known or {})

    @property
    def n_factorisations(self) -> int:
        """Number of parent sets fitted so far, those fitted ahead included."""
        return len(self._fits.known)

    @contextmanager
    def session(self) -> Iterator[None]:
        """One BLAS thread per fit, and spare threads that fit ahead, while the context is open."""
        with self._blas.limit(limits=1, user_api="blas"), self._fits.working_ahead():
            yield

    def anticipate(self, node: int, parents: tuple[int, ...], candidates: list[int]) -> None:
        """Expect to be asked for ``parents`` of ``node`` with some of the candidates added."""
        self._fits.anticipate(node, parents, candidates)

    def rss(self, node: int, parents: Iterable[int]) -> float:
        """Residual sum of squares of ``node`` on its parents (indices), with the paper's +1.0."""
        given = list(parents)
        self._check_family(node, given)
        members = tuple(sorted(int(p) for p in given))
        with self.cache.lock, self._blas.limit(limits=1, user_api="blas"):
            return float(self._fits.get([members])[0][node])

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Terms (value, penalty), (n, 2), of each (node, parent set); all sets are fitted first."""
        sets = members_of_each(rows, len(nodes))
        terms = np.empty((len(nodes), 2))
        for k, (node, fit) in enumerate(zip(nodes.tolist(), self._fits.get(sets), strict=True)):
            terms[k] = regression_terms_of(self.family, fit[node], len(sets[k]), fit[-1])
        return terms

    def _fit(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        """Residual sums (+1.0) of all nodes on one parent set, then the effective number of parameters."""
        if not members:
            return np.append(np.square(self._columns).sum(axis=1) + ADDED_TO_RSS, 0.0)
        workspace = self._borrow()
        try:
            return self._fit_members(self._columns[list(members)], workspace)
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
        if not lapack.factorise(matrix):
            raise DagsearchError("a Gaussian-process kernel matrix is not positive definite")
        weights = workspace.weights
        weights[:] = self._columns
        lapack.solve(matrix, weights)
        rss = NOISE**2 * np.einsum("kn,kn->k", weights, weights) + ADDED_TO_RSS
        return np.append(rss, self._effective_parameters(matrix))

    def _effective_parameters(self, factor: NDArray[np.float64]) -> float:
        """Trace of the smoother, n - a tr((K + a I)^-1), if the penalty asks for it; ``factor`` is overwritten."""
        if not self.family.penalise_parameters:
            return math.nan
        lapack.invert_factor(factor)
        return len(factor) - NOISE * sum(float(row[i:] @ row[i:]) for i, row in enumerate(factor))

    def __getstate__(self) -> dict[str, Any]:
        dropped = ("_workspaces", "_blas", "_fits")
        kept = {key: value for key, value in self.__dict__.items() if key not in dropped}
        return {**kept, "known": dict(self._fits.known)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        known = state.pop("known")
        self.__dict__.update(state)
        self._start_workers(known)
