"""Steps between neighbouring classes: which are valid, and which local scores they change.

Insert(X, Y, T) and Delete(X, Y, H): D. M. Chickering, "Optimal structure identification with greedy search", JMLR 3,
2002, theorems 15 and 17, corollaries 16 and 18. Turn(X, Y, C): A. Hauser and P. Buehlmann, JMLR 13, 2012, propositions
31 and 34. NA are the neighbours of Y that are adjacent to X. Each step stands for a clique among the neighbours of Y,
which become its causes: NA and T, what H leaves of NA, or C. Where the edge is turned from an arrow, C has NA in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import contains, exclude, include, word_count
from dagsearch.kernels.classes.cliques import (
    NO_MORE,
    is_clique,
    last_clique,
    list_members,
    next_clique,
    previous_clique,
)
from dagsearch.kernels.classes.marks import copy_set, is_within, unite
from dagsearch.kernels.classes.paths import are_apart, is_barred
from dagsearch.kernels.compile import kernel, long_kernel

INSERT, DELETE, TURN = range(3)
NONE = NO_MORE
N_FAMILIES = 4
# Rows of a walk's sets. The clique, NA, and scratch.
CLIQUE, SHARED, SEEN, FRONT, AHEAD, ENDS = range(6)
N_SETS = 6


class Walk(NamedTuple):
    """Over the steps at a pair of nodes, one clique after the other."""

    candidates: Any  # (n_nodes,) int64   nodes that the clique may have beside those it must have
    stack: Any  # (n_nodes + 1,) int64   places among them of those it has
    is_barred: Any  # (n_nodes + 1,) bool   whether the ways back are known to be barred by so many of these
    sets: Any  # (N_SETS * n_words,) uint64
    nodes: Any  # (N_FAMILIES,) int64   families whose local scores a step changes: after, before, after, before
    families: Any  # (N_FAMILIES * n_words,) uint64


def new_walk(n_nodes: int, n_words: int) -> Walk:
    """A walk that has not begun."""
    return Walk(
        candidates=np.zeros(n_nodes, dtype=np.int64),
        stack=np.zeros(n_nodes + 1, dtype=np.int64),
        is_barred=np.zeros(n_nodes + 1, dtype=bool),
        sets=np.zeros(N_SETS * n_words, dtype=np.uint64),
        nodes=np.zeros(N_FAMILIES, dtype=np.int64),
        families=np.zeros(N_FAMILIES * n_words, dtype=np.uint64),
    )


@kernel
def has_steps(marks, phase, x, y, words):
    """Whether there may be steps of a kind at a pair of nodes; of two that do the same, one is enough."""
    if x == y:
        return False
    if phase == INSERT:
        return not contains(marks.adjacent, x, y, words)
    if phase == DELETE:
        return contains(marks.parents, y, x, words) or (contains(marks.neighbours, y, x, words) and x > y)
    return contains(marks.children, y, x, words) or contains(marks.neighbours, y, x, words)


@kernel
def rank(marks, phase, x, y, n_nodes, words):
    """The place of a pair among all: of steps that gain the same, the first is taken."""
    if phase == TURN:
        return y * n_nodes + x
    return x * n_nodes + y + (n_nodes * n_nodes if contains(marks.neighbours, x, y, words) else 0)


@long_kernel
def begin(marks, walk, phase, x, y, words):
    """Go to the first clique at a pair that `has_steps`; returns (candidates, those that are in it or `NONE`)."""
    n_words = word_count(words)
    sets = walk.sets
    is_line = contains(marks.neighbours, y, x, words)
    for w in range(n_words):
        near, around = marks.neighbours[y * n_words + w], marks.adjacent[x * n_words + w]
        shared, others = near & around, near & ~around
        sets[SHARED * n_words + w] = shared
        if phase == DELETE:
            sets[CLIQUE * n_words + w], sets[FRONT * n_words + w] = np.uint64(0), shared
        elif phase == TURN and is_line:
            sets[CLIQUE * n_words + w], sets[FRONT * n_words + w] = np.uint64(0), near
        else:
            sets[CLIQUE * n_words + w], sets[FRONT * n_words + w] = shared, others
    exclude(sets, FRONT, x, words)
    walk.is_barred[0] = False
    n_candidates = list_members(sets, FRONT, walk.candidates, words)
    if phase == DELETE:
        return n_candidates, last_clique(
            marks.adjacent, walk.candidates, 0, n_candidates, walk.stack, 0, sets, CLIQUE, words
        )
    # The stack is free until there is a clique to add to.
    return n_candidates, 0 if is_clique(marks.adjacent, sets, CLIQUE, walk.stack, words) else NONE


@kernel
def go_on(marks, walk, phase, n_candidates, depth, words):
    """Go to the next clique; returns how many candidates are in it, or `NONE`."""
    if phase == DELETE:  # from the largest on: that is the order of what is turned away
        return previous_clique(
            marks.adjacent, walk.candidates, n_candidates, walk.stack, depth, walk.sets, CLIQUE, words
        )
    found = next_clique(marks.adjacent, walk.candidates, n_candidates, walk.stack, depth, walk.sets, CLIQUE, words)
    if found > 0:
        walk.is_barred[found] = walk.is_barred[found - 1]
    return found


@kernel
def turns_nothing_else(marks, walk, phase, x, y, words):
    """Whether a line is to be turned and all of the clique is adjacent to X: the class would stay as it is."""
    if phase != TURN or not contains(marks.neighbours, y, x, words):
        return False
    return is_within(walk.sets, CLIQUE, marks.adjacent, x, words)


@long_kernel
def closes_no_cycle(marks, walk, phase, x, y, depth, words):
    """Whether the step is valid, of which the clique is known to be one."""
    n_words, sets = word_count(words), walk.sets
    if phase == DELETE:
        return True
    if phase == TURN and contains(marks.neighbours, y, x, words):
        for w in range(n_words):
            sets[ENDS * n_words + w] = sets[SHARED * n_words + w] & ~sets[CLIQUE * n_words + w]
            sets[SEEN * n_words + w] = np.uint64(0)
        copy_set(sets, CLIQUE, sets, FRONT, words)
        include(sets, SEEN, x, words)
        include(sets, SEEN, y, words)
        return are_apart(marks.neighbours, ENDS, sets, SEEN, FRONT, AHEAD, words)
    # What bars the ways does so with further nodes beside it.
    if not walk.is_barred[depth]:
        copy_set(sets, CLIQUE, sets, SEEN, words)
        if phase == TURN:
            unite(marks.neighbours, x, sets, SEEN, words)
        walk.is_barred[depth] = is_barred(marks.children, marks.neighbours, y, x, sets, SEEN, FRONT, AHEAD, words)
    return walk.is_barred[depth]


@long_kernel
def list_families(marks, walk, phase, x, y, words):
    """Write the families whose local scores the step changes, after and before by turns; returns how many."""
    n_words, families = word_count(words), walk.families
    after, before = (1, 0) if phase == DELETE else (0, 1)
    walk.nodes[0] = walk.nodes[1] = y
    walk.nodes[2] = walk.nodes[3] = x
    for row in range(2):
        copy_set(marks.parents, y, families, row, words)
        unite(walk.sets, CLIQUE, families, row, words)
    include(families, after, x, words)
    exclude(families, before, x, words)
    if phase != TURN:
        return 2
    is_line = contains(marks.neighbours, y, x, words)
    for row in range(2, 4):
        copy_set(marks.parents, x, families, row, words)
        if is_line:
            for w in range(n_words):
                families[row * n_words + w] |= walk.sets[CLIQUE * n_words + w] & walk.sets[SHARED * n_words + w]
    exclude(families, 2, y, words)
    include(families, 3, y, words)
    return 4
