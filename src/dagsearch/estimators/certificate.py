"""How far from the optimum a graph is: a proof, or an honest gap."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator, reward_of
from dagsearch.estimators.result import Graph
from dagsearch.estimators.scored import ScoreSearch, start_edges
from dagsearch.graph import DAG, Knowledge
from dagsearch.scores import Score
from dagsearch.search.exact import SOLVERS, ExactOutcome, ExactSettings, Solver, exact
from dagsearch.search.exact.scip import require_scip
from dagsearch.search.monitor import Monitor
from dagsearch.search.progress import progress_bar
from dagsearch.search.protocol import Problem


@dataclass(frozen=True)
class Certificate:
    """What is proven about the reward of a graph.

    Attributes
    ----------
    reward
        Reward of the graph in question; NaN for a graph with cycles.
    best_reward
        Reward of the best graph known.
    bound
        No graph of ``among`` has a higher reward; infinite if nothing is known.
    among
        Which graphs are compared with, in words.
    ways
        How the bound was found.
    status
        ``"finished"``, or why the proof is not complete: ``"time-limit"`` or ``"interrupted"``.
    seconds
        Time of the proof.
    """

    reward: float
    best_reward: float
    bound: float
    among: str
    ways: tuple[str, ...]
    status: str
    seconds: float

    @property
    def gap(self) -> float:
        """How much higher a reward may be; NaN for a graph with cycles."""
        return self.bound - self.reward

    @property
    def optimum(self) -> float | None:
        """The proven optimum; None if the proof is not complete."""
        return self.best_reward if self.bound <= self.best_reward else None

    @property
    def is_optimal(self) -> bool:
        """Whether the graph is proven to be optimal (up to rounding)."""
        return math.isfinite(self.reward) and self.gap <= 1e-9 * max(1.0, abs(self.reward))

    @property
    def limit(self) -> str:
        """The optimum in words, or what is known of it."""
        if self.optimum is not None:
            return f"optimum {self.optimum:.6f} among {self.among}"
        if math.isinf(self.bound):
            return f"no bound is known among {self.among}"
        return f"no reward is above {self.bound:.6f} among {self.among}"

    def __str__(self) -> str:
        by = f" ({', '.join((*self.ways, f'{self.seconds:.1f} s'))})"
        if self.is_optimal:
            return f"proven optimal among {self.among}{by}"
        gap = f", gap {self.gap:.6f}" if math.isfinite(self.gap) else ""
        if self.optimum is not None:
            return f"{self.limit}{gap}{by}"
        known = f"best known {self.best_reward:.6f}" if math.isfinite(self.best_reward) else "none of them is known yet"
        return f"{self.limit}{gap}; {known}{by}: {self.status}"


def certificate_of(reward: float, outcome: ExactOutcome, among: str, seconds: float) -> Certificate:
    """What an exact search proves about a reward."""
    if outcome.max_parents is not None:
        among += f" with at most {outcome.max_parents} causes per variable (larger sets were not looked at)"
    return Certificate(
        reward=reward,
        best_reward=outcome.reward,
        bound=outcome.bound,
        among=among,
        ways=outcome.ways,
        status=outcome.status,
        seconds=seconds,
    )


def certify(
    model: DagEstimator,
    time_limit: float | None = None,
    solver: Solver = "auto",
    progress: bool = False,
) -> Certificate:
    """Find out how far from the optimum the graph of a fitted estimator is, by exact learning with the same score.

    Parameters
    ----------
    model
        A fitted estimator of any method. Its graph is compared with all that it could have returned: with the same
        required and forbidden edges, number of edges and number of causes.
    time_limit
        Seconds after which the gap that was reached is reported.
    solver
        As that of `ExactSearch`.
    progress
        Show a progress bar on a terminal.

    Raises
    ------
    InputError
        If the estimator is not fitted, or its score has no local terms.
    MissingExtraError
        If the solver is not installed.

    Examples
    --------
    >>> import dagsearch as ds
    >>> model = ds.GreedySearch(score="bic-linear", random_state=0).fit(ds.datasets.load("sachs"))
    >>> print(ds.certify(model).is_optimal)
    True
    """
    if not hasattr(model, "score_"):
        raise InputError("certify needs a fitted estimator: call fit first")
    return certify_graph(model.dag_, model.score_, model, time_limit, solver, progress)


def certify_graph(
    graph: Graph,
    score: Score,
    model: DagEstimator,
    time_limit: float | None = None,
    solver: Solver = "auto",
    progress: bool = False,
) -> Certificate:
    """`certify` for any graph and score, with the restrictions of an estimator."""
    check_proof(time_limit, solver)
    problem, exactly, among = _class_of(model, score, graph)
    most_parents = model.parent_limit(score) if isinstance(model, ScoreSearch) else None
    settings = ExactSettings(exactly=exactly, max_parents=most_parents, solver=solver)
    rng = np.random.default_rng(0)
    reward = reward_of(score, graph)
    first = _within(graph, problem, most_parents)
    if not progress:
        monitor = Monitor(time_limit)
        outcome = _proven(problem, score, settings, rng, monitor, first)
    else:
        with progress_bar("certify") as listener:
            monitor = Monitor(time_limit, listener)
            outcome = _proven(problem, score, settings, rng, monitor, first)
    return certificate_of(reward, outcome, among, monitor.seconds)


def check_proof(time_limit: float | None, solver: Any) -> None:
    """Refuse settings of a proof that are wrong, or whose solver is not installed."""
    checks.real("time_limit", time_limit, 0.0, strict=True, optional=True)
    if checks.one_of("solver", solver, SOLVERS) == "scip":
        require_scip()


def _proven(
    problem: Problem,
    score: Score,
    settings: ExactSettings,
    rng: np.random.Generator,
    monitor: Monitor,
    first: NDArray[np.int8] | None,
) -> ExactOutcome:
    with score.session():
        return exact(problem, score, settings, rng, monitor, first)


def _class_of(model: DagEstimator, score: Score, graph: Graph) -> tuple[Problem, bool, str]:
    """The graphs that an estimator chooses from: the problem, whether it fixes the number of edges, and in words."""
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
    if score.constant_nodes.any():
        # Edges at a constant column change no likelihood and fill any number up: what counts is the number of others.
        exactly = False
        problem = without_edges_at(problem, score.constant_nodes)
    among = described(budget, exactly, max_parents, knowledge, start is not None)
    return replace(problem, edge_budget=budget and min(budget, problem.max_edges)), exactly, among


def described(
    edge_budget: int | None,
    exactly: bool,
    max_parents: int | None,
    knowledge: Knowledge | None,
    has_start: bool = False,
) -> str:
    """Graphs in words."""
    limits = []
    if edge_budget is not None:
        limits.append(f"{'exactly' if exactly else 'at most'} {edge_budget} edges")
    if max_parents is not None:
        limits.append(f"at most {max_parents} causes per variable")
    words = f"DAGs with {' and '.join(limits)}" if limits else "all DAGs"
    is_restricted = knowledge is not None and not knowledge.is_empty
    conditions = ["fit what is known"] * bool(is_restricted) + ["contain the start"] * has_start
    return words + (f" that {' and '.join(conditions)}" if conditions else "")


def without_edges_at(problem: Problem, nodes: NDArray[np.bool_]) -> Problem:
    """The problem without edges at some nodes, but for required ones."""
    free = ~(nodes[:, np.newaxis] | nodes[np.newaxis])
    return replace(problem, allowed=(problem.allowed & free) | problem.start)


def _within(graph: Graph, problem: Problem, max_parents: int | None) -> NDArray[np.int8] | None:
    """The graph's adjacency as a start of the search, if it is a DAG of the problem."""
    if not isinstance(graph, DAG):
        return None
    adjacency = graph.adjacency
    is_allowed = not (adjacency.astype(bool) & ~problem.allowed).any()
    is_small = max_parents is None or adjacency.sum(axis=0).max() <= max_parents
    return adjacency if is_allowed and is_small and not (problem.start & ~adjacency.astype(bool)).any() else None
