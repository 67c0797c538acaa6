"""What the noise adds to the evidence of a Gaussian model: its shape, and a scale that depends on the parents.

Residuals are leave-one-out (those of a flexible fit look smaller and more Gaussian than they are) and standardised. The
gain is that of the log density of `kernels.noise_shape` over the normal density, summed over the rows.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagsearch.kernels.noise_shape import MOST_DENSITY, fit_noise_shape
from dagsearch.scores.mean_models import RATIOS, Smoother, log_evidence

Noise = Literal["any", "shape", "gaussian"]
NOISES: tuple[Noise, ...] = ("any", "shape", "gaussian")

_NORMAL = -0.5 * math.log(2.0 * math.pi) - 0.5  # mean log density of standardised values under the normal
_LEAST_SQUARE = 1e-2
_LARGEST_LOG_SCALE = 3.0
MOST_GAIN = MOST_DENSITY - _NORMAL + 2.0 * _LARGEST_LOG_SCALE
"""No gain per row is larger."""

Vector = NDArray[np.float64]


def gain_of_prediction(residuals: Vector) -> float:
    """Gain in normal log density, summed over the rows, over predicting each by the mean of the others."""
    n, size = len(residuals), _root_mean_square(residuals)
    of_mean = n / (n - 1.0)  # the same root mean square for a standardised column without parents
    return n * math.log(of_mean / size) if size > 0.0 else math.inf


def shape_gain(residuals: Vector) -> float:
    """Gain in log density, summed over the rows, of the best shape over a normal density of the same scale."""
    size = _root_mean_square(residuals)
    if size == 0.0:
        return 0.0
    return len(residuals) * (_mean_log_density(residuals / size) - _NORMAL)


def scale_gain(residuals: Vector, by: Smoother) -> float:
    """The same with a scale per row that depends on the parents, less log(n) per parameter that this takes."""
    n = len(residuals)
    size = _root_mean_square(residuals)
    if size == 0.0:
        return 0.0
    standardised = residuals / size
    log_squares = np.log(np.square(standardised) + _LEAST_SQUARE)
    centred = log_squares - log_squares.mean()
    products = by.rows @ centred
    ratio = float(RATIOS[log_evidence(by.values, products[:, None], np.array([centred @ centred]), n).argmax()])
    log_scales = 0.5 * (centred - by.residuals(centred, products, ratio))
    log_scales = np.clip(log_scales, -_LARGEST_LOG_SCALE, _LARGEST_LOG_SCALE)
    scaled = standardised * np.exp(-log_scales)
    scaled_size = _root_mean_square(scaled)
    density = _mean_log_density(scaled / scaled_size) - math.log(scaled_size) - float(log_scales.mean())
    n_parameters = float((by.values / (by.values + ratio)).sum())
    return n * (density - _NORMAL) - math.log(n) * n_parameters


def _mean_log_density(standardised: Vector) -> float:
    ascending = np.sort(standardised)
    best = np.empty(3)
    fit_noise_shape(ascending, np.empty_like(ascending), np.empty_like(ascending), best)
    return float(best[2])


def _root_mean_square(values: Vector) -> float:
    return math.sqrt(float(values @ values) / len(values))
