"""What a batch of sampled graphs costs: the score, rescaled to about 0..5, plus penalties of cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagsearch.kernels.cycles import weigh_cycles

if TYPE_CHECKING:
    from dagsearch.baselines.rl_bic import BatchScore

_COST_OF_EMPTY_GRAPH = 5.0
_ITERATIONS_BETWEEN_RAISES = 1000
_INDICATOR_STEP = 1.0
_LARGEST_CYCLE_WEIGHT = 0.01
_CYCLE_WEIGHT_FACTOR = 10.0


class Judge:
    """Cost of graphs under penalties that grow with time; remembers the best DAG.

    cost = 5 (r_full - r) / (r_full - r_empty) + lambda1 [has a cycle] + lambda2 h, where r is the reward, its bounds
    are free of penalties, and h is the weighted count of closed walks; lambda1 and lambda2 grow every 1,000 iterations.

    Parameters
    ----------
    score
        Gives the rewards of graphs.
    n_nodes
        Number of variables.
    forced
        Edges that all graphs have, (n_nodes, n_nodes) bool.

    Attributes
    ----------
    adjacency, reward
        The best DAG so far and its reward; None and -inf before the first one.
    cyclic_share
        Share of the last batch that has cycles.
    """

    def __init__(self, score: BatchScore, n_nodes: int, forced: NDArray[np.bool_]) -> None:
        self._score = score
        self._powers = np.empty((2, n_nodes, n_nodes))
        self._worst, self._best_conceivable = _range_of_rewards(score, n_nodes, forced)
        self._indicator_weight = 0.0
        self._cycle_weight = 10.0 ** -round(n_nodes / 3)
        self._least_cost = _COST_OF_EMPTY_GRAPH
        self.adjacency: NDArray[np.int8] | None = None
        self.reward = -np.inf
        self.cyclic_share = 0.0

    def costs(self, adjacencies: NDArray[np.int8]) -> NDArray[np.float64]:
        """Cost of each graph of a batch, (n, n_nodes, n_nodes)."""
        rewards = self._score.rewards_of(adjacencies)
        h = np.empty(len(adjacencies))
        weigh_cycles(adjacencies, self._powers, h)
        # Zero for DAGs to the last bit, so that long cycles, which weigh little, are not taken for none.
        cyclic = h > 0.0
        costs = _COST_OF_EMPTY_GRAPH * (self._best_conceivable - rewards) / (self._best_conceivable - self._worst)
        self.cyclic_share = float(cyclic.mean())
        self._remember(adjacencies, np.where(cyclic, -np.inf, rewards), costs)
        penalised: NDArray[np.float64] = costs + self._indicator_weight * cyclic + self._cycle_weight * h
        return penalised

    def _remember(
        self, adjacencies: NDArray[np.int8], rewards: NDArray[np.float64], costs: NDArray[np.float64]
    ) -> None:
        best = int(rewards.argmax())
        if rewards[best] > self.reward:
            self.reward = float(rewards[best])
            self.adjacency = adjacencies[best].copy()
            self._least_cost = min(self._least_cost, float(costs[best]))

    def raise_penalties(self, iteration: int) -> None:
        """Make cycles dearer, if it is time to; the indicator never outweighs the best DAG's own cost."""
        if iteration % _ITERATIONS_BETWEEN_RAISES == 0 and iteration > 0:
            self._indicator_weight = min(self._indicator_weight + _INDICATOR_STEP, self._least_cost)
            self._cycle_weight = min(self._cycle_weight * _CYCLE_WEIGHT_FACTOR, _LARGEST_CYCLE_WEIGHT)


def _range_of_rewards(score: BatchScore, n_nodes: int, forced: NDArray[np.bool_]) -> tuple[float, float]:
    """Rewards, without penalties, of the emptiest graph and of one that no DAG should exceed by far.

    The latter is the full graph, or, for a score by which that is no better, the one in which every variable has its
    best single cause.
    """
    full = ~np.eye(n_nodes, dtype=bool)
    bounds = score.rewards_of(np.stack([forced, full]).astype(np.int8), penalised=False)
    least, most = (float(bound) for bound in bounds)
    if most <= least:
        most = float(score.rewards_of(_best_single_causes(score, n_nodes)[np.newaxis], penalised=False)[0])
    return least, most if most > least else least + 1.0


def _best_single_causes(score: BatchScore, n_nodes: int) -> NDArray[np.int8]:
    """The graph, cyclic as a rule, in which each variable has the one cause that explains it best."""
    edges = np.argwhere(~np.eye(n_nodes, dtype=bool))
    single = np.zeros((len(edges), n_nodes, n_nodes), dtype=np.int8)
    single[np.arange(len(edges)), edges[:, 0], edges[:, 1]] = 1
    gains = np.full((n_nodes, n_nodes), -np.inf)
    gains[edges[:, 0], edges[:, 1]] = score.rewards_of(single)
    graph = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    graph[gains.argmax(axis=0), np.arange(n_nodes)] = 1
    return graph
