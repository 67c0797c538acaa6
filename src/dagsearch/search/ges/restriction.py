"""What is known beforehand, as a restriction of greedy equivalence search.

A class is entered only if one of its DAGs has all required edges and no forbidden one: of all steps that gain, the best
one that leads to such a class is taken. An insertion or deletion of an edge in any DAG of a class is a step from the
class (Chickering 2002, theorems 15 and 17), so that no step between two DAGs that fit what is known is lost. With tiers
over all variables the forward phase therefore still ends in a class that can represent the distribution; with other
forbidden edges it may not, as no restricted search can promise that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.background import with_directions

BoolMatrix = NDArray[np.bool_]
Class = NDArray[np.int8]


class Restriction:
    """What is known of edges, and which classes fit it.

    Parameters
    ----------
    allowed
        (n_nodes, n_nodes); not [i, j]: there is no edge i -> j.
    required
        (n_nodes, n_nodes); [i, j]: there is an edge i -> j. Acyclic and allowed.

    Attributes
    ----------
    may_join, may_part
        (n_nodes, n_nodes), symmetric: pairs of nodes between which there may be an edge, and may be none.
    """

    def __init__(self, allowed: BoolMatrix, required: BoolMatrix) -> None:
        self.required = required
        self.may_join = allowed | allowed.T
        self.may_part = ~(required | required.T)
        self._apart = ~self.may_join
        np.fill_diagonal(self._apart, False)
        self._directions = required | (allowed & ~allowed.T)
        self._known: dict[bytes, Class | None] = {}

    def oriented(self, cpdag: Class) -> Class | None:
        """Return a class with the directions that follow from what is known; None if no member fits."""
        key = np.packbits(cpdag).tobytes()
        if key not in self._known:
            self._known[key] = self._oriented(cpdag)
        return self._known[key]

    def _oriented(self, cpdag: Class) -> Class | None:
        joined = (cpdag | cpdag.T).astype(bool)
        if (joined & self._apart).any() or (self.required & ~joined).any():
            return None
        return with_directions(cpdag, self._directions)
