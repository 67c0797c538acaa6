"""Slow, obvious twins of the compiled kernels: pure Python, sets instead of bit rows, objects instead of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, product

import numpy as np

MASK = 2**64 - 1
NEGLIGIBLE = 1e-10  # differences of rewards below this count as none

Edge = tuple[int, int]


class SplitMix64:
    """The random generator of the kernels, and the two ways of drawing a number below n from one of its words."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next_word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def below_high(word: int, n: int) -> int:
    return ((word >> 32) * n) >> 32


def below_low(word: int, n: int) -> int:
    return ((word & 0xFFFFFFFF) * n) >> 32


# --- The decision process --------------------------------------------------------------------------


def reachable(edges: frozenset[Edge], start: int) -> set[int]:
    """Nodes at the end of a directed path from ``start``, itself included."""
    seen, stack = {start}, [start]
    while stack:
        node = stack.pop()
        for cause, effect in edges:
            if cause == node and effect not in seen:
                seen.add(effect)
                stack.append(effect)
    return seen


@dataclass(frozen=True)
class NaiveRules:
    """Which edges may be added to a graph, given as a set of edges, and a memory of what was found out."""

    n_nodes: int
    allowed: np.ndarray | None = None
    max_parents: int | None = None
    _known: dict[frozenset[Edge], dict[int, list[int]]] = field(default_factory=dict)

    def legal(self, edges: frozenset[Edge]) -> dict[int, list[int]]:
        """Stubs with their legal endpoints, both in order."""
        if edges not in self._known:
            endpoints = {i: self._endpoints(edges, i) for i in range(self.n_nodes)}
            self._known[edges] = {i: found for i, found in endpoints.items() if found}
        return self._known[edges]

    def _endpoints(self, edges: frozenset[Edge], i: int) -> list[int]:
        ancestors = reachable(frozenset((effect, cause) for cause, effect in edges), i)
        return [
            j
            for j in range(self.n_nodes)
            if j not in ancestors
            and (i, j) not in edges
            and (self.allowed is None or self.allowed[i, j])
            and (self.max_parents is None or len(parents_of(edges, j)) < self.max_parents)
        ]


def parents_of(edges: frozenset[Edge], node: int) -> tuple[int, ...]:
    return tuple(sorted(cause for cause, effect in edges if effect == node))


def edges_of(adjacency: np.ndarray) -> frozenset[Edge]:
    return frozenset((int(i), int(j)) for i, j in np.argwhere(adjacency))


def adjacency_of(edges: frozenset[Edge], n_nodes: int) -> np.ndarray:
    adjacency = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    for cause, effect in edges:
        adjacency[cause, effect] = 1
    return adjacency


def is_acyclic(edges: frozenset[Edge]) -> bool:
    return all(cause not in reachable(edges, effect) for cause, effect in edges)


def all_dags(n_nodes: int) -> list[frozenset[Edge]]:
    """Every DAG on ``n_nodes`` nodes: each pair is absent or points one way or the other."""
    choices = (((), ((i, j),), ((j, i),)) for i, j in combinations(range(n_nodes), 2))
    graphs = (frozenset(chain.from_iterable(chosen)) for chosen in product(*choices))
    return [edges for edges in graphs if is_acyclic(edges)]


def parents_in_all_dags(n_nodes: int) -> np.ndarray:
    """The same as numbers, (n_dags, n_nodes): bit p of [:, v] says whether p is a parent of v."""
    parents = np.zeros((1, n_nodes), dtype=np.int64)
    for i, j in combinations(range(n_nodes), 2):
        forward, backward = parents.copy(), parents.copy()
        forward[:, j] |= 1 << i
        backward[:, i] |= 1 << j
        parents = np.concatenate([parents, forward, backward])
    left = np.full((len(parents), 1), 2**n_nodes - 1)
    for _ in range(n_nodes):
        is_free = (parents & left) == 0
        left &= ~(is_free @ (1 << np.arange(n_nodes)))[:, np.newaxis]
    return parents[left[:, 0] == 0]


