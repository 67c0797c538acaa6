"""Slow, obvious twins of what the package does with equivalence classes: Meek's rules on matrices, brute force."""

from __future__ import annotations

from itertools import combinations, product

import naive
import numpy as np
from naive import Edge


def cpdag(adjacency: np.ndarray) -> np.ndarray:
    """The v-structures of a DAG, and what rules 1 to 3 of Meek (1995) make of them."""
    dag = adjacency.astype(bool)
    mixed = dag & (_apart(dag) @ dag)
    mixed |= (dag | dag.T) & ~mixed.T
    while (compelled := _meek_rules(mixed)).any():
        mixed &= ~compelled.T
    return mixed.astype(np.int8)


def _meek_rules(mixed: np.ndarray) -> np.ndarray:
    directed, undirected, apart = mixed & ~mixed.T, mixed & mixed.T, _apart(mixed)
    found = (directed.T @ apart) | (directed @ directed)
    for a, b in np.argwhere(undirected):
        between = undirected[a] & directed[:, b]
        found[a, b] |= apart[np.ix_(between, between)].any()
    return undirected & found


def _apart(graph: np.ndarray) -> np.ndarray:
    return ~(graph | graph.T | np.eye(len(graph), dtype=bool))


def extension(mixed: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """A consistent extension by Dor and Tarsi (1992), the highest possible node last, and the nodes that are stuck."""
    directed, undirected = (mixed & ~mixed.T).astype(bool), (mixed & mixed.T).astype(bool)
    joined = directed | directed.T | undirected
    dag, left = directed.copy(), list(range(len(mixed)))

    def can_be_last(node: int) -> bool:
        around = [other for other in left if joined[node, other]]
        lines = [other for other in around if undirected[node, other]]
        return not directed[node, left].any() and all(joined[u, v] for u in lines for v in around if u != v)

    while possible := [node for node in left if can_be_last(node)]:
        left.remove(possible[-1])
        dag[:, possible[-1]] |= undirected[:, possible[-1]] & np.isin(np.arange(len(mixed)), left)
    return dag.astype(np.int8), left


def fingerprint(edges: frozenset[Edge]) -> tuple[frozenset[frozenset[int]], frozenset[tuple[int, frozenset[int]]]]:
    """Adjacent pairs and v-structures, which tell equivalence classes apart."""
    pairs = frozenset(map(frozenset, edges))
    colliders = frozenset(
        (effect, frozenset(causes))
        for effect in {effect for _, effect in edges}
        for causes in combinations(naive.parents_of(edges, effect), 2)
        if frozenset(causes) not in pairs
    )
    return pairs, colliders


def members(edges: frozenset[Edge]) -> list[frozenset[Edge]]:
    """All DAGs that are equivalent to one, by trying all directions of its edges."""
    directions, own = product(*[((i, j), (j, i)) for i, j in edges]), fingerprint(edges)
    return [dag for dag in map(frozenset, directions) if fingerprint(dag) == own and naive.is_acyclic(dag)]
