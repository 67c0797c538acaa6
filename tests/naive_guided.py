"""The slow twin of guided rollouts and of PUCT: lists of weights, and a set of the local scores that are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from naive import Edge, NaiveRules, below_high, below_low, parents_of
from naive_search import NaiveOutcome, NaiveSearch, TreeNode, naive_cd_uct

UNIFORM_SHARE = 0.05
LARGEST_EXPONENT = 300.0
SMALLEST_SCALE = 1e-12

Family = tuple[int, tuple[int, ...]]


@dataclass
class NaiveGuide:
    """How rollouts are guided, and the local scores that searches have met, which restarts share.

    ``terms`` gives value and penalty of (node, parents). Those of compiled scores are known whenever they are wanted
    (``evaluates``), and regressions look at all causes of an effect, not only at candidates (``at_once``). No graph has
    more than ``most_edges``: a rollout that is there draws no further words.
    """

    terms: Callable[[int, tuple[int, ...]], tuple[float, float]]
    temperature: float
    most_edges: int
    has_prior: bool = False
    n_candidates: int = 24
    equal_variances: bool = False
    evaluates: bool = False
    at_once: bool = False
    known: set[Family] = field(default_factory=set)

    def local(self, family: Family, scale: float) -> float:
        value, penalty = self.terms(*family)
        return scale * value - penalty

    def knows(self, family: Family) -> bool:
        return self.evaluates or family in self.known


def running_sum(numbers) -> float:
    """In the order they come: `sum` of later Pythons makes up for rounding."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def unit_real(word: int) -> float:
    return (word >> 11) * 2.0**-53


def drawn(weights: list[float], share: float) -> int:
    """Where the running sum passes ``share``, or the last position that has a weight."""
    position = -1
    for k, weight in enumerate(weights):
        if weight > 0.0:
            position = k
            share -= weight
            if share < 0.0:
                break
    return position


def best_by_puct(mean: float, visits: int, children: list[tuple[float, int]], priors: list[float], c: float) -> int:
    """Position of the largest mean + C P sqrt(N) / (1 + n); children not in the tree have their parent's mean."""
    all_children = [*children, *[(mean, 0)] * (len(priors) - len(children))]
    width = c * math.sqrt(visits)
    values = [m + width * prior / (1 + n) for (m, n), prior in zip(all_children, priors, strict=True)]
    return values.index(max(values))


def priors_of(weights: list[float]) -> list[float]:
    """Shares of weights, mixed with a uniform share."""
    total, n = running_sum(weights), len(weights)
    shares = [weight / total if total > 0.0 else 1.0 / n for weight in weights]
    return [(1.0 - UNIFORM_SHARE) * share + UNIFORM_SHARE / n for share in shares]


