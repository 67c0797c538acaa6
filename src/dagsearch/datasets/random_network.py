"""Discrete variables from a DAG: a Bayesian network with random tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dagsearch.data import Dataset
from dagsearch.datasets.bayesian_network import BayesianNetwork
from dagsearch.datasets.experiments import NOTHING_SET, Plan
from dagsearch.errors import InputError
from dagsearch.graph import DAG

#: A table with more probabilities is refused: it would fill the memory, and no sample could tell its rows apart.
MOST_PROBABILITIES = 10**6


@dataclass(frozen=True)
class RandomTables:
    """Conditional probability tables from Dirichlet distributions; its fields are arguments of `simulate`, checked."""

    n_levels: tuple[int, int]
    concentration: float
    plan: Plan = NOTHING_SET

    def sample(
        self, truth: DAG, n_samples: int, of_functions: np.random.Generator, of_noise: np.random.Generator
    ) -> Dataset:
        """Draw a network and rows from it.

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
            If a table would be too large, or if rows do not suffice for experiments.
        """
        variables, share = self.plan
        network = self.network(truth, of_functions)
        return network.sample(n_samples, of_noise, interventions=variables, intervention_share=share)

    def network(self, truth: DAG, rng: np.random.Generator) -> BayesianNetwork:
        """Draw the number of levels of each variable, and then the rows of all tables.

        Parameters
        ----------
        truth
            The graph.
        rng
            Changed in place.

        Raises
        ------
        InputError
            If a table would be too large.
        """
        fewest, most = self.n_levels
        of_levels, *streams = rng.spawn(truth.n_nodes + 1)
        n_levels = of_levels.integers(fewest, most, size=truth.n_nodes, endpoint=True)
        shapes = [tuple(map(int, n_levels[[*_parents(truth, j), j]])) for j in range(truth.n_nodes)]
        for name, shape in zip(truth.names, shapes, strict=True):
            _require_room(name, shape)
        tables = [
            stream.dirichlet([self.concentration] * shape[-1], size=shape[:-1])
            for stream, shape in zip(streams, shapes, strict=True)
        ]
        return BayesianNetwork(truth, tuple(labels_of(shape[-1]) for shape in shapes), tuple(tables))

    def in_words(self, n_samples: int) -> str:  # noqa: ARG002 - as of other models
        """Say how a variable comes about.

        Parameters
        ----------
        n_samples
            Number of rows.
        """
        fewest, most = self.n_levels
        n_levels = f"{most}" if fewest == most else f"{fewest} to {most}"
        tables = f"tables from Dirichlet distributions ({self.concentration:g})"
        return f"discrete variables of {n_levels} levels, {tables}{self.plan.in_words()}"


def _parents(truth: DAG, node: int) -> list[int]:
    return [int(parent) for parent in np.flatnonzero(truth.adjacency[:, node])]


def _require_room(name: str, shape: tuple[int, ...]) -> None:
    if math.prod(shape) > MOST_PROBABILITIES:
        raise InputError(
            f"mechanism 'discrete' needs a table of {math.prod(shape)} probabilities for {name}, which has "
            f"{len(shape) - 1} parents; at most {MOST_PROBABILITIES} are possible: take fewer edges or levels"
        )


def labels_of(n_levels: int) -> tuple[str, ...]:
    """Text, so that a table in a file is read as discrete however many levels it has; sorted like the levels."""
    width = len(str(n_levels))
    return tuple(f"s{k:0{width}d}" for k in range(1, n_levels + 1))
