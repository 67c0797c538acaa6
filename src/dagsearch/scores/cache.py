"""The memo of local scores that all searches on the same score share."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import Rows
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.local import OUTSIDE, Family, find_many, look_up_many, store_many
from dagsearch.kernels.memo import MAX_LOAD, Memo, new_memo, rehash

_FIRST_CAPACITY = 1 << 14
_MAX_BYTES = 2**30


class LocalCache:
    """A growing hash table from (node, parents) to (value, penalty).

    Parameters
    ----------
    n_nodes
        Number of variables.

    Attributes
    ----------
    memo
        The table's arrays, as kernels take them. Replaced when the table grows.
    lock
        Held by a search for as long as its kernel writes to the table.
    """

    def __init__(self, n_nodes: int) -> None:
        self.n_words, self.words = words_for(n_nodes)
        self.memo = new_memo(_FIRST_CAPACITY, self.n_words)
        self.lock = threading.RLock()
        self._n_not_here = 0

    def __len__(self) -> int:
        return int(self.memo.count[0])

    @property
    def n_entered(self) -> int:
        """Number of local scores ever evaluated, those that are not kept included."""
        return len(self) + self._n_not_here

    def count_unkept(self, n: int) -> None:
        """Count local scores that were evaluated but not entered."""
        self._n_not_here += n

    def contents(self) -> dict[str, NDArray[Any]]:
        """All entries, and what it takes to count on, as arrays of their own."""
        with self.lock:
            entries = self.memo.entries
            return {
                "entries": entries[entries[:, 0] != 0],
                "books": np.array([len(entries), self._n_not_here], dtype=np.int64),
            }

    def take_over(self, contents: dict[str, NDArray[Any]]) -> None:
        """Enter what another table over the same variables had for its contents."""
        entries, (capacity, n_not_here) = contents["entries"].copy(), contents["books"].tolist()
        with self.lock:
            capacity = max(capacity, len(self.memo.entries))
            while len(self) + len(entries) > MAX_LOAD * capacity:
                capacity *= 2
            larger = new_memo(capacity, self.n_words)
            for known in (self.memo.entries, entries):
                old = Memo(known, known.view(np.float64), self.memo.count)
                rehash(old, larger, np.zeros(self.n_words, dtype=np.uint64), self.words)
            self.memo = larger
            self._n_not_here += n_not_here

    def grow(self, family: Family, n_more: int = 0) -> None:
        """Make room for at least ``n_more`` entries, and at least double the table.

        A table beyond a gigabyte is emptied instead if its entries can be evaluated again in microseconds.
        """
        capacity = 2 * self.memo.entries.shape[0]
        while len(self) + n_more > MAX_LOAD * capacity:
            capacity *= 2
        if capacity * self.memo.entries[0].nbytes > _MAX_BYTES and family.code != OUTSIDE and len(self) > n_more:
            self._n_not_here += len(self)
            self.memo.entries[:] = 0
            self.memo.count[0] = 0
            return
        larger = new_memo(capacity, self.n_words)
        rehash(self.memo, larger, np.zeros(self.n_words, dtype=np.uint64), self.words)
        self.memo = larger

    def look_up(self, family: Family, nodes: NDArray[np.int64], rows: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
        """Terms of each (node, set), and which of them are known; compiled families know all."""
        self._reserve(family, len(nodes))
        terms, known = np.empty((len(nodes), 2)), np.empty(len(nodes), dtype=bool)
        if family.code == OUTSIDE:
            find_many(self.memo, nodes, rows, terms, known, self.words)
        else:
            look_up_many(self.memo, family, nodes, rows, terms, known, self.words)
        return terms, known

    def store(self, family: Family, nodes: NDArray[np.int64], rows: Rows, terms: NDArray[np.float64]) -> None:
        """Enter the terms of each (node, set)."""
        self._reserve(family, len(nodes))
        store_many(self.memo, nodes, rows, terms, self.words)

    def _reserve(self, family: Family, n_more: int) -> None:
        if len(self) + n_more > MAX_LOAD * self.memo.entries.shape[0]:
            self.grow(family, n_more)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "lock": None, "memo": tuple(self.memo)[::2]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        entries, count = state["memo"]
        self.memo = Memo(entries, entries.view(np.float64), count)
        self.lock = threading.RLock()
