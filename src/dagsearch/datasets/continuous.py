"""Continuous variables from a DAG: each is a random function of its parents plus noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dagsearch.blas import one_blas_thread
from dagsearch.data import Dataset, Kind
from dagsearch.datasets.experiments import NOTHING_SET, Experiments, Plan, drawn
from dagsearch.datasets.mechanisms import MECHANISMS, MOST_EXACT_ROWS, N_FEATURES, Shape, Values, standardised
from dagsearch.datasets.noises import NOISES, scale_factors
from dagsearch.datasets.ranges import Range
from dagsearch.errors import InputError
from dagsearch.graph import DAG
from dagsearch.graph.order import topological_order

# Effects so many times as large as the noise leave it with few digits, as numbers have about 16.
LARGEST = 1e12


@dataclass(frozen=True)
class AdditiveNoiseModel:
    """Random functions of the parents with noise added; its fields are arguments of `simulate`, checked."""

    mechanism: str
    noise: str
    weights: Range
    noise_scale: Range
    length_scale: float
    rescale: bool
    standardise: bool
    scale_dependence: float
    measurement_error: float
    plan: Plan = NOTHING_SET

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
            If values grow so large that rounding swallows the noise, or if rows do not suffice for experiments.
        """
        # Further streams leave those that they come from as they are, and with them the data without these options.
        of_scales, of_errors, of_experiments = of_noise.spawn(3)
        experiments = drawn(self.plan, truth.names, n_samples, of_experiments)
        values = self._values(truth, experiments, of_functions, of_noise, of_scales)
        if self.measurement_error:
            values = values + self._errors(values, of_errors)
        kind: Kind = "continuous"
        data = Dataset(
            values, truth.names, (kind,) * truth.n_nodes, (None,) * truth.n_nodes, truth, was_set=experiments.was_set
        )
        return replace(data, values=data.standardised()) if self.standardise else data

    def _values(
        self,
        truth: DAG,
        experiments: Experiments,
        of_functions: np.random.Generator,
        of_noise: np.random.Generator,
        of_scales: np.random.Generator,
    ) -> Values:
        """Return the values of all variables without errors of measurement."""
        streams = of_functions.spawn(truth.n_nodes + 1)
        scales = streams.pop().uniform(*self.noise_scale, size=truth.n_nodes)
        # Row by row: more rows leave the noise of the first ones as it was.
        values = NOISES[self.noise](of_noise, experiments.was_set.shape) * scales
        scale_streams = of_scales.spawn(truth.n_nodes)
        with one_blas_thread():
            for node in topological_order(truth.adjacency):
                parents = np.flatnonzero(truth.adjacency[:, node])
                if len(parents):
                    causes = values[:, parents]
                    if self.scale_dependence:
                        values[:, node] *= scale_factors(causes, self.scale_dependence, scale_streams[node])
                    values[:, node] += self._effect(causes, streams[node], truth.names[node])
                experiments.set_numbers(values, node)
        return values

    def _errors(self, values: Values, rng: np.random.Generator) -> Values:
        """Return Gaussian errors of measurement that make up their share of the variance of each column."""
        sizes = values.std(axis=0) * math.sqrt(self.measurement_error / (1 - self.measurement_error))
        errors: Values = rng.standard_normal(values.shape) * sizes
        return errors

    def _effect(self, parents: Values, rng: np.random.Generator, name: str) -> Values:
        """Return what the parents contribute to a variable."""
        shape = Shape(self.weights, self.length_scale)
        with np.errstate(all="ignore"):
            effect = MECHANISMS[self.mechanism].function(parents, rng, shape)
            effect = standardised(effect) if self.rescale else effect
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
        if MECHANISMS[self.mechanism].argument == "weights":
            shape = f"weights of size {_in_words(self.weights)}"
        else:
            shape = f"length scale {self.length_scale:g}"
            if n_samples > MOST_EXACT_ROWS:
                shape += f", approximated by {N_FEATURES} random Fourier features"
        rescaled = ", each rescaled to variance 1" if self.rescale else ""
        noise = f"{self.noise} noise with standard deviations of {_in_words(self.noise_scale)}"
        return f"{self.mechanism} functions ({shape}{rescaled}) and {noise}{self._additions_in_words()}"

    def _additions_in_words(self) -> str:
        """Say what happens to the noise and to the finished columns, in this order; mostly nothing."""
        parts = []
        if self.scale_dependence:
            parts.append(f"times exp({self.scale_dependence:g} g) with g a random function of the parents")
        if self.measurement_error:
            parts.append(f"measured with errors of {100 * self.measurement_error:g}% of each variance")
        if self.standardise:
            parts.append("standardised")
        return "".join(f", {part}" for part in parts) + self.plan.in_words()


def _in_words(bounds: Range) -> str:
    low, high = bounds
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
