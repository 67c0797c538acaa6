"""BIC of regressions that are expensive to fit: each is fitted once, some before they are asked for, on all threads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch.blas import one_blas_thread
from dagsearch.data import Dataset
from dagsearch.graph.bitset import Rows, members_of_each
from dagsearch.kernels.local import regression_terms_of
from dagsearch.scores.base import Score, empty_family
from dagsearch.scores.fitpool import FitPool, Key
from dagsearch.scores.regression import bic_settings


class FittedScore(Score):
    """Base of scores whose regressions are fitted by Python code that releases the GIL.

    Parameters
    ----------
    data
        Table of continuous columns.
    variances
        ``"different"`` (F_HV) or ``"equal"`` (F_EV).
    penalty
        ``"edges"``, the paper's, or ``"parameters"``: the effective degrees of freedom of the fit.
    n_jobs
        Fits at a time; during a search the spare threads fit what is likely to be asked for next.
    """

    fits_all_nodes: ClassVar[bool]
    """Whether one fit serves all nodes with the same parents."""
    least_rss: ClassVar[float] = 0.0
    """No fit has a smaller residual sum of squares."""
    affordable: ClassVar[int] = 30_000

    def __init__(self, data: Dataset, variances: str = "different", penalty: str = "edges", n_jobs: int = 1) -> None:
        settings = bic_settings(data.n_samples, data.n_nodes, variances, penalty)
        super().__init__(data.n_nodes, empty_family(data.n_nodes, **settings))
        self.n_jobs = n_jobs
        self._start_workers({})

    @abstractmethod
    def _fit(self, key: Key) -> NDArray[np.float64]:
        """Fit one regression: the parents, after the node unless a fit serves all nodes."""

    @abstractmethod
    def _residual_sum(self, fit: NDArray[np.float64], node: int) -> float:
        """Residual sum of squares of ``node`` in a fit; the last entry of a fit is its number of parameters."""

    def _start_workers(self, known: dict[Key, NDArray[np.float64]]) -> None:
        self._fits = FitPool(self._fit, self.n_jobs, self.fits_all_nodes)
        self._fits.known.update(known)

    @property
    def n_fits(self) -> int:
        """Number of regressions fitted so far, those fitted ahead included."""
        return len(self._fits.known)

    def known_fits(self) -> Mapping[Key, NDArray[np.float64]]:
        """Regressions fitted so far, in that order; another score of the kind on the same table may learn them."""
        return self._fits.known

    def learn_fits(self, fits: Mapping[Key, NDArray[np.float64]]) -> None:
        """Take over regressions that the same kind of score has fitted on the same table."""
        with self.cache.lock:
            for key, fit in fits.items():
                self._fits.known.setdefault(key, fit)

    @contextmanager
    def session(self) -> Iterator[None]:
        """One BLAS thread per fit, and spare threads that fit ahead, while the context is open."""
        with one_blas_thread(), self._fits.working_ahead():
            yield

    def anticipate(self, node: int, parents: tuple[int, ...], candidates: list[int]) -> None:
        """Expect to be asked for ``parents`` of ``node`` with some of the candidates added."""
        self._fits.anticipate(node, parents, candidates, self.max_parents)

    def best_values(self) -> NDArray[np.float64]:
        """Values of a perfect fit: more parents need not fit better."""
        return np.full(self.n_nodes, regression_terms_of(self.family, self.least_rss, 0, 0.0)[0])

    def rss(self, node: int, parents: Iterable[int]) -> float:
        """Residual sum of squares of the standardised ``node`` on its parents (indices)."""
        given = list(parents)
        self._check_family(node, given)
        key = self._fits.key(int(node), tuple(sorted(int(p) for p in given)))
        with self.cache.lock:
            return self._residual_sum(self._fitted([key])[0], node)

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Terms (value, penalty), (n, 2), of each (node, parent set); all are fitted first."""
        sets = members_of_each(rows, len(nodes))
        terms = np.empty((len(nodes), 2))
        fits = self._fitted([self._fits.key(node, members) for node, members in zip(nodes.tolist(), sets, strict=True)])
        for k, (node, fit) in enumerate(zip(nodes.tolist(), fits, strict=True)):
            terms[k] = regression_terms_of(self.family, self._residual_sum(fit, node), len(sets[k]), fit[-1])
        return terms

    def _fitted(self, keys: list[Key]) -> list[NDArray[np.float64]]:
        """The fits of all keys, on one BLAS thread: more would change their rounding."""
        with one_blas_thread():
            return self._fits.get(keys)

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key != "_fits"}
        return {**kept, "known": dict(self._fits.known)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        known = state.pop("known")
        self.__dict__.update(state)
        self._start_workers(known)
