"""Refinement of graphs that another search has found, by moves in the order of the variables or by swaps of edges.

Without an edge budget a search over orders goes on from the graph. With a budget edges are swapped, so that their
number stays what it is (`search.swaps`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagsearch.search.forest import ParentTrees
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.orders import OrderClimber, default_kicks, random_order
from dagsearch.search.protocol import Problem, ScoreLike
from dagsearch.search.swaps import Swaps


def can_refine(score: ScoreLike) -> bool:
    """Whether the reward is made of local terms, so that parents can be chosen for each variable on its own."""
    return score.decomposable


def check_on(monitor: Monitor, reward: float) -> None:
    """Let the monitor report that the best graph is being refined, and end the search if it is to end."""
    monitor.check(lambda seconds: Progress(0.0, 0, None, 0, reward, seconds, detail="refining"))


class Refinement:
    """Improves a graph; it never gets worse.

    Parameters
    ----------
    problem
        What the graph must keep to.
    score
        A score that `can_refine`.
    adjacency
        The graph to improve, which must be within the problem.
    rng
        Decides what is moved or swapped first.
    monitor
        Clock and listener.
    trees
        Those of another refinement on the same problem and score, to go on with.

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
        trees: ParentTrees | None = None,
    ) -> None:
        self.best = adjacency
        self._problem = problem
        self._score = score
        self._rng = rng
        self._monitor = monitor
        self._trees = trees
        self._on_better = None if monitor.recorder is None else self._tell

    def run(self, n_kicks: int | None = None, afresh: bool = False, name: str = "refinement") -> None:
        """Improve the graph until so many kicks in a row lead to nothing better; None: as many as are worth their time.

        ``afresh``: from a random order, whatever the graph, which is kept if nothing better is found; not with an edge
        budget. When time is up or the user interrupts, it raises as every part of a search does, and ``best`` is what
        it has. ``name`` is that of the stage of the search.
        """
        if self._problem.edge_budget is None:
            self._climb(default_kicks(self._score) if n_kicks is None else n_kicks, afresh, name)
        else:
            stage = self._monitor.stage(name)
            swaps = Swaps(self._problem, self._score, self.best, self._rng, self._check, self._on_better, stage)
            try:
                swaps.run(n_kicks)
            finally:
                self.best = swaps.best

    def _climb(self, n_kicks: int, afresh: bool, name: str) -> None:
        climber = OrderClimber(self._problem, self._score, self._check, self._trees, on_better=self._on_better)
        climber.keep(self.best)
        seed = int(self._rng.integers(2**63))
        try:
            if afresh:
                climber.search_from(random_order(self._problem, self._rng), seed, n_kicks, self._monitor.stage(name))
            else:
                climber.search_from_best(seed, n_kicks, self._monitor.stage(name))
            climber.delete_edges(self._monitor.stage(f"deletions after {name}"))
        finally:
            if climber.reward > self._score.reward_of(self.best):
                self.best = climber.best

    def _check(self, reward: float) -> None:
        check_on(self._monitor, reward)

    def _tell(self, reward: float, n_edges: int) -> None:
        rank = 0 if self._problem.edge_budget is None else n_edges
        self._monitor.note_best(reward, n_edges, "refinement", rank=rank)
