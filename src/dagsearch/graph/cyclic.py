"""Directed graphs that are not acyclic: what a method without a guarantee may end in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError
from dagsearch.graph.base import NamedGraph
from dagsearch.graph.order import find_cycle


class CyclicGraph(NamedGraph):
    """A directed graph with a cycle over named nodes; immutable, comparable and hashable.

    It is no causal graph and has neither reward nor metrics; it shows what a method such as NOTEARS ended in.

    Parameters
    ----------
    adjacency
        Square matrix of zeros and ones, shape (n_nodes, n_nodes); ``[i, j] == 1`` means i -> j, also where
        ``[j, i] == 1`` as well.
    names
        One name per node; by default a data frame's columns, otherwise ``x0, x1, ...``.

    Raises
    ------
    InputError
        Where the matrix is not square, holds other values than 0 and 1, does not fit the names, or has no cycle.
    """

    __slots__ = ()

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs (cause, effect), ordered by the positions of cause and effect."""
        return self.directed_edges

    @property
    def undirected_edges(self) -> list[tuple[str, str]]:
        """Always empty: edges both ways are two directed edges here."""
        return []

    @property
    def n_edges(self) -> int:
        """Number of edges; edges both ways count twice."""
        return int(self._adjacency.sum(dtype=np.int64))

    @property
    def cycle(self) -> list[str]:
        """The names on one cycle, in the order of its edges."""
        return [self._names[node] for node in find_cycle(self._adjacency) or []]

    @property
    def _directed(self) -> npt.NDArray[np.int8]:
        return self._adjacency

    def _check_acyclic(self) -> None:
        if find_cycle(self._adjacency) is None:
            raise InputError("a CyclicGraph must have a cycle; this graph is a DAG")
