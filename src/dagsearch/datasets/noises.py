"""Noise distributions, all with mean 0 and variance 1."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
