"""Noise distributions, all with mean 0 and variance 1, and noise whose scale depends on the causes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dagsearch.datasets.mechanisms import Shape, saturating, standardised

#: Noise becomes at most so many times larger or smaller, however strongly it depends on the causes.
LARGEST_FACTOR = 1000.0

# Of the causes in the scale of the noise: none of them is negligible beside the others.
_EVEN = Shape(weights=(0.5, 1.0), length_scale=1.0)

_Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]


def _gaussian(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return rng.standard_normal(shape)


def _uniform(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)


def _laplace(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return rng.laplace(0.0, math.sqrt(0.5), shape)


def _exponential(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return rng.standard_exponential(shape) - 1.0


def _gumbel(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    scale = math.sqrt(6) / math.pi
    return rng.gumbel(-np.euler_gamma * scale, scale, shape)


NOISES: dict[str, _Draw] = {
    "gaussian": _gaussian,
    "uniform": _uniform,
    "laplace": _laplace,
    "exponential": _exponential,
    "gumbel": _gumbel,
}
"""Each draws an array of the given shape."""


def scale_factors(parents: NDArray[np.float64], strength: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return how many times larger the noise of each row is: exp(strength * g) with g a random function of the parents.

    The function is a sum of curves as of the mechanism ``"saturating"``, with mean 0 and variance 1 over the rows.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    strength
        Logarithm of the factor at one standard deviation of g.
    rng
        Changed in place.
    """
    most = math.log(LARGEST_FACTOR)
    with np.errstate(over="ignore"):
        exponents = np.clip(strength * standardised(saturating(parents, rng, _EVEN)), -most, most)
    factors: NDArray[np.float64] = np.exp(exponents)
    return factors
