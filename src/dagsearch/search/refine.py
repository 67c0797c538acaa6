"""Refinement of a graph by moves of single variables through an order of all (as in BOSS, Andrews et al. 2023).

Given an order, each variable gets its parents among those before it by growing and shrinking: the best parent is added
while that pays, then parents are dropped while that pays. The steps are kept in a tree per variable, whose branches are
the parents added, so that orders which differ elsewhere share them. A move takes one variable to the place where the
reward is highest; moves are made until none pays, then a stretch of the order is shuffled and moves begin again.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.graph.order import topological_order
from dagsearch.kernels.simulate import NEGLIGIBLE
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.protocol import Problem, ScoreLike

N_KICKS = 10
"""Shuffles in a row that lead to nothing better, after which the search ends."""
_KICKED = 5  # variables that a shuffle puts into a random order


class _Grown:
    """A set of parents that growing passes through, and what follows it."""

    def __init__(self, parents: frozenset[int], value: float) -> None:
        self.parents = parents
        self.value = value
        self.gains: dict[int, float] = {}  # local score with one more parent, for those asked so far
        self.next: dict[int, _Grown] = {}
        self.shrunk: tuple[frozenset[int], float] | None = None


class GrowShrink:
    """The parents of each variable among any others, by growing and shrinking.

    Parameters
    ----------
    problem
        Edges that may be there, those that must be (its start), and the most parents.
    score
        A score whose reward is a sum of local terms.
    check
        Called before local scores are asked for; it may raise to end the search.
    """

    def __init__(self, problem: Problem, score: ScoreLike, check: Callable[[], None] = lambda: None) -> None:
        self._score = score
        self._check = check
        self._most = problem.max_parents
        self._allowed = [frozenset(np.flatnonzero(column).tolist()) for column in problem.allowed.T]
        self._required = [frozenset(np.flatnonzero(column).tolist()) for column in problem.start.T]
        values = self._values(list(range(problem.n_nodes)), self._required)
        self._roots = [_Grown(parents, value) for parents, value in zip(self._required, values, strict=True)]

    def parents(self, node: int, before: frozenset[int]) -> tuple[frozenset[int], float]:
        """The parents of ``node`` among ``before`` and their local score; required ones are there in any case."""
        step = self._roots[node]
        candidates = before & self._allowed[node]
        while len(step.parents) < self._most:
            self._learn(node, step, candidates)
            best, value = _best_of(step.gains, candidates)
            if value <= step.value + NEGLIGIBLE:
                break
            if best not in step.next:
                step.next[best] = _Grown(step.parents | {best}, value)
            step = step.next[best]
        if step.shrunk is None:
            step.shrunk = self._shrunk(node, step)
        return step.shrunk

    def _learn(self, node: int, step: _Grown, candidates: frozenset[int]) -> None:
        """Ask for the local scores with each candidate added that are not known yet."""
        new = sorted(candidates - step.parents - step.gains.keys())
        if new:
            values = self._values([node] * len(new), [step.parents | {c} for c in new])
            step.gains.update(zip(new, values, strict=True))

    def _shrunk(self, node: int, step: _Grown) -> tuple[frozenset[int], float]:
        """Drop parents as long as that pays."""
        parents, value = step.parents, step.value
        while True:
            droppable = sorted(parents - self._required[node])
            values = self._values([node] * len(droppable), [parents - {p} for p in droppable])
            best = max(values, default=-np.inf)
            if best <= value + NEGLIGIBLE:
                return parents, value
            parents, value = parents - {droppable[values.index(best)]}, best

    def _values(self, nodes: list[int], sets: list[frozenset[int]]) -> list[float]:
        """Local scores, asked for together."""
        if not nodes:
            return []
        self._check()
        membership = np.zeros((len(nodes), self._score.n_nodes), dtype=bool)
        for row, members in zip(membership, sets, strict=True):
            row[list(members)] = True
        terms = self._score.terms(np.array(nodes), rows_from_membership(membership))
        values: list[float] = (terms[:, 0] - terms[:, 1]).tolist()
        return values


def _best_of(gains: dict[int, float], candidates: frozenset[int]) -> tuple[int, float]:
    """The candidate with the highest gain, the lowest of them if several have it; -inf if there is none."""
    best, value = -1, -math.inf
    for candidate, gain in gains.items():
        if candidate in candidates and (gain > value or (gain == value and candidate < best)):
            best, value = candidate, gain
    return best, value


class _Order:
    """An order of the variables with their parents by growing and shrinking, and its reward."""

    def __init__(self, order: list[int], grow_shrink: GrowShrink) -> None:
        self.order = order
        self._grow_shrink = grow_shrink
        before: frozenset[int] = frozenset()
        self.parents: dict[int, frozenset[int]] = {}
        self.values: dict[int, float] = {}
        for node in order:
            self.parents[node], self.values[node] = grow_shrink.parents(node, before)
            before |= {node}
        self.reward = sum(self.values.values())

    def best_move(self, node: int, places: range) -> tuple[float, int]:
        """Highest reward with ``node`` at one of the places among the others, and that place."""
        others = [other for other in self.order if other != node]
        before: frozenset[int] = frozenset()
        own, without, with_node = [], [], []
        for place in range(len(others) + 1):
            is_open = places.start <= place < places.stop
            own.append(self._grow_shrink.parents(node, before)[1] if is_open else -np.inf)
            if place < len(others):
                other = others[place]
                # Others keep their values where the move passes no place at which they would come before or after.
                without.append(self._grow_shrink.parents(other, before)[1] if place < places.stop - 1 else 0.0)
                with_node.append(self._grow_shrink.parents(other, before | {node})[1] if place >= places.start else 0.0)
                before |= {other}
        left, right = np.concatenate([[0.0], np.cumsum(without)]), np.concatenate([[0.0], np.cumsum(with_node[::-1])])
        rewards = np.array(own) + left + right[::-1]
        best = int(rewards.argmax())
        return float(rewards[best]), best

    def moved(self, node: int, place: int) -> _Order:
        """The order with ``node`` at a place among the others."""
        others = [other for other in self.order if other != node]
        return _Order([*others[:place], node, *others[place:]], self._grow_shrink)


def can_refine(score: ScoreLike) -> bool:
    """Whether the reward is a sum over the variables, so that parents can be chosen for each of them on its own."""
    return score.decomposable and not score.family.equal_variances


class Refinement:
    """Moves in an order of the variables, from the order of a given graph on.

    Parameters
    ----------
    problem
        What the graph must keep to.
    score
        A score that `can_refine`.
    adjacency
        The graph to improve, which must be within the problem.
    rng
        Decides which variable moves first, and what is shuffled.
    monitor
        Clock and listener.

    Attributes
    ----------
    best
        The best graph so far, never worse than the one that was given.
    """

    def __init__(
        self,
        problem: Problem,
        score: ScoreLike,
        adjacency: NDArray[np.int8],
        rng: np.random.Generator,
        monitor: Monitor,
    ) -> None:
        self.best = adjacency
        self._reward = score.reward_of(adjacency)
        self._problem = problem
        self._rng = rng
        self._monitor = monitor
        self._score = score

    def run(self, n_kicks: int = N_KICKS) -> None:
        """Improve the graph until ``n_kicks`` shuffles in a row lead to nothing better.

        When time is up or the user interrupts, it raises as every part of a search does, and ``best`` is what it has.
        """
        grow_shrink = GrowShrink(self._problem, self._score, self._check)
        current = self._climb(_Order(topological_order(self.best), grow_shrink))
        n_idle = 0
        while n_idle < n_kicks:
            found = self._climb(_Order(_kicked(current.order, self._problem, self._rng), grow_shrink))
            n_idle += 1
            if _pays(found.reward, current.reward):
                current, n_idle = found, 0

    def _check(self) -> None:
        self._monitor.check(lambda seconds: Progress(0.0, 0, None, 0, self._reward, seconds, detail="refining"))

    def _climb(self, order: _Order) -> _Order:
        """Move variables, each to its best place, until no move pays."""
        current, improved = order, True
        self._keep(current)
        while improved:
            improved = False
            for node in self._rng.permutation(self._problem.n_nodes).tolist():
                self._check()
                reward, place = current.best_move(node, _places(node, current.order, self._problem))
                if _pays(reward, current.reward):
                    current, improved = current.moved(node, place), True
                    self._keep(current)
        return current

    def _keep(self, order: _Order) -> None:
        """Remember the graph of an order if it is the best so far."""
        if _pays(order.reward, self._reward):
            self._reward = order.reward
            self.best = np.zeros_like(self.best)
            for node, parents in order.parents.items():
                self.best[list(parents), node] = 1


def _pays(reward: float, than: float) -> bool:
    """Whether a reward is higher by more than rounding: sums of the same terms in another order differ a little."""
    return reward > than + NEGLIGIBLE * (1.0 + abs(than))


def _places(node: int, order: list[int], problem: Problem) -> range:
    """Places among the others that keep the causes that are required before their effects."""
    others = [other for other in order if other != node]
    causes, effects = problem.start[others, node], problem.start[node, others]
    first = int(np.flatnonzero(causes).max(initial=-1)) + 1
    last = int(np.flatnonzero(effects).min(initial=len(others)))
    return range(first, last + 1)


def _kicked(order: list[int], problem: Problem, rng: np.random.Generator) -> list[int]:
    """The order with a stretch of it shuffled, as far as required edges allow."""
    n_kicked = min(_KICKED, len(order))
    first = int(rng.integers(len(order) - n_kicked + 1))
    stretch = rng.permutation(order[first : first + n_kicked])
    required = problem.start[np.ix_(stretch, stretch)].astype(np.int8)
    sorted_stretch = [int(stretch[k]) for k in topological_order(required)] if required.any() else stretch.tolist()
    return [*order[:first], *sorted_stretch, *order[first + n_kicked :]]
