"""A Gaussian additive model for given smoothing parameters: fit and generalised cross-validation (GCV).

A term's coefficients are rotated so that its penalty is diagonal. With X = Q R and the roots of the penalties stacked
below R, one triangular factorisation [R; sqrt(S)] = O T gives everything without forming X'X: with W = T^-1

    P = (X'X + S)^-1 = W W',   K = R W,   tr A = |K|^2,   beta = W K' f,   M = P X'X P = (K W')' (K W').

The cost does not depend on the number of observations. Matrices are kept as LAPACK wants them, [column, row].

S is the penalty as R's mgcv has it at work: small parts of it are lost where another term's smoothing parameter is huge
(`set_ranks`), which at times decides a p-value.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import long_kernel, single_use_kernel
from dagsearch.kernels.lapack import (
    invert_upper,
    multiply,
    right_singular_vectors,
    triangularise,
    triangularise_pair,
)

_EPSILON = float(np.finfo(np.float64).eps)
_LAPACK_EPSILON = 0.5 * _EPSILON  # what LAPACK's pivoted Cholesky factorisation calls machine precision
_SMALLEST_RATIO = math.sqrt(_EPSILON)  # of singular values that count


class Terms(NamedTuple):
    """Smooth terms, one per variable, of at most ``width`` coefficients each.

    ``pivots`` and ``roots`` belong to the pivoted Cholesky factorisation of the penalty.
    """

    columns: Any  # (n_coefficients, n_rows) float64   any rows with the right inner products
    offsets: Any  # (n_terms + 1,) int64   first column of each term
    ranks: Any  # (n_terms,) int64   of the penalty
    penalties: Any  # (n_terms, width) float64   its diagonal
    pivots: Any  # (n_terms, width) float64   descending
    roots: Any  # (n_terms, width + 1, width, width) float64   [rank]: upper triangular root of what is left of it
    start_squares: Any  # (n_terms, width) float64   squared norms of columns in the coordinates of the search's start
    start_penalties: Any  # (n_terms, width) float64   diagonal of the penalty in them; zero where there is none
    own_factors: Any  # (n_terms, width, width) float64   R of a term's own columns


class Model(NamedTuple):
    """Workspace of a model with p terms and q coefficients beside the intercept."""

    members: Any  # (p,) int64   terms
    starts: Any  # (p + 1,) int64   first coefficient of each
    stacked: Any  # (q + 1, max(n_rows, q + 1)) float64   the terms' columns, then the target
    factor: Any  # (q, q) float64   R
    target: Any  # (q,) float64   f = Q'y
    penalty: Any  # (q,) float64   diagonal of the unscaled penalties
    log_smoothing: Any  # (p,) float64   log smoothing parameters
    ranks: Any  # (p,) int64   of the penalties as they are in force
    triangle: Any  # (q, q) float64   T
    root: Any  # (q, q) float64   sqrt(S); later K W'
    inverse: Any  # (q, q) float64   W
    projected: Any  # (q, q) float64   K
    covariance: Any  # (q, q) float64   P
    sandwich: Any  # (q, q) float64   M
    singular_values: Any  # (q,) float64
    coefficients: Any  # (q,) float64   beta
    residual: Any  # (q,) float64   f - R beta
    pull: Any  # (q,) float64   P R' (f - R beta)
    shift: Any  # (p, q) float64   P S_j beta
    shifted_fit: Any  # (p, q) float64   R P S_j beta
    trace_gradient: Any  # (p,) float64
    rss_gradient: Any  # (p,) float64
    gradient: Any  # (p,) float64   of GCV
    hessian: Any  # (p, p) float64   of GCV
    step: Any  # (p,) float64
    descent: Any  # (p,) float64
    before: Any  # (p,) float64   log smoothing parameters before a step
    spectrum: Any  # (max(p, width),) float64   eigenvalues
    block: Any  # (width * width,) float64   a matrix of one term
    along: Any  # (width,) float64   a term's fit along eigenvectors
    system: Any  # (width, 2 * width) float64   equations of a low-rank update
    spread: Any  # (width, q) float64   P_j C
    old_rows: Any  # (width, q) float64   rows of P before an update
    half_rows: Any  # (width, q) float64   rows of M, less half of what an update takes
    weights: Any  # (width + 1,) float64   of chi-squared variables
    reflectors: Any  # (16 * (q + 1),) float64
    scratch: Any  # (SCRATCH_PER_COLUMN * (q + 1),) float64
    summary: Any  # (1,) SUMMARY
    edf: Any  # (p,) float64   effective degrees of freedom of each term
    p_values: Any  # (p,) float64
    lapack: Any  # Lapack


SUMMARY = np.dtype(
    [
        ("n_samples", np.float64),
        ("unexplained", np.float64),  # squared norm of the target outside all columns
        ("rss", np.float64),
        ("trace", np.float64),  # effective degrees of freedom, the intercept's included
        ("gcv", np.float64),
        ("data_size", np.float64),  # squared norm of R
        ("inverse_square", np.float64),  # bound on the inverse square of T's smallest singular value that counts
        ("deficient", np.int64),  # 1 if singular values were left out
    ]
)


@long_kernel
def _squared_norm(matrix):
    total = 0.0
    for b in range(matrix.shape[0]):
        for a in range(matrix.shape[1]):
            total += matrix[b, a] ** 2
    return total


@single_use_kernel
def load(model, terms, target):
    """Reduce the columns of the members and the target, (n_rows,), to the triangle R and f = Q'y."""
    q, n_rows = model.factor.shape[0], terms.columns.shape[1]
    stacked = model.stacked
    height = stacked.shape[1]
    for j in range(model.members.size):
        term, start = model.members[j], model.starts[j]
        for a in range(model.starts[j + 1] - start):
            model.penalty[start + a] = terms.penalties[term, a]
            column = terms.offsets[term] + a
            for i in range(n_rows):
                stacked[start + a, i] = terms.columns[column, i]
            for i in range(n_rows, height):
                stacked[start + a, i] = 0.0
    for i in range(height):
        stacked[q, i] = target[i] if i < n_rows else 0.0
    triangularise(model.lapack, stacked, height, q + 1, model.reflectors, model.scratch)
    for b in range(q):
        for a in range(q):
            model.factor[b, a] = stacked[b, a] if a <= b else 0.0
        model.target[b] = stacked[q, b]
    model.summary[0].unexplained = stacked[q, q] ** 2
    model.summary[0].data_size = _squared_norm(model.factor)


