"""Exact gradient and Hessian of generalised cross-validation in the log smoothing parameters.

With S_j the scaled penalty of term j: d beta = -P S_j beta, d P = -P S_j P, and trace and residual sum follow.
"""

from __future__ import annotations

import math

from dagsearch.kernels.compile import long_kernel


@long_kernel
def _shift(model, j):
    """P S_j beta and its fit, with S_j the whole scaled penalty of term j."""
    q = model.factor.shape[0]
    scale = math.exp(model.log_smoothing[j])
    for a in range(q):
        model.shift[j, a] = 0.0
        model.shifted_fit[j, a] = 0.0
    for b in range(model.starts[j], model.starts[j + 1]):
        force = scale * model.penalty[b] * model.coefficients[b]
        for a in range(q):
            model.shift[j, a] += force * model.covariance[b, a]
            model.shifted_fit[j, a] += force * model.root[b, a]


@long_kernel
def _first_derivatives(model, j):
    """Derivatives of trace and residual sum by the log smoothing parameter of term j."""
    scale = math.exp(model.log_smoothing[j])
    trace, rss = 0.0, 0.0
    for a in range(model.starts[j], model.starts[j + 1]):
        weight = scale * model.penalty[a]
        trace -= weight * model.sandwich[a, a]
        rss += 2.0 * weight * model.pull[a] * model.coefficients[a]
    model.trace_gradient[j] = trace
    model.rss_gradient[j] = rss


@long_kernel
def _second_derivative(model, j, k):
    """Second derivatives of trace and residual sum by the log smoothing parameters of terms j and k."""
    scale_j, scale_k = math.exp(model.log_smoothing[j]), math.exp(model.log_smoothing[k])
    trace, rss = 0.0, 0.0
    for b in range(model.starts[k], model.starts[k + 1]):
        weight = scale_k * model.penalty[b]
        rss -= 2.0 * weight * model.pull[b] * model.shift[j, b]
        total = 0.0
        for a in range(model.starts[j], model.starts[j + 1]):
            total += model.penalty[a] * model.covariance[b, a] * model.sandwich[b, a]
        trace += 2.0 * scale_j * weight * total
    for a in range(model.starts[j], model.starts[j + 1]):
        rss -= 2.0 * scale_j * model.penalty[a] * model.pull[a] * model.shift[k, a]
    for a in range(model.factor.shape[0]):
        rss += 2.0 * model.shifted_fit[j, a] * model.shifted_fit[k, a]
    if j == k:
        trace += model.trace_gradient[j]
        rss += model.rss_gradient[j]
    return trace, rss


@long_kernel
def differentiate(model):
    """Gradient and Hessian of GCV in the log smoothing parameters; `complete` goes before it."""
    summary = model.summary[0]
    n, rss, left = summary.n_samples, summary.rss, summary.n_samples - summary.trace
    p = model.members.size
    for j in range(p):
        _shift(model, j)
        _first_derivatives(model, j)
        model.gradient[j] = n * (model.rss_gradient[j] / left**2 + 2.0 * rss * model.trace_gradient[j] / left**3)
    for j in range(p):
        for k in range(j + 1):
            trace_jk, rss_jk = _second_derivative(model, j, k)
            mixed = model.rss_gradient[j] * model.trace_gradient[k] + model.rss_gradient[k] * model.trace_gradient[j]
            both = model.trace_gradient[j] * model.trace_gradient[k]
            value = n * (rss_jk / left**2 + 2.0 * (mixed + rss * trace_jk) / left**3 + 6.0 * rss * both / left**4)
            model.hessian[j, k] = value
            model.hessian[k, j] = value
