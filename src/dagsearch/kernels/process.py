"""The decision process of the paper: a DAG grows edge by edge, each edge chosen as a stub and then an endpoint.

`insert_edge` is Algorithm 1 (Theorem 1): closed ancestor and descendant sets are kept per node as bit sets, and the
edges that would close a cycle after i -> j are those from a descendant of j to an ancestor of i. No traversal.
`insert_edge_naively` finds the same legal edges by one traversal per candidate, for the paper's timing figure.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import (
    ALL,
    LOW_BITS,
    ONE,
    WORD_BITS,
    at,
    contains,
    exclude,
    include,
    is_empty,
    lowest_bit,
    size,
    word_count,
)
from dagsearch.kernels.compile import entry_point, kernel, long_kernel

NO_STUB = -1


class Partial(NamedTuple):
    """A partial DAG with its legal edges and its closure; every row is a set of nodes."""

    parents: Any  # (n_nodes * n_words,) uint64
    legal: Any  # (n_nodes * n_words,) uint64   endpoints j such that i -> j may be added: K_t(v_i) without E_t
    ancestors: Any  # (n_nodes * n_words,) uint64   An(v), closed
    descendants: Any  # (n_nodes * n_words,) uint64   De(v), closed
    stubs: Any  # (n_words,) uint64   nodes with a legal endpoint
    touched: Any  # (n_words,) uint64   nodes whose rows may differ from those of the graph copied from


class Rules(NamedTuple):
    """What restricts insertions beyond acyclicity, and how cycles are tracked."""

    limits_parents: bool
    max_parents: int  # no node gets more
    incremental: bool  # Algorithm 1, or traversals
    stack: Any  # (n_nodes,) int64   scratch of a traversal
    seen: Any  # (n_words,) uint64   scratch of a traversal


@kernel
def _drop_stub_if_spent(graph, node, words):
    """Take ``node`` off the stubs when no endpoint is left for it; without a branch, since it would be a random one."""
    spent = np.uint64(is_empty(graph.legal, node, words))
    graph.stubs[at(0, node, words)] &= ~(spent << (np.uint64(node) & LOW_BITS))


@kernel
def _add_edge(graph, i, j, words):
    """Record i -> j among the parents, and offer it no more."""
    include(graph.parents, j, i, words)
    exclude(graph.legal, i, j, words)
    if word_count(words) > 1:
        include(graph.touched, 0, i, words)
        include(graph.touched, 0, j, words)


@kernel
def _extend_closure(graph, i, j, words):
    """Theorem 1: every descendant of j gets the ancestors of i, and may not point at them any more."""
    n_words = word_count(words)
    if n_words > 1:
        for w in range(n_words):
            graph.touched[w] |= graph.descendants[j * n_words + w] | graph.ancestors[i * n_words + w]
    for w in range(n_words):
        rest = graph.descendants[j * n_words + w]
        while rest != np.uint64(0):
            x = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            for v in range(n_words):
                graph.ancestors[x * n_words + v] |= graph.ancestors[i * n_words + v]
                graph.legal[x * n_words + v] &= ~graph.ancestors[i * n_words + v]
            _drop_stub_if_spent(graph, x, words)
    for w in range(n_words):
        rest = graph.ancestors[i * n_words + w]
        while rest != np.uint64(0):
            x = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            for v in range(n_words):
                graph.descendants[x * n_words + v] |= graph.descendants[j * n_words + v]


@kernel
def _extend_closure_one_word(graph, i, j):
    """The same for up to 64 nodes, in one loop: its end is mispredicted once, not twice.

    No node is both above i and below j, so one of the two masks is empty.
    """
    above, below = graph.ancestors[i], graph.descendants[j]
    rest = above | below
    while rest != np.uint64(0):
        x = lowest_bit(rest)
        rest &= rest - ONE
        new_above = above & (np.uint64(0) - ((below >> x) & ONE))
        graph.ancestors[x] |= new_above
        graph.descendants[x] |= below & (np.uint64(0) - ((above >> x) & ONE))
        legal = graph.legal[x] & ~new_above
        graph.legal[x] = legal
        graph.stubs[0] &= ~(np.uint64(legal == np.uint64(0)) << x)


@kernel
def _reaches(graph, start, goal, stack, seen, words):
    """Whether a depth-first traversal against the edges from ``start`` meets ``goal``."""
    n_words = word_count(words)
    for w in range(n_words):
        seen[w] = np.uint64(0)
    stack[0] = start
    depth = 1
    include(seen, 0, start, words)
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if node == goal:
            return True
        for w in range(n_words):
            rest = graph.parents[node * n_words + w] & ~seen[w]
            seen[w] |= rest
            while rest != np.uint64(0):
                stack[depth] = np.int64(lowest_bit(rest)) + WORD_BITS * w
                depth += 1
                rest &= rest - ONE
    return False


@long_kernel
def _drop_cyclic_by_traversal(graph, rules, words):
    """Check every candidate edge x -> y on its own: it closes a cycle if y is found above x."""
    n_words = word_count(words)
    for x in range(graph.parents.shape[0] // n_words):
        for w in range(n_words):
            rest = graph.legal[x * n_words + w]
            while rest != np.uint64(0):
                y = np.int64(lowest_bit(rest)) + WORD_BITS * w
                rest &= rest - ONE
                if _reaches(graph, x, y, rules.stack, rules.seen, words):
                    exclude(graph.legal, x, y, words)
        _drop_stub_if_spent(graph, x, words)


@long_kernel
def _close_node(graph, j, words):
    """Offer no further edge into ``j``."""
    for x in range(graph.legal.shape[0] // word_count(words)):
        exclude(graph.legal, x, j, words)
        _drop_stub_if_spent(graph, x, words)


@kernel
def _touch_all(graph, words):
    """Mark every node as changed."""
    n_words = word_count(words)
    n_nodes = graph.parents.shape[0] // n_words
    for w in range(n_words):
        left = n_nodes - WORD_BITS * w
        graph.touched[w] = ALL if left >= WORD_BITS else (ONE << np.uint64(left)) - ONE


@kernel
def insert_edge(graph, i, j, rules, words):
    """Add the legal edge i -> j to ``graph`` in place and update what is legal afterwards."""
    _add_edge(graph, i, j, words)
    if rules.incremental:
        # A path i -> ... -> j already exists: the closure, and with it all other legal edges, stays as it is.
        if not contains(graph.descendants, i, j, words):
            if word_count(words) == 1:
                _extend_closure_one_word(graph, i, j)
            else:
                _extend_closure(graph, i, j, words)
        _drop_stub_if_spent(graph, i, words)
    else:
        _touch_all(graph, words)
        _drop_cyclic_by_traversal(graph, rules, words)
    if rules.limits_parents and size(graph.parents, j, words) >= np.uint64(rules.max_parents):
        _touch_all(graph, words)
        _close_node(graph, j, words)


@kernel
def restore(graph, root, words):
    """Make ``graph`` equal to ``root`` again, by copying back the rows that were touched."""
    n_words = word_count(words)
    if n_words == 1:
        for x in range(graph.parents.shape[0]):
            graph.parents[x] = root.parents[x]
            graph.legal[x] = root.legal[x]
            graph.ancestors[x] = root.ancestors[x]
            graph.descendants[x] = root.descendants[x]
        graph.stubs[0] = root.stubs[0]
        return
    for w in range(n_words):
        rest = graph.touched[w]
        graph.touched[w] = np.uint64(0)
        graph.stubs[w] = root.stubs[w]
        while rest != np.uint64(0):
            x = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            for v in range(n_words):
                graph.parents[x * n_words + v] = root.parents[x * n_words + v]
                graph.legal[x * n_words + v] = root.legal[x * n_words + v]
                graph.ancestors[x * n_words + v] = root.ancestors[x * n_words + v]
                graph.descendants[x * n_words + v] = root.descendants[x * n_words + v]


@entry_point
def add_edge(graph, i, j, rules, words):
    """`insert_edge` for callers from Python."""
    insert_edge(graph, i, j, rules, words)
