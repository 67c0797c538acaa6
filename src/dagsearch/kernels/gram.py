"""Residual sums of squares from one Gram matrix, at a cost that does not depend on the number of observations.

The matrix holds the inner products of all centred, unit-variance columns divided by n: first the variables, then (for
quadratic regression) their products x_k x_l with k <= l. Centring takes the place of an intercept column.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, lowest_bit, word_count
from dagsearch.kernels.compile import contracted_kernel, kernel

# A column whose variance, given those before it, falls below this share of its own is a combination of them. Gram
# matrices in double precision cannot tell shares much under 1e-13 from rounding.
COLLINEAR = 1e-11


@kernel
def product_column(k, low, n_nodes):
    """Position of the product x_low x_k (``low`` <= ``k``) in the quadratic Gram matrix."""
    return n_nodes + low * n_nodes - (low * (low - 1)) // 2 + (k - low)


@kernel
def linear_columns(rows, row, columns, words):
    """Write the members of set ``row`` to ``columns`` and return how many there are."""
    n = 0
    n_words = word_count(words)
    for w in range(n_words):
        rest = rows[row * n_words + w]
        while rest != np.uint64(0):
            columns[n] = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            n += 1
    return n


@kernel
def quadratic_columns(rows, row, n_nodes, columns, words):
    """Write all monomials of set ``row`` to ``columns``, degree 1 before 2; returns how many of degree 1 and in all."""
    n_linear = linear_columns(rows, row, columns, words)
    n = n_linear
    for a in range(n_linear):
        for b in range(a, n_linear):
            columns[n] = product_column(columns[b], columns[a], n_nodes)
            n += 1
    return n_linear, n


@contracted_kernel
def residual_share(gram, columns, n_columns, n_linear, target, work):
    """Share of the target's variance that the columns leave unexplained, number of coefficients, and least pivot.

    Symmetric elimination of [columns, target] in ``work`` (at least n_columns + 1 square, overwritten); columns that
    depend on earlier ones are passed over, as a least-squares solver would. They have no coefficient, except those of
    the parents themselves, which come first (``n_linear``): no edge is free. Columns of zeros have no pivot.
    """
    m = n_columns
    for a in range(m):
        for b in range(a, m):
            work[a, b] = gram[columns[a], columns[b]]
        work[a, m] = gram[columns[a], target]
    work[m, m] = gram[target, target]
    n_coefficients, least = 0, 1.0
    for k in range(m):
        pivot = work[k, k]
        if pivot < least and gram[columns[k], columns[k]] > 0.0:
            least = pivot
        n_coefficients += k < n_linear or pivot > COLLINEAR
        if pivot <= COLLINEAR:
            continue
        for a in range(k + 1, m + 1):
            factor = work[k, a] / pivot
            for b in range(a, m + 1):
                work[a, b] -= factor * work[k, b]
    return max(work[m, m], 0.0), n_coefficients, max(least, 0.0)
