"""Continuous variables from a DAG: each is a random function of its parents plus noise."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagsearch.blas import one_blas_thread
from dagsearch.data import Dataset, Kind
from dagsearch.datasets.mechanisms import MECHANISMS, MOST_EXACT_ROWS, N_FEATURES, Shape, Values
from dagsearch.datasets.noises import NOISES
from dagsearch.datasets.ranges import Range
from dagsearch.errors import InputError
from dagsearch.graph import DAG
from dagsearch.graph.order import topological_order

# Effects so many times as large as the noise leave it with few digits, as numbers have about 16.
LARGEST = 1e12


@dataclass(frozen=True)
class AdditiveNoiseModel:
    """Random functions of the parents with independent noise; its fields are arguments of `simulate`, checked."""

    mechanism: str
    noise: str
    weights: Range
    noise_scale: Range
    length_scale: float
    rescale: bool
    standardise: bool

    def sample(
        self, truth: DAG, n_samples: int, of_functions: np.random.Generator, of_noise: np.random.Generator
    ) -> Dataset:
        """Draw the functions and the noise, and return the values of all variables.

        Parameters
        ----------
        truth
            The graph.
        n_samples
            Number of rows.
        of_functions, of_noise
            Changed in place.

        Raises
        ------
        InputError
            If values grow so large that rounding swallows the noise.
        """
        values = self._values(truth, n_samples, of_functions, of_noise)
        kind: Kind = "continuous"
        data = Dataset(values, truth.names, (kind,) * truth.n_nodes, (None,) * truth.n_nodes, truth)
        return replace(data, values=data.standardised()) if self.standardise else data

    def _values(
        self, truth: DAG, n_samples: int, of_functions: np.random.Generator, of_noise: np.random.Generator
    ) -> Values:
        streams = of_functions.spawn(truth.n_nodes + 1)
        scales = streams.pop().uniform(*self.noise_scale, size=truth.n_nodes)
        # Row by row: more rows leave the noise of the first ones as it was.
        values = NOISES[self.noise](of_noise, (n_samples, truth.n_nodes)) * scales
        with one_blas_thread():
            for node in topological_order(truth.adjacency):
                parents = np.flatnonzero(truth.adjacency[:, node])
                if len(parents):
                    values[:, node] += self._effect(values[:, parents], streams[node], truth.names[node])
        return values

    def _effect(self, parents: Values, rng: np.random.Generator, name: str) -> Values:
        """Return what the parents contribute to a variable."""
        shape = Shape(self.weights, self.length_scale)
        with np.errstate(all="ignore"):
            effect = MECHANISMS[self.mechanism](parents, rng, shape)
            effect = (effect - effect.mean()) / effect.std() if self.rescale else effect
        # An overflow ends as infinity or not-a-number, which are not below any limit.
        if not np.abs(effect).max() < LARGEST * self.noise_scale[0]:
            raise InputError(
                f"mechanism {self.mechanism!r} makes the values of {name} so large that rounding swallows the noise: "
                "rescale the functions, or take fewer edges or smaller weights"
            )
        return effect

    def in_words(self, n_samples: int) -> str:
        """Say how a variable comes about.

        Parameters
        ----------
        n_samples
            Number of rows, on which the way of drawing from Gaussian processes depends.
        """
        if self.mechanism in ("linear", "quadratic"):
            shape = f"weights of size {_in_words(self.weights)}"
        else:
            shape = f"length scale {self.length_scale:g}"
            if n_samples > MOST_EXACT_ROWS:
                shape += f", approximated by {N_FEATURES} random Fourier features"
        rescaled = ", each rescaled to variance 1" if self.rescale else ""
        noise = f"{self.noise} noise with standard deviations of {_in_words(self.noise_scale)}"
        end = ", standardised" if self.standardise else ""
        return f"{self.mechanism} functions ({shape}{rescaled}) and {noise}{end}"


def _in_words(bounds: Range) -> str:
    low, high = bounds
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
