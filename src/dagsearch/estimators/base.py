"""What all estimators of DAGs share: reading the table, choosing the score, pruning, and the record of the fit."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from dagsearch import scores
from dagsearch.data import Dataset, as_dataset
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.estimators import checks
from dagsearch.estimators.progress import progress_bar
from dagsearch.estimators.result import Result
from dagsearch.gam import max_parents_for
from dagsearch.graph import DAG, Knowledge, as_graph
from dagsearch.pruning import METHODS as PRUNING_METHODS
from dagsearch.pruning import EdgeEvidence, evidence
from dagsearch.scores.choose import choose
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED, Outcome, Problem

logger = logging.getLogger("dagsearch")

_PRUNING_OF = {"bic-linear": "coefficients", "bic-quadratic": "coefficients", "bic-gp": "cam", "bic-gam": "cam"}
_PRUNE_DEGREE = {"bic-linear": 1, "bic-quadratic": 2}


class DagEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the searches over DAGs.

    After `fit`: ``dag_``, ``pruned_dag_``, ``reward_``, ``score_`` (the score object, whose cache further fits on the
    same table may share), ``result_``, ``feature_names_in_`` and ``n_features_in_``.
    """

    method: ClassVar[str] = ""

    # Parameters that every estimator stores.
    score: Any
    edge_budget: int | None
    prune: str
    alpha: float
    knowledge: Knowledge | None
    start: Any
    max_parents: int | None
    variances: Literal["different", "equal"]
    penalty: str
    kinds: Any
    time_limit: float | None
    random_state: Any
    n_jobs: int
    progress: bool

    @abstractmethod
    def _search(
        self, problem: Problem, score: scores.Score, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        """Run the search; returns the outcome and the settings that were in force."""

    def _check_settings(self) -> None:
        """Raise `InputError` for a setting of the search that is out of range."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn a DAG from a table.

        Parameters
        ----------
        X
            pandas or polars data frame (names are kept), 2-D array, or `Dataset`; never changed.
        y
            Ignored.

        Raises
        ------
        InputError
            If a setting or the table is wrong; the message names it.
        """
        self._check_common()
        self._check_settings()
        rng, seed = checks.generator(self.random_state)
        data = as_dataset(X, kinds=self.kinds)
        with self._monitor() as monitor:
            problem = self._problem(data)
            score, notes = self._make_score(data)
            _require_rows(score, problem)
            n_before = score.n_evaluations
            pruning, notes_on_pruning = self._pruning(score, data, problem)
            with score.session():
                outcome, settings = self._search(problem, score, rng, monitor)
        self.dag_ = DAG.from_adjacency(outcome.adjacency, names=data.names)
        # Searches add differences up; the reported reward is summed afresh.
        self.reward_ = score.reward(self.dag_)
        self.evidence_ = self._evidence(data, score, pruning)
        self.pruned_dag_ = self._pruned(data, problem)
        self.score_ = score
        self.n_features_in_ = data.n_nodes
        self.feature_names_in_ = np.array(data.names, dtype=object)
        self.result_ = Result(
            method=self.method,
            edges=self.dag_.edges,
            pruned_edges=self.pruned_dag_.edges,
            p_values=self.evidence_.by_edge() if self.evidence_ and self.evidence_.measure == "p-value" else {},
            reward=self.reward_,
            n_edges=self.dag_.n_edges,
            n_simulations=outcome.n_simulations,
            n_calibration_simulations=outcome.n_calibration_simulations,
            n_score_evaluations=score.n_evaluations - n_before,
            seconds=monitor.seconds,
            status=outcome.status,
            seed=seed,
            settings={**self._common_settings(score, pruning), **settings},
            notes=notes + notes_on_pruning + self._note_on_budget(outcome.status),
        )
        return self

    def _note_on_budget(self, status: str) -> tuple[str, ...]:
        """Say so if forbidden edges kept a finished search from spending its budget."""
        if self.edge_budget is None or self.dag_.n_edges == self.edge_budget or status != FINISHED:
            return ()
        return (f"edge_budget is {self.edge_budget}, but no further edge was allowed after {self.dag_.n_edges}",)

    def _check_common(self) -> None:
        checks.integer("edge_budget", self.edge_budget, 0, optional=True)
        checks.integer("max_parents", self.max_parents, 1, optional=True)
        if self.kinds is not None and not isinstance(self.kinds, Mapping):
            raise InputError(f"kinds must be a mapping from column to kind, or None, got {self.kinds!r}")
        checks.one_of("variances", self.variances, ("different", "equal"))
        checks.one_of("penalty", self.penalty, ("auto", "edges", "parameters"))
        checks.one_of("pruning method", self.prune, ("auto", *PRUNING_METHODS))
        checks.real("alpha", self.alpha, 0.0, 1.0, strict=True)
        checks.real("time_limit", self.time_limit, 0.0, strict=True, optional=True)
        checks.jobs(self.n_jobs)
        if isinstance(self.score, str) and self.score not in ("auto", *scores.names()):
            raise UnknownNameError("score", self.score, ("auto", *scores.names()))
        if self.knowledge is not None and not isinstance(self.knowledge, Knowledge):
            raise InputError(f"knowledge must be a dagsearch.Knowledge or None, got {self.knowledge!r}")

    @contextmanager
    def _monitor(self) -> Iterator[Monitor]:
        """Clock of the fit, with a progress bar if one is wanted."""
        if not self.progress:
            yield Monitor(self.time_limit)
            return
        with progress_bar(self.method) as listener:
            yield Monitor(self.time_limit, listener)

    def _problem(self, data: Dataset) -> Problem:
        """The decision process on this table."""
        knowledge = self.knowledge or Knowledge()
        start = knowledge.required_edges(data.names)
        if self.start is not None:
            given = as_graph(self.start, names=None if hasattr(self.start, "names") else data.names)
            if not isinstance(given, DAG) or given.names != data.names:
                raise InputError("start must be a DAG over the columns of the table, in their order")
            start = DAG.from_adjacency(start | given.adjacency.astype(bool), names=data.names).adjacency.astype(bool)
        allowed = knowledge.allowed_edges(data.names)
        for cause, effect in np.argwhere(start & ~allowed):
            raise InputError(
                f"start has the edge {data.names[cause]} -> {data.names[effect]}, which knowledge rules out"
            )
        if self.max_parents is not None and start.sum(axis=0).max() > self.max_parents:
            crowded = data.names[int(start.sum(axis=0).argmax())]
            raise InputError(f"max_parents is {self.max_parents}, but more required or start edges lead to {crowded!r}")
        return Problem(
            start=start,
            allowed=allowed,
            edge_budget=self.edge_budget,
            max_parents=data.n_nodes - 1 if self.max_parents is None else self.max_parents,
            incremental=getattr(self, "cycle_tracking", "incremental") == "incremental",
        )

    def _make_score(self, data: Dataset) -> tuple[scores.Score, tuple[str, ...]]:
        """The score, and what was decided about it for the user."""
        if not isinstance(self.score, str):
            return scores.adapt(self.score, data.n_nodes), ()
        name, notes = self.score, []
        if name == "auto":
            choice = choose(data)
            name, data = choice.score, choice.data
            notes.append(f"score: {name}, since {choice.reason}")
            logger.info(notes[0])
        penalty = self._penalty(name)
        return scores.make(name, data, self.variances, penalty, checks.jobs(self.n_jobs)), tuple(notes)

    def _penalty(self, score_name: str) -> Any:
        """The paper's penalty with a budget; parameters where the penalty has to decide the number of edges."""
        if score_name in scores.DISCRETE:
            return None if self.penalty == "auto" else self.penalty
        if self.penalty != "auto":
            return self.penalty
        return "parameters" if self.edge_budget is None else "edges"

    def _pruning(self, score: scores.Score, data: Dataset, problem: Problem) -> tuple[str, tuple[str, ...]]:
        """The pruning method in force, by the score that constructs the graph unless given, and what to say of it.

        What would make pruning fail is said before the search rather than after it.
        """
        method = _PRUNING_OF.get(score.name, "none") if self.prune == "auto" else self.prune
        if method == "none":
            return method, ()
        data.standardised()
        testable, possible = max_parents_for(data.n_samples), min(problem.max_parents, data.n_nodes - 1)
        if method == "coefficients" or possible <= testable:
            return method, ()
        message = (
            f"{data.n_samples} rows can test at most {max(testable, 0)} causes of a variable together, "
            f"{possible} are possible; set max_parents"
        )
        if self.prune == "auto":
            return "none", (f"not pruned: {message}",)
        raise InputError(f"prune='cam': {message}, or prune='none'")

    def _evidence(self, data: Dataset, score: scores.Score, method: str) -> EdgeEvidence | None:
        """What the data say about each edge of the constructed graph, if it is to be pruned."""
        if method == "none":
            return None
        degree = _PRUNE_DEGREE.get(score.name, 1)
        return evidence(self.dag_, data, method, self.alpha, degree=degree, n_jobs=checks.jobs(self.n_jobs))

    def _pruned(self, data: Dataset, problem: Problem) -> DAG:
        """The graph after pruning; required edges stay."""
        if self.evidence_ is None:
            return self.dag_
        required = (self.knowledge or Knowledge()).required_edges(data.names) & problem.start
        kept = self.evidence_.supported.adjacency | required
        return DAG.from_adjacency(kept.astype(np.int8), names=data.names)

    def _common_settings(self, score: scores.Score, pruning: str) -> dict[str, Any]:
        """Settings in force that every method has."""
        return {
            "score": score.name,
            "variances": "equal" if score.equal_variances else "different",
            "penalty": "parameters" if score.family.penalise_parameters or score.name in scores.DISCRETE else "edges",
            "edge_budget": self.edge_budget,
            "max_parents": self.max_parents,
            "prune": pruning,
            "alpha": self.alpha if pruning == "cam" else None,
            "time_limit": self.time_limit,
            "n_jobs": self.n_jobs,
        }


def _require_rows(score: scores.Score, problem: Problem) -> None:
    """Refuse a search that could give a node more parents than the score can judge."""
    possible = min(problem.max_parents, problem.n_nodes - 1)
    if score.max_parents is not None and possible > score.max_parents:
        raise InputError(
            f"{score.name} can judge at most {score.max_parents} causes of a variable on so few rows, {possible} are "
            "possible; set max_parents"
        )
