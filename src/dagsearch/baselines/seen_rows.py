"""Tests of independence where cells are missing: each on the rows in which its variables were seen.

Test-wise deletion. Two columns that were never seen together are taken to be independent: nothing tells that they are
not. A conditioning set that leaves too few rows tells nothing either, least of all that it separates two variables
which other rows show to be dependent: they stay joined.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dagsearch._twins import Twins, coinciding

SINGULAR = 1e-12
"""Smallest eigenvalue of a correlation matrix whose inverse means anything."""

_SPARE_ROWS = 2  # Fisher's z has so many more rows than columns that its variance, 1 / (n - |given| - 3), is finite

Matrix = NDArray[np.float64]
MakeTest = Callable[[Matrix, str], Callable[[int, int, tuple[int, ...]], float]]


class SeenRowsTest:
    """A test of independence by the rows that have what it needs.

    Parameters
    ----------
    values
        (n_samples, n_nodes); NaN: missing.
    method
        ``"fisherz"``, or a test that counts codes of levels.
    make
        Makes the test for a complete table.

    Attributes
    ----------
    unseen
        Pairs (lower index, higher index) that too few rows hold together.
    n_undecided
        How many tests given others had too few rows.
    """

    def __init__(self, values: Matrix, method: str, make: MakeTest) -> None:
        self.method = method
        self.unseen: set[tuple[int, int]] = set()
        self.n_undecided = 0
        self._values, self._make = values, make
        self._seen = ~np.isnan(values)

    def __call__(self, first: int, second: int, given: tuple[int, ...]) -> float:
        """P-value of independence."""
        nodes = [first, second, *given]
        table = self._values[:, nodes][self._seen[:, nodes].all(axis=1)]
        if self.method == "fisherz":
            table = _without_constant_conditions(table)
        if not self._has_rows(table):
            return self._undecided(first, second, bool(given))
        if self.method == "fisherz" and _is_singular(table):
            return 0.0
        return float(self._make(table, self.method)(0, 1, tuple(range(2, table.shape[1]))))

    def _has_rows(self, table: Matrix) -> bool:
        """Whether the test is defined on such a table, (n_rows, n_columns)."""
        n_rows, n_columns = table.shape
        if self.method != "fisherz":
            return bool(n_rows)
        return bool(n_rows >= n_columns + _SPARE_ROWS and not _constant(table[:, :2]).any())

    def _undecided(self, first: int, second: int, is_conditional: bool) -> float:
        """What stands for the p-value of a test that cannot be made."""
        if is_conditional:
            self.n_undecided += 1
            return 0.0
        self.unseen.add((min(first, second), max(first, second)))
        return 1.0


def twins_with_gaps(values: Matrix, method: str) -> Twins:
    """Columns, (n_samples, n_nodes), that are the same and have the same cells missing."""
    n_nodes = values.shape[1]
    if method != "fisherz":
        return Twins(n_nodes, coinciding(values, np.ones(n_nodes, dtype=bool)))
    # Zero is the mean: columns that are not missing in the same rows cannot become proportional by it.
    filled = np.nan_to_num(values - np.nanmean(values, axis=0))
    return Twins.among(filled / np.sqrt(np.square(filled).mean(axis=0)), values)


def _without_constant_conditions(table: Matrix) -> Matrix:
    """The table without columns, from the third on, that hold one value: conditioning on them says nothing."""
    varies = ~_constant(table)
    varies[:2] = True
    return table[:, varies]


def _constant(table: Matrix) -> NDArray[np.bool_]:
    """Which columns hold one value or none."""
    constant: NDArray[np.bool_] = (table == table[:1]).all(axis=0)
    return constant


def _is_singular(table: Matrix) -> bool:
    """Whether columns determine each other, so that nothing is left to test."""
    return bool(np.linalg.eigvalsh(np.corrcoef(table.T))[0] < SINGULAR)
