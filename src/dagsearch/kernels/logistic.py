"""Logistic regression of a variable with levels: the best coefficients under a normal prior, by Newton's method.

Two models: multinomial, with the log odds V (W x) of features x and contrasts V; and ordered (cumulative logit,
McCullagh 1980), P(level <= k) = logistic(c_k - w'x). Both log likelihoods are concave, so Newton's steps, halved where
they overshoot, reach the one maximum.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import (
    entry_point,
    long_kernel,
    reassociated_long_kernel,
)
from dagsearch.kernels.elementary import exp_negative

N_SCRATCH_ROWS = 5  # that the ordered model needs at least

_MOST_STEPS = 60
_MOST_HALVINGS = 40
_CLOSE = 1e-3  # twice the nats that a further step promises, which are then taken as gained


class Regression(NamedTuple):
    """A regression and its workspace. Coefficients of the multinomial model are W row by row; of the other, c and w."""

    design: Any  # (n_features, n_samples)   the last row of the multinomial one is constant
    codes: Any  # (n_samples,) int64   levels
    contrasts: Any  # (n_levels, n_levels - 1)
    precisions: Any  # (n_coefficients,)   of the prior
    coefficients: Any  # (n_coefficients,)
    trial: Any  # (n_coefficients,)
    gradient: Any  # (n_coefficients,)
    step: Any  # (n_coefficients,)
    hessian: Any  # (n_coefficients, n_coefficients)   minus the second derivatives; then the lower Cholesky factor
    odds: Any  # (n_levels, n_features)   scratch
    rows: Any  # (max(n_levels, N_SCRATCH_ROWS), n_samples)   scratch: shares of levels, or derivatives
    projected: Any  # (n_levels - 1, n_samples)   scratch
    weights: Any  # (n_samples,)   scratch
    weighted: Any  # (n_samples,)   scratch
    ordered: bool


@reassociated_long_kernel
def _dot(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@reassociated_long_kernel
def _predict(design, slopes, out):
    """Set out = slopes' design."""
    out[:] = 0.0
    for j in range(slopes.shape[0]):
        slope, row = slopes[j], design[j]
        for i in range(out.shape[0]):
            out[i] += slope * row[i]


@reassociated_long_kernel
def _multiply(a, b, out):
    for i in range(a.shape[0]):
        out[i] = a[i] * b[i]


# ---------------------------------------------------------------- multinomial


@reassociated_long_kernel
def _normalise(rows, n_levels, largest, totals):
    """Turn log odds into shares; ``largest`` and ``totals`` (n_samples,) become their maximum and denominator."""
    n = largest.shape[0]
    largest[:] = -np.inf
    for k in range(n_levels):
        row = rows[k]
        for i in range(n):
            largest[i] = max(largest[i], row[i])
    totals[:] = 0.0
    for k in range(n_levels):
        row = rows[k]
        for i in range(n):
            row[i] = exp_negative(row[i] - largest[i])
            totals[i] += row[i]
    for k in range(n_levels):
        row = rows[k]
        for i in range(n):
            row[i] /= totals[i]


@long_kernel
def _multinomial_likelihood(model, coefficients):
    """Log likelihood; leaves the shares of levels in ``rows``."""
    n_levels, n_contrasts = model.contrasts.shape
    n_features, n = model.design.shape
    for k in range(n_levels):
        for j in range(n_features):
            total = 0.0
            for c in range(n_contrasts):
                total += model.contrasts[k, c] * coefficients[c * n_features + j]
            model.odds[k, j] = total
        _predict(model.design, model.odds[k], model.rows[k])
    likelihood = 0.0
    for i in range(n):
        likelihood += model.rows[model.codes[i], i]
    _normalise(model.rows, n_levels, model.weights, model.weighted)
    for i in range(n):
        likelihood -= model.weights[i] + math.log(model.weighted[i])
    return likelihood


@reassociated_long_kernel
def _project(contrasts, rows, c, out):
    """Set ``out`` to the expectation of contrast c in each row."""
    out[:] = 0.0
    for k in range(contrasts.shape[0]):
        factor, row = contrasts[k, c], rows[k]
        for i in range(out.shape[0]):
            out[i] += factor * row[i]


