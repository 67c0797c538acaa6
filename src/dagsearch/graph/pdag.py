"""Graphs with directed and undirected edges, such as the equivalence class of a DAG."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dagsearch.errors import InputError, as_named
from dagsearch.graph import checks, possible, queries
from dagsearch.graph.base import NamedGraph
from dagsearch.graph.extension import consistent_extension

if TYPE_CHECKING:
    from dagsearch.graph.dag import DAG


class PDAG(NamedGraph):
    """A partially directed acyclic graph over named nodes; immutable, comparable and hashable.

    Parameters
    ----------
    adjacency
        Square matrix of zeros and ones, shape (n_nodes, n_nodes); ``[i, j] == 1`` alone means i -> j,
        ``[i, j] == [j, i] == 1`` means that i and j are joined by an undirected edge.
    names
        One name per node; by default a data frame's columns, otherwise ``x0, x1, ...``.

    Raises
    ------
    InputError
        Where the matrix is not square, holds other values than 0 and 1, or does not fit the names.
    CycleError
        Where directed edges form a cycle; the message shows it.

    Examples
    --------
    >>> PDAG.from_edges(directed=[("a", "c")], undirected=[("a", "b")])
    PDAG(3 nodes, 1 directed and 1 undirected edges)
    """

    __slots__ = ()

    @classmethod
    def from_edges(
        cls,
        directed: Iterable[checks.Edge] = (),
        undirected: Iterable[checks.Edge] = (),
        names: Iterable[object] | None = None,
    ) -> Self:
        """Build a PDAG from its directed and its undirected edges.

        Parameters
        ----------
        directed
            Pairs (cause, effect) of names, or of positions in `names`.
        undirected
            Pairs of neighbours, each listed once in either order.
        names
            All nodes; by default those in the edges, in order of appearance.

        Raises
        ------
        InputError
            Where a pair is listed twice, is not a pair, or holds a node that is not in `names`.
        CycleError
            Where the directed edges form a cycle.
        """
        arrows, lines = checks.as_pairs(directed), checks.as_pairs(undirected)
        nodes = checks.infer_names(arrows + lines) if names is None else checks.checked_names(names)
        forward = checks.positions(arrows + lines, nodes)
        checks.refuse_repeats([(min(pair), max(pair)) for pair in forward], nodes)
        backward = [(second, first) for first, second in forward[len(arrows) :]]
        return cls(checks.matrix_of(forward + backward, len(nodes)), nodes)

    @classmethod
    def from_adjacency(cls, adjacency: Any, names: Iterable[object] | None = None) -> Self:
        """Build a PDAG from a matrix of zeros and ones; the same as ``PDAG(adjacency, names)``."""
        return cls(adjacency, names)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Build a PDAG from a `networkx.DiGraph`, where edges both ways stand for an undirected edge."""
        return cls(*checks.read_networkx(graph))

    def neighbours(self, name: str | int) -> list[str]:
        """Return the names joined to a node by an undirected edge, in the order of `names`."""
        node = self.index(name)
        return self._named(self._adjacency[node] & self._adjacency[:, node])

    def possible_parents(self, name: str | int) -> list[list[str]]:
        """Return the sets of direct causes that a node can have, as lists of names; the fewest first.

        Those are the directed ones with any of the undirected neighbours that make no new v-structure at the node. In
        an equivalence class every one of them is that of a member, and every member has one of them.

        Raises
        ------
        InputError
            If there are more than 4096.
        """
        sets = possible.possible_parent_sets(self._adjacency, self.index(name))
        return [[self._names[node] for node in chosen] for chosen in sets]

    def possible_descendants(self, name: str | int) -> list[str]:
        """Return what a node may have an effect on: where a path leads that has no arrow against it."""
        return [self._names[node] for node in sorted(possible.can_reach(self._adjacency, self.index(name)))]

    def d_separated(self, a: queries.Nodes, b: queries.Nodes, given: queries.Nodes = ()) -> bool:
        """Return whether nodes are d-separated in the graphs of this equivalence class, which agree on that.

        Raises
        ------
        InputError
            Where a node is in two of the three, or where there is no such DAG.
        """
        return self.to_dag().d_separated(a, b, given)

    @property
    def has_member(self) -> bool:
        """Whether some DAG has the same adjacent pairs, the same v-structures and all directed edges."""
        return not consistent_extension(self._adjacency).stuck

    def to_dag(self) -> DAG:
        """Return a DAG with the same adjacent pairs, the same v-structures and all directed edges.

        For the equivalence class of a DAG this is one of its members: ``dag.to_cpdag().to_dag().to_cpdag()`` equals
        ``dag.to_cpdag()``. Where several DAGs will do, edges rather point from earlier to later names.

        Raises
        ------
        InputError
            Where every direction of the undirected edges closes a cycle or makes a new v-structure; the message
            names the nodes among which this happens.
        """
        from dagsearch.graph.dag import DAG  # noqa: PLC0415

        extension = consistent_extension(self._adjacency)
        if extension.stuck:
            among = ", ".join(as_named(self._names[node]) for node in extension.stuck)
            raise InputError(
                "no DAG has the edges and v-structures of this graph: however the undirected edges among "
                f"{among} are directed, a cycle or a new v-structure arises"
            )
        return DAG(extension.adjacency, self._names)

    def _check_acyclic(self) -> None:
        # A self loop would pass for an undirected edge from a node to itself.
        loops = np.diag(np.diag(self._adjacency))
        checks.refuse_cycle(self._directed | loops, self._names)

    def __repr__(self) -> str:
        n_directed, n_undirected = len(self.directed_edges), len(self.undirected_edges)
        return f"PDAG({self.n_nodes} nodes, {n_directed} directed and {n_undirected} undirected edges)"
