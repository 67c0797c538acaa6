"""Makes a step: the edge itself, and what it directs. What follows from that is left to `completion`."""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, contains, lowest_bit, word_count
from dagsearch.kernels.classes.marks import join, part, point
from dagsearch.kernels.classes.operators import DELETE, INSERT
from dagsearch.kernels.compile import entry_point


@entry_point
def make_step(marks, phase, x, y, clique, words):
    """Change a graph, in place, by the valid step at a pair of nodes that stands for a clique, see `operators`."""
    n_words = word_count(words)
    if phase != DELETE:
        # The set is read before the edge is there: by now the clique is of neighbours of Y.
        for w in range(n_words):
            rest = clique[w]
            if phase == INSERT:
                rest &= ~marks.adjacent[x * n_words + w]
            while rest != np.uint64(0):
                node = np.int64(lowest_bit(rest)) + WORD_BITS * w
                rest &= rest - ONE
                point(marks, node, y, words)
        part(marks, x, y, words)
        join(marks, x, y, words)
        return
    for w in range(n_words):
        rest = marks.neighbours[y * n_words + w] & marks.adjacent[x * n_words + w] & ~clique[w]
        while rest != np.uint64(0):
            node = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            point(marks, y, node, words)
            if contains(marks.neighbours, x, node, words):
                point(marks, x, node, words)
    part(marks, x, y, words)
