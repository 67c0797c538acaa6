"""A linear model with known weights, for the methods that assume one."""

from __future__ import annotations

import numpy as np

N_NODES = 6
# [i, j]: the effect of i on j. No order of the columns helps: causes stand to the left and to the right.
WEIGHTS = np.zeros((N_NODES, N_NODES))
for edge, weight in {(3, 0): 1.2, (0, 5): -0.9, (5, 1): 1.0, (3, 1): 0.8, (2, 5): 1.1, (2, 4): -1.3}.items():
    WEIGHTS[edge] = weight


def uniform_table(n_samples=400, seed=0):
    return _observed(np.random.default_rng(seed).uniform(-1, 1, size=(n_samples, N_NODES)))


def normal_noise_table(n_samples=400, seed=0):
    return _observed(np.random.default_rng(seed).normal(size=(n_samples, N_NODES)))


def _observed(noise):
    return noise @ np.linalg.inv(np.eye(N_NODES) - WEIGHTS)


def edges(weights):
    return {tuple(edge) for edge in np.argwhere(weights).tolist()}
