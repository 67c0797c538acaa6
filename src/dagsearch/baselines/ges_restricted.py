"""Steps of greedy equivalence search within what is known beforehand.

A class is entered only if one of its DAGs has all required edges and no forbidden one. The operators are those of the
package ``ges``; of all that gain, the best one that leads to such a class is taken. An insertion or deletion of an edge
in any DAG of a class is an operator on the class (Chickering 2002, theorems 15 and 17), so that no step between two
DAGs that fit what is known is lost. With tiers over all variables the forward phase therefore still ends in a class
that can represent the distribution; with other forbidden edges it may not, as no restricted search can promise that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.background import with_directions
from dagsearch.graph.equivalence import cpdag as cpdag_of
from dagsearch.graph.extension import consistent_extension

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
    """

    def __init__(self, allowed: BoolMatrix, required: BoolMatrix) -> None:
        self.required = required
        self._apart = ~(allowed | allowed.T)
        np.fill_diagonal(self._apart, False)
        self._directions = required | (allowed & ~allowed.T)
        self._known: dict[bytes, Class | None] = {}

    def may_join(self, first: int, second: int) -> bool:
        """Whether there may be an edge between two nodes."""
        return not self._apart[first, second]

    def oriented(self, cpdag: Class) -> Class | None:
        """Return a class with the directions that follow from what is known; None if no member fits."""
        key = cpdag.tobytes()
        if key not in self._known:
            self._known[key] = self._oriented(cpdag)
        return self._known[key]

    def _oriented(self, cpdag: Class) -> Class | None:
        joined = (cpdag | cpdag.T).astype(bool)
        if (joined & self._apart).any() or (self.required & ~joined).any():
            return None
        return with_directions(cpdag, self._directions)


def restricted_steps(restriction: Restriction) -> dict[str, Callable[..., tuple[float, Any]]]:
    """Return the best step of each phase that stays within what is known, as the package has those without."""
    from ges import main as package  # noqa: PLC0415

    operators = {
        "forward": (_pairs_apart, package.score_valid_insert_operators),
        "backward": (_pairs_joined, package.score_valid_delete_operators),
        "turning": (_edges_reversed, package.score_valid_turn_operators),
    }

    def step_of(pairs: Callable[[Class], Iterator[tuple[int, int]]], score_operators: Any) -> Any:
        def step(cpdag: Class, memo: Any) -> tuple[float, Any]:
            possible = [pair for pair in pairs(cpdag) if restriction.may_join(*pair)]
            found = [each[:2] for x, y in possible for each in score_operators(x, y, cpdag, memo)]
            # Sorting keeps the order of equals: the first of them is the one that the package takes.
            for gain, changed in sorted(found, key=lambda each: -each[0]):
                if gain <= 0.0:
                    break
                member = consistent_extension(changed.astype(np.int8)).adjacency
                if restriction.oriented(cpdag_of(member)) is not None:
                    return float(gain), changed
            return 0.0, cpdag

        return step

    return {phase: step_of(*how) for phase, how in operators.items()}


def _pairs_apart(cpdag: Class) -> Iterator[tuple[int, int]]:
    """Ordered pairs that could be joined."""
    return _rows(cpdag + cpdag.T + np.eye(len(cpdag), dtype=np.int8) == 0)


def _pairs_joined(cpdag: Class) -> Iterator[tuple[int, int]]:
    """Edges that could be deleted: directed ones, then undirected ones once, as the package lists them."""
    mixed = cpdag.astype(bool)
    yield from _rows(mixed & ~mixed.T)
    yield from _rows(np.tril(mixed & mixed.T))


def _edges_reversed(cpdag: Class) -> Iterator[tuple[int, int]]:
    """Edges the other way round."""
    return ((second, first) for first, second in _rows(cpdag != 0))


def _rows(matrix: BoolMatrix) -> Iterator[tuple[int, int]]:
    return ((int(i), int(j)) for i, j in np.argwhere(matrix))
