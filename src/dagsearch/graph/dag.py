"""The directed acyclic graph that every search in this package looks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from dagsearch.graph import checks, equivalence, order, queries
from dagsearch.graph.base import NamedGraph
from dagsearch.graph.pdag import PDAG


class DAG(NamedGraph):
    """A directed acyclic graph over named nodes; immutable, comparable and hashable.

    Parameters
    ----------
    adjacency
        Square matrix of zeros and ones, shape (n_nodes, n_nodes); ``[i, j] == 1`` means i -> j.
    names
        One name per node; by default a data frame's columns, otherwise ``x0, x1, ...``.

    Raises
    ------
    InputError
        Where the matrix is not square, holds other values than 0 and 1, or does not fit the names.
    CycleError
        Where the edges form a cycle; the message shows it.

    Examples
    --------
    >>> dag = DAG.from_edges([("rain", "wet"), ("sprinkler", "wet")])
    >>> dag
    DAG(3 nodes, 2 edges)
    >>> print(dag)
    wet <- rain, sprinkler
    """

    __slots__ = ()

    @classmethod
    def from_edges(cls, edges: Iterable[checks.Edge], names: Iterable[object] | None = None) -> Self:
        """Build a DAG from pairs (cause, effect).

        Parameters
        ----------
        edges
            Pairs of names, or of positions in `names`.
        names
            All nodes; by default those in the edges, in order of appearance.

        Raises
        ------
        InputError
            Where an edge is listed twice, is not a pair, or holds a node that is not in `names`.
        CycleError
            Where the edges form a cycle.
        """
        listed = checks.as_pairs(edges)
        nodes = checks.infer_names(listed) if names is None else checks.checked_names(names)
        pairs = checks.positions(listed, nodes)
        checks.refuse_repeats(pairs, nodes)
        return cls(checks.matrix_of(pairs, len(nodes)), nodes)

    @classmethod
    def from_adjacency(cls, adjacency: Any, names: Iterable[object] | None = None) -> Self:
        """Build a DAG from a matrix of zeros and ones; the same as ``DAG(adjacency, names)``."""
        return cls(adjacency, names)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Build a DAG from a `networkx.DiGraph`; nodes keep their order, labels become strings."""
        return cls(*checks.read_networkx(graph))

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs (cause, effect), ordered by the positions of cause and effect."""
        return self.directed_edges

    def topological_order(self) -> list[str]:
        """Return all names with causes before effects; among free nodes the first in `names` comes first."""
        return [self._names[node] for node in order.topological_order(self._adjacency)]

    def d_separated(self, a: queries.Nodes, b: queries.Nodes, given: queries.Nodes = ()) -> bool:
        """Return whether every path between two nodes is blocked: given the third ones they are independent.

        Parameters
        ----------
        a, b
            A node or several of them.
        given
            What is known, none by default.

        Raises
        ------
        InputError
            Where a node is in two of the three.

        Examples
        --------
        >>> dag = DAG.from_edges([("rain", "wet"), ("sprinkler", "wet")])
        >>> dag.d_separated("rain", "sprinkler"), dag.d_separated("rain", "sprinkler", given="wet")
        (True, False)
        """
        return queries.d_separated(self, a, b, given)

    def adjustment_set(
        self, cause: checks.Node, effect: checks.Node, kind: queries.AdjustmentKind = "parents"
    ) -> list[str] | None:
        """Return variables to adjust for, so that an association with the effect is the total effect of the cause.

        Parameters
        ----------
        cause, effect
            Two different nodes.
        kind
            ``"parents"``: the direct causes of the cause. ``"minimal"``: those of them of which none can be spared.
            ``"optimal"``: the set that gives the least variance in linear models; where the cause has no influence on
            the effect, the minimal one.

        Returns
        -------
        list of str or None
            Names in the order of `names`; None where no set will do, since the effect is a direct cause of the cause.
            The total effect is then zero. It is zero, too, wherever the effect is none of the `descendants`.

        Examples
        --------
        >>> dag = DAG.from_edges([("age", "dose"), ("age", "health"), ("dose", "health")])
        >>> dag.adjustment_set("dose", "health")
        ['age']
        """
        return queries.adjustment_set(self, cause, effect, kind)

    def is_adjustment_set(self, cause: checks.Node, effect: checks.Node, given: queries.Nodes = ()) -> bool:
        """Return whether adjusting for some nodes gives the total effect of the cause, whatever the mechanisms.

        They must not be on a causal path or behind one, and must block all other paths between cause and effect.
        """
        return queries.is_adjustment_set(self, cause, effect, given)

    def to_cpdag(self, targets: Iterable[Iterable[checks.Node]] = ()) -> PDAG:
        """Return the equivalence class: an edge is directed where all equivalent DAGs agree on it.

        Parameters
        ----------
        targets
            What experiments set: the nodes that were set together, for each of them. DAGs are then equivalent if
            neither observations nor these experiments tell them apart (Hauser and Buehlmann 2012).

        Raises
        ------
        InputError
            Where a target holds a node that is not in the graph.

        Examples
        --------
        >>> print(DAG.from_edges([("a", "b"), ("b", "c")]).to_cpdag(targets=[["a"]]))
        b <- a
        c <- b
        """
        experiments = [[checks.position(node, self._names) for node in target] for target in targets]
        return PDAG(equivalence.cpdag(self._adjacency, experiments), self._names)

    def _check_acyclic(self) -> None:
        checks.refuse_cycle(self._adjacency, self._names)
