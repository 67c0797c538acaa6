"""What variables are to those that depend on them: blocks of coordinates, each of total variance 1.

A number is its standardised column. A category has one coordinate per level, 1 in the rows of that level, centred: two
rows of different levels are equally far apart whichever levels these are, and effects of all levels have the same
prior, however rare a level is. The levels of an ordered category become one number: the quantile of a normal
distribution that belongs to the middle of their ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch._scales import rescaled
from dagsearch.data import Dataset, standardised

Matrix = NDArray[np.float64]


class Coordinates(NamedTuple):
    """Coordinates of all variables, one below the other; those of variable k are rows starts[k] to starts[k + 1]."""

    rows: Matrix  # (n_coordinates, n_samples)
    starts: NDArray[np.int64]  # (n_nodes + 1,)


def coordinates_of(data: Dataset) -> Coordinates:
    """The coordinates of the variables of a table; a constant column is one coordinate of zeros."""
    blocks = [_block(data, node) for node in range(data.n_nodes)]
    return Coordinates(np.concatenate(blocks), np.cumsum([0, *map(len, blocks)]))


def _block(data: Dataset, node: int) -> Matrix:
    column = data.values[:, [node]]
    if data.kinds[node] == "continuous":
        return standardised(column).T
    if data.ordered[node]:
        return standardised(rescaled(column, "normal-scores")).T
    return _levels(column[:, 0])


def _levels(column: Matrix) -> Matrix:
    """Coordinates of a category, (n_levels, n_samples)."""
    levels, codes = np.unique(column, return_inverse=True)
    if len(levels) < 2:
        return np.zeros((1, len(column)))
    ones = (codes == np.arange(len(levels))[:, None]).astype(np.float64)
    centred = ones - ones.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt(np.square(centred).sum() / len(column)))
