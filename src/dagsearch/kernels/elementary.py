"""Exponential and logarithm without branches and calls, so that loops over them vectorise."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from dagsearch.kernels.compile import contracted_kernel

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490  # its last 32 bits are zero: k * _LN2_HIGH is exact
_LN2_LOW = 1.90821492927058770002e-10
_SHIFTER = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to an integer in the low mantissa bits
_SMALLEST = -708.0  # below it the result would be subnormal
_LN2 = 0.6931471805599453
_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of the square root of 1/2


@intrinsic
def _as_int(typing_context, x):
    """The bits of a float as an integer."""

    def code(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.int64))

    return types.int64(types.float64), code


@intrinsic
def _as_float(typing_context, bits):
    """The float that an integer's bits spell."""

    def code(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), code


@contracted_kernel
def exp_negative(x):
    """The exponential of x <= 0 to about one unit in the last place, without branches so that loops vectorise.

    exp(x) = 2**k * exp(r) with |r| <= ln(2) / 2, the latter by its Taylor polynomial of degree 13.
    """
    x = x if x > _SMALLEST else _SMALLEST
    shifted = x * _LOG2_E + _SHIFTER
    k = shifted - _SHIFTER
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.6059043836821613e-10  # 1 / 13!
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.755731922398589e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 0.0001984126984126984
    p = p * r + 0.001388888888888889
    p = p * r + 0.008333333333333333
    p = p * r + 0.041666666666666664
    p = p * r + 0.16666666666666666
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return _as_float(_as_int(p) + (_as_int(shifted) << 52))


@contracted_kernel
def log_positive(x):
    """The logarithm of a positive normal number to about two units in the last place of max(1, |log x|).

    log(x) = k log(2) + log(m) with m between the roots of 1/2 and 2, the latter by 2 artanh((m - 1) / (m + 1)).
    """
    bits = _as_int(x)
    k = (bits - _ROOT_HALF) >> 52
    m = _as_float(bits - (k << 52))
    s = (m - 1.0) / (m + 1.0)
    t = s * s
    p = 1.0 / 19.0
    p = p * t + 1.0 / 17.0
    p = p * t + 1.0 / 15.0
    p = p * t + 1.0 / 13.0
    p = p * t + 1.0 / 11.0
    p = p * t + 1.0 / 9.0
    p = p * t + 1.0 / 7.0
    p = p * t + 1.0 / 5.0
    p = p * t + 1.0 / 3.0
    p = p * t + 1.0
    return k * _LN2 + 2.0 * s * p
