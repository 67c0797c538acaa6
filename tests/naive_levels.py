"""Slow, obvious twins of the models of discrete variables: reference coding, finite differences, loops over cells."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logsumexp

# ---------------------------------------------------------------- Laplace's approximation


def second_derivatives(function, at, step=1e-3):
    """By central differences of order four."""
    size = len(at)
    matrix = np.empty((size, size))
    weights = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
    for a in range(size):
        for b in range(size):
            total = 0.0
            for i, weight_i in weights.items():
                for j, weight_j in weights.items():
                    point = at.copy()
                    point[a] += i * step
                    point[b] += j * step
                    total += weight_i * weight_j * function(point)
            matrix[a, b] = total / step**2
    return matrix


def laplace(minus_log_joint, start):
    """Log of the integral of exp(-minus_log_joint)."""
    found = minimize(minus_log_joint, start, method="BFGS", options={"gtol": 1e-9, "maxiter": 10_000})
    hessian = second_derivatives(minus_log_joint, found.x)
    return -found.fun - 0.5 * np.linalg.slogdet(hessian)[1] + 0.5 * len(start) * math.log(2 * math.pi)


def multinomial_log_evidence(codes, features, variance):
    """The first level is the reference, so that differences of independent coefficients are correlated."""
    n_levels, n_features = codes.max() + 1, len(features)
    prior = variance * (np.eye(n_levels - 1) + 1.0)

    def minus_log_joint(flat):
        slopes = flat[n_levels - 1 :].reshape(n_features, n_levels - 1)
        odds = np.zeros((n_levels, len(codes)))
        odds[1:] = flat[: n_levels - 1, None] + slopes.T @ features
        log_prior = sum(
            -0.5 * w @ np.linalg.solve(prior, w) - 0.5 * np.linalg.slogdet(2 * math.pi * prior)[1] for w in slopes
        )
        return -float(log_softmax(odds, axis=0)[codes, np.arange(len(codes))].sum() + log_prior)

    return laplace(minus_log_joint, np.zeros((n_levels - 1) * (n_features + 1)))


def ordered_log_evidence(codes, features, variance):
    """Cuts are a first one and logs of the gaps; the flat prior is one of the cuts themselves."""
    n_cuts = codes.max()

    def log_joint(cuts, slopes):
        prediction = slopes @ features
        up_to = np.vstack([np.zeros(len(codes)), expit(cuts[:, None] - prediction), np.ones(len(codes))])
        shares = np.diff(up_to, axis=0)[codes, np.arange(len(codes))]
        log_prior = -0.5 * slopes @ slopes / variance - 0.5 * len(slopes) * math.log(2 * math.pi * variance)
        return float(np.log(np.maximum(shares, 1e-300)).sum() + log_prior)

    start = np.concatenate([np.linspace(-1, 1, n_cuts), np.zeros(len(features))])
    return laplace(lambda flat: -log_joint(flat[:n_cuts], flat[n_cuts:]), start)


# ---------------------------------------------------------------- counts


def log_evidence(columns, size):
    """Cell by cell, those that were not seen left out; draws from the prior are counted row by row."""
    n = len(columns[0])
    shares = [Counter(column.tolist()) for column in columns]
    cells = Counter(zip(*(column.tolist() for column in columns), strict=True))
    total, n_draws = math.lgamma(size) - math.lgamma(size + n), 0.0
    for cell, count in cells.items():
        prior = size * math.prod(of[level] / n for of, level in zip(shares, cell, strict=True))
        total += math.lgamma(prior + count) - math.lgamma(prior)
        n_draws += sum(prior / (prior + k) for k in range(count))
    return total - sum(len(of) - 1 for of in shares) * math.log(n_draws) / 2


def counts_gain(target, parents, sample_sizes):
    """Averaged over sample sizes."""
    gains = [
        log_evidence([target, *parents], size) - log_evidence(parents, size) - log_evidence([target], size)
        for size in sample_sizes
    ]
    return float(logsumexp(gains) - math.log(len(gains)))
