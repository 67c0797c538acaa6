"""A hash table of local scores: (node, parent set) -> (value, penalty), open addressing, growing from outside.

An entry is one row of 64-bit words, so that a look-up touches one cache line: node + 1, the parents' words, then the
bits of value and penalty. ``entries`` and ``reals`` are two views of the same memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import word_count
from dagsearch.kernels.compile import entry_point, kernel

MISSING = -1
_FREE = np.uint64(0)
_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
MAX_LOAD = 0.5


class Memo(NamedTuple):
    """The table's memory."""

    entries: Any  # (capacity, 1 + n_words + 2) uint64, capacity a power of two
    reals: Any  # the same memory as float64
    count: Any  # (1,) int64   entries in use


def new_memo(capacity: int, n_words: int) -> Memo:
    """An empty table; ``capacity`` is a power of two."""
    entries = np.zeros((capacity, 1 + n_words + 2), dtype=np.uint64)
    return Memo(entries, entries.view(np.float64), np.zeros(1, dtype=np.int64))


@kernel
def _slot_of(memo, node, rows, row, words):
    """The slot that holds the key, or the free slot where it belongs."""
    n_words = word_count(words)
    h = np.uint64(node + 1) * _MULTIPLIER
    for w in range(n_words):
        h = (h ^ rows[row * n_words + w]) * _MULTIPLIER
        h ^= h >> _HALF
    mask = np.uint64(memo.entries.shape[0] - 1)
    slot = (h * _MULTIPLIER >> _HALF) & mask
    tag = np.uint64(node + 1)
    while memo.entries[slot, 0] != _FREE:
        if memo.entries[slot, 0] == tag:
            same = True
            for w in range(n_words):
                if memo.entries[slot, 1 + w] != rows[row * n_words + w]:
                    same = False
            if same:
                break
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@kernel
def find(memo, node, rows, row, words):
    """The slot of (``node``, set ``row`` of ``rows``), or `MISSING`."""
    slot = _slot_of(memo, node, rows, row, words)
    return slot if memo.entries[slot, 0] != _FREE else np.int64(MISSING)


@kernel
def store(memo, node, rows, row, value, penalty, words):
    """Write an entry and return its slot; the table must have room."""
    n_words = word_count(words)
    slot = _slot_of(memo, node, rows, row, words)
    if memo.entries[slot, 0] == _FREE:
        memo.count[0] += 1
        memo.entries[slot, 0] = np.uint64(node + 1)
        for w in range(n_words):
            memo.entries[slot, 1 + w] = rows[row * n_words + w]
    memo.reals[slot, 1 + n_words] = value
    memo.reals[slot, 2 + n_words] = penalty
    return slot


@kernel
def value_at(memo, slot, words):
    """Value of the entry at ``slot``."""
    return memo.reals[slot, 1 + word_count(words)]


@kernel
def penalty_at(memo, slot, words):
    """Penalty of the entry at ``slot``."""
    return memo.reals[slot, 2 + word_count(words)]


@kernel
def has_room(memo, n_more):
    """Whether ``n_more`` entries fit without the table becoming slow."""
    return memo.count[0] + n_more <= MAX_LOAD * memo.entries.shape[0]


@entry_point
def rehash(old, new, key, words):
    """Copy all entries of ``old`` into the empty, larger table ``new``; ``key`` (n_words,) uint64 is scratch."""
    n_words = word_count(words)
    for slot in range(old.entries.shape[0]):
        if old.entries[slot, 0] != _FREE:
            node = np.int64(old.entries[slot, 0]) - 1
            for w in range(n_words):
                key[w] = old.entries[slot, 1 + w]
            store(new, node, key, 0, value_at(old, slot, words), penalty_at(old, slot, words), words)
