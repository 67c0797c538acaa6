"""Greedy search: the legal edge with the best reward, one at a time (the paper's baseline)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.interruption import look
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.process import add_edge
from dagsearch.kernels.returns import NEGLIGIBLE
from dagsearch.search.checkpoint import Arrays, array_of_generator, set_generator
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.outcomes import finished, outcome_of
from dagsearch.search.process import adjacency_from_parents, legal_edges, rules_of, start_partial
from dagsearch.search.protocol import Outcome, Problem, ScoreLike


class _EdgeRewards:
    """Rewards of the current graph with one edge more, (n_nodes, n_nodes); only what changed is asked for again."""

    def __init__(self, problem: Problem, score: ScoreLike, on_effect: Callable[[], None]) -> None:
        self.score = score
        self._on_effect = on_effect
        self.n_nodes = problem.n_nodes
        self._own = np.zeros((self.n_nodes, 2))
        self._gains = np.zeros((2, self.n_nodes, self.n_nodes))  # [:, cause, effect]: change of value and penalty
        self._stale = set(range(self.n_nodes))

    def after(self, adjacency: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Rewards after each legal edge; -inf elsewhere."""
        if not self.score.decomposable:
            return self._whole_graphs(adjacency, legal)
        for effect in sorted(self._stale):
            self._on_effect()
            self._refresh(effect, adjacency[:, effect].astype(bool), np.flatnonzero(legal[:, effect]))
        self._stale.clear()
        value, penalty = self._own.sum(axis=0)
        rewards: NDArray[np.float64] = self.score.combine(value + self._gains[0], penalty + self._gains[1])
        return np.where(legal, rewards, -np.inf)

    def insert(self, effect: int) -> None:
        """Note that ``effect`` got a new parent."""
        self._stale.add(effect)

    def _refresh(self, effect: int, parents: NDArray[np.bool_], causes: NDArray[np.intp]) -> None:
        """Look up the terms of ``effect`` with its own parents, and with each possible cause added."""
        sets = np.tile(parents, (len(causes) + 1, 1))
        sets[np.arange(len(causes)), causes] = True
        terms = self.score.terms(np.full(len(sets), effect), rows_from_membership(sets))
        self._own[effect] = terms[-1]
        self._gains[:, causes, effect] = (terms[:-1] - terms[-1]).T

    def _whole_graphs(self, adjacency: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Ask for the reward of every graph with one edge more."""
        rewards = np.full(legal.shape, -np.inf)
        for cause, effect in np.argwhere(legal):
            look()
            adjacency[cause, effect] = 1
            rewards[cause, effect] = self.score.reward_of(adjacency)
            adjacency[cause, effect] = 0
        return rewards


def greedy(
    problem: Problem,
    score: ScoreLike,
    rng: np.random.Generator,
    monitor: Monitor,
    places: NDArray[np.intp] | None = None,
) -> Outcome:
    """Add the best edge until the budget is spent, or no edge improves the reward if there is none.

    Ties, which score-equivalent scores produce at the first edges, are broken at random. Which of them a random number
    stands for goes by ``places``, those of the nodes in an order of their own; by default it is that of their indices.
    """
    stage = monitor.stage("greedy")
    if stage.result is not None:
        return outcome_of(stage.result)
    _, words = words_for(problem.n_nodes)
    rules = rules_of(problem)
    graph = start_partial(problem, rules)
    adjacency = adjacency_from_parents(graph.parents, problem.n_nodes)
    reward, n_steps = score.reward_of(adjacency), 0
    if stage.state is not None:
        for cause, effect in np.argwhere(stage.state["adjacency"] > adjacency):
            add_edge(graph, int(cause), int(effect), rules, words)
        adjacency = stage.state["adjacency"].copy()
        reward, n_steps = float(stage.state["reward"][0]), int(stage.state["n_steps"][0])
        set_generator(rng, stage.state["rng"])
    places = np.arange(problem.n_nodes) if places is None else places
    budget = problem.edge_budget
    n_edges = int(adjacency.sum())

    def captured() -> Arrays:
        counts = {"reward": np.array([reward]), "n_steps": np.array([n_steps])}
        return {"adjacency": adjacency, **counts, "rng": array_of_generator(rng)}

    edge_rewards = _EdgeRewards(problem, score, lambda: stage.offer(captured))

    def progress(seconds: float) -> Progress:
        total = None if budget is None else budget - problem.n_start_edges
        return Progress(n_steps / total if total else 0.0, n_steps, total, 0, reward, seconds)

    with monitor.guard():
        while budget is None or n_edges < budget:
            stage.offer(captured)
            monitor.check(progress)
            rewards = edge_rewards.after(adjacency, legal_edges(graph, problem.n_nodes))
            best = rewards.max(initial=-np.inf)
            if best == -np.inf or (budget is None and best <= reward + NEGLIGIBLE):
                break
            ties = _ties(rewards, best, places)
            cause, effect = (int(node) for node in ties[rng.integers(len(ties))])
            add_edge(graph, cause, effect, rules, words)
            edge_rewards.insert(effect)
            adjacency[cause, effect] = 1
            reward = float(rewards[cause, effect])
            n_edges, n_steps = n_edges + 1, n_steps + 1
            monitor.note_best(reward, n_edges, "greedy", rank=0 if budget is None else n_edges)
    return finished(stage, Outcome(adjacency, reward, 0, 0, n_steps, monitor.status))


def _ties(rewards: NDArray[np.float64], best: float, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Edges, (n, 2), that are as good as the best one but for rounding, in the order of the places of their nodes."""
    ties = np.argwhere(rewards >= best - NEGLIGIBLE * (1.0 + abs(best)))
    causes, effects = places[ties].T
    return ties[np.lexsort((effects, causes))]
