"""Pruning by the size of regression coefficients, for linear and quadratic scores."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray


def keep_large_coefficients(
    adjacency: NDArray[np.int8], x: NDArray[np.float64], threshold: float, degree: int
) -> NDArray[np.int8]:
    """Adjacency with only the edges whose parent enters a monomial with a coefficient above ``threshold``.

    Parameters
    ----------
    adjacency
        (n_nodes, n_nodes), [i, j] == 1 means i -> j.
    x
        Standardised table (n_samples, n_nodes).
    threshold, degree
        Smallest absolute coefficient that counts; largest degree of the monomials.
    """
    kept = np.zeros_like(adjacency)
    for node in range(len(adjacency)):
        parents = np.flatnonzero(adjacency[:, node])
        if len(parents):
            kept[_supported(x, parents, node, threshold, degree), node] = 1
    return kept


def _supported(
    x: NDArray[np.float64], parents: NDArray[np.intp], node: int, threshold: float, degree: int
) -> list[int]:
    """The parents of ``node`` that some large coefficient involves."""
    monomials = [m for k in range(1, degree + 1) for m in combinations_with_replacement(parents.tolist(), k)]
    columns = np.column_stack([np.ones(len(x)), *(x[:, list(m)].prod(axis=1) for m in monomials)])
    coefficients = np.linalg.lstsq(columns, x[:, node], rcond=None)[0][1:]
    large = [m for m, c in zip(monomials, coefficients, strict=True) if abs(c) > threshold]
    return sorted({parent for monomial in large for parent in monomial})