@long_kernel
def set_ranks(model, terms):
    """What is left of each penalty: its pivots below the precision of the largest one are lost; True if any changed.

    This is what a pivoted Cholesky factorisation of the sum of all scaled penalties does: it takes the terms apart, so
    that each term's own factorisation, done once, tells where it stops.
    """
    largest = 0.0
    for j in range(model.members.size):
        largest = max(largest, math.exp(model.log_smoothing[j]) * terms.pivots[model.members[j], 0])
    threshold = (model.factor.shape[0] + 1) * _LAPACK_EPSILON * largest
    changed = False
    for j in range(model.members.size):
        term, rank = model.members[j], 0
        scale = math.exp(model.log_smoothing[j])
        while rank < terms.ranks[term] and scale * terms.pivots[term, rank] > threshold:
            rank += 1
        changed |= rank != model.ranks[j]
        model.ranks[j] = rank
    return changed


@single_use_kernel
def _fill_root(model, terms):
    """Write the root of the scaled penalties."""
    root = model.root
    q = root.shape[0]
    for b in range(q):
        for a in range(q):
            root[b, a] = 0.0
    for j in range(model.members.size):
        term, start = model.members[j], model.starts[j]
        scale = math.exp(0.5 * model.log_smoothing[j])
        width = model.starts[j + 1] - start
        for a in range(model.ranks[j]):
            for b in range(a, width):
                root[start + b, start + a] = scale * terms.roots[term, model.ranks[j], a, b]


@long_kernel
def largest_square(model, terms):
    """Bound on the square of T's largest singular value, the intercept's included."""
    largest = 0.0
    for j in range(model.members.size):
        largest = max(largest, math.exp(model.log_smoothing[j]) * terms.penalties[model.members[j], 0])
    return max(model.summary[0].n_samples, model.summary[0].data_size + largest)


@long_kernel
def is_well_conditioned(largest, smallest_inverse):
    """Whether no singular value of T counts as zero, from bounds on their largest square and largest inverse square."""
    return largest * smallest_inverse * _SMALLEST_RATIO**2 < 1.0


