"""One replicate of a bootstrap: rows are drawn, a method is fitted, and its graph is a line of a file.

This is what engines call, in whatever process. What a replicate draws depends on the seed and its number alone.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal, Self

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dagsearch._version import __version__
from dagsearch.confidence.frequencies import FoundGraph, graph_of
from dagsearch.data import Dataset
from dagsearch.parameters import CommonParameters
from dagsearch.search.protocol import INTERRUPTED

How = Literal["rows", "subsample"]

MOST_REDRAWS = 3
"""A replicate that the method refuses is drawn anew at most so many times."""

_SETTINGS_WITHOUT_EFFECT = ("random_state", "n_jobs", "progress", "confidence", "n_replicates", "trace", "checkpoint")


@dataclass(frozen=True)
class Replicate:
    """A task: the number of the replicate, and what tells it from those of other bootstraps."""

    number: int
    key: str


@dataclass(frozen=True)
class Finding:
    """What came of a replicate.

    Attributes
    ----------
    task
        The replicate.
    graph
        What the method found.
    n_redraws
        How often the method refused the rows that were drawn.
    refusal
        What it said the first time.
    """

    task: Replicate
    graph: FoundGraph
    n_redraws: int = 0
    refusal: str = ""

    def to_line(self) -> str:
        """The finding as one line of JSON."""
        stored = {
            "key": self.task.key,
            "replicate": self.task.number,
            "directed": self.graph.directed,
            "undirected": self.graph.undirected,
            "acyclic": self.graph.acyclic,
            "redraws": self.n_redraws,
            "refusal": self.refusal,
        }
        return json.dumps(stored)

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The finding that `to_line` wrote; ValueError, KeyError or TypeError if it is none."""
        stored = json.loads(line)
        directed, undirected = (
            tuple((int(one), int(other)) for one, other in stored[name]) for name in ("directed", "undirected")
        )
        return cls(
            task=Replicate(int(stored["replicate"]), str(stored["key"])),
            graph=FoundGraph(directed, undirected, bool(stored["acyclic"])),
            n_redraws=int(stored["redraws"]),
            refusal=str(stored["refusal"]),
        )


@dataclass(frozen=True)
class Resampling:
    """The work of all replicates.

    Attributes
    ----------
    estimator
        What is fitted; a copy of it for each replicate.
    table
        A `Dataset`, or for estimators that are not of this package the table as it was given.
    names
        The columns.
    how
        ``"rows"``: as many rows as there are, with replacement; ``"subsample"``: half of them, without.
    seed
        Of all draws.
    n_threads
        ``n_jobs`` of the copies; None: as it is.
    """

    estimator: Any
    table: Any
    names: tuple[str, ...]
    how: How
    seed: int
    n_threads: int | None

    def __call__(self, replicate: Replicate) -> Finding:
        """Carry a replicate out.

        Raises
        ------
        ValueError
            If the method refused (`InputError` is one) all the rows that were drawn; it is what it said first.
        KeyboardInterrupt
            If the method was interrupted: its best graph so far is not the outcome of the replicate.
        """
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(replicate.number,)))
        refusals: list[ValueError] = []
        while len(refusals) <= MOST_REDRAWS:
            rows = drawn_rows(_n_rows(self.table), self.how, rng)
            model = self._copy(int(rng.integers(2**31)))
            try:
                model.fit(taken(self.table, rows))
                graph = graph_of(model, self.names)
            except ValueError as error:
                refusals.append(error)
                continue
            if getattr(getattr(model, "result_", None), "status", None) == INTERRUPTED:
                raise KeyboardInterrupt
            first = f"{type(refusals[0]).__name__}: {refusals[0]}" if refusals else ""
            return Finding(replicate, graph, len(refusals), first)
        raise refusals[0]

    def replicates(self, n: int, named: bool) -> list[Replicate]:
        """The tasks, with keys that other processes and later runs would give them if that is asked for."""
        prefix = self._fingerprint() if named else "replicate"
        return [Replicate(number, f"{prefix}-{number}") for number in range(n)]

    def _copy(self, random_state: int) -> Any:
        """An estimator for one replicate."""
        model = clone(self.estimator, safe=False)
        if not hasattr(model, "get_params"):
            return model
        settings: dict[str, Any] = {"random_state": random_state}
        if self.n_threads is not None:
            settings["n_jobs"] = self.n_threads
        if isinstance(model, CommonParameters):
            settings |= {"progress": False, "confidence": "none", "trace": False, "checkpoint": None}
        known = model.get_params(deep=False)
        return model.set_params(**{name: value for name, value in settings.items() if name in known})

    def _fingerprint(self) -> str:
        """The same for the same table, estimator, seed and version, in every process."""
        model = self.estimator
        settings = model.get_params() if hasattr(model, "get_params") else vars(model)
        decisive = {name: value for name, value in settings.items() if name not in _SETTINGS_WITHOUT_EFFECT}
        kind = f"{type(model).__module__}.{type(model).__qualname__}"
        parts = (__version__, kind, decisive, _parts(self.table), self.names, self.how, self.seed)
        return hashlib.sha256(str(joblib.hash(parts)).encode()).hexdigest()[:16]


def drawn_rows(n_rows: int, how: How, rng: np.random.Generator) -> NDArray[np.int64]:
    """Positions of the rows of a replicate."""
    if how == "rows":
        return rng.integers(0, n_rows, n_rows)
    return rng.permutation(n_rows)[: n_rows // 2]


def taken(table: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of a table, which stays what it is: a `Dataset`, a pandas or polars data frame, or an array."""
    if isinstance(table, Dataset):
        return table.take(rows)
    if hasattr(table, "iloc"):
        return table.iloc[rows].reset_index(drop=True)
    return table[rows]


def _n_rows(table: Any) -> int:
    return table.n_samples if isinstance(table, Dataset) else len(table)


def _parts(table: Any) -> Any:
    """What decides the outcome; not where a table comes from, nor its true graph."""
    if not isinstance(table, Dataset):
        return table
    parts = (table.values, table.kinds, table.labels, table.declared_levels)
    return parts if table.was_set is None else (*parts, table.was_set)
