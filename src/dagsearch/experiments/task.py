"""One run of one method on one table, and the record that it leaves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

Settings = tuple[tuple[str, Any], ...]
"""Arguments of an estimator, sorted by name."""

TRUE_NUMBER = "true"
"""As ``edge_budget``: so many edges as the true graph of the data set has."""


def settings(**arguments: Any) -> Settings:
    """Arguments of an estimator in the order in which they are compared."""
    return tuple(sorted(arguments.items()))


@dataclass(frozen=True)
class Task:
    """Everything that decides the outcome of a run.

    Attributes
    ----------
    data
        Name of the data set.
    method
        Name of the method, as the command line takes it.
    score, variances
        The score that judges graphs, and by which methods search that search by a score.
    settings
        Further arguments of the estimator.
    seed
        Seed of the run.
    n_rows
        So many rows are drawn without replacement, by the seed; None: all.
    own_cache
        Whether local scores of other runs on the same table must not be used, so that the time is that of one run.
    """

    data: str
    method: str
    score: str
    variances: Literal["different", "equal"] = "different"
    settings: Settings = ()
    seed: int = 0
    n_rows: int | None = None
    own_cache: bool = False

    @property
    def key(self) -> str:
        """Identifier of the task: the same in every process and on every machine."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def as_json(self) -> dict[str, Any]:
        """The task as an object of a record."""
        return {**asdict(self), "settings": dict(self.settings)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """The task that `as_json` wrote."""
        return cls(**{**stored, "settings": settings(**stored["settings"])})


@dataclass(frozen=True)
class Record:
    """What came of a run.

    Attributes
    ----------
    task
        What was run.
    reward
        Of the constructed graph, by the task's score; None if it has none (a graph with a cycle, or one that leaves
        directions open).
    metrics, pruned_metrics
        ``tpr``, ``fdr``, ``shd`` and ``n_edges`` of the constructed graph and of the pruned one; None for a graph with
        a cycle, and for the pruned one if nothing was to be pruned.
    edges, pruned_edges
        The graphs: ``"cause>effect"`` by the positions of the columns, or ``"one-other"`` for an undirected edge.
    status
        How the method ended, as in `dagsearch.estimators.Result`.
    seconds, cpu_seconds
        Time of the fit, pruning included, on the clock and on the processor.
    n_simulations, n_score_evaluations
        As in `dagsearch.estimators.Result`; with shared local scores, only new ones are counted.
    finished
        When, in UTC.
    versions
        Of what decides the outcome: dagsearch, Python, and the packages that compute.
    """

    task: Task
    reward: float | None
    metrics: dict[str, float] | None
    pruned_metrics: dict[str, float] | None
    edges: str
    pruned_edges: str | None
    status: str
    seconds: float
    cpu_seconds: float
    n_simulations: int
    n_score_evaluations: int
    finished: str
    versions: str

    def value(self, measure: str) -> float | None:
        """A number by its name: ``reward``, ``seconds``, ``tpr``, or with ``pruned_`` before it that after pruning."""
        if measure in ("reward", "seconds", "cpu_seconds"):
            number: float | None = getattr(self, measure)
            return number
        pruned = measure.startswith("pruned_")
        metrics = self.pruned_metrics if pruned else self.metrics
        return None if metrics is None else metrics[measure.removeprefix("pruned_")]

    def to_line(self) -> str:
        """The record as one line of JSON."""
        stored = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "task"}
        return json.dumps({"key": self.task.key, "task": self.task.as_json(), **stored}, allow_nan=False)

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The record that `to_line` wrote; ValueError, KeyError or TypeError if it is none."""
        stored = json.loads(line)
        stored.pop("key")
        return cls(**{**stored, "task": Task.from_json(stored["task"])})
