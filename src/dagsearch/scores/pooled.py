"""Scores that are expensive to fit: each fit is made once, some before they are asked for, on all threads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch._twins import Twins
from dagsearch.blas import one_blas_thread
from dagsearch.graph.bitset import Rows, members_of_each
from dagsearch.kernels.local import Family
from dagsearch.scores.base import Score
from dagsearch.scores.fitpool import FitPool, Key


class PooledScore(Score):
    """Base of scores whose fits are made by Python code that releases the GIL.

    Parameters
    ----------
    n_nodes
        Number of variables.
    family
        How local terms become rewards.
    n_jobs
        Fits at a time; during a search the spare threads fit what is likely to be asked for next.
    twins
        Columns that are the same up to their units: a parent that is needless beside a twin is left out of fits.
    """

    fits_all_nodes: ClassVar[bool]
    """Whether one fit serves all nodes with the same parents."""
    is_fitted: ClassVar[bool] = True
    affordable: ClassVar[int] = 30_000

    def __init__(self, n_nodes: int, family: Family, n_jobs: int, twins: Twins) -> None:
        super().__init__(n_nodes, family)
        self.n_jobs = n_jobs
        self._twins = twins
        self._start_workers({})

    @abstractmethod
    def _fit(self, key: Key) -> NDArray[np.float64]:
        """Fit one set of parents, which comes after the node unless a fit serves all nodes."""

    @abstractmethod
    def _terms_of(self, fit: NDArray[np.float64], node: int, n_parents: int, n_needless: int) -> tuple[float, float]:
        """Value and penalty of a node by its fit, which leaves out the needless ones of its parents."""

    def _start_workers(self, known: dict[Key, NDArray[np.float64]]) -> None:
        self._fits = FitPool(self._fit, self.n_jobs, self.fits_all_nodes, self._twins.needed)
        self._fits.known.update(known)

    @property
    def n_fits(self) -> int:
        """Number of fits made so far, those made ahead included."""
        return len(self._fits.known)

    def known_fits(self) -> Mapping[Key, NDArray[np.float64]]:
        """Fits made so far, in that order; another score of the kind on the same table may learn them."""
        return self._fits.known

    def learn_fits(self, fits: Mapping[Key, NDArray[np.float64]]) -> None:
        """Take over fits that the same kind of score has made on the same table."""
        with self.cache.lock:
            for key, fit in fits.items():
                self._fits.known.setdefault(key, fit)

    def memory(self) -> dict[str, NDArray[Any]]:
        """Local scores, and all fits, those made ahead included."""
        return {**super().memory(), **_arrays_of(dict(self._fits.known))}

    def recall(self, memory: dict[str, NDArray[Any]]) -> None:
        """Learn local scores and fits."""
        super().recall(memory)
        self.learn_fits(_fits_of(memory))

    @contextmanager
    def session(self) -> Iterator[None]:
        """One BLAS thread per fit, and spare threads that fit ahead, while the context is open."""
        with one_blas_thread(), self._fits.working_ahead():
            yield

    def anticipate(self, node: int, parents: tuple[int, ...], candidates: list[int]) -> None:
        """Expect to be asked for ``parents`` of ``node`` with some of the candidates added."""
        self._fits.anticipate(node, parents, candidates, self.max_parents)

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Terms (value, penalty), (n, 2), of each (node, parent set); all are fitted first."""
        sets = members_of_each(rows, len(nodes))
        asked = list(zip(nodes.tolist(), sets, strict=True))
        fits = self._fitted([self._key(node, members) for node, members in asked])
        terms = np.empty((len(nodes), 2))
        for k, (node, members) in enumerate(asked):
            n_needless = len(members) - len(self._twins.needed(node, members))
            terms[k] = self._terms_of(fits[k], node, len(members), n_needless)
        return terms

    def _key(self, node: int, parents: Key) -> Key:
        """The key of the fit that has a node and its parents, which are in ascending order."""
        return self._fits.key(node, parents)

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


def _arrays_of(fits: dict[Key, NDArray[np.float64]]) -> dict[str, NDArray[Any]]:
    """Fits and their keys, one after the other."""
    return {
        "key_lengths": np.array([len(key) for key in fits], dtype=np.int64),
        "keys": np.array([member for key in fits for member in key], dtype=np.int64),
        "fit_lengths": np.array([len(fit) for fit in fits.values()], dtype=np.int64),
        "fits": np.concatenate([np.zeros(0), *fits.values()]),
    }


def _fits_of(arrays: dict[str, NDArray[Any]]) -> dict[Key, NDArray[np.float64]]:
    keys = np.split(arrays["keys"], np.cumsum(arrays["key_lengths"])[:-1])
    fits = np.split(arrays["fits"], np.cumsum(arrays["fit_lengths"])[:-1])
    if len(arrays["key_lengths"]) == 0:
        return {}
    return {tuple(key.tolist()): fit for key, fit in zip(keys, fits, strict=True)}
