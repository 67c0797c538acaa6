"""Numbers and categories from a DAG: functions with noise, shifts by level, and choices by random utilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset, Kind
from dagsearch.datasets.experiments import NOTHING_SET, Plan, drawn
from dagsearch.datasets.mechanisms import MECHANISMS, Shape, Values
from dagsearch.datasets.noises import NOISES
from dagsearch.datasets.random_network import labels_of
from dagsearch.datasets.ranges import Range
from dagsearch.graph import DAG
from dagsearch.graph.order import topological_order

#: Functions of numbers by numbers, one kind per variable.
FUNCTIONS = ("linear", "linear", "saturating", "bump", "interaction")

#: Standard deviation of the utilities that levels have whatever the parents.
_OWN_UTILITY = 0.5


@dataclass(frozen=True)
class MixedModel:
    """Half of the variables are categories, drawn at random; its fields are arguments of `simulate`, checked.

    A number is a function of its parents that are numbers, shifted by the levels of the others, plus noise. A category
    takes the level of the largest utility: a weighted sum of the parents plus Gumbel noise (a softmax of the sum).
    """

    n_levels: tuple[int, int]
    weights: Range
    noise_scale: Range
    plan: Plan = NOTHING_SET

    def sample(
        self, truth: DAG, n_samples: int, of_functions: np.random.Generator, of_noise: np.random.Generator
    ) -> Dataset:
        """Draw kinds and functions, and return the values of all variables.

        Parameters
        ----------
        truth
            The graph.
        n_samples
            Number of rows.
        of_functions, of_noise
            Changed in place.
        """
        of_kinds, *streams = of_functions.spawn(truth.n_nodes + 1)
        is_discrete = of_kinds.permutation(truth.n_nodes) < truth.n_nodes // 2
        n_levels = of_kinds.integers(*self.n_levels, size=truth.n_nodes, endpoint=True)
        values = np.empty((n_samples, truth.n_nodes))
        *noises, of_experiments = of_noise.spawn(truth.n_nodes + 1)
        experiments = drawn(self.plan, truth.names, n_samples, of_experiments)
        for node in topological_order(truth.adjacency):
            parents = np.flatnonzero(truth.adjacency[:, node])
            levels = [values[:, parent].astype(np.intp) for parent in parents[is_discrete[parents]]]
            numbers = _unit(values[:, parents[~is_discrete[parents]]])
            if is_discrete[node]:
                values[:, node] = self._category(numbers, levels, n_levels[node], streams[node], noises[node])
                experiments.set_levels(values.T, node, int(n_levels[node]))
            else:
                values[:, node] = self._number(numbers, levels, streams[node], noises[node])
                experiments.set_numbers(values, node)
        kinds: tuple[Kind, ...] = tuple("discrete" if each else "continuous" for each in is_discrete)
        labels = [labels_of(int(count)) if each else None for count, each in zip(n_levels, is_discrete, strict=True)]
        return Dataset(values, truth.names, kinds, tuple(labels), truth, was_set=experiments.was_set)

    def _number(
        self,
        numbers: Values,
        levels: list[NDArray[np.intp]],
        rng: np.random.Generator,
        of_noise: np.random.Generator,
    ) -> Values:
        """A number, whose parents contribute a variance of about 1 each."""
        n_samples = len(numbers)
        function, noise = rng.choice(FUNCTIONS), rng.choice(sorted(NOISES))
        column = rng.uniform(*self.noise_scale) * NOISES[noise](of_noise, (n_samples, 1))[:, 0]
        if numbers.shape[1]:
            effect = MECHANISMS[function].function(numbers, rng, Shape(self.weights, 1.0))
            column += np.sqrt(numbers.shape[1]) * _unit(effect[:, None])[:, 0]
        for codes in levels:
            column += _unit(rng.standard_normal(codes.max() + 1)[codes][:, None])[:, 0]
        return column

    def _category(
        self,
        numbers: Values,
        levels: list[NDArray[np.intp]],
        n_levels: int,
        rng: np.random.Generator,
        of_noise: np.random.Generator,
    ) -> NDArray[np.intp]:
        """The level of the largest utility in each row."""
        utilities = of_noise.gumbel(size=(len(numbers), n_levels))
        utilities += _OWN_UTILITY * rng.standard_normal(n_levels)
        for column in numbers.T:
            utilities += np.outer(column, self._utilities(1, n_levels, rng)[0])
        for codes in levels:
            utilities += self._utilities(codes.max() + 1, n_levels, rng)[codes]
        chosen: NDArray[np.intp] = utilities.argmax(axis=1)
        return chosen

    def _utilities(self, n_rows: int, n_levels: int, rng: np.random.Generator) -> Values:
        """Utilities of levels, (n_rows, n_levels), that differ by a size from the range of weights."""
        drawn = rng.standard_normal((n_rows, n_levels))
        drawn -= drawn.mean(axis=1, keepdims=True)
        if n_rows > 1:
            drawn -= drawn.mean(axis=0)
        utilities: Values = rng.uniform(*self.weights) * drawn / np.sqrt(np.square(drawn).mean())
        return utilities

    def in_words(self, n_samples: int) -> str:  # noqa: ARG002 - as of other models
        """Say how a variable comes about.

        Parameters
        ----------
        n_samples
            Number of rows.
        """
        fewest, most = self.n_levels
        return (
            f"half of the variables categories of {fewest} to {most} levels by random utilities, the others functions "
            f"of numbers of several kinds, shifted by levels, with noise of several shapes{self.plan.in_words()}"
        )


def _unit(columns: Values) -> Values:
    """Columns with mean 0 and variance 1; one that is constant becomes zeros."""
    centred = columns - columns.mean(axis=0)
    spread = centred.std(axis=0)
    scaled: Values = centred / np.where(spread > 0.0, spread, 1.0)
    return scaled
