"""Kernel matrices of Gaussian-process regression: squared distances, their median, the exponential.

All passes work on the upper triangle of one C-ordered matrix, which LAPACK reads as the lower triangle of a
Fortran-ordered one, so that no second matrix is needed.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.compile import contracted_entry_point, entry_point
from dagsearch.kernels.elementary import exp_negative


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
