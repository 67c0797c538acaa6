"""Weights of edges by what they are known to gain: a softmax over local gains, kept up while a graph grows.

The weight of i -> j is exp((gain - top) / temperature), where top is the largest gain at the root; edges that do not
pay have none if there is no edge budget, so that a rollout ends where nothing pays. After an edge into j the gains of
the most promising causes of j are looked up again, and evaluated if that is compiled; what is not known keeps its
weight. Those of linear regressions are computed for all causes at once. Edges that have become illegal lose their
weight when they are drawn, which is cheaper than to follow legality.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import WORD_BITS, contains, include, lowest_bit, select, size, word_count
from dagsearch.kernels.compile import entry_point, kernel, long_kernel
from dagsearch.kernels.growth import is_outside, values_that_pay
from dagsearch.kernels.local import find_or_evaluate
from dagsearch.kernels.memo import MISSING, penalty_at, value_at
from dagsearch.kernels.random import below_low, next_word

NOBODY = -1
LARGEST_EXPONENT = 300.0  # gains may exceed the root's largest by far, and sums of weights must stay finite
SMALLEST_SCALE = 1e-12  # of gains, where the largest is zero
SMALLEST_TEMPERATURE = 1.0 / 600.0  # below it, weights of edges that pay vanish, and rollouts would end too early
_ONE = np.uint64(1)
_UNIT = 2.0**-53
_UNUSED_BITS = np.uint64(11)

GUIDANCE = np.dtype(
    [
        ("sharpness", np.float64),  # 1 / temperature, per unit of reward
        ("top", np.float64),  # the gain whose weight is 1
        ("scale", np.float64),  # of values: 1, or minus the slope of the logarithm if variances are equal
        ("paying_only", np.int64),  # edges that do not pay have no weight
        ("entries_per_edge", np.int64),  # most local scores that an edge of a simulation enters in the memo
    ]
)


class Guide(NamedTuple):
    """Weights at the root and at the simulation's graph; rows are effects, so that an edge changes one row."""

    guidance: Any  # (1,) GUIDANCE
    candidates: Any  # (n_nodes, n_candidates) int64   causes whose gains are kept up, or NOBODY
    gains: Any  # (n_nodes, n_nodes) float64   [effect, cause] at the root, of edges that are legal there
    root_weights: Any  # (n_nodes, n_nodes) float64   [effect, cause]
    weights: Any  # (n_nodes, n_nodes) float64
    root_sums: Any  # (n_nodes,) float64   of the rows
    sums: Any  # (n_nodes,) float64
    stale: Any  # (n_words,) uint64   effects whose weights differ from the root's
    key: Any  # (n_words,) uint64   scratch: a set of parents
    members: Any  # (n_nodes + 1,) int64   scratch: the same as a list
    may_join: Any  # (n_nodes,) bool   scratch
    values: Any  # (n_nodes,) float64   scratch


@kernel
def unit_real(word):
    """A real number from 0 to below 1 from a random word."""
    return np.float64(word >> _UNUSED_BITS) * _UNIT


@kernel
def weight_of(guidance, gain):
    """Weight of an edge that gains so much."""
    if guidance.paying_only and not gain > 0.0:
        return 0.0
    return np.exp(min((gain - guidance.top) * guidance.sharpness, LARGEST_EXPONENT))


@kernel
def _sum_up(guide, j):
    """Sum the weights of edges into ``j`` afresh: subtracting would leave rounding behind."""
    total = 0.0
    for i in range(guide.weights.shape[1]):
        total += guide.weights[j, i]
    guide.sums[j] = total


@long_kernel
def restore_weights(guide, words):
    """Set the weights back to the root's."""
    for w in range(word_count(words)):
        rest = guide.stale[w]
        guide.stale[w] = np.uint64(0)
        while rest != np.uint64(0):
            j = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - _ONE
            for i in range(guide.weights.shape[1]):
                guide.weights[j, i] = guide.root_weights[j, i]
            guide.sums[j] = guide.root_sums[j]


@kernel
def _local_score(memo, slot, scale, words):
    """Value less penalty of an entry."""
    return scale * value_at(memo, slot, words) - penalty_at(memo, slot, words)


@long_kernel
def _learn_by_memo(guide, memo, family, graph, j, base, words):
    """Look up what the candidates of ``j`` gain; what is neither known nor compiled keeps its weight."""
    guidance = guide.guidance[0]
    n_words = word_count(words)
    for c in range(guide.candidates.shape[1]):
        i = guide.candidates[j, c]
        if i == NOBODY:
            break
        if not contains(graph.legal, i, j, words):
            guide.weights[j, i] = 0.0
            continue
        for w in range(n_words):
            guide.key[w] = graph.parents[j * n_words + w]
        include(guide.key, 0, i, words)
        slot = find_or_evaluate(memo, family, j, guide.key, 0, words)
        if slot != MISSING:
            guide.weights[j, i] = weight_of(guidance, _local_score(memo, slot, guidance.scale, words) - base)


