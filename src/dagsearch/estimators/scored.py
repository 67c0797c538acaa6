"""Estimators that construct a DAG by looking at a score: the decision process, and what restricts it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import joblib
import numpy as np
from numpy.typing import NDArray

from dagsearch import checks, scores
from dagsearch._version import __version__
from dagsearch.data import Dataset
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator, Judgement
from dagsearch.estimators.result import Construction
from dagsearch.graph import DAG, Knowledge, as_graph
from dagsearch.parameters import (
    BudgetParameters,
    KnowledgeParameters,
    ParentLimitParameters,
    SearchParameters,
    declared,
)
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED, Outcome, Problem


class ScoreSearch(DagEstimator, KnowledgeParameters):
    """Base of the searches over DAGs."""

    takes_gaps: ClassVar[bool] = True
    takes_interventions: ClassVar[bool] = True

    # What most searches take as a parameter; the others have it as an attribute of the class.
    edge_budget = BudgetParameters.edge_budget
    start = SearchParameters.start
    max_parents = ParentLimitParameters.max_parents

    @property
    def _score_decides(self) -> bool:
        """Whether the score decides how many edges there are, rather than a budget."""
        return "edge_budget" in declared(type(self)) and self.edge_budget is None

    @abstractmethod
    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        """Run the search; returns the outcome and the settings that were in force."""

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:
        score, data = judgement.score, judgement.data
        problem, notes = self._within_rows(self._problem(data), score)
        saved = monitor.checkpoint
        with score.session():
            if saved is not None:
                saved.open(self._identity(problem, judgement), score, monitor)
            outcome, settings = self._search(problem, judgement, rng, monitor)
            if saved is not None:
                saved.close(is_finished=outcome.status == FINISHED)
                notes = (*notes, *saved.notes)
        dag = DAG.from_adjacency(outcome.adjacency, names=data.names)
        return Construction(
            graph=dag,
            status=outcome.status,
            settings={"edge_budget": self.edge_budget, "max_parents": self.parent_limit(score), **settings},
            notes=(*notes, *self._note_on_budget(dag, outcome.status)),
            n_simulations=outcome.n_simulations,
            n_calibration_simulations=outcome.n_calibration_simulations,
            required=(self.knowledge or Knowledge()).required_edges(data.names),
        )

    def _identity(self, problem: Problem, judgement: Judgement) -> dict[str, Any]:
        """What tells this search from others, by the names that messages use."""
        score = judgement.score
        own = {
            name: getattr(self, name)
            for name, known in declared(type(self)).items()
            if known.group == "search" and known.option is not None
        }
        searched = {name: None if value is None else _plain(value) for name, value in own.items()}
        restrictions = (problem.start, problem.allowed, problem.max_parents, problem.incremental)
        return {
            "version": __version__,
            "method": self.method,
            "table": digest_of(judgement.data),
            "edge_budget": problem.edge_budget,
            "score": score.name,
            "variances": "equal" if score.equal_variances else "different",
            "penalty": score.penalty,
            **{name: repr(value) for name, value in {"levels": score.levels, **score.settings}.items()},
            "restrictions": joblib.hash(restrictions),
            **searched,
            # Of a score of the user's own, or one that was made of another table, this is all that can be known.
            "rewards": None if isinstance(self.score, str) else repr(score.reward_of(problem.start.astype(np.int8))),
        }

    def problem_on(self, data: Dataset, score: scores.Score) -> Problem:
        """What graphs over the columns of a table must keep to, by these settings and such a score."""
        return self._within_rows(self._problem(data), score)[0]

    def parent_limit(self, score: scores.Score) -> int | None:
        """The most causes that a variable may get: what was asked for, or else what the score can tell apart."""
        if self.max_parents is not None or score.max_parents is None:
            return self.max_parents
        return score.max_parents if score.max_parents < score.n_nodes - 1 else None

    def _within_rows(self, problem: Problem, score: scores.Score) -> tuple[Problem, tuple[str, ...]]:
        """The problem with no more causes of a variable than the score can tell apart on so few rows, and a note."""
        most = score.max_parents
        if most is None or problem.max_parents <= most:
            return problem, ()
        if self.max_parents is not None:
            raise InputError(
                f"max_parents must be at most {most}: {score.name} can tell no more causes of a variable apart on so "
                f"few rows, got {self.max_parents}"
            )
        note = f"at most {most} causes of a variable, as {score.name} can tell no more apart on so few rows"
        return replace(problem, max_parents=most), (note,)

    def _note_on_budget(self, dag: DAG, status: str) -> tuple[str, ...]:
        """Say so if forbidden edges kept a finished search from spending its budget."""
        if self.edge_budget is None or dag.n_edges == self.edge_budget or status != FINISHED:
            return ()
        return (f"edge_budget is {self.edge_budget}, but no further edge was allowed after {dag.n_edges}",)

    def _check_common(self) -> None:
        checks.integer("edge_budget", self.edge_budget, 0, optional=True)
        checks.integer("max_parents", self.max_parents, 1, optional=True)
        checks.knowledge(self.knowledge)
        super()._check_common()

    def _penalty(self, score_name: str) -> Any:
        """The paper's penalty with a budget; one that stands up to many candidates where it has to decide."""
        if self.penalty != "auto" or score_name not in scores.REGRESSIONS:
            return super()._penalty(score_name)
        if self.edge_budget is not None:
            return "edges"
        return "extended" if self._score_decides else super()._penalty(score_name)

    def _auto_pruning(self, score: scores.Score) -> str:
        """As the paper does with a budget; without one the score has decided which edges there are."""
        return "none" if self._score_decides else super()._auto_pruning(score)

    def _possible_parents(self, score: scores.Score, data: Dataset) -> int:
        limit = self.parent_limit(score)
        return min(self._most_parents(data), data.n_nodes - 1 if limit is None else limit)

    def _most_parents(self, data: Dataset) -> int:
        """The most causes that a variable can get, whatever the score."""
        return min(data.n_nodes - 1, self.max_parents or data.n_nodes - 1)

    def _problem(self, data: Dataset) -> Problem:
        """The decision process on this table."""
        knowledge = self.knowledge or Knowledge()
        start = knowledge.required_edges(data.names)
        if self.start is not None:
            given = start_edges(self.start, data.names)
            start = DAG.from_adjacency(start | given, names=data.names).adjacency.astype(bool)
        allowed = knowledge.allowed_edges(data.names) & (data.seen_together() | start)
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
            max_parents=self._most_parents(data),
            incremental=getattr(self, "cycle_tracking", "incremental") == "incremental",
        )


def _plain(value: Any) -> Any:
    """A setting as JSON has it."""
    return value if isinstance(value, str) else float(value)


def digest_of(data: Dataset) -> str:
    """The same for the same table, whatever is known of it besides."""
    return str(joblib.hash((data.values, data.names, data.kinds, data.labels, data.was_set, data.ordered)))


def start_edges(start: Any, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Edges of a start graph as a matrix over the columns: by the names of its nodes, or by their numbers."""
    has_labels = hasattr(start, "names") or hasattr(start, "is_directed")
    given = as_graph(start) if has_labels else as_graph(start, names=names)
    if isinstance(given, DAG) and set(given.names) == {str(number) for number in range(len(names))} - set(names):
        given = DAG.from_edges([(names[int(a)], names[int(b)]) for a, b in given.edges], names=names)
    if isinstance(given, DAG) and set(given.names) == set(names):
        return DAG.from_edges(given.edges, names=names).adjacency.astype(bool)
    raise InputError("start must be a DAG over the columns of the table")
