"""Sets of nodes as rows of 64-bit words: node ``v`` is bit ``v % 64`` of word ``v // 64``.

Kernels that loop over words take ``words``: the one-element tuple `ONE_WORD` when the nodes fit in 64 bits, so that
the loops vanish at compile time, or the number of words as an integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.extending import intrinsic, overload

from dagsearch.kernels.compile import kernel

WORD_BITS = 64
ONE_WORD = (1,)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
LOW_BITS = np.uint64(63)


def words_for(n_nodes: int) -> tuple[int, Any]:
    """Number of words of a row, and the ``words`` argument that kernels take."""
    n_words = (n_nodes + WORD_BITS - 1) // WORD_BITS
    return n_words, ONE_WORD if n_words == 1 else n_words


def word_count(words):
    """Number of words: a compile-time constant for `ONE_WORD`."""
    return len(words) if isinstance(words, tuple) else words


@overload(word_count)
def _word_count(words):
    if isinstance(words, types.BaseTuple):
        return lambda words: 1  # noqa: ARG005 - numba matches arguments by name
    return lambda words: words


@intrinsic
def popcount(typing_context, word):
    """Number of set bits of a word."""

    def code(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code


@intrinsic
def lowest_bit(typing_context, word):
    """Index of the lowest set bit of a non-zero word."""

    def code(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), code


@kernel
def bit_of(node):
    """The word with only the bit of ``node`` set."""
    return ONE << (np.uint64(node) & LOW_BITS)


@kernel
def at(row, node, words):
    """Where the word that holds ``node`` lies for set ``row``."""
    n_words = word_count(words)
    return row if n_words == 1 else row * n_words + (node >> 6)


@kernel
def contains(rows, row, node, words):
    """Whether ``node`` is in set ``row``."""
    return (rows[at(row, node, words)] >> (np.uint64(node) & LOW_BITS)) & ONE != np.uint64(0)


@kernel
def include(rows, row, node, words):
    """Put ``node`` into set ``row``."""
    rows[at(row, node, words)] |= bit_of(node)


@kernel
def exclude(rows, row, node, words):
    """Take ``node`` out of set ``row``."""
    rows[at(row, node, words)] &= ~bit_of(node)


@kernel
def size(rows, row, words):
    """Number of nodes in set ``row``."""
    n_words = word_count(words)
    total = np.uint64(0)
    for w in range(n_words):
        total += popcount(rows[row * n_words + w])
    return total


@kernel
def is_empty(rows, row, words):
    """Whether set ``row`` has no node."""
    n_words = word_count(words)
    for w in range(n_words):
        if rows[row * n_words + w] != np.uint64(0):
            return False
    return True


@intrinsic
def _deposit(typing_context, bits, mask):
    """Spread the low bits of ``bits`` over the set bits of ``mask`` (the processor's PDEP)."""

    def code(context, builder, signature, args):
        int64 = ir.IntType(64)
        pdep = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", [], ir.FunctionType(int64, [int64, int64]))
        return builder.call(pdep, args)

    return types.uint64(types.uint64, types.uint64), code


def _select_by_halves(word, k):
    """Index of the ``k``-th set bit (from 0) of a word that has more than ``k``."""
    base = np.uint64(0)
    for width in (np.uint64(32), np.uint64(16), np.uint64(8)):
        below = popcount((word >> base) & ((ONE << width) - ONE))
        if k >= below:
            k -= below
            base += width
    rest = word >> base
    while k > np.uint64(0):
        rest &= rest - ONE
        k -= ONE
    return base + lowest_bit(rest)


def _select_by_deposit(word, k):
    """The same in three instructions."""
    return lowest_bit(_deposit(ONE << k, word))


select_portably = kernel(_select_by_halves)
HAS_DEPOSIT = bool(get_host_cpu_features().get("bmi2", False))
select_in_word = kernel(_select_by_deposit) if HAS_DEPOSIT else select_portably


@kernel
def select(rows, row, k, words):
    """The ``k``-th node (from 0) of set ``row``, which has more than ``k``."""
    n_words = word_count(words)
    if n_words == 1:
        return np.int64(select_in_word(rows[row], k))
    for w in range(n_words - 1):
        here = popcount(rows[row * n_words + w])
        if k < here:
            return np.int64(select_in_word(rows[row * n_words + w], k)) + WORD_BITS * w
        k -= here
    return np.int64(select_in_word(rows[(row + 1) * n_words - 1], k)) + WORD_BITS * (n_words - 1)
