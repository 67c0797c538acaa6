"""What becomes of a complete additive model if the smoothing parameter of one term changes: low-rank updates.

With D the growth of the term's penalty and C = (1 + D P_jj)^-1 D, P becomes P - P_j C P_j', and all else follows from
blocks of P and M that are at hand. It costs far less than a fit anew.
"""

from __future__ import annotations

import math

from dagsearch.kernels.additive import gcv_of
from dagsearch.kernels.compile import long_kernel, single_use_kernel


@single_use_kernel
def _eliminate(system, width):
    """Solve the augmented system (width, 2 width) in place: its right half becomes the solution."""
    for pivot in range(width):
        best = pivot
        for a in range(pivot + 1, width):
            if abs(system[a, pivot]) > abs(system[best, pivot]):
                best = a
        for b in range(2 * width):
            system[pivot, b], system[best, b] = system[best, b], system[pivot, b]
        scale = 1.0 / system[pivot, pivot]
        for b in range(pivot, 2 * width):
            system[pivot, b] *= scale
        for a in range(width):
            factor = system[a, pivot]
            if a != pivot and factor != 0.0:
                for b in range(pivot, 2 * width):
                    system[a, b] -= factor * system[pivot, b]


@long_kernel
def _prepare(model, j, change):
    """C in the right half of ``system`` and C beta_j in ``along``; returns residual sum and trace after the change."""
    start = model.starts[j]
    width = model.starts[j + 1] - start
    growth = math.exp(model.log_smoothing[j]) * math.expm1(change)
    system = model.system
    for a in range(width):
        d = growth * model.penalty[start + a]
        for b in range(width):
            system[a, b] = d * model.covariance[start + b, start + a]
            system[a, width + b] = 0.0
        system[a, a] += 1.0
        system[a, width + a] = d
    _eliminate(system, width)
    rss, trace = model.summary[0].rss, model.summary[0].trace
    for a in range(width):
        total = 0.0
        for b in range(width):
            total += system[a, width + b] * model.coefficients[start + b]
            trace -= system[a, width + b] * model.sandwich[start + a, start + b]
        model.along[a] = total
    for a in range(width):
        rss += 2.0 * model.pull[start + a] * model.along[a]
        for b in range(width):
            rss += model.along[a] * model.sandwich[start + b, start + a] * model.along[b]
    return rss, trace


@long_kernel
def gcv_after(model, j, change):
    """GCV of a complete model if the smoothing parameter of term j grew by the factor exp(change)."""
    rss, trace = _prepare(model, j, change)
    return gcv_of(model.summary[0].n_samples, rss, trace)


@single_use_kernel
def _update_vectors(model, j):
    """Coefficients, and ``pull``, from the old P and M."""
    start = model.starts[j]
    width = model.starts[j + 1] - start
    q = model.factor.shape[0]
    for c in range(width):
        x = model.along[c]
        for a in range(q):
            model.coefficients[a] -= x * model.covariance[start + c, a]
            model.pull[a] += x * model.sandwich[start + c, a]
    # What ``pull`` of the term itself is by now, before its own rows change.
    for c in range(width):
        model.block[c] = model.pull[start + c]
    for c in range(width):
        for a in range(q):
            model.pull[a] -= model.block[c] * model.spread[c, a]


@single_use_kernel
def _update_matrices(model, j):
    """P - Y P_j and M - Y Z - (Y Z)' with Y = P_j' C in ``spread`` and Z = M_j - M_jj Y' / 2."""
    start = model.starts[j]
    width = model.starts[j + 1] - start
    q = model.factor.shape[0]
    for c in range(width):
        for a in range(q):
            model.old_rows[c, a] = model.covariance[start + c, a]
            total = model.sandwich[start + c, a]
            for d in range(width):
                total -= 0.5 * model.sandwich[start + d, start + c] * model.spread[d, a]
            model.half_rows[c, a] = total
    for b in range(q):
        for c in range(width):
            y, p, z = model.spread[c, b], model.old_rows[c, b], model.half_rows[c, b]
            for a in range(q):
                model.covariance[b, a] -= p * model.spread[c, a]
                model.sandwich[b, a] -= z * model.spread[c, a] + y * model.half_rows[c, a]


@long_kernel
def apply_change(model, j, change):
    """Let the smoothing parameter of term j grow by the factor exp(change).

    P, M, coefficients, ``pull`` and the summary follow; what `evaluate` alone uses is left as it was.
    """
    rss, trace = _prepare(model, j, change)
    start = model.starts[j]
    width = model.starts[j + 1] - start
    for c in range(width):
        for a in range(model.factor.shape[0]):
            total = 0.0
            for b in range(width):
                total += model.system[b, width + c] * model.covariance[start + b, a]
            model.spread[c, a] = total
    _update_vectors(model, j)
    _update_matrices(model, j)
    model.log_smoothing[j] += change
    summary = model.summary[0]
    summary.rss = rss
    summary.trace = trace
    summary.gcv = gcv_of(summary.n_samples, rss, trace)
    summary.inverse_square *= math.exp(max(-change, 0.0))
