"""The part of a graph around some of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import queries

if TYPE_CHECKING:
    from dagsearch.graph.base import NamedGraph


class Focus(NamedTuple):
    """What people want to look at: some variables, and all that lie up to some number of edges away from them.

    Attributes
    ----------
    names
        The variables, at least one.
    distance
        Number of edges, whichever way they point; 1: direct causes and effects.
    """

    names: tuple[str, ...]
    distance: int = 1

    @property
    def in_words(self) -> str:
        """Such as ``focus on a, b (up to 2 edges away)``."""
        steps = "" if self.distance == 1 else f" (up to {self.distance} edges away)"
        return f"focus on {', '.join(self.names)}{steps}"

    def check(self, names: Sequence[str]) -> None:
        """Complain about a variable that is not one of some names; the nearest one is suggested."""
        for name in self.names:
            if name not in names:
                raise UnknownNameError("variable to focus on", name, names)


def focus_of(names: str | Iterable[str] | None, distance: int = 1) -> Focus | None:
    """What to look at, from what people write: a name, several, or None for everything."""
    if names is None:
        return None
    distance = _checked_distance("focus_distance", distance, 1)
    listed = (names,) if isinstance(names, str) else tuple(names)
    if not all(isinstance(name, str) for name in listed):
        raise InputError(f"focus must be a name or several, got {names!r}")
    return Focus(tuple(dict.fromkeys(listed)), distance) if listed else None


def neighbourhood(graph: NamedGraph, names: queries.Nodes, distance: int = 1) -> set[int]:
    """Return the positions of some nodes, and of all up to some number of edges away from them.

    Parameters
    ----------
    graph
        A DAG, PDAG or CyclicGraph.
    names
        One node or several, by name or position.
    distance
        Number of edges, whichever way they point, and directed or not; 0: the nodes themselves.

    Raises
    ------
    UnknownNameError
        Where no node has such a name; the nearest name is suggested.
    InputError
        Where the distance is negative or no whole number.
    """
    distance = _checked_distance("distance", distance, 0)
    return within(graph.adjacency, queries.nodes_of(graph, names), distance)


def _checked_distance(argument: str, distance: int, least: int) -> int:
    if isinstance(distance, bool) or not isinstance(distance, int | np.integer) or distance < least:
        raise InputError(f"{argument} must be a whole number from {least} on, got {distance!r}")
    return int(distance)


def within(adjacency: npt.NDArray[np.int8], starts: Iterable[int], distance: int) -> set[int]:
    """Nodes up to some number of edges away from others, these included; ``adjacency`` is (n_nodes, n_nodes)."""
    joined = (adjacency | adjacency.T).astype(bool)
    found = np.zeros(len(joined), dtype=bool)
    found[list(starts)] = True
    for _ in range(min(distance, len(joined))):
        found |= joined[found].any(axis=0)
    return {int(node) for node in np.flatnonzero(found)}