# --- Scores ----------------------------------------------------------------------------------------


class TableScore:
    """A random number for every (node, parents), in steps of 2**-10 so that sums do not depend on their order.

    It has the ``local`` that a user's own score may have; ``reward_of_edges`` is the same for a whole graph.
    """

    def __init__(self, seed: int, n_nodes: int, scale: int = 4) -> None:
        self.seed = seed
        self.n_nodes = n_nodes
        self.scale = scale

    def local(self, node: int, parents: tuple[int, ...]) -> float:
        key = sum(1 << parent for parent in parents) * self.n_nodes + node
        # Twice, since consecutive seeds start on consecutive words of one stream.
        word = SplitMix64(SplitMix64((self.seed << 40 ^ key) & MASK).next_word()).next_word()
        return ((word >> 40) - 2**23) * self.scale / 2**24 // 2**-10 * 2**-10

    def reward_of_edges(self, edges: frozenset[Edge]) -> float:
        return math.fsum(self.local(node, parents_of(edges, node)) for node in range(self.n_nodes))


class WholeGraphScore:
    """The same numbers through the other face of a user's score, ``reward(adjacency)``."""

    def __init__(self, table: TableScore) -> None:
        self.table = table

    def reward(self, adjacency: np.ndarray) -> float:
        return self.table.reward_of_edges(edges_of(adjacency))


# --- Searches --------------------------------------------------------------------------------------


@dataclass
class NaiveOutcome:
    edges: frozenset[Edge]
    reward: float
    n_simulations: int = 0
    n_calibration_simulations: int = 0


class _TreeNode:
    """A state of the search tree: all its actions, of which the first ``len(children)`` are expanded."""

    def __init__(self) -> None:
        self.actions: list[int] | None = None
        self.children: list[_TreeNode] = []
        self.visits = 0
        self.mean = 0.0

    def expand(self, random: SplitMix64) -> int:
        """Add a random new child at the front of those that wait; returns its position."""
        k = len(self.children)
        other = k + below_high(random.next_word(), len(self.actions) - k)
        self.actions[k], self.actions[other] = self.actions[other], self.actions[k]
        self.children.append(_TreeNode())
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


