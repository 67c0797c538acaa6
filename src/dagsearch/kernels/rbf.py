"""Kernel matrices of Gaussian-process regression: squared distances, their median, the exponential.

All passes work on the upper triangle of one C-ordered matrix, which LAPACK reads as the lower triangle of a
Fortran-ordered one, so that no second matrix is needed.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from dagsearch.kernels.compile import contracted_entry_point, contracted_kernel, entry_point

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490  # its last 32 bits are zero: k * _LN2_HIGH is exact
_LN2_LOW = 1.90821492927058770002e-10
_SHIFTER = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to an integer in the low mantissa bits
_SMALLEST = -708.0  # below it the result would be subnormal


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


@contracted_entry_point
def squared_distances(columns, out):
    """Squared Euclidean distances of all pairs i < j into ``out[i, j]``; ``columns`` is (n_columns, n)."""
    n = columns.shape[1]
    for i in range(n - 1):
        row = out[i, i + 1 :]
        for c in range(columns.shape[0]):
            x = columns[c, i]
            column = columns[c, i + 1 :]
            if c == 0:
                for j in range(n - i - 1):
                    row[j] = (column[j] - x) * (column[j] - x)
            else:
                for j in range(n - i - 1):
                    row[j] += (column[j] - x) * (column[j] - x)


@entry_point
def collect_between(distances, low, high, found):
    """Write the pairs' values in [low, high] to ``found`` while it has room; returns how many lie below and inside."""
    n_below, n_in = 0, 0
    n = distances.shape[0]
    last = found.shape[0] - 1
    for i in range(n):
        row = distances[i, i + 1 :]
        for j in range(n - i - 1):
            # Written always and counted only if inside: a branch would be mispredicted often.
            found[min(n_in, last)] = row[j]
            n_below += row[j] < low
            n_in += (row[j] >= low) & (row[j] <= high)
    return n_below, n_in


@entry_point
def mean_distance(squared):
    """Mean distance given squared distances above the diagonal."""
    n = squared.shape[0]
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            total += np.sqrt(squared[i, j])
    return 2.0 * total / (n * (n - 1))


@contracted_entry_point
def to_kernel(matrix, scale, noise):
    """Turn squared distances above the diagonal into exp(-scale * distance); 1 + ``noise`` on the diagonal."""
    n = matrix.shape[0]
    for i in range(n):
        row = matrix[i, i + 1 :]
        for j in range(n - i - 1):
            row[j] = exp_negative(-scale * row[j])
        matrix[i, i] = 1.0 + noise


@contracted_entry_point
def pivoted_cholesky(columns, scale, tolerance, left, out):
    """Rows ``out[:rank]`` with out' out = kernel matrix up to ``tolerance`` on its diagonal; returns the rank.

    The kernel matrix itself is never formed: each step needs the one column of the point that is worst explained so
    far. ``left`` (n,) is scratch: what is left of the diagonal. Returns -1 if ``out`` has too few rows.
    """
    n_columns, n = columns.shape
    for j in range(n):
        left[j] = 1.0
    for rank in range(out.shape[0]):
        pivot = 0
        for j in range(1, n):
            if left[j] > left[pivot]:
                pivot = j
        if left[pivot] <= tolerance:
            return rank
        row = out[rank]
        for j in range(n):
            row[j] = 0.0
        for c in range(n_columns):
            x = columns[c, pivot]
            column = columns[c]
            for j in range(n):
                row[j] += (column[j] - x) * (column[j] - x)
        for j in range(n):
            row[j] = exp_negative(-scale * row[j])
        for k in range(rank):
            factor = out[k, pivot]
            before = out[k]
            for j in range(n):
                row[j] -= factor * before[j]
        inverse_root = 1.0 / np.sqrt(left[pivot])
        for j in range(n):
            row[j] *= inverse_root
            left[j] -= row[j] * row[j]
        left[pivot] = 0.0
    return -1
