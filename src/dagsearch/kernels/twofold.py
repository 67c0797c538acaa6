"""Numbers of twice the precision of a double, 106 bits, as unevaluated sums of two doubles.

T. J. Dekker, "A floating-point technique for extending the available precision", 1971. None of this survives
reassociation: kernels that use it must not be compiled with it. Beside the two doubles a number may have an exponent of
its own, a whole number, so that its range is without limits: ``(high + low) * 2**exponent``.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dagsearch.kernels.compile import kernel

LEAST_EXPONENT = -400
"""Below 2**-400 of what it is added to a number counts as zero; far above where doubles lose their precision."""

_BIAS = 1023
_MANTISSA_BITS = 52


@intrinsic
def fused(typing_context, a, b, c):
    """Product of a and b, plus c, with one rounding."""

    def code(context, builder, signature, args):
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), code


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


@kernel
def add(a_high, a_low, b_high, b_low):
    """Sum of two numbers; the error is below 2**-104 of the larger one."""
    high = a_high + b_high
    of_b = high - a_high
    low = (a_high - (high - of_b)) + (b_high - of_b) + (a_low + b_low)
    total = high + low
    return total, low - (total - high)


@kernel
def multiply(a_high, a_low, b_high, b_low):
    """Product of two numbers; its relative error is below 2**-102."""
    high = a_high * b_high
    low = fused(a_high, b_high, -high) + fused(a_high, b_low, a_low * b_high)
    product = high + low
    return product, low - (product - high)


@kernel
def ratio(a_high, a_low, b_high, b_low):
    """Quotient of two numbers as a double."""
    return np.float64(a_high / b_high) * (1.0 + (a_low / a_high - b_low / b_high)) if a_high != 0.0 else 0.0