class _Search:
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
        self.tree = _TreeNode()
        self.n_simulations = 0

    @property
    def max_edges(self) -> int:
        d = self.rules.n_nodes
        return d * (d - 1) // 2 if self.edge_budget is None else self.edge_budget

    @property
    def has_actions(self) -> bool:
        return bool(self.rules.legal(self.root)) and len(self.root) < self.max_edges

    def simulate(self, n_simulations: int, horizon: int | None, exploration: float | None) -> None:
        self.tree = _TreeNode()
        limit = self.max_edges if horizon is None else min(self.max_edges, len(self.root) + horizon)
        for _ in range(n_simulations):
            path, graphs, stub = [self.tree], [self.root], self.stub
            if exploration is not None:
                stub = self._tree_policy(path, graphs, stub, limit, exploration)
            self._roll_out(graphs, stub, limit)
            self._back_up(path, graphs)
            self.n_simulations += 1

    def _tree_policy(
        self,
        path: list[_TreeNode],
        graphs: list[frozenset[Edge]],
        stub: int | None,
        limit: int,
        exploration: float,
    ) -> int | None:
        """Select until a new tree node was expanded; returns the stub that is left open."""
        while len(graphs[-1]) < limit:
            node = path[-1]
            if node.actions is None:
                legal = self.rules.legal(graphs[-1])
                node.actions = list(legal) if stub is None else list(legal[stub])
            if not node.actions:
                break
            expanding = len(node.children) < len(node.actions)
            k = node.expand(self.random) if expanding else node.best_by_ucb(exploration)
            path.append(node.children[k])
            if stub is None:
                stub = node.actions[k]
            else:
                graphs.append(graphs[-1] | {(stub, node.actions[k])})
                stub = None
            if expanding:
                break
        return stub

    def _roll_out(self, graphs: list[frozenset[Edge]], stub: int | None, limit: int) -> None:
        """One word per edge: its high half draws the stub, its low half the endpoint."""
        while len(graphs[-1]) < limit and (legal := self.rules.legal(graphs[-1])):
            word = self.random.next_word()
            if stub is None:
                stub = list(legal)[below_high(word, len(legal))]
            graphs.append(graphs[-1] | {(stub, legal[stub][below_low(word, len(legal[stub]))])})
            stub = None

    def _back_up(self, path: list[_TreeNode], graphs: list[frozenset[Edge]]) -> None:
        if self.edge_budget is not None:
            reward = self.reward(graphs[-1])
            if (len(graphs[-1]), reward) > (len(self.best), self.best_reward):
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
        action = children[last][1]
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
    n_restarts: int = 1,
    start: frozenset[Edge] = frozenset(),
    make_search: Callable[..., _Search] = _Search,
) -> NaiveOutcome:
    """Algorithm 2 of the paper, with the meaning of `dagsearch.search.cd_uct`, move for move."""
    n_sims = max(1, int(sims_per_node * rules.n_nodes))
    outcomes = []
    for own_rng in rng.spawn(n_restarts):
        search = make_search(rules, start, edge_budget, reward, int(own_rng.integers(2**63)))
        n_calibration = 0

        def weight(search: _Search = search) -> float:
            return exploration * (1.0 if exploration_scale == "none" else abs(search.tree.mean))

        if exploration_scale == "root-mean" and search.has_actions:
            search.simulate(n_sims, horizon, weight())
            n_calibration, search.n_simulations = search.n_simulations, 0
        while search.has_actions:
            search.simulate(n_sims, horizon, weight())
            if edge_budget is None and search.stub is None and search.root == search.best:
                break
            search.move(final_move)
        outcomes.append(NaiveOutcome(search.best, search.best_reward, search.n_simulations, n_calibration))
    best = max(outcomes, key=lambda o: (0 if edge_budget is None else len(o.edges), o.reward))
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
    search = _Search(rules, frozenset(), edge_budget, reward, int(rng.integers(2**63)))
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


def legal_pairs(rules: NaiveRules, edges: frozenset[Edge]) -> Iterator[Edge]:
    for i, endpoints in rules.legal(edges).items():
        for j in endpoints:
            yield i, j


# --- Exact learning --------------------------------------------------------------------------------


def subsets(members: Iterable[int], most: int = 64) -> Iterator[frozenset[int]]:
    """All subsets of at most so many members, smaller ones first."""
    members = sorted(members)
    sizes = range(min(len(members), most) + 1)
    return map(frozenset, chain.from_iterable(combinations(members, size) for size in sizes))


def losses_to_subsets(
    score: Callable[[frozenset[int]], float], candidates: Iterable[int], required: frozenset[int], most: int = 64
) -> dict[frozenset[int], float]:
    """What every set of at most so many parents loses to the best of its proper subsets; -inf if it has none."""
    best: dict[frozenset[int], float] = {}
    losses = {}
    for chosen in subsets(candidates, most - len(required)):
        own = score(chosen | required)
        best_below = max((best[chosen - {parent}] for parent in chosen), default=-math.inf)
        best[chosen], losses[chosen | required] = max(own, best_below), best_below - own
    return losses


def best_by_edges(families: list[list[tuple[frozenset[int], float]]]) -> dict[frozenset[int], dict[int, float]]:
    """Best reward over every set of nodes by number of edges, from the (parents, score) of each node."""
    best: dict[frozenset[int], dict[int, float]] = {frozenset(): {0: 0.0}}
    for nodes in list(subsets(range(len(families))))[1:]:
        best[nodes] = {}
        for sink in nodes:
            for parents, score in families[sink]:
                if parents <= nodes - {sink}:
                    for n_edges, reward in best[nodes - {sink}].items():
                        total = n_edges + len(parents)
                        best[nodes][total] = max(best[nodes].get(total, -math.inf), reward + score)
    return best


