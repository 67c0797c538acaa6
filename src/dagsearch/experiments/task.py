"""One run of one method on one table, and the record that it leaves."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
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
    as_published
        Whether the method does all that it did in the paper's published runs, mistakes included: see
        `dagsearch.experiments.as_published`.
    """

    data: str
    method: str
    score: str
    variances: Literal["different", "equal"] = "different"
    settings: Settings = ()
    seed: int = 0
    n_rows: int | None = None
    own_cache: bool = False
    as_published: bool = False

    @property
    def key(self) -> str:
        """Identifier of the task: the same in every process and on every machine."""
        return hashlib.sha256(json.dumps(self._stated(), sort_keys=True).encode()).hexdigest()[:16]

    def as_json(self) -> dict[str, Any]:
        """The task as an object of a record."""
        return {**self._stated(), "settings": dict(self.settings)}

    def _stated(self) -> dict[str, Any]:
        """All that is stated; what came later is left out where it says nothing, so that earlier records stay valid."""
        stated = asdict(self)
        return stated if self.as_published else {name: stated[name] for name in stated if name != "as_published"}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """The task that `as_json` wrote; ValueError, KeyError or TypeError if it is none."""
        task = cls(**{**stored, "settings": settings(**stored["settings"])})
        for name in ("data", "method", "score", "variances"):
            _require(name, getattr(task, name), str, "a text")
        for name, value in task.settings:
            _require(name, value, str | bool | int | float | None, "a number, a text or null")
        _require("seed", task.seed, int, "a whole number")
        _require("n_rows", task.n_rows, int | None, "a whole number or null")
        _require("own_cache", task.own_cache, bool, "true or false")
        _require("as_published", task.as_published, bool, "true or false")
        return task


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
        try:
            stored = json.loads(line, parse_constant=_refused)
        except RecursionError as error:
            raise ValueError("its parts are nested too deeply") from error
        stored.pop("key")
        record = cls(**{**stored, "task": Task.from_json(stored["task"])})
        _require_number("reward", record.reward, optional=True)
        for name in ("seconds", "cpu_seconds"):
            _require_number(name, getattr(record, name))
        for name in ("n_simulations", "n_score_evaluations"):
            _require(name, getattr(record, name), int, "a whole number")
        for name in ("edges", "status", "finished", "versions"):
            _require(name, getattr(record, name), str, "a text")
        datetime.fromisoformat(record.finished)
        _require("pruned_edges", record.pruned_edges, str | None, "a text or null")
        for name in ("metrics", "pruned_metrics"):
            _require_metrics(name, getattr(record, name))
        return record


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no number of a record")


def _require(name: str, value: Any, kind: Any, what: str) -> None:
    """Raise where a part of a record is of another kind; true and false are no numbers."""
    is_number_only = kind in (int, int | None)
    if not isinstance(value, kind) or (isinstance(value, bool) and is_number_only):
        raise TypeError(f"{name} must be {what}, got {str(value)[:80]!r}")


def _require_number(name: str, value: Any, *, optional: bool = False) -> None:
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise TypeError(f"{name} must be a number{' or null' if optional else ''}, got {str(value)[:80]!r}")


def _require_metrics(name: str, metrics: Any) -> None:
    if metrics is None:
        return
    _require(name, metrics, dict, "an object of numbers or null")
    for measure in ("tpr", "fdr", "shd"):
        _require_number(f"{measure} of {name}", metrics[measure])
    for measure, value in metrics.items():
        _require_number(f"{measure} of {name}", value)
