"""What DAG and PDAG have in common: names, a matrix, and immutability."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dagsearch._display import DisplayedGraph
from dagsearch.errors import InputError
from dagsearch.graph import checks, dot, focus, queries, separation


class NamedGraph(DisplayedGraph, ABC):
    """An immutable graph over named nodes; the base of `DAG` and `PDAG`.

    Parameters
    ----------
    adjacency
        Square matrix of zeros and ones, shape (n_nodes, n_nodes), as an array, nested list or data frame.
    names
        One name per node; by default a data frame's columns, otherwise ``x0, x1, ...``.

    Raises
    ------
    InputError
        Where the matrix is not square, holds other values than 0 and 1, or does not fit the names.
    CycleError
        Where directed edges form a cycle; the message shows it.
    """

    __slots__ = ("_adjacency", "_names")

    def __init__(self, adjacency: Any, names: Iterable[object] | None = None) -> None:
        matrix = checks.checked_matrix(adjacency)
        n_nodes = len(matrix)
        self._names = checks.names_of_matrix(adjacency, n_nodes) if names is None else checks.checked_names(names)
        if len(self._names) != n_nodes:
            raise InputError(f"names must hold {n_nodes} names, one for each node, got {len(self._names)}")
        matrix.setflags(write=False)
        self._adjacency = matrix
        self._check_acyclic()

    @abstractmethod
    def _check_acyclic(self) -> None:
        """Raise CycleError where the edges that must not form a cycle do."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes, in the order of the matrix."""
        return self._names

    @property
    def adjacency(self) -> npt.NDArray[np.int8]:
        """Read-only matrix of shape (n_nodes, n_nodes); ``[i, j] == 1`` means i -> j."""
        return self._adjacency

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._names)

    @property
    def n_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return int(np.triu(self._adjacency | self._adjacency.T).sum(dtype=np.int64))

    @property
    def directed_edges(self) -> list[tuple[str, str]]:
        """Pairs (cause, effect), ordered by the positions of cause and effect."""
        return self._named_pairs(self._directed)

    @property
    def undirected_edges(self) -> list[tuple[str, str]]:
        """Pairs of neighbours, each pair once with the lower position first; always empty for a DAG."""
        return self._named_pairs(np.triu(self._adjacency & self._adjacency.T))

    def index(self, name: str | int) -> int:
        """Return the position of a node.

        Parameters
        ----------
        name
            The node's name; a position is checked and returned as it is.

        Raises
        ------
        UnknownNameError
            Where no node has that name; the nearest name is suggested.
        """
        return checks.position(name, self._names)

    def parents(self, name: str | int) -> list[str]:
        """Return the names of a node's direct causes, in the order of `names`."""
        return self._named(self._directed[:, self.index(name)])

    def children(self, name: str | int) -> list[str]:
        """Return the names of a node's direct effects, in the order of `names`."""
        return self._named(self._directed[self.index(name)])

    def ancestors(self, name: str | int) -> list[str]:
        """Return the names of a node's causes, direct or not, in the order of `names`.

        Only directed edges count: in a graph with undirected ones these are the causes that are certain.
        """
        node = self.index(name)
        found = separation.reachable(self._directed.T, [node]) - {node}
        return [self._names[ancestor] for ancestor in sorted(found)]

    def descendants(self, name: str | int) -> list[str]:
        """Return the names of what a node has an effect on, direct or not, in the order of `names`.

        Only directed edges count: in a graph with undirected ones these are the effects that are certain.
        """
        node = self.index(name)
        found = separation.reachable(self._directed, [node]) - {node}
        return [self._names[descendant] for descendant in sorted(found)]

    def neighbourhood(self, names: queries.Nodes, distance: int = 1) -> list[str]:
        """Return the names of some nodes and of all that are near them, in the order of `names`.

        Parameters
        ----------
        names
            One node or several, by name or position.
        distance
            Up to how many edges away, whichever way they point, and directed or not; 1: direct causes and effects.

        Raises
        ------
        UnknownNameError
            Where no node has such a name; the nearest name is suggested.
        InputError
            Where the distance is negative or no whole number.
        """
        return [self._names[node] for node in sorted(focus.neighbourhood(self, names, distance))]

    def with_names(self, names: Iterable[object]) -> Self:
        """Return the same graph with other names, given in the order of `names`."""
        return type(self)(self._adjacency, names)

    def to_networkx(self) -> Any:
        """Return a `networkx.DiGraph` with all nodes; an undirected edge becomes one edge each way."""
        import networkx as nx  # noqa: PLC0415

        graph = nx.DiGraph()
        graph.add_nodes_from(self._names)
        graph.add_edges_from(self._named_pairs(self._adjacency))
        return graph

    def to_dot(self) -> str:
        """Return the graph as Graphviz source; undirected edges have no arrowhead."""
        return dot.to_dot(self)

    @property
    def _directed(self) -> npt.NDArray[np.int8]:
        """The directed edges alone, shape (n_nodes, n_nodes)."""
        return self._adjacency & ~self._adjacency.T

    def _named(self, chosen: npt.NDArray[np.int8]) -> list[str]:
        """Names at the non-zero positions of a vector."""
        return [self._names[node] for node in np.flatnonzero(chosen)]

    def _named_pairs(self, chosen: npt.NDArray[np.int8]) -> list[tuple[str, str]]:
        """Pairs of names at the non-zero positions of a matrix, row by row."""
        return [(self._names[i], self._names[j]) for i, j in np.argwhere(chosen)]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._names == other._names and np.array_equal(self._adjacency, other._adjacency)

    def __hash__(self) -> int:
        return hash((type(self), self._names, self._adjacency.tobytes()))

    def __reduce__(self) -> tuple[type[Self], tuple[npt.NDArray[np.int8], tuple[str, ...]]]:
        # NumPy forgets on pickling that an array is read-only: copies go through the constructor.
        return type(self), (self._adjacency, self._names)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_nodes} nodes, {self.n_edges} edges)"

    def __str__(self) -> str:
        effects = [(name, self.parents(name)) for name in self._names]
        lines = [f"{name} <- {', '.join(parents)}" for name, parents in effects if parents]
        lines += [f"{first} -- {second}" for first, second in self.undirected_edges]
        degrees = (self._adjacency | self._adjacency.T).sum(axis=0, dtype=np.int64)
        lines += [self._names[node] for node in np.flatnonzero(degrees == 0)]
        return "\n".join(lines)
