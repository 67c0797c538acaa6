"""What bars the ways between nodes of a graph with arrows and lines.

Ways lead along lines, and along arrows in their direction. ``sets`` has three rows of scratch, by number: what may not
be entered, and becomes what was entered, what was entered last, and what is entered next.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, contains, exclude, include, lowest_bit, word_count
from dagsearch.kernels.compile import kernel, long_kernel


@long_kernel
def is_barred(children, neighbours, start, end, sets, seen, front, ahead, words):
    """Whether all ways from ``start`` to ``end``, but for the edge between them, enter a node of row ``seen``."""
    n_words = word_count(words)
    include(sets, seen, start, words)
    for w in range(n_words):
        to = children[start * n_words + w] | neighbours[start * n_words + w]
        sets[front * n_words + w] = to & ~sets[seen * n_words + w]
    # What there is besides the edge itself are ways by way of others.
    exclude(sets, front, end, words)
    return not _reaches(children, neighbours, end, sets, seen, front, ahead, words)


@long_kernel
def _reaches(children, neighbours, end, sets, seen, front, ahead, words):
    """Whether a way leads from row ``front`` to ``end``."""
    is_over = False
    while not is_over:
        _look_ahead(children, neighbours, sets, seen, front, ahead, words)
        if contains(sets, ahead, end, words):
            return True
        is_over = not _go_ahead(sets, seen, front, ahead, words)
    return False


@long_kernel
def are_apart(neighbours, ends, sets, seen, front, ahead, words):
    """Whether no lines lead from row ``front`` to row ``ends``, but through nodes of row ``seen``."""
    is_over = False
    while not is_over:
        _look_ahead(neighbours, neighbours, sets, seen, front, ahead, words)
        is_over = not _go_ahead(sets, seen, front, ahead, words)
        for w in range(word_count(words)):
            if sets[front * word_count(words) + w] & sets[ends * word_count(words) + w] != np.uint64(0):
                return False
    return True


@kernel
def _look_ahead(one, other, sets, seen, front, ahead, words):
    """Add row ``front`` to row ``seen``; row ``ahead``: where edges of one kind or the other lead to from it."""
    n_words = word_count(words)
    for w in range(n_words):
        sets[seen * n_words + w] |= sets[front * n_words + w]
        sets[ahead * n_words + w] = np.uint64(0)
    for w in range(n_words):
        rest = sets[front * n_words + w]
        while rest != np.uint64(0):
            node = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            for v in range(n_words):
                sets[ahead * n_words + v] |= one[node * n_words + v] | other[node * n_words + v]


@kernel
def _go_ahead(sets, seen, front, ahead, words):
    """Row ``front``: what is new in row ``ahead``; whether there is any."""
    n_words = word_count(words)
    is_any = False
    for w in range(n_words):
        sets[front * n_words + w] = sets[ahead * n_words + w] & ~sets[seen * n_words + w]
        is_any |= sets[front * n_words + w] != np.uint64(0)
    return is_any