@long_kernel
def _learn_at_once(guide, growth, graph, j, base, words):
    """Compute what all causes of ``j`` gain, where that takes as long as one of them."""
    guidance = guide.guidance[0]
    n_parents = 0
    for w in range(word_count(words)):
        rest = graph.parents[j * word_count(words) + w]
        while rest != np.uint64(0):
            guide.members[n_parents] = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - _ONE
            n_parents += 1
    for i in range(guide.may_join.shape[0]):
        guide.may_join[i] = contains(graph.legal, i, j, words)
    least = base if guidance.paying_only else -np.inf
    values_that_pay(growth, j, guide.members, n_parents, guide.may_join, least, guide.values)
    for i in range(guide.values.shape[0]):
        paid = guide.values[i] > -np.inf
        guide.weights[j, i] = weight_of(guidance, guide.values[i] - base) if paid else 0.0


@long_kernel
def learn(guide, growth, memo, family, graph, j, words):
    """Learn what further causes of ``j`` gain, given those that it has in ``graph`` now."""
    include(guide.stale, 0, j, words)
    own = find_or_evaluate(memo, family, j, graph.parents, j, words)
    if own != MISSING:
        base = _local_score(memo, own, guide.guidance[0].scale, words)
        if is_outside(growth):
            _learn_by_memo(guide, memo, family, graph, j, base, words)
        else:
            _learn_at_once(guide, growth, graph, j, base, words)
    _sum_up(guide, j)


@kernel
def _drop(guide, i, j, words):
    """Take the weight of i -> j away."""
    include(guide.stale, 0, j, words)
    guide.weights[j, i] = 0.0
    _sum_up(guide, j)


@kernel
def _drawn(weights, share):
    """The position in which the running sum of ``weights`` passes ``share``, or the last one with a weight."""
    position = NOBODY
    for k in range(weights.shape[0]):
        if weights[k] > 0.0:
            position = k
            share -= weights[k]
            if share < 0.0:
                break
    return position


@long_kernel
def draw_edge(guide, graph, random, words):
    """A legal edge (i, j) drawn by weight, or NOBODY twice if none has any."""
    while True:
        total = 0.0
        for j in range(guide.sums.shape[0]):
            total += guide.sums[j]
        if not total > 0.0:
            return NOBODY, NOBODY
        j = _drawn(guide.sums, unit_real(next_word(random)) * total)
        i = _drawn(guide.weights[j], unit_real(next_word(random)) * guide.sums[j])
        if contains(graph.legal, i, j, words):
            return i, j
        _drop(guide, i, j, words)


@long_kernel
def draw_endpoint(guide, graph, i, random, words):
    """A legal effect of ``i``, drawn by weight, or uniformly if none has any."""
    total = 0.0
    for j in range(guide.sums.shape[0]):
        if contains(graph.legal, i, j, words):
            total += guide.weights[j, i]
    word = next_word(random)
    if not total > 0.0:
        return select(graph.legal, i, below_low(word, size(graph.legal, i, words)), words)
    share = unit_real(word) * total
    drawn = NOBODY
    for j in range(guide.sums.shape[0]):
        if guide.weights[j, i] > 0.0 and contains(graph.legal, i, j, words):
            drawn = j
            share -= guide.weights[j, i]
            if share < 0.0:
                break
    return drawn


@long_kernel
def _largest_gain(guide, root, words):
    """The largest gain of a legal edge, -inf if none is legal."""
    top = -np.inf
    for i in range(guide.gains.shape[1]):
        for w in range(word_count(words)):
            rest = root.legal[i * word_count(words) + w]
            while rest != np.uint64(0):
                top = max(top, guide.gains[np.int64(lowest_bit(rest)) + WORD_BITS * w, i])
                rest &= rest - _ONE
    return top


@entry_point
def set_root_weights(guide, root, temperature, words):
    """Weights at the root from what edges gain there; the temperature is a share of the largest gain."""
    guidance = guide.guidance[0]
    guidance.top = _largest_gain(guide, root, words)
    scale = max(abs(guidance.top), SMALLEST_SCALE)
    guidance.sharpness = 1.0 / (max(temperature, SMALLEST_TEMPERATURE) * scale)
    for j in range(guide.gains.shape[0]):
        total = 0.0
        for i in range(guide.gains.shape[1]):
            weight = 0.0
            if contains(root.legal, i, j, words):
                weight = weight_of(guidance, guide.gains[j, i])
            guide.root_weights[j, i] = weight
            guide.weights[j, i] = weight
            total += weight
        guide.root_sums[j] = total
        guide.sums[j] = total
    for w in range(word_count(words)):
        guide.stale[w] = np.uint64(0)
