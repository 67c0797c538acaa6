"""Pruning by the size of regression coefficients, for linear and quadratic scores."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray


def largest_coefficients(adjacency: NDArray[np.int8], x: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """Largest absolute coefficient of a monomial that involves the cause, per edge; NaN where there is no edge.

    Parameters
    ----------
    adjacency
        (n_nodes, n_nodes), [i, j] == 1 means that i explains j: i -> j, or i - j, which has both entries.
    x
        Standardised table (n_samples, n_nodes).
    degree
        Largest degree of the monomials.
    """
    largest = np.full(adjacency.shape, np.nan)
    for node in range(len(adjacency)):
        parents = np.flatnonzero(adjacency[:, node])
        if len(parents):
            largest[parents, node] = _largest(x, parents, node, degree)
    return largest


def _largest(x: NDArray[np.float64], parents: NDArray[np.intp], node: int, degree: int) -> list[float]:
    """For each parent of ``node`` the largest absolute coefficient that involves it."""
    monomials = [m for k in range(1, degree + 1) for m in combinations_with_replacement(parents.tolist(), k)]
    columns = np.column_stack([np.ones(len(x)), *(x[:, list(m)].prod(axis=1) for m in monomials)])
    sizes = np.abs(np.linalg.lstsq(columns, x[:, node], rcond=None)[0][1:])
    return [max(size for m, size in zip(monomials, sizes, strict=True) if parent in m) for parent in parents]
