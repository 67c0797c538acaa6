"""Chains of ordered partitions at several temperatures, and what is written down of the one at temperature 1."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel, long_kernel
from dagsearch.kernels.partition_moves import (
    NO_MOVE,
    accept_proposal,
    adopt,
    bound_proposal,
    propose_join,
    propose_relocation,
    propose_split,
    propose_swap,
    settle_proposal,
)
from dagsearch.kernels.partition_reversal import reverse_edges
from dagsearch.kernels.partition_sums import draw_set, share_by_parent, uniform_below, uniform_number

SPLIT_OR_JOIN, RELOCATE, SWAP_NEIGHBOURS, SWAP_ANY, REVERSE = range(5)
N_MOVES = 5


class Records(NamedTuple):
    """What is written down of the first chain."""

    n_made: Any  # (1,) int64   number of records so far
    parents: Any  # (n_records, n_nodes) int32   a DAG drawn from the partition: sets of candidates
    log_score: Any  # (n_records,) float64   of the partition: log sum of the weights of its DAGs
    share_sum: Any  # (n_nodes, n_candidates) float64   probabilities of parents, summed over the records
    share: Any  # (n_nodes, n_candidates) float64   those of the last record
    earlier: Any  # (n_nodes,) int64   partition of the last record; -1 before the first
    adjacent: Any  # (n_nodes,) int64


@entry_point
def enter(tables, chains, layers):
    """Put all chains at the partition with the given layers, (n_nodes,) int64; returns its log score."""
    row = chains.layer.shape[0] - 1
    chains.n_layers[row] = 0
    for v in range(chains.layer.shape[1]):
        chains.layer[row, v] = layers[v]
        chains.n_layers[row] = max(chains.n_layers[row], layers[v] + 1)
        for t in range(row):
            chains.adjacent[t, v] = -1  # nothing to be taken over
    chains.total[row] = bound_proposal(tables, chains, 0)
    if chains.total[row] > -np.inf:
        chains.total[row] = settle_proposal(tables, chains)
        for t in range(row):
            adopt(chains, row, t)
    return chains.total[row]


@long_kernel
def _move(tables, chains, graph, t, kind, n_reversals):
    """Make one move of chain ``t``; returns whether it changed anything, or how many edges were reversed."""
    if kind == REVERSE:
        return reverse_edges(tables, chains, graph, t, n_reversals)
    if kind == SPLIT_OR_JOIN:
        log_ratio = propose_join(chains, t) if uniform_below(chains.random, 2) == 0 else propose_split(chains, t)
    elif kind == RELOCATE:
        log_ratio = propose_relocation(chains, t)
    else:
        log_ratio = propose_swap(chains, t, kind == SWAP_NEIGHBOURS)
    if log_ratio == NO_MOVE:
        return 0
    return np.int64(accept_proposal(tables, chains, t, log_ratio))


@kernel
def _exchange(chains, counts):
    """Let the partitions of two neighbouring temperatures change places."""
    n_chains = chains.inverse_temperatures.shape[0]
    t = uniform_below(chains.random, n_chains - 1)
    gap = chains.inverse_temperatures[t] - chains.inverse_temperatures[t + 1]
    log_ratio = gap * (chains.total[t + 1] - chains.total[t])
    counts[t, N_MOVES, 0] += 1
    if math.log(1.0 - uniform_number(chains.random)) <= log_ratio:
        counts[t, N_MOVES, 1] += 1
        adopt(chains, t, n_chains)
        adopt(chains, t + 1, t)
        adopt(chains, n_chains, t + 1)


@kernel
def _kind_of(cumulative, t, uniform):
    """The kind of move that a uniform number picks for chain ``t``."""
    kind = 0
    while uniform >= cumulative[t, kind]:
        kind += 1
    return kind


@long_kernel
def _record(tables, chains, records):
    """Write down the first chain's partition: probabilities of parents, and a DAG drawn from it."""
    at = records.n_made[0]
    for v in range(chains.layer.shape[1]):
        inside, meeting = chains.earlier[0, v], chains.adjacent[0, v]
        if inside != records.earlier[v] or meeting != records.adjacent[v]:
            records.earlier[v], records.adjacent[v] = inside, meeting
            share_by_parent(tables.sets, tables.weights, tables.n_sets, v, inside, meeting, records.share)
        for c in range(records.share.shape[1]):
            records.share_sum[v, c] += records.share[v, c]
        uniform = uniform_number(chains.random)
        k = draw_set(tables.sets, tables.weights, tables.n_sets, v, inside, meeting, chains.score[0, v], uniform)
        records.parents[at, v] = tables.sets[v, k]
    records.log_score[at] = chains.total[0]
    records.n_made[0] = at + 1


@entry_point
def run_chains(tables, chains, graph, records, cumulative, n_reversals, n_steps, n_records, counts):
    """Make ``n_records`` records, each after ``n_steps`` moves of every chain.

    ``cumulative`` (n_chains, N_MOVES) float64 are cumulative probabilities of the kinds of moves, the last of them 1;
    ``counts`` (n_chains, N_MOVES + 1, 2) int64 gathers how many of each kind (and exchanges with the next chain) were
    tried and accepted.
    """
    n_chains = chains.inverse_temperatures.shape[0]
    for _ in range(n_records):
        for _ in range(n_steps):
            for t in range(n_chains):
                kind = _kind_of(cumulative, t, uniform_number(chains.random))
                n_changes = _move(tables, chains, graph, t, kind, n_reversals)
                counts[t, kind, 0] += n_reversals if kind == REVERSE else 1
                counts[t, kind, 1] += n_changes
            if n_chains > 1:
                _exchange(chains, counts)
        _record(tables, chains, records)
