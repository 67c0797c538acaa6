"""Residual sums of squares from the columns themselves, where the Gram matrix has lost them to rounding.

A Gram matrix holds squares: of a column that differs from another by a share delta of itself, delta squared is all that
elimination has left, beside the rounding of 1. Orthogonal columns (Gram and Schmidt, twice) keep delta. That costs time
in the number of observations, so it is done only where the pivots of an elimination say that it matters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import kernel, long_kernel, reassociated_long_kernel

NO_FACTOR = -1  # a column is a variable, not a product

# Gram matrices carry errors of some 1e-16: relative to what is left of a column, and of the target beside it, they may
# reach the millionth part.
_UNSURE = 1e-9
# Share of a column's square that rounding leaves where others determine it; `numpy.linalg.lstsq` draws the line about
# there.
_ROUNDING = 1e-25


class Refit(NamedTuple):
    """What it takes to go back to the columns."""

    variables: Any  # (n_nodes, n_samples) float64   standardised; (0, 0) if there is no way back
    factors: Any  # (n_columns, 2) int64   the variables of which each column of the Gram matrix is the product
    basis: Any  # (most columns + 1, n_samples) float64 scratch


@kernel
def sort_into(members, n, out):
    """Write the first ``n`` of ``members`` to ``out`` in ascending order: sums are then the same whoever asks."""
    for k in range(n):
        at = k
        while at > 0 and out[at - 1] > members[k]:
            out[at] = out[at - 1]
            at -= 1
        out[at] = members[k]


@kernel
def is_unsure(refit, n_columns, least, share, floor):
    """Whether a share from the Gram matrix may be wrong by a millionth of ``share + floor``, and can be had better.

    ``least`` is the least pivot of the columns. More columns than there is room for would take seconds.
    """
    return (
        refit.variables.shape[0] > 0
        and n_columns < refit.basis.shape[0]
        and least * (max(share, 0.0) + floor) < _UNSURE
    )


@long_kernel
def _scale(out, factor):
    for i in range(out.shape[0]):
        out[i] *= factor


@long_kernel
def _write_column(variables, low, high, out):
    """Write a variable, or the centred product of two, with variance 1 to ``out``; zeros if it is constant."""
    n = out.shape[0]
    if high == NO_FACTOR:
        for i in range(n):
            out[i] = variables[low, i]
        return
    mean = 0.0
    for i in range(n):
        out[i] = variables[low, i] * variables[high, i]
        mean += out[i]
    mean /= n
    square = 0.0
    for i in range(n):
        out[i] -= mean
        square += out[i] * out[i]
    _scale(out, 1.0 / np.sqrt(square / n) if square > 0.0 else 0.0)


@reassociated_long_kernel
def _take_out(basis, n_basis, out):
    """Take directions of length 1 out of ``out``, one after the other; returns the square of what is left."""
    n = out.shape[0]
    for k in range(n_basis):
        row, product = basis[k], 0.0
        for i in range(n):
            product += row[i] * out[i]
        for i in range(n):
            out[i] -= product * row[i]
    left = 0.0
    for i in range(n):
        left += out[i] * out[i]
    return left


@long_kernel
def residual_share(refit, columns, n_columns, n_linear, target):
    """As `gram.residual_share`, by orthogonalisation: share of the target that is left, and number of coefficients."""
    variables, factors, basis = refit.variables, refit.factors, refit.basis
    n_samples = variables.shape[1]
    n_basis, n_coefficients = 0, 0
    for k in range(n_columns):
        new = basis[n_basis]
        _write_column(variables, factors[columns[k], 0], factors[columns[k], 1], new)
        left = _take_out(basis, n_basis, new)
        is_new = left > _ROUNDING * n_samples and n_basis < n_samples - 1
        n_coefficients += k < n_linear or is_new
        if not is_new:
            continue
        # Once more: what rounding left of the others the first time may be large beside what remains.
        _scale(new, 1.0 / np.sqrt(left))
        _scale(new, 1.0 / np.sqrt(_take_out(basis, n_basis, new)))
        n_basis += 1
    rest = basis[n_basis]
    _write_column(variables, target, NO_FACTOR, rest)
    _take_out(basis, n_basis, rest)
    left = _take_out(basis, n_basis, rest)
    return left / n_samples if n_basis < n_samples - 1 else 0.0, n_coefficients
