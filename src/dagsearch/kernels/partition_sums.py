"""Sums of the weights of parent sets, and parent sets drawn by their weights.

A node's parents are a subset of its few candidates, so a set of parents is a number below 2^n_candidates. The sum over
all subsets of a set is looked up. What a partition needs is the sum over those subsets that *meet* another set (have a
member in it): the difference of two such sums. Where that difference would be lost in rounding, the weights are added
up one by one instead, which knows no cancellation.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel, long_kernel
from dagsearch.kernels.random import below_high, next_word

SMALLEST_SHARE = 1e-6
"""Sums over sets that meet another are taken as a difference if they are at least this share of the whole."""
LOG_SMALLEST_SHARE = math.log(SMALLEST_SHARE)
NEGLIGIBLE = 50.0
"""A weight so many nats below another one does not matter beside it, were there 2^16 of them."""


class ParentTables(NamedTuple):
    """Weights of all parent sets of all nodes; read only."""

    candidates: Any  # (n_nodes, n_candidates) int64   -1: none
    sums: Any  # (n_nodes, 2^n_candidates) float64   log of the sum of the weights of all subsets
    sets: Any  # (n_nodes, 2^n_candidates) int32   parent sets by falling weight
    weights: Any  # (n_nodes, 2^n_candidates) float64   their log weights
    n_sets: Any  # (n_nodes,) int64   how many sets have a weight at all


@kernel
def log_add(a, b):
    """Logarithm of exp(a) + exp(b)."""
    if a < b:
        a, b = b, a
    if b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@entry_point
def sum_over_subsets(sums):
    """Turn log weights of sets, (n_nodes, 2^n_candidates), into log sums over all their subsets, in place."""
    for node in range(sums.shape[0]):
        width = 1
        while width < sums.shape[1]:
            for start in range(0, sums.shape[1], 2 * width):
                for k in range(start, start + width):
                    sums[node, k + width] = log_add(sums[node, k + width], sums[node, k])
            width *= 2


@kernel
def fits(parents, inside, meeting):
    """Whether all parents are inside a set, and one of them in another (if that is not empty)."""
    return parents & ~inside == 0 and (meeting == 0 or parents & meeting != 0)


@long_kernel
def add_one_by_one(sets, weights, n_sets, node, inside, meeting):
    """Log sum of the weights of all sets that fit, by adding them up."""
    top, total = -np.inf, 0.0
    for k in range(n_sets[node]):
        if not fits(sets[node, k], inside, meeting):
            continue
        weight = weights[node, k]
        if total == 0.0:
            top = weight
        elif weight < top - NEGLIGIBLE:
            break
        total += math.exp(weight - top)
    return top + math.log(total) if total > 0.0 else -np.inf


@kernel
def share_meeting(sums, node, inside, meeting):
    """Share of the sets that meet ``meeting`` in the sum over all sets inside ``inside``; rounded to within 1e-10."""
    return -math.expm1(sums[node, inside & ~meeting] - sums[node, inside])


@kernel
def log_sum(tables, node, inside, meeting):
    """Log sum of the weights of all sets that fit."""
    whole = tables.sums[node, inside]
    if meeting == 0 or whole == -np.inf:
        return whole
    share = share_meeting(tables.sums, node, inside, meeting)
    if share < SMALLEST_SHARE:
        return add_one_by_one(tables.sets, tables.weights, tables.n_sets, node, inside, meeting)
    return whole + math.log(share)


@long_kernel
def draw_set(sets, weights, n_sets, node, inside, meeting, log_total, uniform):
    """Position of a set that fits, drawn by weight with a ``uniform`` number; ``log_total`` is the sum over those sets.

    The most probable set fills the gap that rounding may leave.
    """
    first, total = -1, 0.0
    for k in range(n_sets[node]):
        if not fits(sets[node, k], inside, meeting):
            continue
        if first < 0:
            first = k
        elif weights[node, k] < log_total - NEGLIGIBLE:
            break
        total += math.exp(weights[node, k] - log_total)
        if total > uniform:
            return k
    return first


@long_kernel
def share_by_parent(sets, weights, n_sets, node, inside, meeting, shares):
    """Probabilities of the candidates of ``node`` to be parents, if its set fits; into row ``node`` of ``shares``."""
    n_candidates = shares.shape[1]
    for c in range(n_candidates):
        shares[node, c] = 0.0
    top, total = -np.inf, 0.0
    for k in range(n_sets[node]):
        parents = sets[node, k]
        if not fits(parents, inside, meeting):
            continue
        if total == 0.0:
            top = weights[node, k]
        elif weights[node, k] < top - NEGLIGIBLE:
            break
        weight = math.exp(weights[node, k] - top)
        total += weight
        for c in range(n_candidates):
            shares[node, c] += weight * (parents >> c & 1)
    for c in range(n_candidates):
        shares[node, c] /= total


@kernel
def uniform_below(random, n):
    """Uniform whole number below ``n``."""
    return np.int64(below_high(next_word(random), np.uint64(n)))


@kernel
def uniform_number(random):
    """Uniform number in [0, 1)."""
    return np.float64(next_word(random) >> np.uint64(11)) * 2.0**-53
