"""The shape of noise: the two-piece generalised normal density that fits a sample best.

    f(z) = exp(-(|z - m| / a)^b) / ((a_left + a_right) Gamma(1 + 1/b)),   a = a_left for z < m, a_right for z >= m.

b = 2 is the normal, b = 1 the Laplace, a large b nearly a uniform distribution; different scales make it skewed. Given
mode m and shape b, with S the sums of |z - m|^b on either side and T = S_left^(1/(b+1)) + S_right^(1/(b+1)), the
maximum-likelihood scales are S^(1/(b+1)) (b T / n)^(1/b), and the mean log density there is

    -log(T) - log(b T / n) / b - log Gamma(1 + 1/b) - 1/b.

Values at the mode itself go to the side where the density is then higher, so that a mirror image has the same one.
Distances below `NARROWEST` count as that much, so that no pile of equal values makes a density arbitrarily sharp.
"""

from __future__ import annotations

import math

import numpy as np

from dagsearch.kernels.compile import (
    contracted_entry_point,
    contracted_kernel,
    contracted_long_kernel,
    reassociated_kernel,
)
from dagsearch.kernels.elementary import exp_negative, log_positive

NARROWEST = 0.03
LEAST_SHAPE, LARGEST_SHAPE = 0.6, 10.0
LEAST_QUANTILE, LARGEST_QUANTILE = 0.02, 0.98
MOST_DENSITY = max(
    -math.log(NARROWEST) - (math.log(b) + 1.0) / b - math.lgamma(1.0 + 1.0 / b)
    for b in np.geomspace(LEAST_SHAPE, LARGEST_SHAPE, 1000)
)
"""No mean log density is larger: that of values which all lie at the mode."""

# The coarse search looks at so many modes (at quantiles) and shapes (their logarithms at equal distances); the fine
# one halves the distances so many times around the best.
_N_MODES, _N_SHAPES, _N_HALVINGS = 7, 5, 4


@contracted_long_kernel
def _log_distances(z, mode, out):
    """Write log |z - mode|, less the largest, to ``out``; ``z`` ascends.

    Returns how many values are below the mode, how many not above it, and the largest.
    """
    n = z.shape[0]
    n_below, n_upto = 0, 0
    for j in range(n):
        n_below += z[j] < mode
        n_upto += z[j] <= mode
    for j in range(n):
        distance = abs(z[j] - mode)
        out[j] = log_positive(distance if distance > NARROWEST else NARROWEST)
    largest = max(out[0], out[n - 1])
    for j in range(n):
        out[j] -= largest
    return n_below, n_upto, largest


@contracted_kernel
def _powers(logs, power, out):
    for j in range(logs.shape[0]):
        out[j] = exp_negative(power * logs[j])


@reassociated_kernel
def _sum(values, start, stop):
    total = 0.0
    for j in range(start, stop):
        total += values[j]
    return total


@contracted_long_kernel
def _mean_log_density(logs, n_below, n_upto, largest, shape, powers):
    """The last formula above, with distances in units of the largest; ``powers`` (n,) is scratch."""
    n = logs.shape[0]
    _powers(logs, shape, powers)
    power = 1.0 / (shape + 1.0)
    left, at_mode, right = _sum(powers, 0, n_below), _sum(powers, n_below, n_upto), _sum(powers, n_upto, n)
    total = min((left + at_mode) ** power + right**power, left**power + (at_mode + right) ** power)
    inverse = 1.0 / shape
    return -largest - math.log(total) - inverse * (math.log(shape * total / n) + 1.0) - math.lgamma(1.0 + inverse)


@contracted_kernel
def _quantile(z, q):
    """Quantile of ascending values, interpolated."""
    place = q * (z.shape[0] - 1)
    below = int(place)
    above = min(below + 1, z.shape[0] - 1)
    return z[below] + (place - below) * (z[above] - z[below])


@contracted_entry_point
def fit_noise_shape(z, logs, powers, best):
    """Find mode and shape of the best density of ascending, standardised values, first coarsely, then finely.

    ``logs`` and ``powers`` (n,) are scratch. ``best`` (3,) gets mode, shape and mean log density.
    """
    quantile_step = (LARGEST_QUANTILE - LEAST_QUANTILE) / (_N_MODES - 1)
    log_least = math.log(LEAST_SHAPE)
    shape_step = (math.log(LARGEST_SHAPE) - log_least) / (_N_SHAPES - 1)
    best[2] = -np.inf
    at_quantile, at_shape = 0.0, 0.0
    for i in range(_N_MODES):
        quantile = LEAST_QUANTILE + i * quantile_step
        mode = _quantile(z, quantile)
        n_below, n_upto, largest = _log_distances(z, mode, logs)
        for k in range(_N_SHAPES):
            log_shape = log_least + k * shape_step
            density = _mean_log_density(logs, n_below, n_upto, largest, math.exp(log_shape), powers)
            if density > best[2]:
                best[0], best[1], best[2] = mode, math.exp(log_shape), density
                at_quantile, at_shape = quantile, log_shape
    for _ in range(_N_HALVINGS):
        quantile_step *= 0.5
        shape_step *= 0.5
        centre_quantile, centre_shape = at_quantile, at_shape
        for i in range(-1, 2):
            quantile = min(max(centre_quantile + i * quantile_step, LEAST_QUANTILE), LARGEST_QUANTILE)
            mode = _quantile(z, quantile)
            n_below, n_upto, largest = _log_distances(z, mode, logs)
            for k in range(-1, 2):
                log_shape = min(max(centre_shape + k * shape_step, log_least), math.log(LARGEST_SHAPE))
                if i == 0 and k == 0:
                    continue
                density = _mean_log_density(logs, n_below, n_upto, largest, math.exp(log_shape), powers)
                if density > best[2]:
                    best[0], best[1], best[2] = mode, math.exp(log_shape), density
                    at_quantile, at_shape = quantile, log_shape
