"""From a graph with arrows and lines to a member of its class, and to the graph of the whole class (its CPDAG).

D. Dor and M. Tarsi, technical report R-185, UCLA, 1992: some node can come last; its lines point at it, and the rest is
a smaller graph. D. M. Chickering, "A transformational characterization of equivalent Bayesian network structures", UAI
1995: in the order of a DAG, what is known of the last cause of a node tells which of its causes all members share.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, bit_of, contains, exclude, include, lowest_bit, word_count
from dagsearch.kernels.classes.marks import copy_set, is_within
from dagsearch.kernels.compile import entry_point, kernel, long_kernel

STUCK, COMPLETE = range(2)
LEFT, POSSIBLE = range(2)


class Member(NamedTuple):
    """A DAG of a class, and what it takes to find it."""

    parents: Any  # (n_nodes * n_words,) uint64
    compelled: Any  # (n_nodes * n_words,) uint64   those in all members
    order: Any  # (n_nodes,) int64   effects before causes
    place: Any  # (n_nodes,) int64   of each node in the order
    sets: Any  # (2 * n_words,) uint64   nodes that are left, and those that can come last among them


def new_member(n_nodes: int, n_words: int) -> Member:
    """Memory for a member."""
    return Member(
        parents=np.zeros(n_nodes * n_words, dtype=np.uint64),
        compelled=np.zeros(n_nodes * n_words, dtype=np.uint64),
        order=np.zeros(n_nodes, dtype=np.int64),
        place=np.zeros(n_nodes, dtype=np.int64),
        sets=np.zeros(2 * n_words, dtype=np.uint64),
    )


@long_kernel
def _can_be_last(children, neighbours, adjacent, sets, node, words):
    """Whether a node causes none that is left, and its lines could point at it without a new v-structure."""
    n_words = word_count(words)
    for w in range(n_words):
        if children[node * n_words + w] & sets[LEFT * n_words + w] != np.uint64(0):
            return False
    for w in range(n_words):
        rest = neighbours[node * n_words + w] & sets[LEFT * n_words + w]
        while rest != np.uint64(0):
            other = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            for v in range(n_words):
                around = adjacent[node * n_words + v] & sets[LEFT * n_words + v] & ~adjacent[other * n_words + v]
                if v == other // WORD_BITS:
                    around &= ~bit_of(other)
                if around != np.uint64(0):
                    return False
    return True


@long_kernel
def _note_possible(marks, member, node, words):
    """Note which nodes that are left around a node can come last, now that it is gone."""
    n_words = word_count(words)
    for w in range(n_words):
        rest = marks.adjacent[node * n_words + w] & member.sets[LEFT * n_words + w]
        rest &= ~member.sets[POSSIBLE * n_words + w]
        while rest != np.uint64(0):
            other = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            if _can_be_last(marks.children, marks.neighbours, marks.adjacent, member.sets, other, words):
                include(member.sets, POSSIBLE, other, words)


@kernel
def _highest(sets, row, n_nodes, words):
    """The last node of a set, or -1."""
    for node in range(n_nodes - 1, -1, -1):
        if contains(sets, row, node, words):
            return node
    return -1


@entry_point
def find_member(marks, member, words):
    """Direct the lines so that no cycle and no v-structure arises: `COMPLETE`, or `STUCK` where they cannot be.

    Of several nodes that can come last the one with the highest index does.
    """
    n_words, n_nodes = word_count(words), member.order.shape[0]
    sets = member.sets
    sets[:] = np.uint64(0)
    for node in range(n_nodes):
        include(sets, LEFT, node, words)
    for node in range(n_nodes):
        if _can_be_last(marks.children, marks.neighbours, marks.adjacent, sets, node, words):
            include(sets, POSSIBLE, node, words)
    for k in range(n_nodes):
        node = _highest(sets, POSSIBLE, n_nodes, words)
        if node < 0:
            return STUCK
        member.order[k], member.place[node] = node, k
        exclude(sets, POSSIBLE, node, words)
        exclude(sets, LEFT, node, words)
        for w in range(n_words):
            around = marks.parents[node * n_words + w] | marks.neighbours[node * n_words + w]
            member.parents[node * n_words + w] = around & sets[LEFT * n_words + w]
        _note_possible(marks, member, node, words)
    return COMPLETE


@kernel
def _last_cause(member, node, words):
    """The cause of a node that comes last of all in the order of causes before effects, or -1."""
    n_words = word_count(words)
    last = -1
    for w in range(n_words):
        rest = member.parents[node * n_words + w]
        while rest != np.uint64(0):
            cause = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            if last < 0 or member.place[cause] < member.place[last]:
                last = cause
    return last


@long_kernel
def _compel(member, node, words):
    """Note which causes of a node all members of the class share, as is known of those before it."""
    n_words = word_count(words)
    last = _last_cause(member, node, words)
    copy_set(member.parents, node, member.compelled, node, words)
    if last < 0 or not is_within(member.compelled, last, member.parents, node, words):
        return
    for w in range(n_words):
        others = member.parents[node * n_words + w] & ~member.parents[last * n_words + w]
        if w == last // WORD_BITS:
            others &= ~bit_of(last)
        if others != np.uint64(0):
            return
    copy_set(member.compelled, last, member.compelled, node, words)


@entry_point
def draw_class(member, marks, words):
    """Write the graph of the class of a DAG with its order to ``marks``: arrows that all members share, and lines."""
    n_words, n_nodes = word_count(words), member.order.shape[0]
    for k in range(n_nodes * n_words):
        marks.parents[k] = marks.children[k] = marks.neighbours[k] = marks.adjacent[k] = np.uint64(0)
    for k in range(n_nodes - 1, -1, -1):
        _compel(member, member.order[k], words)
    for node in range(n_nodes):
        for w in range(n_words):
            rest = member.parents[node * n_words + w]
            while rest != np.uint64(0):
                cause = np.int64(lowest_bit(rest)) + WORD_BITS * w
                rest &= rest - ONE
                include(marks.adjacent, node, cause, words)
                include(marks.adjacent, cause, node, words)
                if contains(member.compelled, node, cause, words):
                    include(marks.parents, node, cause, words)
                    include(marks.children, cause, node, words)
                else:
                    include(marks.neighbours, node, cause, words)
                    include(marks.neighbours, cause, node, words)
