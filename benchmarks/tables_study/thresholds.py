"""Numbers and categories by linear models: a category is where a sum of its causes and normal noise falls.

No score under test has this model for categories: their choices are probits, which `mixed` takes for logits, and levels
act on others by their numbers, which neither `mixed` nor counts know.
"""

from __future__ import annotations

import numpy as np

import dagsearch as ds

_WEIGHTS = (0.4, 1.2)
_LEAST_SHARE = 0.15  # of the rows in the rarest level, of equal ones that are then shifted


def threshold_table(n_nodes: int, n_edges: int, n_rows: int, levels: tuple[int, int], seed: int) -> ds.Dataset:
    """A table of which half of the columns are categories, and its truth."""
    truth = ds.datasets.simulate(n_nodes, 10, n_edges=n_edges, random_state=seed).truth
    rng = np.random.default_rng([seed, n_rows])
    is_discrete = rng.permutation(n_nodes) < n_nodes // 2
    signs = rng.choice([-1.0, 1.0], (n_nodes, n_nodes))
    weights = truth.adjacency * rng.uniform(*_WEIGHTS, (n_nodes, n_nodes)) * signs
    n_levels = rng.integers(*levels, size=n_nodes, endpoint=True)
    values = np.zeros((n_rows, n_nodes))
    known: set[int] = set()
    while len(known) < n_nodes:
        for node in range(n_nodes):
            if node in known or not set(np.flatnonzero(truth.adjacency[:, node])) <= known:
                continue
            latent = _unit(values) @ weights[:, node] + rng.normal(size=n_rows)
            values[:, node] = _cut(latent, n_levels[node], rng) if is_discrete[node] else latent
            known.add(node)
    kinds = tuple("discrete" if discrete else "continuous" for discrete in is_discrete)
    return ds.Dataset(values, truth.names, kinds, (None,) * n_nodes, truth)


def _cut(latent: np.ndarray, n_levels: int, rng: np.random.Generator) -> np.ndarray:
    """Levels of which none is rare."""
    shares = _LEAST_SHARE + (1.0 - n_levels * _LEAST_SHARE) * rng.dirichlet(np.ones(n_levels))
    return np.searchsorted(np.quantile(latent, np.cumsum(shares)[:-1]), latent).astype(float)


def _unit(values: np.ndarray) -> np.ndarray:
    scale = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(scale > 0.0, scale, 1.0)
