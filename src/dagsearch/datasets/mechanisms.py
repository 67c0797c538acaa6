"""Random functions of the causes of a variable, as arrays: parents (n_samples, n_parents) to effect (n_samples,)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky
from scipy.spatial.distance import cdist

Values = NDArray[np.float64]

#: Up to so many rows, draws from Gaussian processes are exact: time grows with their cube, memory with their square.
MOST_EXACT_ROWS = 3000

#: Beyond that, so many random Fourier features approximate the process.
N_FEATURES = 1000

#: Hidden units of a random neural network.
N_UNITS = 15

# Makes the kernel matrix positive definite in spite of rounding; it adds noise with a standard deviation of 1e-4.
_JITTER = 1e-8

# In standard deviations of a parent. Curves turn where the data are; the steepest saturate well within them.
_SLOPES, _SHIFTS = (1.0, 3.0), (-1.0, 1.0)
_CENTRES, _WIDTHS = (-1.0, 1.0), (0.3, 0.8)

# Of the units of a network. At 1, half of the functions would be linear but for a fifth of their variance or less.
_STEEPNESS = 2.0

# Of main effects beside interactions. Were both of one size, weights from 0.5 to 2 would leave some pairs hardly seen.
_MAIN = 0.5


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


def saturating(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return a sum over the parents of curves that level off on both sides, as responses to a dose do.

    Each is weight * tanh(slope * (z - shift)) with z the standardised parent, a slope from 1 to 3 and a shift from -1
    to 1.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    rng
        Changed in place.
    shape
        Its `weights` are used, one per parent.
    """
    n_parents = parents.shape[1]
    slopes, shifts = rng.uniform(*_SLOPES, size=n_parents), rng.uniform(*_SHIFTS, size=n_parents)
    effect: Values = np.tanh(slopes * (standardised(parents) - shifts)) @ _signed_weights(n_parents, rng, shape)
    return effect


def bump(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return a sum over the parents of bumps, which rise and fall: linear correlation may vanish.

    Each is weight * exp(-(z - centre)^2 / (2 width^2)) with z the standardised parent, a centre from -1 to 1 and a
    width from 0.3 to 0.8.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    rng
        Changed in place.
    shape
        Its `weights` are used, one per parent.
    """
    n_parents = parents.shape[1]
    centres, widths = rng.uniform(*_CENTRES, size=n_parents), rng.uniform(*_WIDTHS, size=n_parents)
    bumps = np.exp(-0.5 * ((standardised(parents) - centres) / widths) ** 2)
    effect: Values = bumps @ _signed_weights(n_parents, rng, shape)
    return effect


def interaction(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return products of random pairs of parents, bounded by tanh, beside a smaller main effect of each.

    Each parent is in a pair, and in two of them at most. A parent alone is paired with itself.

    Parameters
    ----------
    parents
        Array (n_samples, n_parents).
    rng
        Changed in place.
    shape
        Its `weights` are used, one per pair, and halved for the main effects.
    """
    bounded = standardised(np.tanh(standardised(parents)))
    n_parents = parents.shape[1]
    first, second = _pairs(rng.permutation(n_parents))
    main = bounded @ (_MAIN * _signed_weights(n_parents, rng, shape))
    effect: Values = main + (bounded[:, first] * bounded[:, second]) @ _signed_weights(len(first), rng, shape)
    return effect


def network(parents: Values, rng: np.random.Generator, shape: Shape) -> Values:
    """Return a random neural network of all parents jointly, with one hidden layer of 15 units tanh(2 x).

    Parameters
    ----------
    parents
        Array (n_samples, n_parents), standardised before they enter.
    rng
        Changed in place.
    shape
        Its `weights` are used for those into the hidden units, divided by the root of the number of parents: the
        larger, the rougher the function. Biases and the weights of the units are standard normal.
    """
    n_parents = parents.shape[1]
    into_units = _signed_weights(n_parents * N_UNITS, rng, shape).reshape(n_parents, N_UNITS) / math.sqrt(n_parents)
    biases, of_units = rng.standard_normal((2, N_UNITS))
    units = np.tanh(_STEEPNESS * (standardised(parents) @ into_units + biases))
    effect: Values = units @ of_units / math.sqrt(N_UNITS)
    return effect


def standardised(values: Values) -> Values:
    """Return columns, or one, with mean 0 and variance 1 over the rows.

    Parameters
    ----------
    values
        Array (n_samples,) or (n_samples, n_columns).
    """
    scaled: Values = (values - values.mean(axis=0)) / values.std(axis=0)
    return scaled


def _pairs(order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair neighbours in this order; the last of an odd number goes with the one before it, one alone with itself."""
    if len(order) % 2:
        order = np.append(order, order[-2:][0])
    return order[::2], order[1::2]


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


class Mechanism(NamedTuple):
    """A kind of random functions: parents, random stream and shape to effect."""

    function: Callable[[Values, np.random.Generator, Shape], Values]
    argument: Literal["weights", "length_scale"]
    """The field of `Shape` that it uses."""
    rescaled: bool
    """Whether effects have variance 1 unless asked for otherwise."""


MECHANISMS = {
    "linear": Mechanism(linear, "weights", rescaled=False),
    "quadratic": Mechanism(quadratic, "weights", rescaled=True),
    "gp": Mechanism(gaussian_process, "length_scale", rescaled=False),
    "additive": Mechanism(additive, "length_scale", rescaled=False),
    "saturating": Mechanism(saturating, "weights", rescaled=True),
    "bump": Mechanism(bump, "weights", rescaled=True),
    "interaction": Mechanism(interaction, "weights", rescaled=True),
    "network": Mechanism(network, "weights", rescaled=True),
}
"""Functions by the names that `simulate` takes."""
