"""The cliques that some nodes make with those of a base, one after the other, in the order of binary numbers.

A set is read as a number whose first digit is the first candidate's. Where a set is no clique, no set with it is one.
The chosen candidates lie on a stack, as places among the candidates; ``sets`` holds in row ``row`` the clique: the base
and what is chosen.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, exclude, include, lowest_bit, word_count
from dagsearch.kernels.classes.marks import is_within
from dagsearch.kernels.compile import kernel, long_kernel

NO_MORE = -1


@kernel
def list_members(sets, row, members, words):
    """Write the nodes of a set to ``members``, ascending; returns how many."""
    n = 0
    for w in range(word_count(words)):
        rest = sets[row * word_count(words) + w]
        while rest != np.uint64(0):
            members[n] = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            n += 1
    return n


@long_kernel
def is_clique(adjacent, sets, row, members, words):
    """Whether all nodes of a set are adjacent to each other; ``members`` (n_nodes,) int64 is scratch."""
    n = list_members(sets, row, members, words)
    for k in range(n):
        exclude(sets, row, members[k], words)
        fits = is_within(sets, row, adjacent, members[k], words)
        include(sets, row, members[k], words)
        if not fits:
            return False
    return True


@long_kernel
def next_clique(adjacent, candidates, n_candidates, stack, depth, sets, row, words):
    """Go to the next clique; returns how many candidates are in it, or `NO_MORE`."""
    for k in range(n_candidates - 1, -1, -1):
        node = candidates[k]
        if depth > 0 and stack[depth - 1] == k:
            depth -= 1
            exclude(sets, row, node, words)
        elif is_within(sets, row, adjacent, node, words):
            stack[depth] = k
            include(sets, row, node, words)
            return depth + 1
    return NO_MORE


@long_kernel
def last_clique(adjacent, candidates, first, n_candidates, stack, depth, sets, row, words):
    """Add each candidate from the place ``first`` on that fits; returns how many are in the clique."""
    for k in range(first, n_candidates):
        node = candidates[k]
        if is_within(sets, row, adjacent, node, words):
            stack[depth] = k
            include(sets, row, node, words)
            depth += 1
    return depth


@long_kernel
def previous_clique(adjacent, candidates, n_candidates, stack, depth, sets, row, words):
    """Go to the clique before; returns how many candidates are in it, or `NO_MORE`."""
    if depth == 0:
        return NO_MORE
    k = stack[depth - 1]
    exclude(sets, row, candidates[k], words)
    return last_clique(adjacent, candidates, k + 1, n_candidates, stack, depth - 1, sets, row, words)
