"""Which of two variables is the cause: the likelihood ratio of the two directions (Hyvärinen and Smith 2013).

    R(x -> y) = H(y) + H(r / sd(r)) - H(x) - H(s / sd(s)),    r = x - rho y,  s = y - rho x,

for standardised x and y with correlation rho; it is positive where x -> y is more likely, and R(y -> x) = -R(x -> y).
The entropy H of a standardised variable u is Hyvärinen's approximation (1998):

    H(u) = (1 + log(2 pi)) / 2 - k1 (mean log cosh u - gamma)^2 - k2 (mean u exp(-u^2 / 2))^2.
"""

from __future__ import annotations

import math

from dagsearch.kernels.compile import (
    contracted_entry_point,
    contracted_kernel,
    contracted_long_kernel,
    reassociated_kernel,
)
from dagsearch.kernels.elementary import exp_negative, log_positive

K1, K2, GAMMA = 79.047, 7.4129, 0.37457
_GAUSSIAN = 0.5 * (1.0 + math.log(2.0 * math.pi))
_LOG_2 = math.log(2.0)


@contracted_kernel
def _write_terms(u, scale, log_cosh, damped):
    """Write what the entropy of ``scale * u`` takes the means of: log cosh, less log 2, and u exp(-u^2 / 2)."""
    for j in range(u.shape[0]):
        z = scale * u[j]
        size = abs(z)
        log_cosh[j] = size + log_positive(1.0 + exp_negative(-2.0 * size))
        damped[j] = z * exp_negative(-0.5 * z * z)


@contracted_kernel
def _write_residuals(x, y, rho, of_x, of_y):
    for j in range(x.shape[0]):
        of_x[j] = x[j] - rho * y[j]
        of_y[j] = y[j] - rho * x[j]


@reassociated_kernel
def _sum(values):
    total = 0.0
    for j in range(values.shape[0]):
        total += values[j]
    return total


@reassociated_kernel
def _sum_of_products(x, y):
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j] * y[j]
    return total


@contracted_long_kernel
def _entropy(u, scale, log_cosh, damped):
    """Entropy of ``scale * u``; the last two, (n_samples,), are scratch."""
    n = u.shape[0]
    _write_terms(u, scale, log_cosh, damped)
    flatness = _sum(log_cosh) / n - _LOG_2 - GAMMA
    skewness = _sum(damped) / n
    return _GAUSSIAN - K1 * flatness * flatness - K2 * skewness * skewness


@contracted_entry_point
def entropies_of(columns, which, scratch, entropies):
    """Write the entropies of the columns ``which`` to their places in ``entropies`` (n_nodes,).

    ``columns`` (n_nodes, n_samples) are standardised; ``scratch`` is (4, n_samples).
    """
    for k in range(which.shape[0]):
        entropies[which[k]] = _entropy(columns[which[k]], 1.0, scratch[2], scratch[3])


@contracted_entry_point
def compare_with(columns, entropies, cause, others, slope_scale, scratch, ratios):
    """Write the likelihood ratio R(cause -> other) for each of ``others`` to ``ratios``, (n_others,) both.

    ``columns`` (n_nodes, n_samples) are standardised, ``entropies`` (n_nodes,) those of them; no other column is the
    cause or its multiple. The slopes rho are multiplied by ``slope_scale``, 1 for least squares. ``scratch`` is
    (4, n_samples).
    """
    x = columns[cause]
    n = x.shape[0]
    of_x, of_y, log_cosh, damped = scratch[0], scratch[1], scratch[2], scratch[3]
    for k in range(others.shape[0]):
        y = columns[others[k]]
        _write_residuals(x, y, slope_scale * (_sum_of_products(x, y) / n), of_x, of_y)
        # Not the root of 1 - rho^2, of which rounding leaves nothing for columns that are nearly the same.
        scale_x = 1.0 / math.sqrt(_sum_of_products(of_x, of_x) / n)
        scale_y = 1.0 / math.sqrt(_sum_of_products(of_y, of_y) / n)
        residual_x = _entropy(of_x, scale_x, log_cosh, damped)
        residual_y = _entropy(of_y, scale_y, log_cosh, damped)
        ratios[k] = (entropies[others[k]] + residual_x) - (entropies[cause] + residual_y)
