"""The degenerate Gaussian score (Andrews, Ramsey and Cooper 2019), as a user's own score.

A category is taken for its indicator columns but one, all columns for jointly Gaussian: BIC of a variable given its
parents, with the parameters of a Gaussian over all their columns less those of one over the parents' alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import dagsearch as ds

_RIDGE = 1e-9  # of the unit variances: keeps determinants of columns that determine each other above zero


class DegenerateGaussian:
    """An object with ``local(node, parents)``, as `dagsearch.OrderSearch` takes it.

    Parameters
    ----------
    data
        Table of continuous and discrete columns.
    """

    def __init__(self, data: ds.Dataset) -> None:
        blocks = [_columns(x, kind) for x, kind in zip(data.values.T, data.kinds, strict=True)]
        self._n_samples = data.n_samples
        ends = np.cumsum([block.shape[1] for block in blocks])
        self._of = [list(range(end - block.shape[1], end)) for end, block in zip(ends, blocks, strict=True)]
        self._covariance = np.cov(np.hstack(blocks), rowvar=False, bias=True) + _RIDGE * np.eye(ends[-1])

    def local(self, node: int, parents: tuple[int, ...]) -> float:
        """BIC of a variable given its parents, in nats."""
        return self._bic([node, *parents]) - self._bic(list(parents))

    def _bic(self, nodes: list[int]) -> float:
        columns = [column for node in nodes for column in self._of[node]]
        _, log_determinant = np.linalg.slogdet(self._covariance[np.ix_(columns, columns)])
        n_parameters = len(columns) * (len(columns) + 1) / 2
        return -0.5 * self._n_samples * float(log_determinant) - 0.5 * n_parameters * np.log(self._n_samples)


def _columns(x: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """Standardised columns of a variable."""
    columns = x[:, None] if kind == "continuous" else (x[:, None] == np.unique(x)[1:]).astype(np.float64)
    centred = columns - columns.mean(axis=0)
    return centred / np.where(centred.std(axis=0) > 0.0, centred.std(axis=0), 1.0)
