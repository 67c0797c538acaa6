"""The slow twins of the searches: sets of edges, and a tree of objects."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from naive import NEGLIGIBLE, Edge, NaiveRules, SplitMix64, below_high, below_low, legal_pairs


@dataclass
class NaiveOutcome:
    edges: frozenset[Edge]
    reward: float
    n_simulations: int = 0
    n_calibration_simulations: int = 0


class TreeNode:
    """A state of the search tree: all its actions, of which the first ``len(children)`` are expanded."""

    def __init__(self) -> None:
        self.actions: list[int] | None = None
        self.children: list[TreeNode] = []
        self.visits = 0
        self.mean = 0.0

    def expand(self, random: SplitMix64) -> int:
        """Add a random new child at the front of those that wait; returns its position."""
        k = len(self.children)
        other = k + below_high(random.next_word(), len(self.actions) - k)
        self.actions[k], self.actions[other] = self.actions[other], self.actions[k]
        self.children.append(TreeNode())
        return k

    def best_by_ucb(self, exploration: float) -> int:
        """Position of the first child with the largest mean + C sqrt(2 ln N / n)."""
        width = exploration * math.sqrt(2.0 * math.log(self.visits))
        values = [child.mean + width * (1.0 / math.sqrt(child.visits)) for child in self.children]
        return values.index(max(values))

    def record(self, value: float) -> None:
        self.visits += 1
        root = 1.0 / math.sqrt(self.visits)
        self.mean += (value - self.mean) * (root * root)


class NaiveSearch:
    """One run: the root, the best graph, and simulations below the root."""

    def __init__(
        self,
        rules: NaiveRules,
        start: frozenset[Edge],
        edge_budget: int | None,
        reward: Callable[[frozenset[Edge]], float],
        seed: int,
    ) -> None:
        self.rules = rules
        self.edge_budget = edge_budget
        self.reward = reward
        self.random = SplitMix64(seed)
        self.root = start
        self.stub: int | None = None
        self.best, self.best_reward = start, reward(start)
        self.tree = TreeNode()
        self.n_simulations = 0
        self.tree_beyond_horizon = self.keeps_any_size = False

    @property
    def max_edges(self) -> int:
        d = self.rules.n_nodes
        return d * (d - 1) // 2 if self.edge_budget is None else self.edge_budget

    @property
    def has_actions(self) -> bool:
        return bool(self.rules.legal(self.root)) and len(self.root) < self.max_edges

    def simulate(self, n_simulations: int, horizon: int | None, exploration: float | None) -> None:
        self.tree = TreeNode()
        limit = self.max_edges if horizon is None else min(self.max_edges, len(self.root) + horizon)
        tree_limit = self.max_edges if self.tree_beyond_horizon else limit
        for _ in range(n_simulations):
            path, graphs, stub = [self.tree], [self.root], self.stub
            if exploration is not None:
                stub = self._tree_policy(path, graphs, stub, tree_limit, exploration)
            self._roll_out(graphs, stub, limit)
            self._back_up(path, graphs)
            self.n_simulations += 1

    def _tree_policy(
        self,
        path: list[TreeNode],
        graphs: list[frozenset[Edge]],
        stub: int | None,
        limit: int,
        exploration: float,
    ) -> int | None:
        """Select until a new tree node was expanded; returns the stub that is left open."""
        while len(graphs[-1]) < limit:
            node = path[-1]
            if node.actions is None:
                self._open(node, graphs, stub)
            if not node.actions:
                break
            n_children = len(node.children)
            k = self._choose(node, exploration)
            path.append(node.children[k])
            if stub is None:
                stub = node.actions[k]
            else:
                graphs.append(graphs[-1] | {(stub, node.actions[k])})
                stub = None
            if len(node.children) > n_children:
                break
        return stub

    def _open(self, node: TreeNode, graphs: list[frozenset[Edge]], stub: int | None) -> None:
        """Lay out the actions of a tree node."""
        legal = self.rules.legal(graphs[-1])
        node.actions = list(legal) if stub is None else list(legal[stub])

    def _choose(self, node: TreeNode, exploration: float) -> int:
        """Position of the child to go to, a new one while there are actions without."""
        is_full = len(node.children) == len(node.actions)
        return node.best_by_ucb(exploration) if is_full else node.expand(self.random)

    def _roll_out(self, graphs: list[frozenset[Edge]], stub: int | None, limit: int) -> None:
        """One word per edge: its high half draws the stub, its low half the endpoint."""
        while len(graphs[-1]) < limit and (legal := self.rules.legal(graphs[-1])):
            word = self.random.next_word()
            if stub is None:
                stub = list(legal)[below_high(word, len(legal))]
            graphs.append(graphs[-1] | {(stub, legal[stub][below_low(word, len(legal[stub]))])})
            stub = None

    def _back_up(self, path: list[TreeNode], graphs: list[frozenset[Edge]]) -> None:
        if self.edge_budget is not None:
            reward = self.reward(graphs[-1])
            n_edges, n_best = (0, 0) if self.keeps_any_size else (len(graphs[-1]), len(self.best))
            if (n_edges, reward) > (n_best, self.best_reward):
                self.best, self.best_reward = graphs[-1], reward
            for node in path:
                node.record(reward)
            return
        rewards = [self.reward(graph) for graph in graphs]
        first_best = rewards.index(max(rewards))
        if rewards[first_best] > self.best_reward + NEGLIGIBLE:
            self.best, self.best_reward = graphs[first_best], rewards[first_best]
        for p, node in enumerate(path):
            n_decisions = p + (self.stub is not None)
            n_edges = math.ceil(n_decisions / 2)  # a chosen stub is bound to become an edge
            node.record(max(rewards[min(n_edges, len(graphs) - 1) :]))

    def move(self, final_move: str) -> None:
        """Decide for a child of the root; without a budget only for one on the way to the best graph."""
        children = [
            (child, action)
            for child, action in zip(self.tree.children, self.tree.actions, strict=False)
            if self.edge_budget is not None or self._leads_to_best(action)
        ]
        keys = [
            (child.visits, child.mean) if final_move == "most-visits" else (child.mean, child.visits)
            for child, _ in children
        ]
        last = max(k for k, key in enumerate(keys) if key == max(keys))
        self._decide_for(children[last][1])

    def _decide_for(self, action: int) -> None:
        if self.stub is None:
            self.stub = action
        else:
            self.root, self.stub = self.root | {(self.stub, action)}, None

    def _leads_to_best(self, action: int) -> bool:
        ahead = self.best - self.root
        if self.stub is None:
            return any(cause == action for cause, _ in ahead)
        return (self.stub, action) in ahead


def naive_cd_uct(
    rules: NaiveRules,
    reward: Callable[[frozenset[Edge]], float],
    rng: np.random.Generator,
    *,
    edge_budget: int | None,
    sims_per_node: float,
    horizon: int | None,
    exploration: float,
    exploration_scale: str = "root-mean",
    final_move: str = "most-visits",
    horizon_ends: str = "simulations",
    calibration: str = "greedy",
    keep: str = "budget-size",
    n_restarts: int = 1,
    start: frozenset[Edge] = frozenset(),
    make_search: Callable[..., NaiveSearch] = NaiveSearch,
) -> NaiveOutcome:
    """Algorithm 2 of the paper, with the meaning of `dagsearch.search.cd_uct`, move for move."""
    n_sims = max(1, int(sims_per_node * rules.n_nodes))
    outcomes = []
    for own_rng in rng.spawn(n_restarts):
        search = make_search(rules, start, edge_budget, reward, int(own_rng.integers(2**63)))
        search.tree_beyond_horizon = horizon_ends == "rollouts"
        search.keeps_any_size = keep == "any-size"
        n_calibration = 0

        def weight(search: NaiveSearch = search) -> float:
            return exploration * (1.0 if exploration_scale == "none" else abs(search.tree.mean))

        if exploration_scale == "root-mean" and search.has_actions:
            search.simulate(n_sims, horizon, exploration if calibration == "exploring" else 0.0)
            n_calibration, search.n_simulations = search.n_simulations, 0
        while search.has_actions:
            search.simulate(n_sims, horizon, weight())
            if edge_budget is None and search.stub is None and search.root == search.best:
                break
            search.move(final_move)
        outcomes.append(NaiveOutcome(search.best, search.best_reward, search.n_simulations, n_calibration))
    size_counts = edge_budget is not None and keep == "budget-size"
    best = max(outcomes, key=lambda o: (len(o.edges) if size_counts else 0, o.reward))
    return NaiveOutcome(
        best.edges,
        best.reward,
        sum(o.n_simulations for o in outcomes),
        sum(o.n_calibration_simulations for o in outcomes),
    )


def naive_random_search(
    rules: NaiveRules,
    reward: Callable[[frozenset[Edge]], float],
    rng: np.random.Generator,
    *,
    edge_budget: int | None,
    n_simulations: int,
) -> NaiveOutcome:
    """The best of uniform rollouts from the empty graph."""
    search = NaiveSearch(rules, frozenset(), edge_budget, reward, int(rng.integers(2**63)))
    search.simulate(n_simulations, None, None)
    return NaiveOutcome(search.best, search.best_reward, search.n_simulations)


def naive_greedy(
    rules: NaiveRules, reward: Callable[[frozenset[Edge]], float], edge_budget: int | None
) -> NaiveOutcome:
    """Add the best legal edge while the budget lasts, or while it pays if there is none (ties: the first)."""
    edges: frozenset[Edge] = frozenset()
    while edge_budget is None or len(edges) < edge_budget:
        longer = [edges | {edge} for edge in legal_pairs(rules, edges)]
        best = max(longer, key=reward, default=None)
        if best is None or (edge_budget is None and reward(best) <= reward(edges)):
            break
        edges = best
    return NaiveOutcome(edges, reward(edges))
