"""Moves of ordered partitions: proposals with their probabilities, and whether they are accepted.

An ordered partition puts every node in a layer. It stands for all DAGs in which a node of layer 0 has no parents, and
any other node has parents in earlier layers only, at least one of them in the layer just before its own (Kuipers and
Moffa 2017). Each DAG belongs to one partition: a node's layer is the length of the longest path that ends in it.

Row ``t`` of the arrays is chain ``t``; the last row is the proposal. A move writes layers to it, and returns the
logarithm of (probability of proposing the way back / probability of proposing this), or `NO_MOVE`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import kernel, long_kernel
from dagsearch.kernels.partition_sums import (
    LOG_SMALLEST_SHARE,
    SMALLEST_SHARE,
    add_one_by_one,
    share_meeting,
    uniform_below,
    uniform_number,
)

NO_MOVE = np.inf


class Chains(NamedTuple):
    """Chains at falling inverse temperatures, the first of which is 1, and the proposal in the last row."""

    inverse_temperatures: Any  # (n_chains,) float64
    random: Any  # (1,) uint64   state of the random generator
    layer: Any  # (n_chains + 1, n_nodes) int64
    n_layers: Any  # (n_chains + 1,) int64
    earlier: Any  # (n_chains + 1, n_nodes) int64   candidates in earlier layers
    adjacent: Any  # (n_chains + 1, n_nodes) int64   candidates in the layer just before
    score: Any  # (n_chains + 1, n_nodes) float64   log sum of the weights of parent sets that fit
    total: Any  # (n_chains + 1,) float64   sum of these scores
    is_bound: Any  # (n_nodes,) bool scratch   whether a score of the proposal is only a bound from above


@kernel
def _copy_layers(chains, t):
    """Start the proposal as a copy of chain ``t``; returns its row."""
    proposal = chains.layer.shape[0] - 1
    for v in range(chains.layer.shape[1]):
        chains.layer[proposal, v] = chains.layer[t, v]
    chains.n_layers[proposal] = chains.n_layers[t]
    return proposal


@kernel
def _open_layer(chains, row, at):
    """Make room for a new layer before layer ``at``."""
    for v in range(chains.layer.shape[1]):
        if chains.layer[row, v] >= at:
            chains.layer[row, v] += 1
    chains.n_layers[row] += 1


@kernel
def _close_layer(chains, row, at):
    """Number the layers behind ``at`` one lower; members of ``at + 1`` thereby join those of ``at``."""
    for v in range(chains.layer.shape[1]):
        if chains.layer[row, v] > at:
            chains.layer[row, v] -= 1
    chains.n_layers[row] -= 1


@kernel
def _size(chains, row, at):
    """Number of nodes in a layer."""
    size = 0
    for v in range(chains.layer.shape[1]):
        size += chains.layer[row, v] == at
    return size


@kernel
def _member(chains, row, at, k):
    """The ``k``-th node of a layer that has more than ``k``."""
    v = -1
    while k >= 0:
        v += 1
        k -= chains.layer[row, v] == at
    return v


@kernel
def propose_join(chains, t):
    """Join two neighbouring layers."""
    if chains.n_layers[t] == 1:
        return NO_MOVE
    row = _copy_layers(chains, t)
    at = uniform_below(chains.random, chains.n_layers[t] - 1)
    n_first, n_both = _size(chains, t, at), _size(chains, t, at) + _size(chains, t, at + 1)
    _close_layer(chains, row, at)
    return -_log_splits(n_both, n_first)


@kernel
def propose_split(chains, t):
    """Split a layer: first the number of nodes that stay is drawn, then which ones."""
    at = uniform_below(chains.random, chains.n_layers[t])
    size = _size(chains, t, at)
    if size == 1:
        return NO_MOVE
    row = _copy_layers(chains, t)
    _open_layer(chains, row, at + 1)
    n_first = 1 + uniform_below(chains.random, size - 1)
    n_later, n_left = size - n_first, size
    for v in range(chains.layer.shape[1]):
        if chains.layer[t, v] == at:
            if uniform_below(chains.random, n_left) < n_later:
                chains.layer[row, v] = at + 1
                n_later -= 1
            n_left -= 1
    return _log_splits(size, n_first)


@kernel
def _log_splits(size, n_first):
    """Minus the log probability that a layer of ``size`` nodes is split just so.

    The layer is one of n_layers; the join that undoes the split is one of as many, and these two cancel.
    """
    choices = math.lgamma(size + 1.0) - math.lgamma(n_first + 1.0) - math.lgamma(size - n_first + 1.0)
    return math.log(size - 1.0) + choices


@kernel
def propose_relocation(chains, t):
    """Take a node to another layer, or to a layer of its own before, between or behind the others.

    Once the node is taken out, the places are the same for the way back: the proposal is symmetric.
    """
    n_nodes = chains.layer.shape[1]
    v = uniform_below(chains.random, n_nodes)
    here = chains.layer[t, v]
    is_alone = _size(chains, t, here) == 1
    n_others = chains.n_layers[t] - is_alone
    if n_others == 0:
        return NO_MOVE
    place = uniform_below(chains.random, 2 * n_others)  # odd: a layer; even: a new layer before layer place / 2
    place += place >= 2 * here + (not is_alone)
    row = _copy_layers(chains, t)
    chains.layer[row, v] = -1
    if is_alone:
        _close_layer(chains, row, here)
    if place % 2 == 0:
        _open_layer(chains, row, place // 2)
    chains.layer[row, v] = place // 2
    return 0.0


@kernel
def propose_swap(chains, t, neighbours_only):
    """Let two nodes of different (or neighbouring) layers change places; sizes stay, so it is symmetric."""
    if chains.n_layers[t] == 1:
        return NO_MOVE
    if neighbours_only:
        at = uniform_below(chains.random, chains.n_layers[t] - 1)
        a = _member(chains, t, at, uniform_below(chains.random, _size(chains, t, at)))
        b = _member(chains, t, at + 1, uniform_below(chains.random, _size(chains, t, at + 1)))
    else:
        n_nodes = chains.layer.shape[1]
        a, b = uniform_below(chains.random, n_nodes), uniform_below(chains.random, n_nodes)
        if chains.layer[t, a] == chains.layer[t, b]:
            return NO_MOVE
    row = _copy_layers(chains, t)
    chains.layer[row, a] = chains.layer[t, b]
    chains.layer[row, b] = chains.layer[t, a]
    return 0.0


@kernel
def _look_back(candidates, chains, row, v):
    """Note which candidates of ``v`` are in earlier layers and in the adjacent one."""
    here = chains.layer[row, v]
    earlier, adjacent = 0, 0
    for c in range(candidates.shape[1]):
        if candidates[v, c] < 0:
            break
        layer = chains.layer[row, candidates[v, c]]
        earlier |= np.int64(layer < here) << c
        adjacent |= np.int64(layer == here - 1) << c
    chains.earlier[row, v] = earlier
    chains.adjacent[row, v] = adjacent


@kernel
def _bound_score(tables, chains, row, v):
    """Score of a node from the sums; where they cannot tell it, a bound that is noted as such."""
    earlier, adjacent = chains.earlier[row, v], chains.adjacent[row, v]
    chains.is_bound[v] = False
    if adjacent == 0:
        return tables.sums[v, 0] if chains.layer[row, v] == 0 else -np.inf
    whole = tables.sums[v, earlier]
    if whole == -np.inf:
        return whole
    share = share_meeting(tables.sums, v, earlier, adjacent)
    if share < SMALLEST_SHARE:
        chains.is_bound[v] = True
        return whole + LOG_SMALLEST_SHARE
    return whole + math.log(share)


@long_kernel
def bound_proposal(tables, chains, t):
    """Score the proposal, taking from chain ``t`` what is the same there; returns a bound from above of the total."""
    row = chains.layer.shape[0] - 1
    total = 0.0
    for v in range(chains.layer.shape[1]):
        _look_back(tables.candidates, chains, row, v)
        is_same = chains.earlier[row, v] == chains.earlier[t, v] and chains.adjacent[row, v] == chains.adjacent[t, v]
        if is_same and (chains.adjacent[row, v] != 0 or chains.layer[row, v] == 0):
            chains.score[row, v] = chains.score[t, v]
            chains.is_bound[v] = False
        else:
            chains.score[row, v] = _bound_score(tables, chains, row, v)
        total += chains.score[row, v]
        if total == -np.inf:
            break
    return total


@long_kernel
def settle_proposal(tables, chains):
    """Replace bounds in the proposal's scores by what they bound; returns the total."""
    row = chains.layer.shape[0] - 1
    total = 0.0
    for v in range(chains.layer.shape[1]):
        if chains.is_bound[v]:
            chains.score[row, v] = add_one_by_one(
                tables.sets, tables.weights, tables.n_sets, v, chains.earlier[row, v], chains.adjacent[row, v]
            )
        total += chains.score[row, v]
    return total


@long_kernel
def adopt(chains, source, target):
    """Copy one row to another."""
    for v in range(chains.layer.shape[1]):
        chains.layer[target, v] = chains.layer[source, v]
        chains.earlier[target, v] = chains.earlier[source, v]
        chains.adjacent[target, v] = chains.adjacent[source, v]
        chains.score[target, v] = chains.score[source, v]
    chains.n_layers[target] = chains.n_layers[source]
    chains.total[target] = chains.total[source]


@long_kernel
def accept_proposal(tables, chains, t, log_ratio):
    """Accept or reject the proposal for chain ``t`` by Metropolis and Hastings; returns whether it was accepted.

    The random number is drawn first, so that sums which take long are made only where they decide.
    """
    row = chains.layer.shape[0] - 1
    # What the total must reach; 1 - u is never 0.
    needed = math.log(1.0 - uniform_number(chains.random)) - log_ratio
    beta = chains.inverse_temperatures[t]
    bound = bound_proposal(tables, chains, t)
    if bound == -np.inf or beta * (bound - chains.total[t]) < needed:
        return False
    total = settle_proposal(tables, chains)
    if total == -np.inf or beta * (total - chains.total[t]) < needed:
        return False
    chains.total[row] = total
    adopt(chains, row, t)
    return True
