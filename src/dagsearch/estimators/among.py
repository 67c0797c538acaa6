"""The graphs that an estimator chooses from: what the graph of a fit is compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dagsearch.estimators.base import DagEstimator
from dagsearch.estimators.result import Graph
from dagsearch.estimators.scored import ScoreSearch, start_edges
from dagsearch.graph import DAG, PDAG, Knowledge
from dagsearch.scores import Score
from dagsearch.search.exact.program import EdgeLimit
from dagsearch.search.exact.scope import Scope
from dagsearch.search.protocol import Problem


@dataclass(frozen=True)
class Among:
    """The DAGs that one is compared with.

    Attributes
    ----------
    problem
        What they keep to, with edges at constant columns.
    without_constants
        The problem without such edges, which only cost: no DAG is better than the one without its own.
    exactly
        Whether they all have as many edges as the budget says.
    max_parents
        The most causes of a variable; None: any number.
    conditions
        What else they fulfil, in words.
    """

    problem: Problem
    without_constants: Problem
    exactly: bool
    max_parents: int | None
    conditions: tuple[str, ...]

    @classmethod
    def of(cls, model: DagEstimator, score: Score, graph: Graph) -> Among:
        """The graphs that an estimator could have returned instead of this one."""
        names = graph.names
        knowledge: Knowledge = getattr(model, "knowledge", None) or Knowledge()
        start = getattr(model, "start", None)
        required, allowed = knowledge.required_edges(names), knowledge.allowed_edges(names)
        if start is not None:
            required = required | start_edges(start, names)
        budget: int | None = getattr(model, "edge_budget", None)
        max_parents = model.parent_limit(score) if isinstance(model, ScoreSearch) else None
        problem = Problem(required, allowed, None, max_parents or len(names) - 1)
        # A search may end before it has spent its budget.
        exactly = getattr(model, "budget", "exactly") == "exactly" and graph.n_edges == budget
        free = problem
        if score.constant_nodes.any():
            # Edges at a constant column change no likelihood and fill any number up: what counts is how many others.
            exactly = False
            free = without_edges_at(problem, score.constant_nodes)
        return cls(
            problem=replace(problem, edge_budget=budget),
            without_constants=replace(free, edge_budget=budget and min(budget, free.max_edges)),
            exactly=exactly,
            max_parents=max_parents,
            conditions=conditions_of(knowledge, start is not None),
        )

    def has(self, graph: Graph, max_free_parents: int | None = None) -> bool:
        """Whether a graph (or the member of its class that was judged) is one of them; one with cycles is not."""
        dag = graph
        if isinstance(graph, PDAG) and graph.has_member:
            dag = graph.to_dag()
        budget = self.problem.edge_budget
        limit = None if budget is None else EdgeLimit(budget, self.exactly)
        return isinstance(dag, DAG) and Scope(self.problem, limit, max_free_parents).has(dag.adjacency)

    def in_words(self, max_free_parents: int | None = None) -> str:
        """Name them; with the most causes up to which sets were looked at, if not all could be."""
        limits = []
        if self.problem.edge_budget is not None:
            limits.append(f"{'exactly' if self.exactly else 'at most'} {self.problem.edge_budget} edges")
        if self.max_parents is not None:
            limits.append(f"at most {self.max_parents} causes per variable")
        words = "DAGs" if limits else "all DAGs"
        if max_free_parents is not None:
            beside = " beside required ones" if self.problem.start.any() else ""
            limits.append(f"at most {max_free_parents} causes per variable{beside} (larger sets were not looked at)")
        words += f" with {' and '.join(limits)}" if limits else ""
        return words + (f" that {' and '.join(self.conditions)}" if self.conditions else "")


def conditions_of(knowledge: Knowledge | None, has_start: bool = False) -> tuple[str, ...]:
    """What graphs fulfil beside limits, in words."""
    is_restricted = knowledge is not None and not knowledge.is_empty
    return (*["fit what is known"] * is_restricted, *["contain the start"] * has_start)


def without_edges_at(problem: Problem, nodes: NDArray[np.bool_]) -> Problem:
    """The problem without edges at some nodes, but for required ones."""
    free = ~(nodes[:, np.newaxis] | nodes[np.newaxis])
    return replace(problem, allowed=(problem.allowed & free) | problem.start)