@reassociated_long_kernel
def _covariance(contrasts, rows, projected, a, b, out):
    """Set ``out`` to the covariance of contrasts a and b in each row."""
    n, of_a, of_b = out.shape[0], projected[a], projected[b]
    for i in range(n):
        out[i] = -of_a[i] * of_b[i]
    for k in range(contrasts.shape[0]):
        factor, row = contrasts[k, a] * contrasts[k, b], rows[k]
        if factor != 0.0:
            for i in range(n):
                out[i] += factor * row[i]


@reassociated_long_kernel
def _four_dots(x, a, b, c, d):
    """Four inner products, for which ``x`` is read once."""
    to_a, to_b, to_c, to_d = 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        to_a += x[i] * a[i]
        to_b += x[i] * b[i]
        to_c += x[i] * c[i]
        to_d += x[i] * d[i]
    return to_a, to_b, to_c, to_d


@long_kernel
def _dots(x, design, n_rows, out):
    """Inner products of ``x`` with the first rows of the design."""
    k = 0
    while k + 4 <= n_rows:
        out[k], out[k + 1], out[k + 2], out[k + 3] = _four_dots(
            x, design[k], design[k + 1], design[k + 2], design[k + 3]
        )
        k += 4
    while k < n_rows:
        out[k] = _dot(x, design[k])
        k += 1


@long_kernel
def _multinomial_derivatives(model):
    """Gradient of the log likelihood and minus its second derivatives, at the shares in ``rows``."""
    n_contrasts = model.contrasts.shape[1]
    n_features, n = model.design.shape
    for c in range(n_contrasts):
        _project(model.contrasts, model.rows, c, model.projected[c])
        for i in range(n):
            model.weighted[i] = model.contrasts[model.codes[i], c] - model.projected[c, i]
        _dots(model.weighted, model.design, n_features, model.gradient[c * n_features : (c + 1) * n_features])
    for a in range(n_contrasts):
        for b in range(a + 1):
            _covariance(model.contrasts, model.rows, model.projected, a, b, model.weights)
            for j in range(n_features):
                _multiply(model.weights, model.design[j], model.weighted)
                block = model.hessian[a * n_features + j, b * n_features : b * n_features + j + 1]
                _dots(model.weighted, model.design, j + 1, block)
                for k in range(j):
                    model.hessian[a * n_features + k, b * n_features + j] = block[k]


# ---------------------------------------------------------------- ordered


@long_kernel
def _logistic(x):
    """Logistic function of x and of -x, both to full relative precision."""
    small = math.exp(-abs(x))
    if x >= 0.0:
        return 1.0 / (1.0 + small), small / (1.0 + small)
    return small / (1.0 + small), 1.0 / (1.0 + small)


@long_kernel
def _ordered_likelihood(model, coefficients):
    """Log likelihood, -inf if cuts are out of order; leaves derivatives by the upper and lower cut in ``rows``."""
    n_cuts, n = model.contrasts.shape[1], model.codes.shape[0]
    prediction = model.weights
    _predict(model.design, coefficients[n_cuts:], prediction)
    likelihood = 0.0
    for i in range(n):
        level = model.codes[i]
        up, above, low, below = 1.0, 0.0, 0.0, 1.0  # P(<= level), its complement; the same of the level before
        if level < n_cuts:
            up, above = _logistic(coefficients[level] - prediction[i])
        if level > 0:
            low, below = _logistic(coefficients[level - 1] - prediction[i])
        # The difference of the smaller ones loses no digits to 1.
        share = up - low if low < 0.5 else below - above
        if not share > 0.0:
            return -np.inf
        likelihood += math.log(share)
        of_up, of_low = up * above / share, low * below / share
        model.rows[0, i] = of_up
        model.rows[1, i] = -of_low
        model.rows[2, i] = of_up * of_up - of_up * (above - up)
        model.rows[3, i] = of_low * of_low + of_low * (below - low)
        model.rows[4, i] = -of_up * of_low
    return likelihood


