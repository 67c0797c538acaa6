"""Swaps of edges: one is taken out, the best one that closes no cycle comes in, so that their number stays the same.

When no swap pays, a few edges are taken out at random and as many put back, the best first, and swaps begin again.
A graph that had to end short of its budget, since nothing more was legal, is only swapped for others that had to, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.search.checkpoint import NOT_KEPT, Arrays, Stage, array_of_generator, set_generator
from dagsearch.search.protocol import OnBetter, Problem, ScoreLike, pays

N_KICKS = 30
"""Kicks in a row that lead to nothing better, after which swapping ends."""
_FEWEST_KICKED, _MOST_KICKED = 2, 6  # edges that a kick takes out


def reachable(adjacency: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Which nodes can be reached from which along edges, (n_nodes, n_nodes) bool; each from itself."""
    reach = (adjacency > 0) | np.eye(len(adjacency), dtype=bool)
    n_pairs = -1
    # Each product doubles the length of the paths that are known.
    while n_pairs != (n_pairs := int(reach.sum())):
        paths = reach.astype(np.float32)
        reach = paths @ paths > 0
    return reach


class _Graph:
    """A DAG with its local terms, and those with one edge more."""

    def __init__(self, adjacency: NDArray[np.int8], problem: Problem, score: ScoreLike) -> None:
        self.adjacency = adjacency.copy()
        self._problem = problem
        self._score = score
        d = problem.n_nodes
        self._own = np.zeros((d, 2))
        self._with = np.zeros((d, d, 2))  # [cause, effect]: terms of the effect with the cause added
        for node in range(d):
            self._refresh(node)

    def copy(self) -> _Graph:
        """An independent copy."""
        twin = object.__new__(_Graph)
        twin.__dict__.update(self.__dict__)
        twin.adjacency, twin._own, twin._with = self.adjacency.copy(), self._own.copy(), self._with.copy()
        return twin

    @property
    def reward(self) -> float:
        """Its reward."""
        value, penalty = self._own.sum(axis=0)
        return float(self._score.combine(value, penalty))

    @property
    def free_edges(self) -> NDArray[np.intp]:
        """Edges that are not required, (n, 2)."""
        return np.argwhere((self.adjacency > 0) & ~self._problem.start)

    def toggle(self, cause: int, effect: int) -> None:
        """Add an edge, or take it out."""
        self.adjacency[cause, effect] ^= 1
        self._refresh(effect)

    def _refresh(self, node: int) -> None:
        """Look up the terms of a node with its parents, and with each other possible cause added."""
        parents = self.adjacency[:, node] > 0
        causes = np.flatnonzero(self._problem.allowed[:, node] & ~parents & (np.arange(len(parents)) != node))
        sets = np.tile(parents, (len(causes) + 1, 1))
        sets[np.arange(len(causes)), causes] = True
        terms = self._score.terms(np.full(len(sets), node), rows_from_membership(sets))
        self._own[node] = terms[-1]
        self._with[causes, node] = terms[:-1]

    @property
    def is_full(self) -> bool:
        """Whether it has no fewer edges than it must: its budget is spent, or nothing more is legal."""
        budget = self._problem.edge_budget
        return budget is None or int(self.adjacency.sum()) >= budget or self.best_addition() is None

    def best_addition(self, but: tuple[int, int] | None = None) -> tuple[float, int, int] | None:
        """Reward, cause and effect of the best edge that may be added, another one than ``but``; None if none may."""
        problem, adjacency = self._problem, self.adjacency
        legal = problem.allowed & (adjacency == 0) & ~reachable(adjacency).T
        legal[:, adjacency.sum(axis=0) >= problem.max_parents] = False
        if but is not None:
            legal[but] = False
        if not legal.any():
            return None
        change = self._with - self._own
        value, penalty = self._own.sum(axis=0)
        rewards = np.where(legal, self._score.combine(value + change[:, :, 0], penalty + change[:, :, 1]), -np.inf)
        cause, effect = np.unravel_index(int(rewards.argmax()), rewards.shape)
        return float(rewards[cause, effect]), int(cause), int(effect)


