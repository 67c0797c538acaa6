"""Factors of low rank of kernel matrices: a few rows, the landmarks, stand for all.

With the landmarks Z chosen one by one as the row that is worst explained by those before it (pivoted Cholesky), the
kernel matrix is approximated by K_nZ K_ZZ^-1 K_Zn. What the last landmarks would add is a small share of the trace.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.compile import contracted_entry_point, contracted_kernel
from dagsearch.kernels.elementary import exp_negative

# Rows that are explained equally badly up to this relative difference differ by rounding: the first of them is taken,
# so that a change of units chooses no other landmarks.
_SAME = 1.0 + 1e-6


@contracted_kernel
def _kernel_row(columns, point, place, scale, row):
    """Kernel values between column ``place`` of ``point`` (p, r) and all of ``columns`` (p, n)."""
    n_columns, n = columns.shape
    for j in range(n):
        row[j] = 0.0
    for c in range(n_columns):
        x = point[c, place]
        column = columns[c]
        for j in range(n):
            row[j] += (column[j] - x) * (column[j] - x)
    for j in range(n):
        row[j] = exp_negative(-scale * row[j])


@contracted_kernel
def _subtract_explained(rows, rank, pivot, row):
    """Take from ``row`` what the first ``rank`` rows explain of it, four at a time: it is then read less often."""
    n = row.shape[0]
    k = 0
    while k + 4 <= rank:
        f0, f1, f2, f3 = rows[k, pivot], rows[k + 1, pivot], rows[k + 2, pivot], rows[k + 3, pivot]
        b0, b1, b2, b3 = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for j in range(n):
            row[j] -= f0 * b0[j] + f1 * b1[j] + f2 * b2[j] + f3 * b3[j]
        k += 4
    while k < rank:
        f0, b0 = rows[k, pivot], rows[k]
        for j in range(n):
            row[j] -= f0 * b0[j]
        k += 1


@contracted_kernel
def _worst_explained(left):
    """The row of which most is left, and how much is left of all."""
    pivot, total = 0, left[0]
    for j in range(1, left.shape[0]):
        total += left[j]
        if left[j] > left[pivot] * _SAME:
            pivot = j
    return pivot, total


@contracted_entry_point
def choose_landmarks(columns, scale, share, left, out, chosen):
    """Write landmarks to ``chosen`` and the factor to the rows of ``out``, until ``share`` of the trace is left.

    ``columns`` is (n_columns, n); the kernel is exp(-scale * squared distance). Then out[:rank]' out[:rank] is the
    kernel matrix up to a positive semidefinite rest. ``left`` (n,) is scratch. Returns the rank, at most the number of
    rows of ``out``.
    """
    n = columns.shape[1]
    left[:] = 1.0
    for rank in range(out.shape[0]):
        pivot, total = _worst_explained(left)
        if total <= share * n:
            return rank
        row = out[rank]
        _kernel_row(columns, columns, pivot, scale, row)
        _subtract_explained(out, rank, pivot, row)
        inverse_root = 1.0 / np.sqrt(left[pivot])
        for j in range(n):
            row[j] *= inverse_root
            left[j] = max(left[j] - row[j] * row[j], 0.0)
        left[pivot] = 0.0
        chosen[rank] = pivot
    return out.shape[0]


@contracted_entry_point
def kernel_rows(columns, landmarks, scale, out):
    """Kernel values between each landmark and all rows: ``columns`` (p, n), ``landmarks`` (p, r), ``out`` (r, n)."""
    for k in range(landmarks.shape[1]):
        _kernel_row(columns, landmarks, k, scale, out[k])
