"""The state of the decision process as the kernels keep it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import Rows, membership_from_rows, rows_from_membership
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.process import Partial, Rules, add_edge
from dagsearch.search.protocol import Problem


def rules_of(problem: Problem) -> Rules:
    """The rules of insertion of a problem."""
    n_words, _ = words_for(problem.n_nodes)
    return Rules(
        limits_parents=problem.max_parents < problem.n_nodes - 1,
        max_parents=problem.max_parents,
        incremental=problem.incremental,
        stack=np.zeros(problem.n_nodes, dtype=np.int64),
        seen=np.zeros(n_words, dtype=np.uint64),
    )


def empty_partial(n_nodes: int, allowed: NDArray[np.bool_]) -> Partial:
    """The graph without edges, with every allowed edge legal."""
    legal = allowed & ~np.eye(n_nodes, dtype=bool)
    return Partial(
        parents=rows_from_membership(np.zeros((n_nodes, n_nodes), dtype=bool)),
        legal=rows_from_membership(legal),
        ancestors=rows_from_membership(np.eye(n_nodes, dtype=bool)),
        descendants=rows_from_membership(np.eye(n_nodes, dtype=bool)),
        stubs=rows_from_membership(np.atleast_2d(legal.any(axis=1))),
        touched=rows_from_membership(np.zeros((1, n_nodes), dtype=bool)),
    )


def start_partial(problem: Problem, rules: Rules) -> Partial:
    """The start graph of a problem, its edges inserted one by one (Theorem 1 holds for any order)."""
    _, words = words_for(problem.n_nodes)
    graph = empty_partial(problem.n_nodes, problem.allowed)
    for cause, effect in np.argwhere(problem.start):
        add_edge(graph, int(cause), int(effect), rules, words)
    return graph


def copy_partial(graph: Partial) -> Partial:
    """An independent copy."""
    return Partial(*(array.copy() for array in graph))


def adjacency_from_parents(parents: Rows, n_nodes: int) -> NDArray[np.int8]:
    """Adjacency matrix ([i, j] == 1: i -> j) from the parents' rows."""
    return np.ascontiguousarray(membership_from_rows(parents, n_nodes).T.astype(np.int8))


def legal_edges(graph: Partial, n_nodes: int) -> NDArray[np.bool_]:
    """Matrix of the edges that may be added now."""
    return membership_from_rows(graph.legal, n_nodes)


def filled_at_random(problem: Problem, rng: np.random.Generator) -> NDArray[np.int8]:
    """The start graph with legal edges drawn at random, as many as the edge budget asks for and the rules allow."""
    _, words = words_for(problem.n_nodes)
    rules = rules_of(problem)
    graph = start_partial(problem, rules)
    for _ in range(problem.n_start_edges, problem.edge_budget or 0):
        legal = np.argwhere(legal_edges(graph, problem.n_nodes))
        if len(legal) == 0:
            break
        cause, effect = (int(node) for node in legal[rng.integers(len(legal))])
        add_edge(graph, cause, effect, rules, words)
    return adjacency_from_parents(graph.parents, problem.n_nodes)
