"""Calls from compiled loops back into Python: for what they cannot compute, and to hear whether time is over."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dagsearch.kernels.bits import word_count
from dagsearch.kernels.compile import kernel

# What they ask for.
TERMS, REWARDS, LOOK = range(3)
_MUCH_WORK = 10_000_000  # a few hundredths of a second


@intrinsic
def call_back(typing_context, address, what, how_many):
    """Call the C function at ``address``; what it returns is non-zero if it failed."""

    def code(context, builder, signature, args):
        int64 = ir.IntType(64)
        function = builder.inttoptr(args[0], ir.FunctionType(int64, [int64, int64]).as_pointer())
        return builder.call(function, args[1:])

    return types.int64(types.int64, types.int64, types.int64), code


@kernel
def is_over(control, work, words):
    """Whether Python says that time is over, which it is asked after much work; never where sets fit into a word.

    A simulation of so few variables is over within milliseconds.
    """
    if word_count(words) == 1:
        return False
    control.n_worked += np.int64(work)
    if control.n_worked < _MUCH_WORK:
        return False
    control.n_worked = 0
    return call_back(control.callback, LOOK, 0) != 0