@long_kernel
def _ordered_derivatives(model):
    """Gradient of the log likelihood and minus its second derivatives, by what `_ordered_likelihood` left."""
    n_cuts, n, n_features = model.contrasts.shape[1], model.codes.shape[0], model.design.shape[0]
    model.gradient[:] = 0.0
    model.hessian[:] = 0.0
    by_up, by_low, of_up, of_low, of_both = model.rows[0], model.rows[1], model.rows[2], model.rows[3], model.rows[4]
    for i in range(n):
        level = model.codes[i]
        if level < n_cuts:
            model.gradient[level] += by_up[i]
            model.hessian[level, level] += of_up[i]
            for j in range(n_features):
                model.hessian[n_cuts + j, level] -= (of_up[i] + of_both[i]) * model.design[j, i]
        if level > 0:
            model.gradient[level - 1] += by_low[i]
            model.hessian[level - 1, level - 1] += of_low[i]
            for j in range(n_features):
                model.hessian[n_cuts + j, level - 1] -= (of_low[i] + of_both[i]) * model.design[j, i]
            if level < n_cuts:
                model.hessian[level, level - 1] += of_both[i]
        model.weights[i] = of_up[i] + of_low[i] + 2.0 * of_both[i]
        model.weighted[i] = -by_up[i] - by_low[i]
    _dots(model.weighted, model.design, n_features, model.gradient[n_cuts:])
    for j in range(n_features):
        _multiply(model.weights, model.design[j], model.weighted)
        _dots(model.weighted, model.design, j + 1, model.hessian[n_cuts + j, n_cuts:])


# ---------------------------------------------------------------- both


@long_kernel
def _objective(model, coefficients):
    """Log likelihood plus log prior, up to its constant."""
    if model.ordered:
        objective = _ordered_likelihood(model, coefficients)
    else:
        objective = _multinomial_likelihood(model, coefficients)
    for c in range(coefficients.shape[0]):
        objective -= 0.5 * model.precisions[c] * coefficients[c] * coefficients[c]
    return objective


@long_kernel
def _factorise(hessian):
    """Replace the lower triangle by its Cholesky factor; returns the log determinant, NaN if it is not positive."""
    log_determinant = 0.0
    for j in range(hessian.shape[0]):
        for k in range(j):
            hessian[j, k] = (hessian[j, k] - _dot(hessian[j, :k], hessian[k, :k])) / hessian[k, k]
        left = hessian[j, j] - _dot(hessian[j, :j], hessian[j, :j])
        if not left > 0.0:
            return np.nan
        hessian[j, j] = math.sqrt(left)
        log_determinant += math.log(left)
    return log_determinant


@long_kernel
def _solve(factor, right, out):
    """Set ``out`` to the solution of factor factor' out = right."""
    size = right.shape[0]
    for j in range(size):
        out[j] = (right[j] - _dot(factor[j, :j], out[:j])) / factor[j, j]
    for j in range(size - 1, -1, -1):
        total = out[j]
        for k in range(j + 1, size):
            total -= factor[k, j] * out[k]
        out[j] = total / factor[j, j]


@long_kernel
def _differentiate(model):
    """Newton's step; returns twice what it promises to gain, and the log determinant of the Hessian."""
    if model.ordered:
        _ordered_derivatives(model)
    else:
        _multinomial_derivatives(model)
    for c in range(model.coefficients.shape[0]):
        model.gradient[c] -= model.precisions[c] * model.coefficients[c]
        model.hessian[c, c] += model.precisions[c]
    log_determinant = _factorise(model.hessian)
    _solve(model.hessian, model.gradient, model.step)
    return _dot(model.gradient, model.step), log_determinant


@long_kernel
def _advance(model, reached):
    """Go along the step as far as the objective grows; returns it, ``reached`` if it never does."""
    size = 1.0
    for _ in range(_MOST_HALVINGS):
        for c in range(model.coefficients.shape[0]):
            model.trial[c] = model.coefficients[c] + size * model.step[c]
        objective = _objective(model, model.trial)
        if objective > reached:
            for c in range(model.coefficients.shape[0]):
                model.coefficients[c] = model.trial[c]
            return objective
        size *= 0.5
    return reached


@entry_point
def maximise(model):
    """Move ``coefficients`` to the maximum of the objective; returns it and the log determinant there.

    NaN if a Hessian is not positive definite in floating point.
    """
    reached = _objective(model, model.coefficients)
    for _ in range(_MOST_STEPS):
        promised, log_determinant = _differentiate(model)
        if not promised >= _CLOSE:
            return reached + 0.5 * promised, log_determinant
        objective = _advance(model, reached)
        if objective == reached:
            return reached, log_determinant
        reached = objective
    return reached, log_determinant
