"""Sets of nodes between Python and the kernels: adjacency matrices and index lists to rows of words and back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.kernels.bits import WORD_BITS, words_for

Rows = NDArray[np.uint64]
"""Sets side by side: (n_sets * n_words,) uint64."""


def rows_from_membership(membership: NDArray[Any]) -> Rows:
    """Pack a boolean matrix, one set per row, into words."""
    n_sets, n_nodes = membership.shape
    n_words, _ = words_for(n_nodes)
    padded = np.zeros((n_sets, n_words * WORD_BITS), dtype=bool)
    padded[:, :n_nodes] = membership
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64).ravel()


def membership_from_rows(rows: Rows, n_nodes: int) -> NDArray[np.bool_]:
    """Unpack words into a boolean matrix with one set per row."""
    n_words, _ = words_for(n_nodes)
    as_bytes = rows.reshape(-1, n_words).astype("<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=1, bitorder="little", count=n_nodes).astype(bool)


def row_of(members: Iterable[int], n_nodes: int) -> Rows:
    """Pack one set given by its members."""
    n_words, _ = words_for(n_nodes)
    row = np.zeros(n_words, dtype=np.uint64)
    for member in members:
        row[member // WORD_BITS] |= np.uint64(1 << (member % WORD_BITS))
    return row


def rows_of(sets: Sequence[Collection[int]], n_nodes: int) -> Rows:
    """Pack many sets given by their members."""
    membership = np.zeros((len(sets), n_nodes), dtype=bool)
    which = np.repeat(np.arange(len(sets)), [len(members) for members in sets])
    membership[which, np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=len(which))] = True
    return rows_from_membership(membership)


def members_of_each(rows: Rows, n_sets: int) -> list[tuple[int, ...]]:
    """Members of each of ``n_sets`` sets."""
    words = rows.tolist()
    n_words = len(words) // n_sets
    return [_members(tuple(words[k : k + n_words])) for k in range(0, len(words), n_words)]


@lru_cache(maxsize=1 << 16)
def _members(words: tuple[int, ...]) -> tuple[int, ...]:
    """Members of a set given by its words; a search asks for the same sets with many nodes."""
    return tuple(
        w * WORD_BITS + bit for w, word in enumerate(words) for bit in range(word.bit_length()) if word >> bit & 1
    )
