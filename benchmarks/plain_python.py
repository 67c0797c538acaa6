"""A straightforward CD-UCT in plain Python: what a research prototype does, the yardstick of `speed.py`.

Sets instead of bit sets, objects instead of arrays, but the same algorithm: closures kept incrementally, one expansion
per simulation, uniform rollouts, local scores memoised.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable


class State:
    """A partial DAG: parents, children, closed ancestor and descendant sets, and the edge stub."""

    def __init__(self, n_nodes: int) -> None:
        self.parents = [set() for _ in range(n_nodes)]
        self.children = [set() for _ in range(n_nodes)]
        self.ancestors = [{node} for node in range(n_nodes)]
        self.descendants = [{node} for node in range(n_nodes)]
        self.stub = None
        self.n_edges = 0

    def copy(self) -> State:
        """An independent copy."""
        other = State.__new__(State)
        for name in ("parents", "children", "ancestors", "descendants"):
            setattr(other, name, [set(members) for members in getattr(self, name)])
        other.stub, other.n_edges = self.stub, self.n_edges
        return other

    def endpoints(self, node: int) -> list[int]:
        """Nodes that an edge from ``node`` may lead to."""
        nodes = range(len(self.parents))
        return [other for other in nodes if other not in self.ancestors[node] and other not in self.children[node]]

    def actions(self, limit: int) -> list[int]:
        """Legal stubs, or legal endpoints of the stub; none at ``limit`` edges."""
        if self.n_edges >= limit:
            return []
        if self.stub is None:
            return [node for node in range(len(self.parents)) if self.endpoints(node)]
        return self.endpoints(self.stub)

    def act(self, node: int) -> None:
        """Choose the stub, or add the edge from it."""
        if self.stub is None:
            self.stub = node
            return
        cause, self.stub = self.stub, None
        self.n_edges += 1
        self.parents[node].add(cause)
        self.children[cause].add(node)
        above, below = set(self.ancestors[cause]), set(self.descendants[node])
        for other in above:
            self.descendants[other] |= below
        for other in below:
            self.ancestors[other] |= above


class TreeNode:
    """Visits, sum of returns, children, and actions not yet tried."""

    __slots__ = ("children", "total", "untried", "visits")

    def __init__(self, actions: list[int]) -> None:
        self.children: dict[int, TreeNode] = {}
        self.untried = actions
        self.total, self.visits = 0.0, 0


def search_step(
    root: State, local: Callable[[int, frozenset], float], n_sims: int, limit: int, exploration: float, seed: int
) -> TreeNode:
    """The tree of one decision after ``n_sims`` simulations."""
    rng = random.Random(seed)
    top = TreeNode(root.actions(limit))
    for _ in range(n_sims):
        state, node, path = root.copy(), top, [top]
        while not node.untried and node.children:
            width = 2.0 * math.log(node.visits)
            action, node = max(
                node.children.items(),
                key=lambda item: item[1].total / item[1].visits + exploration * math.sqrt(width / item[1].visits),
            )
            state.act(action)
            path.append(node)
        if node.untried:
            action = node.untried.pop(rng.randrange(len(node.untried)))
            state.act(action)
            child = TreeNode(state.actions(limit))
            node.children[action] = child
            path.append(child)
        while actions := state.actions(limit):
            state.act(rng.choice(actions))
        reward = sum(local(node, frozenset(parents)) for node, parents in enumerate(state.parents))
        for visited in path:
            visited.total += reward
            visited.visits += 1
    return top


def run(
    local: Callable[[int, frozenset], float],
    n_nodes: int,
    edge_budget: int,
    n_sims: int,
    horizon: int | None,
    exploration: float,
    seed: int,
) -> int:
    """All decisions of a search with ``n_sims`` simulations each; returns how many simulations were run."""
    state, n_done = State(n_nodes), 0
    for step in range(2 * edge_budget):
        limit = edge_budget if horizon is None else min(edge_budget, state.n_edges + horizon)
        tree = search_step(state, local, n_sims, limit, exploration, seed + step)
        state.act(max(tree.children, key=lambda action: tree.children[action].visits))
        n_done += n_sims
    return n_done
