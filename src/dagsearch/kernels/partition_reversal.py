"""Edge reversal in a DAG that is drawn from a partition (Grzegorczyk and Husmeier 2008).

Given the partition, a DAG is drawn by its weight. An edge i -> j of it is picked, both ends lose all their parents, i
gets new ones with j among them, then j gets new ones, each drawn by weight from the sets that close no cycle. The DAG
that results names the new partition. Since DAGs are drawn by their exact conditional weights, and a DAG determines its
partition, this keeps the distribution of partitions.

In a chain at inverse temperature beta, a partition of weight P has P^beta, shared among its DAGs by weight; a DAG of
weight w in it has w P^(beta - 1). Reversals keep w; a second decision takes care of the factor.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import ONE, bit_of, lowest_bit, popcount
from dagsearch.kernels.compile import kernel, long_kernel
from dagsearch.kernels.partition_moves import adopt, bound_proposal, settle_proposal
from dagsearch.kernels.partition_sums import draw_set, log_sum, uniform_below, uniform_number


class Graph(NamedTuple):
    """A DAG that edges are reversed in, and scratch."""

    parents: Any  # (n_nodes,) int64   each node's, as a set of its candidates
    children: Any  # (n_nodes, n_words) uint64
    reached: Any  # (n_words,) uint64 scratch   a set of nodes
    stack: Any  # (n_nodes,) int64 scratch
    n_open: Any  # (n_nodes,) int64 scratch   parents that have no layer yet
    place: Any  # (n_nodes, n_nodes) int64   where a node is among the candidates of another; -1: nowhere


@kernel
def _set_parents(candidates, graph, v, parents):
    """Replace the parents of ``v``, and make it a child of the new ones instead of the old."""
    word = v >> 6
    for c in range(candidates.shape[1]):
        if graph.parents[v] >> c & 1:
            graph.children[candidates[v, c], word] &= ~bit_of(v)
        if parents >> c & 1:
            graph.children[candidates[v, c], word] |= bit_of(v)
    graph.parents[v] = parents


@kernel
def _draw(tables, random, v, inside, meeting, log_total):
    """A set of parents for ``v``, drawn by weight."""
    k = draw_set(tables.sets, tables.weights, tables.n_sets, v, inside, meeting, log_total, uniform_number(random))
    return tables.sets[v, k]


@long_kernel
def draw_graph(tables, chains, graph, t):
    """Draw a DAG by its weight among those of the partition of chain ``t``."""
    for v in range(graph.parents.shape[0]):
        inside, meeting = chains.earlier[t, v], chains.adjacent[t, v]
        parents = _draw(tables, chains.random, v, inside, meeting, chains.score[t, v])
        _set_parents(tables.candidates, graph, v, parents)


@long_kernel
def _not_behind(candidates, graph, v):
    """The candidates of ``v`` that are no descendants of it."""
    n_words = graph.children.shape[1]
    for w in range(n_words):
        graph.reached[w] = np.uint64(0)
    graph.stack[0] = v
    n_stacked = 1
    while n_stacked > 0:
        n_stacked -= 1
        node = graph.stack[n_stacked]
        for w in range(n_words):
            more = graph.children[node, w] & ~graph.reached[w]
            graph.reached[w] |= more
            while more != np.uint64(0):
                graph.stack[n_stacked] = np.int64(lowest_bit(more)) + 64 * w
                n_stacked += 1
                more &= more - ONE
    allowed = 0
    for c in range(candidates.shape[1]):
        cause = candidates[v, c]
        if cause >= 0 and graph.reached[cause >> 6] & bit_of(cause) == np.uint64(0):
            allowed |= 1 << c
    return allowed


@kernel
def _count_edges(graph):
    n_edges = 0
    for v in range(graph.parents.shape[0]):
        n_edges += np.int64(popcount(np.uint64(graph.parents[v])))
    return n_edges


@kernel
def _pick_edge(graph, k):
    """Effect of the ``k``-th edge, and which of its candidates is the cause."""
    v = 0
    n_here = np.int64(popcount(np.uint64(graph.parents[0])))
    while k >= n_here:
        k -= n_here
        v += 1
        n_here = np.int64(popcount(np.uint64(graph.parents[v])))
    rest = np.uint64(graph.parents[v])
    for _ in range(k):
        rest &= rest - ONE
    return v, np.int64(lowest_bit(rest))


@long_kernel
def reverse_edge(tables, random, graph):
    """Reverse one edge, or leave the graph as it is; it keeps the distribution of DAGs by weight.

    Returns (effect, its old parents, cause, its old parents) of the edge, or -1 as the effect if nothing changed.
    """
    candidates = tables.candidates
    nothing = (-1, 0, -1, 0)
    n_edges = _count_edges(graph)
    if n_edges == 0:
        return nothing
    j, place_of_i = _pick_edge(graph, uniform_below(random, n_edges))
    i = candidates[j, place_of_i]
    if graph.place[j, i] < 0:
        return nothing
    bit_i, bit_j = 1 << place_of_i, 1 << graph.place[j, i]
    old_i, old_j = graph.parents[i], graph.parents[j]

    # The way back: j takes parents with i among them, then i takes any.
    _set_parents(candidates, graph, i, 0)
    free_i = _not_behind(candidates, graph, i)
    log_back = tables.sums[i, free_i]
    _set_parents(candidates, graph, j, 0)
    log_back += log_sum(tables, j, _not_behind(candidates, graph, j), bit_i)

    free_i = _not_behind(candidates, graph, i)
    log_i = log_sum(tables, i, free_i, bit_j)
    if log_i > -np.inf:
        _set_parents(candidates, graph, i, _draw(tables, random, i, free_i, bit_j, log_i))
        free_j = _not_behind(candidates, graph, j)
        log_j = tables.sums[j, free_j]
        if log_j > -np.inf:
            _set_parents(candidates, graph, j, _draw(tables, random, j, free_j, 0, log_j))
            log_ratio = log_i + log_j - log_back + math.log(n_edges / _count_edges(graph))
            if math.log(1.0 - uniform_number(random)) <= log_ratio:
                return j, old_j, i, old_i
    _put_back(candidates, graph, j, old_j, i, old_i)
    return nothing


@kernel
def _put_back(candidates, graph, j, parents_of_j, i, parents_of_i):
    """Undo a reversal."""
    _set_parents(candidates, graph, j, parents_of_j)
    _set_parents(candidates, graph, i, parents_of_i)


@long_kernel
def find_layers(candidates, chains, graph):
    """Write the partition that the graph belongs to into the proposal; sources are taken off layer by layer."""
    row, n_nodes = chains.layer.shape[0] - 1, chains.layer.shape[1]
    n_done = 0
    for v in range(n_nodes):
        graph.n_open[v] = np.int64(popcount(np.uint64(graph.parents[v])))
        if graph.n_open[v] == 0:
            chains.layer[row, v] = 0
            graph.stack[n_done] = v
            n_done += 1
    k = 0
    while k < n_done:
        node = graph.stack[k]
        k += 1
        for w in range(graph.children.shape[1]):
            rest = graph.children[node, w]
            while rest != np.uint64(0):
                child = np.int64(lowest_bit(rest)) + 64 * w
                rest &= rest - ONE
                graph.n_open[child] -= 1
                if graph.n_open[child] == 0:
                    chains.layer[row, child] = chains.layer[row, node] + 1
                    graph.stack[n_done] = child
                    n_done += 1
    chains.n_layers[row] = chains.layer[row, graph.stack[n_nodes - 1]] + 1


@long_kernel
def score_graph_partition(tables, chains, graph, t):
    """Make the partition of the graph the proposal, with its scores."""
    find_layers(tables.candidates, chains, graph)
    bound_proposal(tables, chains, t)
    chains.total[chains.layer.shape[0] - 1] = settle_proposal(tables, chains)


@long_kernel
def reverse_edges(tables, chains, graph, t, n_tries):
    """Draw a DAG from the partition of chain ``t`` and try to reverse edges; returns how many were reversed."""
    row, beta = chains.layer.shape[0] - 1, chains.inverse_temperatures[t]
    draw_graph(tables, chains, graph, t)
    n_reversed = 0
    for _ in range(n_tries):
        j, old_j, i, old_i = reverse_edge(tables, chains.random, graph)
        if j < 0:
            continue
        if beta < 1.0:
            score_graph_partition(tables, chains, graph, t)
            log_ratio = (beta - 1.0) * (chains.total[row] - chains.total[t])
            if math.log(1.0 - uniform_number(chains.random)) > log_ratio:
                _put_back(tables.candidates, graph, j, old_j, i, old_i)
                continue
            adopt(chains, row, t)
        n_reversed += 1
    if beta == 1.0 and n_reversed > 0:
        score_graph_partition(tables, chains, graph, t)
        adopt(chains, row, t)
    return n_reversed
