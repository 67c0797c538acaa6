"""Columns of a table that cannot be told apart, and what is needless beside them.

Twins are columns of which each determines the other. As causes of a third column, one of them says what both would;
and a column with a twin among its causes leaves nothing for others to explain. Fits that are made all the same are
singular, or take rounding for evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Nearly all columns already differ within so many rows, which saves reading the rest of them.
_FIRST_ROWS = 200

# One less a squared correlation below which columns are compared number by number: correlations round.
_NEARLY_ONE = 1e-9
_SINGLE, _DOUBLE = 2.0**-24, 2.0**-53  # of a number that was rounded once
_SHORT = 2.0**-16  # numbers that need no more digits than that are not rounded to single precision, but simple
_ROUNDINGS = 8.0  # how many times a number may have been rounded, generously

Groups = list[list[int]]


class Twins:
    """Which columns are twins, for whoever fits one column on others.

    Parameters
    ----------
    n_nodes
        Number of columns.
    groups
        Columns that are twins of each other, in ascending order.

    Attributes
    ----------
    first
        (n_nodes,) the first twin of each column, itself if there is none before it.
    """

    def __init__(self, n_nodes: int, groups: Groups) -> None:
        self.first = np.arange(n_nodes)
        for group in groups:
            self.first[group] = group[0]
        self._first: list[int] = self.first.tolist()
        self._any = bool(groups)

    @classmethod
    def among(cls, standardised: NDArray[np.float64], values: NDArray[np.float64]) -> Twins:
        """Twins among columns, (n_samples, n_nodes): those that are `proportional`."""
        return cls(standardised.shape[1], proportional(standardised, values))

    def needed(self, node: int, parents: Sequence[int]) -> tuple[int, ...]:
        """The parents that say something about ``node``: its first twin alone, or one of each group of twins."""
        if not self._any:
            return tuple(parents)
        own = self._first[node]
        for parent in parents:
            if self._first[parent] == own:
                return (parent,)
        by_group: dict[int, int] = {}
        for parent in parents:
            by_group.setdefault(self._first[parent], parent)
        return tuple(by_group.values())

    def determines(self, node: int, parents: Sequence[int]) -> bool:
        """Whether a twin of ``node`` is among the parents."""
        return self._any and any(self._first[parent] == self._first[node] for parent in parents)

    def needed_edges(self, adjacency: NDArray[np.int8]) -> NDArray[np.int8]:
        """The edges, (n_nodes, n_nodes), from needed parents."""
        edges = np.zeros_like(adjacency)
        for node, column in enumerate(adjacency.T):
            edges[list(self.needed(node, np.flatnonzero(column).tolist())), node] = 1
        return edges


def coinciding(values: NDArray[np.float64], is_discrete: NDArray[np.bool_]) -> Groups:
    """Groups of at least two columns that hold the same information; constant columns belong to none.

    Continuous columns do if their values are equal; discrete ones if each value of one always comes with the same value
    of the other, whatever these are called.

    Parameters
    ----------
    values
        (n_samples, n_nodes), without missing values.
    is_discrete
        (n_nodes,)

    Returns
    -------
    list
        Indices of columns, ascending in each group; groups by their first column.
    """
    varying = np.flatnonzero((values != values[0]).any(axis=0)).tolist()
    alike = _alike(values[:_FIRST_ROWS], is_discrete, varying)
    return sorted(group for columns in alike for group in _alike(values, is_discrete, columns))


def proportional(standardised: NDArray[np.float64], values: NDArray[np.float64]) -> Groups:
    """Groups of at least two columns that are the same up to unit, offset, sign and rounding.

    Columns that differ by more than rounding are different, however little: the difference may be what tells.

    Parameters
    ----------
    standardised
        (n_samples, n_nodes) with mean 0 and standard deviation 1.
    values
        (n_samples, n_nodes) the same as they were read, whose digits tell how they are rounded; NaN: missing.
    """
    correlations = standardised.T @ standardised / len(standardised)
    same = np.eye(len(correlations), dtype=bool)
    suspects = np.argwhere(np.triu(1.0 - np.square(correlations) <= _NEARLY_ONE, 1))
    if len(suspects):
        roundings = _rounding(values)
        for i, j in suspects.tolist():
            difference = standardised[:, i] - math.copysign(1.0, correlations[i, j]) * standardised[:, j]
            allowed = _ROUNDINGS * (roundings[i] + roundings[j])
            same[i, j] = same[j, i] = float(np.sqrt(np.square(difference).mean())) <= allowed
    first = same.argmax(axis=1)
    return [np.flatnonzero(first == j).tolist() for j in np.flatnonzero(np.bincount(first) > 1)]


def _rounding(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What one rounding changes in each column, (n_nodes,), in standard deviations; of either precision."""
    filled = np.nan_to_num(values)
    size = np.abs(filled).max(axis=0)
    size[size == 0.0] = 1.0
    mantissas = np.frexp(filled)[0]
    is_single = (mantissas == mantissas.astype(np.float32)).all(axis=0)
    is_short = (np.rint(mantissas / _SHORT) * _SHORT == mantissas).all(axis=0)
    spread = np.nanstd(values / size, axis=0)
    return np.asarray(np.where(is_single & ~is_short, _SINGLE, _DOUBLE) / np.where(spread > 0.0, spread, 1.0))


def _alike(values: NDArray[np.float64], is_discrete: NDArray[np.bool_], columns: Iterable[int]) -> Groups:
    """Groups among some columns, by a hash of what they hold."""
    groups: dict[tuple[bool, bytes], list[int]] = {}
    for column in columns:
        discrete = bool(is_discrete[column])
        groups.setdefault((discrete, _hash(values[:, column], discrete)), []).append(column)
    return [group for group in groups.values() if len(group) > 1]


def _hash(column: NDArray[np.float64], discrete: bool) -> bytes:
    # Levels are numbered as they appear. Adding zero turns -0.0 into 0.0, which are equal though their bytes differ.
    content = pd.factorize(column)[0].astype(np.int32) if discrete else column + 0.0
    return blake2b(content.tobytes(), digest_size=16).digest()
