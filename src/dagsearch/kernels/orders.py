"""DAGs by orders of the nodes: each node takes its best family among those before it; moves improve the order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import exclude, include, word_count
from dagsearch.kernels.compile import entry_point, kernel


class FamilyLists(NamedTuple):
    """Families sorted by node, and by falling score for each node; each node's last family must have no parents."""

    starts: Any  # (n_nodes + 1,) int64
    rows: Any  # (n_families * n_words,) uint64   parents
    scores: Any  # (n_families,) float64


@kernel
def _best_family(lists, node, before, words):
    """The best family of ``node`` with all parents in the set ``before``; -1 if there is none."""
    n_words = word_count(words)
    for f in range(lists.starts[node], lists.starts[node + 1]):
        inside = True
        for w in range(n_words):
            if lists.rows[f * n_words + w] & ~before[w]:
                inside = False
                break
        if inside:
            return f
    return -1


@kernel
def _score_of(lists, family):
    return lists.scores[family] if family >= 0 else -np.inf


@kernel
def _move(order, start, stop):
    """Move the node at ``start`` to ``stop``, shifting those between."""
    node = order[start]
    step = 1 if stop > start else -1
    for k in range(start, stop, step):
        order[k] = order[k + step]
    order[stop] = node


@kernel
def _best_place(lists, order, at, chosen, before, words):
    """Where the node at ``at`` is best moved, and the gain; ``before`` is scratch.

    A neighbour that is passed gains or loses the node as a possible parent, and so do both again with the next one.
    """
    n_nodes = order.shape[0]
    node = order[at]
    own = _score_of(lists, chosen[node])
    best_gain, best_stop = 0.0, at
    for direction in (-1, 1):
        for w in range(before.shape[0]):
            before[w] = np.uint64(0)
        for k in range(at):
            include(before, 0, order[k], words)
        others = 0.0
        k = at + direction
        while 0 <= k < n_nodes:
            passed = order[k]
            if direction < 0:
                exclude(before, 0, passed, words)
                include(before, 0, node, words)
                others += _score_of(lists, _best_family(lists, passed, before, words))
                exclude(before, 0, node, words)
            else:
                others += _score_of(lists, _best_family(lists, passed, before, words))
                include(before, 0, passed, words)
            others -= _score_of(lists, chosen[passed])
            gain = others + _score_of(lists, _best_family(lists, node, before, words)) - own
            if gain > best_gain + 1e-12:
                best_gain, best_stop = gain, k
            k += direction
    return best_stop, best_gain


@kernel
def _choose(lists, order, chosen, before, words):
    """Write every node's best family for the order to ``chosen``; returns the sum of scores."""
    for w in range(before.shape[0]):
        before[w] = np.uint64(0)
    total = 0.0
    for k in range(order.shape[0]):
        chosen[order[k]] = _best_family(lists, order[k], before, words)
        total += _score_of(lists, chosen[order[k]])
        include(before, 0, order[k], words)
    return total


@entry_point
def improve_order(lists, order, chosen, before, words):
    """Move single nodes of ``order`` to better places until none gains; returns the sum of scores.

    ``chosen`` (n_nodes,) gets each node's family; ``before`` (n_words,) uint64 is scratch.
    """
    total = _choose(lists, order, chosen, before, words)
    improved = True
    while improved:
        improved = False
        for at in range(order.shape[0]):
            stop, gain = _best_place(lists, order, at, chosen, before, words)
            if gain > 0.0:
                _move(order, at, stop)
                total = _choose(lists, order, chosen, before, words)
                improved = True
    return total
