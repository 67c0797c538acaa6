"""What bars the ways between nodes of a graph with arrows and lines.

Ways lead along lines, and along arrows in their direction. ``sets`` has three rows of scratch, by number: what may not
be entered, and becomes what was entered, what was entered last, and what is entered next.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, contains, exclude, include, lowest_bit, word_count
from dagsearch.kernels.compile import long_kernel


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
    n_words = word_count(words)
    while True:
        is_over = True
        for w in range(n_words):
            sets[seen * n_words + w] |= sets[front * n_words + w]
            sets[ahead * n_words + w] = np.uint64(0)
        for w in range(n_words):
            rest = sets[front * n_words + w]
            while rest != np.uint64(0):
                node = np.int64(lowest_bit(rest)) + WORD_BITS * w
                rest &= rest - ONE
                for v in range(n_words):
                    sets[ahead * n_words + v] |= children[node * n_words + v] | neighbours[node * n_words + v]
        if contains(sets, ahead, end, words):
            return True
        for w in range(n_words):
            sets[front * n_words + w] = sets[ahead * n_words + w] & ~sets[seen * n_words + w]
            if sets[front * n_words + w] != np.uint64(0):
                is_over = False
        if is_over:
            return False


@long_kernel
def are_apart(neighbours, ends, sets, seen, front, ahead, words):
    """Whether no lines lead from row ``front`` to row ``ends``, but through nodes of row ``seen``."""
    n_words = word_count(words)
    while True:
        is_over = True
        for w in range(n_words):
            sets[seen * n_words + w] |= sets[front * n_words + w]
            sets[ahead * n_words + w] = np.uint64(0)
        for w in range(n_words):
            rest = sets[front * n_words + w]
            while rest != np.uint64(0):
                node = np.int64(lowest_bit(rest)) + WORD_BITS * w
                rest &= rest - ONE
                for v in range(n_words):
                    sets[ahead * n_words + v] |= neighbours[node * n_words + v]
        for w in range(n_words):
            sets[front * n_words + w] = sets[ahead * n_words + w] & ~sets[seen * n_words + w]
            if sets[front * n_words + w] & sets[ends * n_words + w] != np.uint64(0):
                return False
            if sets[front * n_words + w] != np.uint64(0):
                is_over = False
        if is_over:
            return True
