"""One order of the columns for each set of names: what a method finds does not depend on the order of the table then.

Names are sorted as people sort them: by letters, and numbers within them by their size, so that x2 comes before x10.
A method works on the columns in this order, whatever the order in the table, so that ties, the start of an iteration
and what rounding does are the same; what it found is then turned back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

AS_PUBLISHED = (
    ("praf", "pmek", "plcg", "PIP2", "PIP3", "p44/42", "pakts473", "PKA", "PKC", "P38", "pjnk"),  # Sachs et al. 2005
)
"""Tables that keep the order in which they were published: runs on them are on record, and others compare with them.

The other published tables are sorted as they are.
"""

_NUMBERS = re.compile("([0-9]+)")

Entry = TypeVar("Entry", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The columns of a table in the order of their names.

    Attributes
    ----------
    columns
        Which column of the table comes at each place, (n_nodes,).
    """

    columns: NDArray[np.intp]

    @classmethod
    def of(cls, names: Sequence[str]) -> Self:
        """The arrangement of columns with these names, which are distinct."""
        rank = {name: place for place, name in enumerate(arranged(names))}
        return cls(np.argsort([rank[name] for name in names], kind="stable"))

    @property
    def places(self) -> NDArray[np.intp]:
        """Where each column of the table comes, (n_nodes,)."""
        return np.argsort(self.columns)

    def table(self, values: NDArray[Entry]) -> NDArray[Entry]:
        """The columns of a table, (n_samples, n_nodes), arranged; it lies in memory as one that was given so."""
        return np.ascontiguousarray(values[:, self.columns])

    def pairs(self, matrix: NDArray[Entry]) -> NDArray[Entry]:
        """A matrix of pairs of columns, (n_nodes, n_nodes), arranged."""
        return np.ascontiguousarray(matrix[np.ix_(self.columns, self.columns)])

    def pairs_back(self, matrix: NDArray[Any]) -> NDArray[Any]:
        """A matrix of pairs of arranged columns in the order of the table."""
        return np.ascontiguousarray(matrix[np.ix_(self.places, self.places)])

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names of the columns, arranged."""
        return tuple(names[column] for column in self.columns)


def arranged(names: Sequence[str]) -> list[str]:
    """Return names in the order that they have whatever the order of the columns."""
    for published in AS_PUBLISHED:
        if set(published) == set(names):
            return list(published)
    return sorted(names, key=_natural)


def _natural(name: str) -> tuple[tuple[tuple[str, tuple[int, str]], ...], str]:
    """A key that sorts numbers in names by their size, however long; the name itself where "1" and "01" are alike."""
    parts = [*_NUMBERS.split(name), ""]
    pairs = tuple((text, _size(digits)) for text, digits in zip(parts[::2], parts[1::2], strict=True))
    return pairs, name


def _size(digits: str) -> tuple[int, str]:
    significant = digits.lstrip("0")
    return len(significant), significant