class GuidedSearch(NaiveSearch):
    """`NaiveSearch` whose rollouts draw edges by weight."""

    def __init__(self, *search: Any, guide: NaiveGuide) -> None:
        super().__init__(*search)
        d = self.rules.n_nodes
        self.guide = guide
        self.unlearnt = set(range(d))
        self.candidates: list[list[int]] = [[] for _ in range(d)]
        self.gains = [[0.0] * d for _ in range(d)]  # [effect][cause]
        self.root_weights = [[0.0] * d for _ in range(d)]
        self.weights = [[0.0] * d for _ in range(d)]
        self.scale = self.top = self.sharpness = 0.0
        self.n_learnt = 0  # edges of a simulation
        self._meet(self.root)

    @property
    def max_edges(self) -> int:
        return self.guide.most_edges if self.edge_budget is None else self.edge_budget

    def _families(self, edges: frozenset[Edge]) -> list[Family]:
        return [(node, parents_of(edges, node)) for node in range(self.rules.n_nodes)]

    def _meet(self, edges: frozenset[Edge]) -> None:
        self.guide.known.update(self._families(edges))

    def is_legal(self, edges: frozenset[Edge], i: int, j: int) -> bool:
        return j in self.rules.legal(edges).get(i, ())

    # --- weights ---

    def weight_of(self, gain: float) -> float:
        if self.edge_budget is None and not gain > 0.0:
            return 0.0
        return math.exp(min((gain - self.top) * self.sharpness, LARGEST_EXPONENT))

    def simulate(self, n_simulations: int, horizon: int | None, exploration: float | None) -> None:
        if self.unlearnt:
            self._learn_root()
        super().simulate(n_simulations, horizon, exploration)

    def _learn_root(self) -> None:
        guide, nodes = self.guide, range(self.rules.n_nodes)
        values = [guide.terms(*family)[0] for family in self._families(self.root)]
        self.scale = -1.0 / running_sum(values) if guide.equal_variances else 1.0
        for j in sorted(self.unlearnt):
            causes = [i for i in nodes if self.is_legal(self.root, i, j)]
            own_value, own_penalty = guide.terms(j, parents_of(self.root, j))
            for i in causes:
                family = j, parents_of(self.root | {(i, j)}, j)
                guide.known.add(family)
                value, penalty = guide.terms(*family)
                self.gains[j][i] = self.scale * (value - own_value) - (penalty - own_penalty)
            by_gain = sorted(causes, key=lambda i, j=j: -self.gains[j][i])
            self.candidates[j] = causes if guide.at_once else by_gain[: guide.n_candidates]
        self.unlearnt.clear()
        legal = {(i, j) for j in nodes for i in nodes if self.is_legal(self.root, i, j)}
        self.top = max(self.gains[j][i] for i, j in legal)
        self.sharpness = 1.0 / (guide.temperature * max(abs(self.top), SMALLEST_SCALE))
        self.root_weights = [
            [self.weight_of(self.gains[j][i]) if (i, j) in legal else 0.0 for i in nodes] for j in nodes
        ]

    def _learn(self, edges: frozenset[Edge], j: int) -> None:
        """Weigh the candidates of an effect by what they gain in a graph, if that is known."""
        family = j, parents_of(edges, j)
        if not self.guide.knows(family):
            return
        base = self.guide.local(family, self.scale)
        for i in self.candidates[j]:
            longer = j, parents_of(edges | {(i, j)}, j)
            if not self.is_legal(edges, i, j):
                self.weights[j][i] = 0.0
            elif self.guide.knows(longer):
                self.weights[j][i] = self.weight_of(self.guide.local(longer, self.scale) - base)

    def _catch_up(self, graphs: list[frozenset[Edge]]) -> None:
        """Learn from the edges that were added since it was done last."""
        added = [next(iter(after - before)) for before, after in pairwise(graphs)]
        effects = [j for _, j in added[self.n_learnt :]]
        for k, j in enumerate(effects):
            if j not in effects[k + 1 :]:
                self._learn(graphs[-1], j)
        self.n_learnt = len(added)

    # --- simulations ---

    def _tree_policy(
        self, path: list[TreeNode], graphs: list[frozenset[Edge]], stub: int | None, limit: int, exploration: float
    ) -> int | None:
        self.weights, self.n_learnt = [list(row) for row in self.root_weights], 0
        stub = super()._tree_policy(path, graphs, stub, limit, exploration)
        self._catch_up(graphs)
        return stub

    def _open(self, node: TreeNode, graphs: list[frozenset[Edge]], stub: int | None) -> None:
        """Lay out actions, with priors the largest first."""
        if not self.guide.has_prior:
            super()._open(node, graphs, stub)
            return
        self._catch_up(graphs)
        legal = self.rules.legal(graphs[-1])
        actions = list(legal) if stub is None else legal[stub]
        if stub is None:
            weights = [running_sum(self.weights[j][i] for j in legal[i]) for i in actions]
        else:
            weights = [self.weights[j][stub] for j in actions]
        priors = priors_of(weights)
        by_prior = sorted(range(len(actions)), key=lambda k: -priors[k])
        node.actions, node.priors = [actions[k] for k in by_prior], [priors[k] for k in by_prior]

    def _choose(self, node: TreeNode, exploration: float) -> int:
        if not self.guide.has_prior:
            return super()._choose(node, exploration)
        children = [(child.mean, child.visits) for child in node.children]
        k = best_by_puct(node.mean, node.visits, children, node.priors, exploration)
        if k == len(node.children):
            node.children.append(TreeNode())
        return k

    def _roll_out(self, graphs: list[frozenset[Edge]], stub: int | None, limit: int) -> None:
        if stub is not None and len(graphs[-1]) < limit:
            self._add(graphs, stub, self._draw_endpoint(graphs[-1], stub))
        while len(graphs[-1]) < limit:
            edge = self._draw_edge(graphs[-1])
            legal = self.rules.legal(graphs[-1])
            if edge is None:
                if self.edge_budget is None or not legal:
                    break
                word = self.random.next_word()
                i = list(legal)[below_high(word, len(legal))]
                edge = i, legal[i][below_low(word, len(legal[i]))]
            self._add(graphs, *edge)

    def _add(self, graphs: list[frozenset[Edge]], i: int, j: int) -> None:
        graphs.append(graphs[-1] | {(i, j)})
        self._learn(graphs[-1], j)

    def _draw_edge(self, edges: frozenset[Edge]) -> Edge | None:
        """One word draws the effect, another one its cause; what is not legal loses its weight."""
        while True:
            sums = [running_sum(row) for row in self.weights]
            total = running_sum(sums)
            if not total > 0.0:
                return None
            j = drawn(sums, unit_real(self.random.next_word()) * total)
            i = drawn(self.weights[j], unit_real(self.random.next_word()) * sums[j])
            if self.is_legal(edges, i, j):
                return i, j
            self.weights[j][i] = 0.0

    def _draw_endpoint(self, edges: frozenset[Edge], i: int) -> int:
        legal = self.rules.legal(edges)[i]
        weights = [self.weights[j][i] for j in legal]
        word = self.random.next_word()
        total = running_sum(weights)
        if not total > 0.0:
            return legal[below_low(word, len(legal))]
        return legal[drawn(weights, unit_real(word) * total)]

    def _back_up(self, path: list[TreeNode], graphs: list[frozenset[Edge]]) -> None:
        super()._back_up(path, graphs)
        for edges in graphs if self.edge_budget is None else graphs[-1:]:
            self._meet(edges)

    def move(self, final_move: str) -> None:
        """As without guidance; where no child leads to the best graph, the first action that does."""
        before = self.root
        leads = [action for action, _ in zip(self.tree.actions, self.tree.children, strict=False)]
        if self.edge_budget is not None or any(map(self._leads_to_best, leads)):
            super().move(final_move)
        else:
            self._decide_for(next(filter(self._leads_to_best, range(self.rules.n_nodes))))
        self.unlearnt.update(j for _, j in self.root - before)
        self._meet(self.root)


def naive_guided_cd_uct(
    rules: NaiveRules,
    reward: Callable[[frozenset[Edge]], float],
    guide: NaiveGuide,
    rng: np.random.Generator,
    **options,
) -> NaiveOutcome:
    """`naive_cd_uct` with guided rollouts."""
    return naive_cd_uct(rules, reward, rng, make_search=partial(GuidedSearch, guide=guide), **options)
