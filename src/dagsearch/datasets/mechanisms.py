"""Random functions of the causes of a variable, as arrays: parents (n_samples, n_parents) to effect (n_samples,)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky
from scipy.spatial.distance import cdist

Values = NDArray[np.float64]

#: Up to so many rows, draws from Gaussian processes are exact: time grows with their cube, memory with their square.
MOST_EXACT_ROWS = 3000

#: Beyond that, so many random Fourier features approximate the process.
N_FEATURES = 1000

# Makes the kernel matrix positive definite in spite of rounding; it adds noise with a standard deviation of 1e-4.
_JITTER = 1e-8


class Shape(NamedTuple):
    """What the random functions look like."""

    weights: tuple[float, float]
    length_scale: float


def linear(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return a weighted sum; weights are uniform in the range, with a random sign.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    rng
        Changed in place.
    shape
        Its `weights` are used.
    """
    effect: Values = parents @ _signed_weights(parents.shape[1], rng, shape)
    return effect


def quadratic(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return a weighted sum of monomials of degree 1 and 2, each of which is there with probability 1/2.

    As in Zhu, Ng and Chen 2020, except that a parent in none of them keeps its linear term, lest its edge be untrue.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    rng
        Changed in place.
    shape
        Its `weights` are used.
    """
    n_parents = parents.shape[1]
    factors = [(i,) for i in range(n_parents)] + [*combinations_with_replacement(range(n_parents), 2)]
    present = rng.random(len(factors)) < 0.5
    used = {i for is_there, term in zip(present, factors, strict=True) if is_there for i in term}
    present[[i for i in range(n_parents) if i not in used]] = True
    weights = np.where(present, _signed_weights(len(factors), rng, shape), 0.0)
    effect = np.zeros(len(parents))
    for weight, term in zip(weights, factors, strict=True):
        effect += weight * parents[:, term].prod(axis=1)
    return effect


def gaussian_process(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return one function of all parents jointly, from a Gaussian process with mean 0 and an RBF kernel of variance 1.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    rng
        Changed in place.
    shape
        Its `length_scale` is used.
    """
    scaled = parents / shape.length_scale
    return _exact_draw(scaled, rng) if len(parents) <= MOST_EXACT_ROWS else _fourier_draw(scaled, rng)


def additive(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return a sum over the parents of one-dimensional functions, each drawn as by `gaussian_process`.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    rng
        Changed in place.
    shape
        Its `length_scale` is used.
    """
    effect = np.zeros(len(parents))
    for column in parents.T:
        effect += gaussian_process(column[:, None], rng, shape)
    return effect


def _signed_weights(n_weights: int, rng: np.random.Generator, shape: Shape) -> Values:
    signs = rng.choice([-1.0, 1.0], size=n_weights)
    return signs * rng.uniform(*shape.weights, size=n_weights)


def _exact_draw(scaled: Values, rng: np.random.Generator) -> Values:
    """Draw the function's values at these points by the Cholesky factor of their covariance."""
    covariance = np.exp(-0.5 * cdist(scaled, scaled, "sqeuclidean"))
    covariance[np.diag_indices_from(covariance)] += _JITTER
    factor = cholesky(covariance, lower=True, overwrite_a=True, check_finite=False)
    effect: Values = factor @ rng.standard_normal(len(scaled))
    return effect


def _fourier_draw(scaled: Values, rng: np.random.Generator) -> Values:
    """Draw a sum of random waves, whose covariance over all draws is the kernel (Rahimi and Recht 2007)."""
    frequencies = rng.standard_normal((scaled.shape[1], N_FEATURES))
    phases = rng.uniform(0.0, 2 * math.pi, N_FEATURES)
    amplitudes = rng.standard_normal(N_FEATURES) * math.sqrt(2 / N_FEATURES)
    # Blocks of rows keep the memory small however many rows there are.
    blocks = np.array_split(scaled, math.ceil(len(scaled) / MOST_EXACT_ROWS))
    return np.concatenate([np.cos(block @ frequencies + phases) @ amplitudes for block in blocks])


MECHANISMS: dict[str, Callable[[Values, np.random.Generator, Shape], Values]] = {
    "linear": linear,
    "quadratic": quadratic,
    "gp": gaussian_process,
    "additive": additive,
}
"""Functions by the names that `simulate` takes."""
