"""Exact learning as an estimator: the best graph by a score, with a proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.errors import InputError
from dagsearch.estimators.among import Among, conditions_of, without_edges_at
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.certificate import Certificate, Proof, check_proof
from dagsearch.estimators.result import Construction
from dagsearch.estimators.scored import ScoreSearch
from dagsearch.graph import DAG, PDAG, Knowledge
from dagsearch.graph.background import with_directions
from dagsearch.search.exact import ExactSettings, exact
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED, Outcome, Problem


@dataclass(frozen=True)
class RankedDAG:
    """One of the best graphs."""

    dag: DAG
    reward: float


class ExactSearch(parameters.ExactSearch, ScoreSearch):
    """The best DAG by a decomposable score, and a proof that there is no better one.

    Parent sets that a better subset dominates are left out first; the rest is solved part by part, by dynamic
    programming over all subsets of variables where these are few, or else by integer programming with cluster cutting
    planes. Which way was taken is in ``certificate_.ways``. Of graphs that are equally good, which one is ``dag_`` may
    depend on the order of the columns; ``result_.notes`` says so where the score leaves directions open.

    Attributes
    ----------
    dag_, pruned_dag_, evidence_, reward_, result_, score_
        As those of `CDUCT`.
    certificate_ : Certificate
        Reward, bound, gap, and what they hold for.
    equivalence_class_ : PDAG
        The equivalence class of ``dag_``: what a score that is the same for equivalent graphs can tell. Where
        variables were set, the class that these experiments leave.
    best_graphs_ : tuple of RankedDAG
        The ``n_best`` best graphs of those that ``certificate_.among`` names, with their rewards, best first; fewer if
        there are no more, or time was up. None has edges at constant columns, which only cost. Where more causes cannot
        be searched, ``dag_`` may be better than all.

    Examples
    --------
    >>> import dagsearch as ds
    >>> model = ds.ExactSearch(score="bic-linear").fit(ds.datasets.load("sachs"))
    >>> model.dag_.n_edges, model.certificate_.gap
    (8, 0.0)
    """

    method: ClassVar[str] = "exact"
    summary: ClassVar[str] = "the best graph by a score, with a proof"

    def _check_settings(self) -> None:
        check_proof(self.time_limit, self.solver)
        checks.integer("n_best", self.n_best, 1)

    def _penalty(self, score_name: str) -> Any:
        """The paper's penalty for Gaussian processes as well."""
        if self.penalty == "auto" and score_name == "bic-gp":
            return "edges"
        return super()._penalty(score_name)

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:
        construction = super()._construct(judgement, rng, monitor)
        dag: Any = construction.graph
        notes = (
            *_note_on_constants(judgement),
            *self._note_on_parents(construction.settings["max_parents"], judgement),
            *(self._note_on_directions(dag, judgement) if construction.status == FINISHED else ()),
        )
        return replace(construction, notes=(*notes, *construction.notes))

    @property
    def equivalence_class_(self) -> PDAG:
        """The equivalence class of ``dag_``; made when it is asked for, since that takes long for many variables."""
        dag: Any = self.dag_
        found: PDAG = dag.to_cpdag(self.data_.targets)
        return found

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        score, names = judgement.score, judgement.data.names
        limit = self.parent_limit(score)
        among = self._among(problem, limit, judgement)
        settings = ExactSettings(among.exactly, limit, self.n_best, self.solver)
        found = exact(among.without_constants, score, settings, rng, monitor)
        dag = DAG(found.adjacency, names=names)
        self.certificate_: Certificate = Proof(among, found, monitor.seconds).of(dag, score.reward_of(found.adjacency))
        ranking = found.ranking or ((found,) if self.certificate_.is_optimal else ())
        self.best_graphs_ = tuple(RankedDAG(DAG(each.adjacency, names=names), each.reward) for each in ranking)
        in_force = {
            "max_parents": limit if found.max_parents is None else found.max_parents,
            "budget": self.budget,
            "n_best": self.n_best,
            "solver": self.solver,
        }
        return Outcome(found.adjacency, found.reward, 0, 0, 0, found.status), in_force

    def _among(self, problem: Problem, max_parents: int | None, judgement: Judgement) -> Among:
        """The graphs that are searched; edges of which no row tells anything are none of them."""
        free, exactly = problem, self.budget == "exactly" and problem.edge_budget is not None
        if judgement.score.constant_nodes.any():
            free = self._without_constants(problem, judgement)
        conditions = conditions_of(self.knowledge)
        fit_what_is_known = (self.knowledge or Knowledge()).allowed_edges(judgement.data.names)
        np.fill_diagonal(fit_what_is_known, False)
        if exactly and (fit_what_is_known & ~free.allowed).any():
            # Without a fixed number they only cost, so that the best graph has none of them anyway.
            conditions = (*conditions, "have only edges of which some row tells")
            problem = free
        return Among(problem, free, exactly, max_parents, conditions)

    def _without_constants(self, problem: Problem, judgement: Judgement) -> Problem:
        """The problem without edges at constant columns."""
        try:
            return without_edges_at(problem, judgement.score.constant_nodes)
        except InputError as error:
            raise InputError(f"{error}; {'; '.join(_note_on_constants(judgement))}") from None

    def _note_on_parents(self, max_parents: int | None, judgement: Judgement) -> tuple[str, ...]:
        """Up to how many causes sets were looked at, if that is fewer than the user and the score allow."""
        if max_parents == self.parent_limit(judgement.score):
            return ()
        return (f"sets of more than {max_parents} causes are too many to look at; set max_parents to go further",)

    def _note_on_directions(self, dag: DAG, judgement: Judgement) -> tuple[str, ...]:
        """Say how many directions neither the score nor knowledge tells: of equally good graphs one is as good."""
        targets, names = judgement.score.class_targets, judgement.data.names
        if targets is None:
            return ()
        knowledge = self.knowledge or Knowledge()
        allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)
        left = with_directions(dag.to_cpdag(targets).adjacency, required | (allowed & ~allowed.T))
        n_open = 0 if left is None else int((left & left.T).sum()) // 2
        if not n_open:
            return ()
        return (
            f"the score tells no direction of {n_open} of {dag.n_edges} edges (equivalence_class_ leaves them open); "
            "which way they point in dag_ depends on the order of the columns",
        )

    def _note_on_budget(self, dag: DAG, status: str) -> tuple[str, ...]:  # noqa: ARG002
        """Exact search has the number of edges that was asked for, or says that there is none."""
        return ()


def _note_on_constants(judgement: Judgement) -> tuple[str, ...]:
    """What was set aside."""
    constant = np.flatnonzero(judgement.score.constant_nodes)
    if not len(constant):
        return ()
    listed = ", ".join(repr(judgement.data.names[node]) for node in constant)
    return (f"set aside, as they hold one value only and get no edges: {listed}",)
