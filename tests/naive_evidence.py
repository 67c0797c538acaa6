"""A slow, obvious twin of the evidence score: full kernel matrices, determinants, and rows that are really left out.

Rows are observations, as in a table: z is (n_samples, n_nodes), standardised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import null_space
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from dagsearch.kernels import noise_shape
from dagsearch.scores import evidence, mean_models, noise

# ---------------------------------------------------------------- kernel matrices


def median_distance(z, parents):
    """Median distance of the rows over the same sample of pairs as the score's."""
    i, j = np.random.default_rng(0).integers(0, len(z), (2, mean_models._N_SAMPLED_PAIRS))
    squared = np.square(z[i] - z[j])[i != j][:, parents].sum(axis=1)
    return math.sqrt(np.median(squared) or squared.mean() or 1.0)


def rbf(z, parents, length):
    squared = cdist(z[:, parents], z[:, parents], "sqeuclidean")
    return np.exp(-0.5 * squared / (length * median_distance(z, parents)) ** 2)


def kernel_matrices(z, parents, models):
    """Shares and kernel matrices of all models of the mean, each smooth one with all length scales."""
    for model in models:
        share = 1.0 / len(models)
        if model == "linear":
            yield share, z[:, parents] @ z[:, parents].T
            continue
        for length in mean_models.LENGTHS:
            if model == "additive":
                kernel = sum(rbf(z, [parent], length) for parent in parents)
            else:
                kernel = rbf(z, parents, length)
            yield share / len(mean_models.LENGTHS), kernel


# ---------------------------------------------------------------- evidence and prediction


@cache
def centred_basis(n):
    """Orthonormal basis, (n, n - 1), of all vectors of mean zero."""
    return null_space(np.ones((1, n)))


def evidence_gain(y, kernel, ratio):
    """Log density of y - mean with covariance s^2 (K / ratio + I), s profiled, less that of K = 0."""
    basis = centred_basis(len(y))
    inside = basis.T @ y
    covariance = basis.T @ kernel @ basis / ratio + np.eye(len(inside))
    left = inside @ np.linalg.solve(covariance, inside) / (inside @ inside)
    return -0.5 * len(inside) * math.log(left) - 0.5 * np.linalg.slogdet(covariance)[1]


def evidence_gains(y, kernel):
    """The same for all ratios."""
    return np.array([evidence_gain(y, kernel, ratio) for ratio in mean_models.RATIOS])


def leave_one_out(y, kernel, ratio):
    """Errors of predicting each row from all others by kernel ridge regression with a free intercept."""
    n = len(y)
    errors = np.empty(n)
    for i in range(n):
        others = np.arange(n) != i
        system = np.ones((n, n))
        system[:-1, :-1] = kernel[np.ix_(others, others)] + ratio * np.eye(n - 1)
        system[-1, -1] = 0.0
        solution = np.linalg.solve(system, np.append(y[others], 0.0))
        errors[i] = y[i] - kernel[i, others] @ solution[:-1] - solution[-1]
    return errors


def smoother_trace(kernel, ratio):
    """Number of parameters of a fit, the intercept not counted."""
    n = len(kernel)
    centring = np.eye(n) - 1.0 / n
    centred = centring @ kernel @ centring
    return float(np.trace(np.linalg.solve(centred + ratio * np.eye(n), centred)))


# ---------------------------------------------------------------- shape of the noise


def log_density(z, mode, shape, left, right):
    """Log density of the two-piece generalised normal, by its formula; what is near the mode counts as less near."""
    distance = np.maximum(np.abs(z - mode), noise_shape.NARROWEST)
    scale = np.where(z < mode, left, right)
    return -((distance / scale) ** shape) - math.log(left + right) - math.lgamma(1.0 + 1.0 / shape)


def best_scales(z, mode, shape):
    """Scales on the left and right of the mode that make the density largest."""
    powers = np.maximum(np.abs(z - mode), noise_shape.NARROWEST) ** shape
    roots = [powers[side].sum() ** (1.0 / (shape + 1.0)) for side in (z < mode, z >= mode)]
    return [root * (shape * sum(roots) / len(z)) ** (1.0 / shape) for root in roots]


def mean_log_density(z, mode, shape):
    """The same for the best scales; values at the mode are on its right, or on its left as in the mirror image."""
    with np.errstate(divide="ignore"):  # the scale of a side where nothing lies is 0, and not used
        return max(
            float(log_density(side * z, side * mode, shape, *best_scales(side * z, side * mode, shape)).mean())
            for side in (1.0, -1.0)
        )


def best_mean_log_density(z, n_modes=97, n_shapes=57):
    """The largest mean log density on a plain grid of modes, at quantiles, and shapes."""
    quantiles = np.linspace(noise_shape.LEAST_QUANTILE, noise_shape.LARGEST_QUANTILE, n_modes)
    shapes = np.geomspace(noise_shape.LEAST_SHAPE, noise_shape.LARGEST_SHAPE, n_shapes)
    return max(mean_log_density(z, mode, shape) for mode in np.quantile(z, quantiles) for shape in shapes)


# ---------------------------------------------------------------- the score


@dataclass(frozen=True)
class Pieces:
    """What the value of (node, parents) is made of."""

    gain: float
    prediction: float
    shape: float
    scale: float | None

    def value(self, kind):
        """The value with a kind of noise."""
        if kind == "gaussian":
            return self.gain
        gain = min(self.gain, self.prediction)
        if kind == "shape" or self.scale is None:
            return gain + self.shape
        return gain + math.log(0.5 * (math.exp(self.shape) + math.exp(self.scale)))


