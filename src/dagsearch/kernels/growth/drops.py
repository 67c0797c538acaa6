"""What a regression on all monomials of some parents loses without those of one of them.

With L the lower factor of the monomials' inner products and z the node in its terms, regression explains z'z. Without
the monomials P it explains less by what of z lies in the space of the columns P of L^-1: these are at right angles to
all other monomials. Monomials that had no row, since others determine them, come back as far as they lie in that space,
too, if they do not have the parent in them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import contracted_long_kernel, kernel, long_kernel, reassociated_long_kernel
from dagsearch.kernels.gram import COLLINEAR
from dagsearch.kernels.growth.monomials import COLUMN, FIRST, SCRATCH, SECOND


class Drops(NamedTuple):
    """Scratch, one per thread."""

    inverse: Any  # (most rows, most rows) float64   L^-1, transposed: row k is zero before k
    basis: Any  # (n_nodes + 1, most rows) float64   of the space, one vector per row, zero up to its start
    within: Any  # (most monomials + 1, n_nodes + 1) float64   monomials that come back, in terms of it; the node last


@reassociated_long_kernel
def dot(a, b, n):
    """Sum of products of the first ``n`` numbers."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@kernel
def sum_of_squares(a, n):
    """Sum of squares of the first ``n`` numbers."""
    return dot(a, a, n)


@contracted_long_kernel
def _subtract(changed, factor, row, n):
    """Take a multiple of ``row`` out of the first ``n`` numbers."""
    for k in range(n):
        changed[k] -= factor * row[k]


@contracted_long_kernel
def invert(lower, m, inverse):
    """Write the inverse of the first ``m`` rows of a lower factor to ``inverse``, transposed."""
    for i in range(m - 1, -1, -1):
        for k in range(max(i - 3, 0), m):
            inverse[i, k] = 0.0
        inverse[i, i] = 1.0
        in_fours = i + 1 + (m - i - 1) % 4
        for j in range(i + 1, in_fours):
            _subtract(inverse[i, j:m], lower[j, i], inverse[j, j:m], m - j)
        for j in range(in_fours, m, 4):
            f0, f1, f2, f3 = lower[j, i], lower[j + 1, i], lower[j + 2, i], lower[j + 3, i]
            changed, r0, r1 = inverse[i, j:m], inverse[j, j:m], inverse[j + 1, j:m]
            r2, r3 = inverse[j + 2, j:m], inverse[j + 3, j:m]
            for k in range(m - j):
                changed[k] -= f0 * r0[k] + f1 * r1[k] + f2 * r2[k] + f3 * r3[k]
        changed, scale = inverse[i, i:m], 1.0 / lower[i, i]
        for k in range(m - i):
            changed[k] *= scale


@kernel
def _has(about, k, j):
    """Whether a monomial has parent ``j``."""
    return about[k, FIRST] == j or about[k, SECOND] == j


@contracted_long_kernel
def _orthonormal_basis(about, m, j, inverse, basis):
    """Write a basis of the space that belongs to parent ``j``, and where each vector starts; returns how many they are.

    By Gram and Schmidt (modified) from the last row on, since later rows are zero up to later places.
    """
    n = 0
    for r in range(m - 1, -1, -1):
        if not _has(about, r, j):
            continue
        new, row = basis[n, r:m], inverse[r, r:m]
        for k in range(m - r):
            new[k] = row[k]
        for earlier in range(n):
            start = about[earlier, SCRATCH]
            vector, rest = basis[earlier, start:m], basis[n, start:m]
            _subtract(rest, dot(vector, rest, m - start), vector, m - start)
        scale = 1.0 / np.sqrt(dot(new, new, m - r))
        for k in range(m - r):
            new[k] *= scale
        about[n, SCRATCH] = r
        n += 1
    return n


@long_kernel
def _write_within(basis, about, n, vector, length, within):
    """Write a vector that is zero from ``length`` on in terms of the basis."""
    for a in range(n):
        start = min(about[a, SCRATCH], length)
        within[a] = dot(basis[a, start:length], vector[start:length], length - start)


@long_kernel
def _come_back(within, n_back, n):
    """Regress the last row of ``within`` on those before it; returns how many of them are independent."""
    n_in = 0
    for k in range(n_back):
        left = dot(within[k], within[k], n)
        if left <= COLLINEAR:
            continue
        n_in += 1
        for other in range(k + 1, n_back + 1):
            _subtract(within[other], dot(within[k], within[other], n) / left, within[k], n)
        if n_in == n:
            break
    return n_in


@long_kernel
def loss_without(j, n_rows, n_passed, of_node, about, lower, inverse, basis, within):
    """What is explained less without parent ``j``, and how many monomials are independent then.

    ``of_node`` is the node in terms of the factor ``lower``, which ``inverse`` is of; names as in `Monomials`.
    """
    n = _orthonormal_basis(about, n_rows, j, inverse, basis)
    n_back = 0
    for k in range(lower.shape[0] - n_passed, lower.shape[0]):
        if not _has(about, k, j):
            _write_within(basis, about, n, lower[k], about[k, COLUMN], within[n_back])
            n_back += 1
    _write_within(basis, about, n, of_node, n_rows, within[n_back])
    n_in = _come_back(within, n_back, n)
    return sum_of_squares(within[n_back], n), n_rows - n + n_in
