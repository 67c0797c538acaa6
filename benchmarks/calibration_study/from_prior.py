"""Discrete tables drawn from the very prior that ``bdeu`` has: there, an exact posterior has to be calibrated.

The graph is uniform over all DAGs, each row of a table is from the Dirichlet distribution of the score. What is wrong
here is wrong in the sums, not in the assumptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

import dagsearch as ds
from dagsearch.datasets.bayesian_network import BayesianNetwork

SAMPLE_SIZE = 10.0
"""Of the prior. With 1, tables of several parents would be all but deterministic, and many columns constant."""
MOST_PARENTS = 6
"""A uniform prior over all DAGs with at most so many parents, lest tables outgrow any use."""
_LEVELS = (2, 3)


class _Flat:
    """A score that finds all graphs equally good."""

    def local(self, node: int, parents: Sequence[int]) -> float:  # noqa: ARG002 - the same whatever they are
        """The same for all parents."""
        return 0.0


def table(n_nodes: int, n_rows: int, rng: np.random.Generator) -> ds.Dataset:
    """Draw graph, tables and rows until no column is constant.

    Choosing by the rows leaves their posterior as it is, and so its calibration.
    """
    while True:
        data = _network(n_nodes, rng).sample(n_rows, rng)
        if (np.ptp(data.values, axis=0) > 0).all():
            return data


def _network(n_nodes: int, rng: np.random.Generator) -> BayesianNetwork:
    names = [f"X{k}" for k in range(1, n_nodes + 1)]
    dag = ds.DAG(uniform_dag(n_nodes, rng), names)
    n_levels = rng.integers(*_LEVELS, size=n_nodes, endpoint=True)
    tables = []
    for node in range(n_nodes):
        shape = tuple(int(n) for n in n_levels[np.flatnonzero(dag.adjacency[:, node])])
        own = int(n_levels[node])
        weight = SAMPLE_SIZE / (np.prod(shape, dtype=np.int64) * own)
        tables.append(rng.dirichlet(np.full(own, weight), size=shape))
    labels = tuple(tuple(f"s{k}" for k in range(n)) for n in n_levels)
    return BayesianNetwork(dag, labels, tuple(tables))


def uniform_dag(n_nodes: int, rng: np.random.Generator) -> np.ndarray:
    """Adjacency matrix of a DAG, drawn uniformly from all that have at most `MOST_PARENTS`."""
    drawn: np.ndarray = uniform_dags(n_nodes).sampler(1, rng)[0]
    return drawn


@cache
def uniform_dags(n_nodes: int) -> ds.Confidence:
    """The posterior of a score that prefers nothing: the prior."""
    rows = np.random.default_rng(0).standard_normal((10, n_nodes))
    return ds.posterior(rows, score=_Flat(), max_parents=MOST_PARENTS, n_samples=0)