def pieces(z, node, parents, models, density, kernels_of=kernel_matrices):
    """All pieces; ``density`` gives the largest mean log density of ascending standardised values."""
    y, n = z[:, node], len(z)
    if not parents:
        return Pieces(0.0, 0.0, n * (density(np.sort(y)) + 0.5 * math.log(2 * math.pi) + 0.5), None)
    shares, kernels = zip(*kernels_of(z, list(parents), models), strict=True)
    gains = np.array([evidence_gains(y, kernel) for kernel in kernels])
    averaged = logsumexp(gains, b=np.array(shares)[:, None] / gains.shape[1])
    member, ratio = np.unravel_index(gains.argmax(), gains.shape)
    errors = leave_one_out(y, kernels[member], mean_models.RATIOS[ratio])
    size = math.sqrt(np.mean(errors**2))
    shape = n * (density(np.sort(errors / size)) + 0.5 * math.log(2 * math.pi) + 0.5)
    of_mean = math.sqrt(np.mean(leave_one_out(y, np.zeros((n, n)), 1.0) ** 2))
    return Pieces(averaged, n * math.log(of_mean / size), shape, scale_gain(errors / size, kernels[member], density))


def scale_gain(errors, kernel, density):
    """What a scale per row gains, less log(n) per parameter of its regression on the parents."""
    n = len(errors)
    log_squares = np.log(errors**2 + noise._LEAST_SQUARE)
    centred = log_squares - log_squares.mean()
    ratio = mean_models.RATIOS[evidence_gains(centred, kernel).argmax()]
    predicted = centred - leave_one_out(centred, kernel, ratio)
    log_scales = np.clip(0.5 * predicted, -noise._LARGEST_LOG_SCALE, noise._LARGEST_LOG_SCALE)
    scaled = errors / np.exp(log_scales)
    size = math.sqrt(np.mean(scaled**2))
    per_row = density(np.sort(scaled / size)) - math.log(size) - log_scales.mean()
    gain = n * (per_row + 0.5 * math.log(2 * math.pi) + 0.5)
    return gain - math.log(n) * smoother_trace(kernel, ratio)


def penalty(n_nodes, n_samples, n_parents, min_effect):
    """Minus the log prior of a parent set, by counting sets."""
    per_edge = 0.5 * evidence.EDGE_PRIOR * math.log(n_samples) - 0.5 * n_samples * math.log(1.0 - min_effect)
    return n_parents * per_edge + math.log(math.comb(n_nodes - 1, n_parents))


# ---------------------------------------------------------------- tables, (n, 4)


def laplace_table(rng, n):
    x = rng.laplace(size=(n, 4))
    x[:, 1] += x[:, 0]
    x[:, 3] += 0.7 * x[:, 1] - x[:, 2]
    return x


def exponential_table(rng, n):
    x = rng.exponential(size=(n, 4))
    x[:, 1] += x[:, 0]
    x[:, 3] += 0.7 * x[:, 1] - x[:, 2]
    return x


def curved_table(rng, n):
    x = rng.normal(size=(n, 4))
    x[:, 1] += 2 * np.tanh(2 * x[:, 0])
    x[:, 3] += x[:, 1] * x[:, 2]
    return x


def uneven_table(rng, n):
    """Noise whose scale depends on the parents."""
    x = rng.normal(size=(n, 4))
    x[:, 1] = np.sin(2 * x[:, 0]) + 0.3 * x[:, 1] * np.exp(0.7 * x[:, 0])
    x[:, 3] = np.abs(x[:, 2]) + x[:, 3] * np.exp(0.6 * x[:, 2])
    return x


TABLES = {"laplace": laplace_table, "exponential": exponential_table, "curved": curved_table, "uneven": uneven_table}


def chain(rng, n):
    x = rng.normal(size=(n, 4))
    x[:, 1] += x[:, 0]
    x[:, 3] += x[:, 1]
    return x


def changed(change):
    """A maker of tables: a chain, changed in place."""

    def make(n):
        x = chain(np.random.default_rng(n), n)
        change(x)
        return x

    return make


def _ties(x):
    x[:, 0], x[:, 3] = np.round(2 * x[:, 0]) / 2, np.round(x[:, 3])


def _zeros(x):
    x[:, 1:3] = np.maximum(x[:, 1:3], 0.0)


def _levels(x):
    x[:, ::3] = np.digitize(x[:, ::3], [-1, -0.3, 0.3, 1])


def _binary(x):
    x[:, 0], x[:, 3] = x[:, 0] > 0, x[:, 3] > 0.2


def _outlier(x):
    x[0, 3], x[1, 0] = 1e12, -1e12


def _shared_outlier(x):
    x[0, 3], x[0, 0] = 1e12, -1e12


def _collinear(x):
    x[:, 3] = 2 * x[:, 0] - x[:, 1]


def _almost_collinear(x):
    x[:, 3] = x[:, 0] + 1e-9 * x[:, 1]


def _cauchy(x):
    x[:] = np.random.default_rng(len(x)).standard_cauchy(x.shape)
    x[:, 1] += x[:, 0]


def _almost_constant(x):
    x[:, 2], x[:, 0] = 0.0, 5.0
    x[1, 2], x[2, 0] = 1.0, 6.0


CHANGES = [_ties, _zeros, _levels, _binary, _outlier, _shared_outlier, _collinear, _almost_collinear, _cauchy]
DIFFICULT = {change.__name__: changed(change) for change in [*CHANGES, _almost_constant]}
