"""Greedy search: the legal edge with the best reward, one at a time (the paper's baseline)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.process import add_edge
from dagsearch.kernels.simulate import NEGLIGIBLE
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.process import adjacency_from_parents, legal_edges, rules_of, start_partial
from dagsearch.search.protocol import Outcome, Problem, ScoreLike


class _EdgeRewards:
    """Rewards of the current graph with one edge more, (n_nodes, n_nodes); only what changed is asked for again."""

    def __init__(self, problem: Problem, score: ScoreLike) -> None:
        self.score = score
        self.n_nodes = problem.n_nodes
        self._terms = np.zeros((self.n_nodes, self.n_nodes, 2))  # [cause, effect]: terms of effect with that edge
        self._stale = np.ones(self.n_nodes, dtype=bool)

    def after(self, adjacency: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Rewards after each legal edge; -inf elsewhere."""
        rewards = np.full(legal.shape, -np.inf)
        if not self.score.decomposable:
            for cause, effect in np.argwhere(legal):
                adjacency[cause, effect] = 1
                rewards[cause, effect] = self.score.reward_of(adjacency)
                adjacency[cause, effect] = 0
            return rewards
        self._refresh(adjacency, legal)
        own = self._own_terms(adjacency)
        others = own.sum(axis=0) - own
        values, penalties = (others[None, :, k] + self._terms[:, :, k] for k in range(2))
        rewards[legal] = self.score.combine(values[legal], penalties[legal])
        return rewards

    def insert(self, effect: int) -> None:
        """Note that ``effect`` got a new parent."""
        self._stale[effect] = True

    def _own_terms(self, adjacency: NDArray[np.int8]) -> NDArray[np.float64]:
        return self.score.terms(np.arange(self.n_nodes), rows_from_membership(adjacency.T))

    def _refresh(self, adjacency: NDArray[np.int8], legal: NDArray[np.bool_]) -> None:
        causes, effects = np.nonzero(legal & self._stale[None, :])
        if len(causes):
            parents = adjacency.T[effects].astype(bool)
            parents[np.arange(len(causes)), causes] = True
            self._terms[causes, effects] = self.score.terms(effects, rows_from_membership(parents))
        self._stale[:] = False


def greedy(problem: Problem, score: ScoreLike, rng: np.random.Generator, monitor: Monitor) -> Outcome:
    """Add the best edge until the budget is spent, or no edge improves the reward if there is none.

    Ties, which score-equivalent scores produce at the first edges, are broken at random.
    """
    _, words = words_for(problem.n_nodes)
    rules = rules_of(problem)
    graph = start_partial(problem, rules)
    edge_rewards = _EdgeRewards(problem, score)
    budget = problem.edge_budget
    n_edges, n_steps = problem.n_start_edges, 0
    adjacency = adjacency_from_parents(graph.parents, problem.n_nodes)
    reward = score.reward_of(adjacency)

    def progress(seconds: float) -> Progress:
        total = None if budget is None else budget - problem.n_start_edges
        return Progress(n_steps / total if total else 0.0, n_steps, total, 0, reward, seconds)

    with monitor.guard():
        while budget is None or n_edges < budget:
            monitor.check(progress)
            rewards = edge_rewards.after(adjacency, legal_edges(graph, problem.n_nodes))
            best = rewards.max(initial=-np.inf)
            if best == -np.inf or (budget is None and best <= reward + NEGLIGIBLE):
                break
            ties = np.argwhere(rewards >= best - NEGLIGIBLE * (1.0 + abs(best)))
            cause, effect = (int(node) for node in ties[rng.integers(len(ties))])
            add_edge(graph, cause, effect, rules, words)
            edge_rewards.insert(effect)
            adjacency[cause, effect] = 1
            reward = float(rewards[cause, effect])
            n_edges, n_steps = n_edges + 1, n_steps + 1
    return Outcome(adjacency, reward, 0, 0, n_steps, monitor.status)
