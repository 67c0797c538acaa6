"""Numbers of any size: a double times a power of two, whose exponent is a whole number kept beside it."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dagsearch.kernels.compile import kernel

LEAST_EXPONENT = -400
"""Below 2**-400 of what it is added to a number counts as zero; far above where doubles lose their precision."""
LOG_TWO = 0.6931471805599453

_BIAS = 1023
_MANTISSA_BITS = 52


@intrinsic
def _from_bits(typing_context, bits):
    def code(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), code


@intrinsic
def _to_bits(typing_context, number):
    def code(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), code


@kernel
def power_of_two(exponent):
    """2**exponent for exponents of at most 1023, and 0 for those below `LEAST_EXPONENT`."""
    return _from_bits((exponent if exponent >= LEAST_EXPONENT else -_BIAS) + _BIAS << _MANTISSA_BITS)


@kernel
def exponent_of(number):
    """The exponent of a positive number: it lies in [2**exponent, 2**(exponent + 1))."""
    return (_to_bits(number) >> _MANTISSA_BITS) - _BIAS