class Swaps:
    """Swaps of edges from a given graph on.

    Parameters
    ----------
    problem
        What the graph must keep to.
    score
        A decomposable score.
    adjacency
        The graph to improve, which must be within the problem.
    rng
        Decides which edges are looked at first, and which are taken out by a kick.
    check
        Called now and then with the best reward so far; it may raise to end the search.
    on_better
        Called with reward and number of edges of each graph that is the best so far; None: nobody wants to know.
    stage
        The part of a search that this is; it goes on where that was.

    Attributes
    ----------
    best
        The best graph so far, with as many edges as the one that was given.
    """

    def __init__(
        self,
        problem: Problem,
        score: ScoreLike,
        adjacency: NDArray[np.int8],
        rng: np.random.Generator,
        check: Callable[[float], None],
        on_better: OnBetter | None = None,
        stage: Stage = NOT_KEPT,
    ) -> None:
        self.best = adjacency
        self._reward = score.reward_of(adjacency)
        self._problem = problem
        self._score = score
        self._rng = rng
        self._check = check
        self._on_better = on_better
        self._stage = stage
        self._current: _Graph | None = None  # that kicks start from
        self._n_idle = 0

    def run(self, n_kicks: int | None = None) -> None:
        """Swap edges until so many kicks in a row lead to nothing better; by default `N_KICKS`."""
        if self._stage.result is not None:
            self.best = self._stage.result["best"].copy()
            set_generator(self._rng, self._stage.result["rng"])
            return
        found: _Graph | None = self._begun()
        while True:
            if found is not None:
                found = self._descend(found)
                if self._current is None or pays(found.reward, self._current.reward):
                    self._current, self._n_idle = found, 0
            if self._current is None or self._n_idle >= (N_KICKS if n_kicks is None else n_kicks):
                break
            found = self._kicked(self._current)
            self._n_idle += 1
        self._stage.finish({"best": self.best, "rng": array_of_generator(self._rng)})

    def _begun(self) -> _Graph:
        """The graph whose edges are swapped first: the one that was given, or that of a stage that has begun."""
        state = self._stage.state
        if state is None:
            return self._graph(self.best)
        self.best, self._reward = state["best"].copy(), float(state["reward"][0])
        self._n_idle = int(state["n_idle"][0])
        set_generator(self._rng, state["rng"])
        if len(state["current"]):
            self._current = self._graph(state["current"])
        return self._graph(state["graph"])

    def _graph(self, adjacency: NDArray[np.int8]) -> _Graph:
        return _Graph(adjacency, self._problem, self._score)

    def _captured(self, graph: _Graph) -> Arrays:
        """Where the search is, between two passes over the edges of a graph."""
        return {
            "best": self.best,
            "reward": np.array([self._reward]),
            "n_idle": np.array([self._n_idle]),
            "rng": array_of_generator(self._rng),
            "current": graph.adjacency[:0] if self._current is None else self._current.adjacency,
            "graph": graph.adjacency,
        }

    def _descend(self, graph: _Graph) -> _Graph:
        """Swap each edge for a better one until none pays."""
        self._keep(graph)
        improved = True
        while improved:
            improved = False
            self._stage.offer(partial(self._captured, graph))
            for cause, effect in self._rng.permutation(graph.free_edges).tolist():
                self._check(self._reward)
                improved |= self._swap(graph, cause, effect)
        return graph

    def _swap(self, graph: _Graph, cause: int, effect: int) -> bool:
        """Swap an edge for the best other one if that pays; returns whether it did."""
        reward = graph.reward
        graph.toggle(cause, effect)
        best = graph.best_addition(but=(cause, effect))
        if best is None or not pays(best[0], reward):
            graph.toggle(cause, effect)
            return False
        graph.toggle(best[1], best[2])
        if not graph.is_full:
            graph.toggle(best[1], best[2])
            graph.toggle(cause, effect)
            return False
        self._keep(graph)
        return True

    def _kicked(self, graph: _Graph) -> _Graph | None:
        """The graph with a few edges taken out and the best put back; None if fewer or more than these may be added."""
        graph = graph.copy()
        edges = graph.free_edges
        n_kicked = min(int(self._rng.integers(_FEWEST_KICKED, _MOST_KICKED + 1)), len(edges))
        taken = [tuple(edge) for edge in self._rng.permutation(edges)[:n_kicked].tolist()]
        for cause, effect in taken:
            graph.toggle(cause, effect)
        # The first one that comes back is another one than those that went, or all would come back.
        for k in range(n_kicked):
            self._check(self._reward)
            best = graph.best_addition(but=taken[0] if k == 0 else None)
            if best is None:
                return None
            graph.toggle(best[1], best[2])
        return graph if graph.is_full else None

    def _keep(self, graph: _Graph) -> None:
        """Remember the graph if it is the best so far."""
        if pays(graph.reward, self._reward):
            self.best, self._reward = graph.adjacency.copy(), graph.reward
            if self._on_better is not None:
                self._on_better(self._reward, int(self.best.sum()))