@single_use_kernel
def _invert_triangle(model, terms):
    """W = T^-1; False if T is too close to singular for that."""
    q = model.triangle.shape[0]
    smallest = math.inf
    for b in range(q):
        for a in range(q):
            model.inverse[b, a] = model.triangle[b, a] if a <= b else 0.0
        smallest = min(smallest, abs(model.triangle[b, b]))
    largest = largest_square(model, terms)
    if not smallest > _SMALLEST_RATIO * math.sqrt(largest):
        return False
    invert_upper(model.lapack, model.inverse, q)
    model.summary[0].inverse_square = _squared_norm(model.inverse)
    if is_well_conditioned(largest, model.summary[0].inverse_square):
        return True
    _set_covariance(model)
    return is_well_conditioned(largest, model.summary[0].inverse_square)


@long_kernel
def _set_covariance(model):
    """P = W W', and a sharper bound on the largest inverse square: the largest absolute column sum of P."""
    multiply(model.lapack, model.inverse, False, model.inverse, True, model.factor.shape[0], model.covariance)
    norm = 0.0
    for b in range(model.factor.shape[0]):
        total = 0.0
        for a in range(model.factor.shape[0]):
            total += abs(model.covariance[b, a])
        norm = max(norm, total)
    model.summary[0].inverse_square = min(model.summary[0].inverse_square, norm)


@single_use_kernel
def _invert_by_singular_values(model):
    """W = V D^-1 from T = U D V', without the singular values that count as zero."""
    q = model.triangle.shape[0]
    for b in range(q):
        for a in range(b + 1, q):
            model.triangle[b, a] = 0.0
    right_singular_vectors(model.lapack, model.triangle, q, model.singular_values, model.root, model.scratch)
    largest = max(model.singular_values[0], math.sqrt(model.summary[0].n_samples))
    for b in range(q):
        d = model.singular_values[b]
        counts = d >= _SMALLEST_RATIO * largest
        if not counts:
            model.summary[0].deficient = 1
        for a in range(q):
            model.inverse[b, a] = model.root[a, b] / d if counts else 0.0
    model.summary[0].inverse_square = _squared_norm(model.inverse)


@long_kernel
def evaluate(model, terms):
    """Fit at ``log_smoothing``: W, K, coefficients, residual sum, trace; returns GCV. `set_ranks` goes before it."""
    q = model.factor.shape[0]
    summary = model.summary[0]
    _fill_root(model, terms)
    for b in range(q):
        for a in range(q):
            model.triangle[b, a] = model.factor[b, a]
    triangularise_pair(model.lapack, model.triangle, model.root, q, model.reflectors, model.scratch)
    summary.deficient = 0
    if not _invert_triangle(model, terms):
        _invert_by_singular_values(model)
    multiply(model.lapack, model.factor, False, model.inverse, False, q, model.projected)
    _solve(model)
    summary.rss = summary.unexplained
    for a in range(q):
        summary.rss += model.residual[a] ** 2
    summary.trace = 1.0 + _squared_norm(model.projected)
    summary.gcv = gcv_of(summary.n_samples, summary.rss, summary.trace)
    return summary.gcv


@long_kernel
def gcv_of(n_samples, rss, trace):
    """Generalised cross-validation: n RSS / (n - tr A)^2."""
    return n_samples * rss / (n_samples - trace) ** 2


@single_use_kernel
def _solve(model):
    """Coefficients W K'f and the residual f - K K'f; ``pull`` holds K'f meanwhile."""
    q = model.factor.shape[0]
    for b in range(q):
        total = 0.0
        for a in range(q):
            total += model.projected[b, a] * model.target[a]
        model.pull[b] = total
    for a in range(q):
        model.coefficients[a] = 0.0
        model.residual[a] = model.target[a]
    for b in range(q):
        for a in range(q):
            model.coefficients[a] += model.inverse[b, a] * model.pull[b]
            model.residual[a] -= model.projected[b, a] * model.pull[b]


@long_kernel
def complete(model):
    """P, K W' (in ``root``) and M from the last `evaluate`, and ``pull``."""
    q = model.factor.shape[0]
    _set_covariance(model)
    multiply(model.lapack, model.projected, False, model.inverse, True, q, model.root)
    multiply(model.lapack, model.root, True, model.root, False, q, model.sandwich)
    for b in range(q):
        total = 0.0
        for a in range(q):
            total += model.root[b, a] * model.residual[a]
        model.pull[b] = total
