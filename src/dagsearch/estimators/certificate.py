"""How far from the optimum a graph is: a proof, or an honest gap."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.errors import InputError
from dagsearch.estimators.among import Among
from dagsearch.estimators.base import DagEstimator, reward_of
from dagsearch.estimators.result import Graph
from dagsearch.graph import DAG
from dagsearch.scores import Score
from dagsearch.search.exact import SOLVERS, ExactOutcome, ExactSettings, Solver, exact
from dagsearch.search.exact.scip import require_scip
from dagsearch.search.monitor import Monitor
from dagsearch.search.progress import progress_bar
from dagsearch.search.protocol import FINISHED

_BEYOND = "this graph is not one of them, and nothing is known beyond: gap unknown"


@dataclass(frozen=True)
class Certificate:
    """What is proven about the reward of a graph.

    Attributes
    ----------
    reward
        Reward of the graph in question; NaN for a graph with cycles.
    best_reward
        Reward of the best graph known of ``among``; -inf if none is known.
    bound
        No graph of ``among`` has a higher reward; infinite if nothing is known, -inf if there is no such graph.
    among
        Which graphs are compared with, in words.
    is_among
        Whether the graph in question is one of them. If not, nothing is known of how much better its like may be.
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
    is_among: bool
    ways: tuple[str, ...]
    status: str
    seconds: float

    @property
    def gap(self) -> float:
        """How much higher a reward may be; NaN for a graph that is not one of ``among``, or has cycles."""
        return self.bound - self.reward if self.is_among else math.nan

    @property
    def optimum(self) -> float | None:
        """The proven optimum of ``among``; None if the proof is not complete, or there is no such graph."""
        return self.best_reward if self.bound <= self.best_reward and math.isfinite(self.best_reward) else None

    @property
    def is_optimal(self) -> bool:
        """Whether the graph is one of ``among`` and proven to be the best of them (up to rounding)."""
        return self.is_among and self._is_reached

    @property
    def _is_reached(self) -> bool:
        """Whether no graph of ``among`` is better (up to rounding)."""
        return math.isfinite(self.reward) and self.bound <= self.reward + 1e-9 * max(1.0, abs(self.reward))

    @property
    def limit(self) -> str:
        """The optimum in words, or what is known of it."""
        if self.bound == -math.inf:
            return f"there are no {self.among.removeprefix('all ')}"
        if self.optimum is not None:
            return f"optimum {self.optimum:.6f} among {self.among}"
        if math.isinf(self.bound):
            return f"no bound is known among {self.among}"
        return f"no reward is above {self.bound:.6f} among {self.among}"

    def __str__(self) -> str:
        by = f" ({', '.join((*self.ways, f'{self.seconds:.1f} s'))})"
        if self.is_optimal:
            return f"proven optimal among {self.among}{by}"
        if not self.is_among and not math.isnan(self.reward):
            is_better = self._is_reached and self.bound > -math.inf
            known = f"no better graph among {self.among}" if is_better else self.limit
            return f"{known}{by}{'' if self.status == FINISHED else f': {self.status}'}; {_BEYOND}"
        gap = f", gap {self.gap:.6f}" if math.isfinite(self.gap) else ""
        if self.optimum is not None:
            return f"{self.limit}{gap}{by}"
        known = f"best known {self.best_reward:.6f}" if math.isfinite(self.best_reward) else "none of them is known yet"
        return f"{self.limit}{gap}; {known}{by}: {self.status}"


@dataclass(frozen=True)
class Proof:
    """What an exact search proves, from which follows what is known of any graph."""

    among: Among
    outcome: ExactOutcome
    seconds: float

    def of(self, graph: Graph, reward: float) -> Certificate:
        """What is proven about a graph and its reward."""
        is_among = self.among.has(graph, self.outcome.max_parents)
        return self._certificate(reward, is_among)

    def in_words(self) -> str:
        """The optimum, or what is known of it, whatever graph it is compared with."""
        return self._certificate(math.nan, is_among=False).limit

    def _certificate(self, reward: float, is_among: bool) -> Certificate:
        outcome = self.outcome
        best_reward = outcome.best_reward
        if is_among and outcome.bound > best_reward:
            best_reward = max(best_reward, reward)
        return Certificate(
            reward=reward,
            best_reward=best_reward,
            bound=outcome.bound,
            among=self.among.in_words(outcome.max_parents),
            is_among=is_among,
            ways=outcome.ways,
            status=outcome.status,
            seconds=self.seconds,
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
        required and forbidden edges, number of edges and number of causes. Where so many cannot be searched, it is
        compared with those that have few causes per variable; if it has more itself, its gap is unknown.
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
    check_proof(time_limit, solver)
    graph, score = model.dag_, model.score_
    proof = prove(Among.of(model, score, graph), score, graph, time_limit, solver, progress)
    return proof.of(graph, reward_of(score, graph))


def prove(
    among: Among,
    score: Score,
    graph: Graph,
    time_limit: float | None = None,
    solver: Solver = "auto",
    progress: bool = False,
) -> Proof:
    """Search some graphs exactly, starting from one of them."""
    settings = ExactSettings(exactly=among.exactly, max_parents=among.max_parents, solver=solver)
    first = _within(graph, among)
    if not progress:
        return _proven(among, score, settings, Monitor(time_limit), first)
    with progress_bar("certify") as listener:
        return _proven(among, score, settings, Monitor(time_limit, listener), first)


def check_proof(time_limit: float | None, solver: Any) -> None:
    """Refuse settings of a proof that are wrong, or whose solver is not installed."""
    checks.real("time_limit", time_limit, 0.0, strict=True, optional=True)
    if checks.one_of("solver", solver, SOLVERS) == "scip":
        require_scip()


def _proven(
    among: Among, score: Score, settings: ExactSettings, monitor: Monitor, first: NDArray[np.int8] | None
) -> Proof:
    with score.session():
        outcome = exact(among.without_constants, score, settings, np.random.default_rng(0), monitor, first)
    return Proof(among, outcome, monitor.seconds)


def _within(graph: Graph, among: Among) -> NDArray[np.int8] | None:
    """The graph's adjacency as a start of the search, if it is a DAG of the problem without constants."""
    is_inside = isinstance(graph, DAG) and replace(among, problem=among.without_constants).has(graph)
    return graph.adjacency if is_inside and isinstance(graph, DAG) else None
