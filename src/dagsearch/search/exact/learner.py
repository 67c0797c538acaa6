"""Exact learning step by step: a first graph, the families, the optimum, and what depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.graph.bitset import rows_from_membership
from dagsearch.search.exact.families import TIE, Families, Objective, enumerate_families
from dagsearch.search.exact.program import EdgeLimit, Incumbent
from dagsearch.search.exact.ranking import Ranked, best_dags, neighbours
from dagsearch.search.exact.scope import NarrowedError, NoGraphError, Scope
from dagsearch.search.exact.solve import Solution, Solver
from dagsearch.search.greedy import greedy
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.process import filled_at_random
from dagsearch.search.protocol import FINISHED, INTERRUPTED, Problem, ScoreLike


@dataclass(frozen=True)
class ExactSettings:
    """What is asked for.

    Attributes
    ----------
    exactly
        An edge budget is the number of edges; otherwise it is the largest number.
    max_parents
        Only sets of at most so many parents; None: all that may pay, or as many as can be afforded.
    n_best
        How many of the best graphs are wanted.
    solver
        The way to take.
    """

    exactly: bool = True
    max_parents: int | None = None
    n_best: int = 1
    solver: Solver = "auto"


class Learner:
    """The state of one exact search, from which the best graph and the bound can be read at any time.

    Parameters
    ----------
    problem
        Required edges (its start graph), allowed ones, and an edge budget.
    score
        A decomposable score.
    settings
        What is asked for.
    rng
        Where local searches start; it does not change the reward of the result.
    monitor
        Clock and listener.
    first
        A graph to start from; None: that of greedy search.

    Attributes
    ----------
    best
        The best graph so far, wherever it came from.
    scope
        The graphs that the bound holds for: fewer than the problem allows where not all parent sets can be afforded.
    best_inside
        The best graph of the scope so far; its reward is -inf if none is known.
    bound
        No graph of the scope has a higher reward; -inf if there is none.
    ranking
        The best graphs of the scope in order, as far as they were wanted and found.
    ways
        How optima were found.
    """

    def __init__(
        self,
        problem: Problem,
        score: ScoreLike,
        settings: ExactSettings,
        rng: np.random.Generator,
        monitor: Monitor,
        first: NDArray[np.int8] | None = None,
    ) -> None:
        self.problem = problem
        self.score = score
        self.settings = settings
        self.limit = None if problem.edge_budget is None else EdgeLimit(problem.edge_budget, settings.exactly)
        self.scope = Scope(problem, self.limit)
        self.monitor = monitor
        self._rng = rng
        self._what = ""
        if first is None:
            first = self._first()
        fits = self.limit is None or self.limit.allows(int(first.sum()))
        self.best = Ranked(first, score.reward_of(first) if fits else -np.inf)
        self.best_inside = self.best
        self.bound = np.inf
        with monitor.guard():  # values given all other nodes may take long
            self.bound = float(score.combine(score.best_values().sum(), 0.0))
        self.ranking: list[Ranked] = []
        self.ways: tuple[str, ...] = ()
        self._best_with_fewer = np.inf  # best reward with at most as many edges as allowed
        self._has_solved = False

    def _first(self) -> NDArray[np.int8]:
        """The graph of greedy search; if that was cut short, with edges drawn at random up to a fixed number."""
        found = greedy(self.problem, self.score, self._rng, self.monitor)
        if found.status == FINISHED or self.limit is None or not self.limit.exactly:
            return found.adjacency
        return filled_at_random(replace(self.problem, start=found.adjacency.astype(bool)), self._rng)

    # ---------------------------------------------------------------- progress

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; infinite if there is none."""
        limit = self.monitor.time_limit
        return np.inf if limit is None else max(limit - self.monitor.seconds, 0.0)

    def __call__(self, incumbent: Incumbent | None = None) -> None:
        """Report progress; raises when time is up."""
        gap = ""
        if incumbent is not None and np.isfinite(incumbent.bound - incumbent.reward):
            gap = f", gap {incumbent.bound - incumbent.reward:.3g}"

        def progress(seconds: float) -> Progress:
            return Progress(0.0, 0, None, 0, self.best.reward, seconds, self._what + gap)

        self.monitor.check(progress)

    @contextmanager
    def _doing(self, what: str) -> Iterator[None]:
        before, self._what = self._what, what
        try:
            yield
        finally:
            self._what = before

    # ---------------------------------------------------------------- the optimum

    def start_afresh(self) -> None:
        """Forget what was found among more graphs than are in the scope now; the bound still holds."""
        self.ranking.clear()
        self._has_solved = False

    def learn(self) -> None:
        """Find the best graph, and the next ones if they are wanted; raises when time is up."""
        self.optimum()
        if self.settings.n_best > 1:
            self._rank()

    def optimum(self, weight: float = 1.0) -> Ranked:
        """The best graph for the sum of weight * value - penalty, with its value of that sum."""
        families = self.families(Objective(weight))
        limit = None if self.limit is None else replace(self.limit, exactly=False)
        found = self._solved(families, limit, weight, self._known(weight, limit))
        self._best_with_fewer = found.reward
        if self.limit is None or self.limit.allows(int(found.adjacency.sum())):
            return found
        # Fewer edges are better: families that lose to a subset may be needed to have more of them.
        self._complete(found)
        known = self._known(weight, self.limit)
        slack = found.reward - known.reward
        families = self.families(Objective(weight, max(slack, TIE)))
        return self._solved(families, self.limit, weight, known)

    def families(self, objective: Objective) -> Families:
        """All families that matter for an objective."""

        def report(n_evaluated: int) -> None:
            with self._doing(f"{n_evaluated:,} parent sets"):
                self()

        survey = enumerate_families(self.problem, self.score, objective, self.settings.max_parents, report)
        most = self.scope.max_free_parents
        if survey.max_parents is not None and (most is None or survey.max_parents < most):
            most = survey.max_parents
            self._narrow_to(most)
        families = survey.families
        if most is None:
            return families
        is_free = ~self.problem.start.T[families.nodes]
        return families.only((families.parents & is_free).sum(axis=1) <= most)

    def _narrow_to(self, max_free_parents: int) -> None:
        """Go on among graphs with fewer parents, afresh if anything was found among those with more."""
        self.scope = self.scope.narrowed(max_free_parents)
        if self.best_inside.reward > -np.inf and not self.scope.has(self.best_inside.adjacency):
            self.best_inside = Ranked(self.best.adjacency, -np.inf)  # should the search for another one be cut short
            self.best_inside = self._first_inside()
            if self.best_inside.reward > self.best.reward:
                self.best = self.best_inside
        if self._has_solved:
            raise NarrowedError

    def _first_inside(self) -> Ranked:
        """The graph of greedy search in the scope."""
        problem = self.scope.reachable()
        if problem is None:
            return Ranked(self.best.adjacency, -np.inf)
        found = self._greedy(problem)
        return Ranked(found, self.score.reward_of(found) if self.scope.has(found) else -np.inf)

    def _greedy(self, problem: Problem) -> NDArray[np.int8]:
        """The graph of greedy search; Ctrl-C ends all, as the time limit does at the next look at the clock."""
        found = greedy(problem, self.score, self._rng, self.monitor)
        if found.status == INTERRUPTED:
            raise KeyboardInterrupt
        return found.adjacency

    def _solved(self, families: Families, limit: EdgeLimit | None, weight: float, known: Ranked) -> Ranked:
        """The best graph over families; what was reached is kept even if time is up."""
        solution = Solution(families, limit, known.reward)
        try:
            with self._doing(f"{len(families):,} families"):
                solution.solve(self.settings.solver, self, self._rng)
        finally:
            self.ways = tuple(dict.fromkeys(self.ways + solution.ways))
            adjacency = solution.adjacency()
            if adjacency is not None:
                self._offer(adjacency)
            if weight == 1.0:
                self.bound = max(min(self.bound, solution.bound), self.best_inside.reward)
        self._has_solved = True
        if solution.reward == -np.inf:
            self._give_up()
        return known if adjacency is None else Ranked(adjacency, solution.reward)

    def _give_up(self) -> NoReturn:
        """No graph is in the scope."""
        if self.best.reward > -np.inf:  # but this one is beyond it
            self.bound = -np.inf
            raise NoGraphError
        most = self.scope.max_free_parents
        afforded = "" if most is None else f" (at most {most} parents could be afforded)"
        raise InputError(
            f"edge_budget is {self.problem.edge_budget}, but no DAG with so many edges fits the other restrictions"
            + afforded
        )

    def _offer(self, adjacency: NDArray[np.int8]) -> None:
        """Take a graph if it is better than the best and has the right number of edges."""
        if self.limit is not None and not self.limit.allows(int(adjacency.sum())):
            return
        reward = self.score.reward_of(adjacency)
        if reward > self.best_inside.reward and self.scope.has(adjacency):
            self.best_inside = Ranked(adjacency, reward)
        if reward > self.best.reward:
            self.best = Ranked(adjacency, reward)
            rank = self.problem.edge_budget or 0
            self.monitor.note_best(reward, int(adjacency.sum()), "proof", rank=rank)

    def _known(self, weight: float, limit: EdgeLimit | None) -> Ranked:
        """The best graph of the scope with its value of an objective, which is -inf if it is not within the limits."""
        adjacency = self.best_inside.adjacency
        if self.best_inside.reward == -np.inf or (limit and not limit.allows(int(adjacency.sum()))):
            return Ranked(adjacency, -np.inf)
        terms = self.score.terms(np.arange(self.problem.n_nodes), rows_from_membership(adjacency.T))
        return Ranked(adjacency, float(weight * terms[:, 0].sum() - terms[:, 1].sum()))

    def _complete(self, found: Ranked) -> None:
        """Add the least bad edges to a graph that has too few of them."""
        problem = self.scope.reachable(found.adjacency.astype(bool))
        if problem is not None:
            self._offer(self._greedy(problem))

    # ---------------------------------------------------------------- the best graphs

    def _rank(self) -> None:
        """The best graphs in order; the optimum is known."""
        n_best = self.settings.n_best
        near = neighbours(self.best_inside.adjacency, self.scope.free, self.limit)
        near = near[[self.scope.has(graph) for graph in near]]
        rewards = np.sort(np.append(self.score.rewards_of(near), self.best_inside.reward))[::-1]
        slack = self._best_with_fewer - rewards[n_best - 1] if len(rewards) >= n_best else np.inf
        families = self.families(Objective(slack=max(slack, TIE)))
        for ranked in islice(best_dags(families, self._best_over), n_best):
            self.ranking.append(ranked)

    def _best_over(self, families: Families) -> tuple[float, NDArray[np.int64] | None]:
        solution = Solution(families, self.limit)
        with self._doing(f"graph {len(self.ranking) + 1} of {self.settings.n_best}"):
            solution.solve(self.settings.solver, self, self._rng)
        return solution.reward, solution.chosen()
