"""Graphs with arrows and lines as sets: who is around each node."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import exclude, include, word_count
from dagsearch.kernels.compile import kernel


class Marks(NamedTuple):
    """Sets of each node, (n_nodes * n_words,) uint64."""

    parents: Any  # the other ends of arrows
    children: Any
    neighbours: Any  # the other ends of lines
    adjacent: Any  # all three together


def no_marks(n_nodes: int, n_words: int) -> Marks:
    """The graph without edges."""
    return Marks(*(np.zeros(n_nodes * n_words, dtype=np.uint64) for _ in Marks._fields))


@kernel
def point(marks, cause, effect, words):
    """Turn the line between two nodes into an arrow."""
    exclude(marks.neighbours, cause, effect, words)
    exclude(marks.neighbours, effect, cause, words)
    include(marks.children, cause, effect, words)
    include(marks.parents, effect, cause, words)


@kernel
def join(marks, cause, effect, words):
    """Put an arrow between two nodes that are not adjacent."""
    include(marks.children, cause, effect, words)
    include(marks.parents, effect, cause, words)
    include(marks.adjacent, cause, effect, words)
    include(marks.adjacent, effect, cause, words)


@kernel
def part(marks, one, other, words):
    """Take the edge between two nodes away."""
    for a, b in ((one, other), (other, one)):
        exclude(marks.parents, a, b, words)
        exclude(marks.children, a, b, words)
        exclude(marks.neighbours, a, b, words)
        exclude(marks.adjacent, a, b, words)


@kernel
def copy_set(source, row, target, target_row, words):
    """Copy one set into another."""
    n_words = word_count(words)
    for w in range(n_words):
        target[target_row * n_words + w] = source[row * n_words + w]


@kernel
def unite(source, row, target, target_row, words):
    """Put the members of one set into another."""
    n_words = word_count(words)
    for w in range(n_words):
        target[target_row * n_words + w] |= source[row * n_words + w]


@kernel
def is_within(one, row, other, other_row, words):
    """Whether all members of one set are in the other."""
    n_words = word_count(words)
    for w in range(n_words):
        if one[row * n_words + w] & ~other[other_row * n_words + w] != np.uint64(0):
            return False
    return True
