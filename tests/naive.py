"""Slow, obvious twins of generator, decision process and scores: pure Python, sets of edges instead of bit rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
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


def legal_pairs(rules: NaiveRules, edges: frozenset[Edge]) -> Iterator[Edge]:
    for i, endpoints in rules.legal(edges).items():
        for j in endpoints:
            yield i, j


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


def subsets(members: Iterable[int], most: int = 64) -> Iterator[frozenset[int]]:
    """All subsets of at most so many members, smaller ones first."""
    members = sorted(members)
    sizes = range(min(len(members), most) + 1)
    return map(frozenset, chain.from_iterable(combinations(members, size) for size in sizes))


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
