"""The search tree as a struct of arrays; a tree node is an index, the children of one lie side by side.

The block of a tree node's children is laid out when the first of them is expanded: all its legal actions in order,
of which the first ``n_expanded`` are in the tree. Expansion swaps a random one of the others to the front.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, lowest_bit, size, word_count
from dagsearch.kernels.compile import entry_point, kernel
from dagsearch.kernels.random import below_high, next_word

ROOT = 0
UNOPENED = -1
TABULATED = 1 << 14


class Tree(NamedTuple):
    """One search step's tree."""

    first_child: Any  # (capacity,) int32   UNOPENED until a child is expanded
    n_actions: Any  # (capacity,) int32   legal actions: slots of the block
    n_expanded: Any  # (capacity,) int32   of which in the tree
    action: Any  # (capacity,) int32   node chosen on the way here
    visits: Any  # (capacity,) int32
    mean: Any  # (capacity,) float64   mean return
    spread: Any  # (capacity,) float64   1 / sqrt(visits)
    prior: Any  # (capacity,) float64   share of the children's visits that is expected beforehand; PUCT alone has it
    size: Any  # (1,) int64   slots in use
    log_width: Any  # (TABULATED,) float64   sqrt(2 ln N): logarithms and roots are slow, and N mostly small
    inverse_root: Any  # (TABULATED,) float64   1 / sqrt(N)


@kernel
def _clear(tree, slot, action):
    """Make ``slot`` an unvisited tree node."""
    tree.first_child[slot] = UNOPENED
    tree.n_actions[slot] = 0
    tree.n_expanded[slot] = 0
    tree.action[slot] = action
    tree.visits[slot] = 0
    tree.mean[slot] = 0.0


@entry_point
def reset(tree):
    """Leave only an unvisited root."""
    _clear(tree, ROOT, -1)
    tree.size[0] = 1


@kernel
def open_node(tree, node, rows, row, words):
    """Lay out the block of children of ``node``, one per member of the set ``row``; False if the tree is full."""
    n = np.int64(size(rows, row, words))
    first = tree.size[0]
    if first + n > tree.action.shape[0]:
        return False
    slot = first
    n_words = word_count(words)
    for w in range(n_words):
        rest = rows[row * n_words + w]
        while rest != np.uint64(0):
            tree.action[slot] = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            slot += 1
    tree.first_child[node] = first
    tree.n_actions[node] = n
    tree.size[0] = first + n
    return True


@kernel
def expand(tree, node, state):
    """Put a random unexpanded child of ``node`` into the tree and return it."""
    k = tree.n_expanded[node]
    front = tree.first_child[node] + k
    other = front + np.int64(below_high(next_word(state), np.uint64(tree.n_actions[node] - k)))
    action = tree.action[other]
    tree.action[other] = tree.action[front]
    _clear(tree, front, action)
    tree.n_expanded[node] = k + 1
    return front


@kernel
def add_child(tree, node):
    """Put the first unexpanded child of ``node`` into the tree and return it."""
    front = tree.first_child[node] + tree.n_expanded[node]
    _clear(tree, front, tree.action[front])
    tree.n_expanded[node] += 1
    return front


@kernel
def best_by_ucb(tree, node, exploration):
    """The child with the largest UCB1 value, mean + C sqrt(2 ln N / n), the first of equals."""
    n = tree.visits[node]
    width = exploration * (tree.log_width[n] if n < TABULATED else np.sqrt(2.0 * np.log(n)))
    first = tree.first_child[node]
    best, best_value = first, -np.inf
    for child in range(first, first + tree.n_expanded[node]):
        value = tree.mean[child] + width * tree.spread[child]
        better = value > best_value
        best = child if better else best
        best_value = value if better else best_value
    return best


@kernel
def best_by_puct(tree, node, exploration):
    """The child with the largest mean + C P sqrt(N) / (1 + n), the first of equals.

    Priors P are in descending order, so that of the unexpanded children only the first can be the best; its mean is
    taken to be that of ``node``.
    """
    width = exploration * np.sqrt(np.float64(tree.visits[node]))
    first = np.int64(tree.first_child[node])
    end = first + tree.n_expanded[node]
    best, best_value = first, -np.inf
    for child in range(first, end):
        value = tree.mean[child] + width * tree.prior[child] / (1 + tree.visits[child])
        if value > best_value:
            best, best_value = child, value
    if end < first + tree.n_actions[node] and tree.mean[node] + width * tree.prior[end] > best_value:
        return end
    return best


@kernel
def record_return(tree, node, value):
    """Count one visit of ``node`` with return ``value``."""
    tree.visits[node] += 1
    n = tree.visits[node]
    spread = tree.inverse_root[n] if n < TABULATED else 1.0 / np.sqrt(n)
    tree.spread[node] = spread
    tree.mean[node] += (value - tree.mean[node]) * (spread * spread)