def left_side(families: list[list[tuple[frozenset[int], float]]], cluster: Iterable[int]) -> float:
    """Weight of the families of nodes in a cluster that have no parent in it, from the (parents, weight) of each."""
    members = set(cluster)
    return math.fsum(weight for node in members for parents, weight in families[node] if not parents & members)


# --- Boosting of splines ---------------------------------------------------------------------------


def spline_smoother(x: np.ndarray, degrees_of_freedom: float = 4.0) -> np.ndarray:
    """The matrix S of a cubic spline on 20 inner knots, second differences penalised, with tr(2 S - S'S) as given."""
    edges = np.linspace(x.min(), x.max(), 22)
    width = edges[1] - edges[0]
    knots = np.concatenate([edges[0] - width * np.arange(3, 0, -1), edges, edges[-1] + width * np.arange(1, 4)])
    basis = np.column_stack([_b_spline(x, knots[k : k + 5]) for k in range(24)])
    differences = np.diff(np.eye(24), n=2, axis=0)
    penalty = differences.T @ differences

    def smoother(log_weight: float) -> np.ndarray:
        inside = basis.T @ basis + (np.exp(log_weight) + 1e-9) * penalty
        return basis @ np.linalg.solve(inside, basis.T)

    low, high = -20.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2
        found = smoother(middle)
        too_free = 2.0 * np.trace(found) - np.sum(found**2) > degrees_of_freedom
        low, high = (middle, high) if too_free else (low, middle)
    return smoother(middle)


def _b_spline(x: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """The cubic B-spline on five knots, by the recursion of Cox and de Boor."""
    pieces = [((knots[k] <= x) & (x < knots[k + 1])).astype(float) for k in range(4)]
    for degree in (1, 2, 3):
        pieces = [
            (x - knots[k]) / (knots[k + degree] - knots[k]) * pieces[k]
            + (knots[k + degree + 1] - x) / (knots[k + degree + 1] - knots[k + 1]) * pieces[k + 1]
            for k in range(len(pieces) - 1)
        ]
    return pieces[0]


def boosting_counts(smoothers: list[np.ndarray], y: np.ndarray, target: int) -> list[int]:
    """How often each smoother is the one that leaves least of what is left of y, in 100 steps of a tenth."""
    left = y - y.mean()
    counts = [0] * len(smoothers)
    for _ in range(100):
        fits = {k: smoother @ left for k, smoother in enumerate(smoothers) if k != target}
        best = min(fits, key=lambda k: float(np.square(left - fits[k]).sum()))
        counts[best] += 1
        left = left - 0.1 * fits[best]
    return counts


# --- Orders of the variables -----------------------------------------------------------------------


def climbed_parents(
    local: Callable[[frozenset[int]], float],
    candidates: frozenset[int],
    required: frozenset[int] = frozenset(),
    max_parents: int = 64,
    exchanges: bool = False,
    start: frozenset[int] | None = None,
) -> frozenset[int]:
    """Parents by the best addition while one pays, else by the best drop or exchange (ties: the first)."""
    chosen = required if start is None else start
    while True:
        others, free = sorted(candidates - chosen), sorted(chosen - required)
        additions = [chosen | {c} for c in others] if len(chosen) < max_parents else []
        drops = [chosen - {p} for p in free]
        swapped = [chosen - {p} | {c} for c in others for p in free] if exchanges else []
        before = chosen
        for steps in (additions, drops + swapped):
            best = max(steps, key=local, default=chosen)
            if chosen == before and local(best) > local(chosen) + NEGLIGIBLE:
                chosen = best
        if chosen == before:
            return chosen


def orders_with_one_moved(order: list[int], node: int) -> list[list[int]]:
    """The orders in which ``node`` is at place 0, 1, ... and the others are as they were."""
    others = [other for other in order if other != node]
    return [[*others[:place], node, *others[place:]] for place in range(len(order))]
