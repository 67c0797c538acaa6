"""What graphs are asked for about causes; the arithmetic of paths is in `separation`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import checks, separation

if TYPE_CHECKING:
    from dagsearch.graph.base import NamedGraph

Nodes = checks.Node | Iterable[checks.Node]
AdjustmentKind = Literal["parents", "minimal", "optimal"]

ADJUSTMENT_KINDS = ("parents", "minimal", "optimal")


def nodes_of(graph: NamedGraph, nodes: Nodes) -> list[int]:
    """Positions of one node or of several, each once."""
    single = isinstance(nodes, str) or checks.is_index(nodes)
    listed = [nodes] if single else list(nodes)  # type: ignore[arg-type]
    return list(dict.fromkeys(graph.index(node) for node in listed))  # type: ignore[arg-type]


def different(graph: NamedGraph, cause: checks.Node, effect: checks.Node) -> tuple[int, int]:
    """Positions of a cause and of its effect, which must not be the same node."""
    i, j = graph.index(cause), graph.index(effect)
    if i == j:
        raise InputError(f"cause and effect must be two different nodes, got {graph.names[i]!r} for both")
    return i, j


def d_separated(graph: NamedGraph, a: Nodes, b: Nodes, given: Nodes) -> bool:
    """Whether a DAG d-separates sets of nodes; see `DAG.d_separated`."""
    first, second, third = (nodes_of(graph, nodes) for nodes in (a, b, given))
    both = set(first) & set(second) or set(third) & {*first, *second}
    if both:
        raise InputError(f"a, b and given must have no node in common, got {graph.names[min(both)]!r} more than once")
    return separation.is_separated(graph.adjacency, first, set(second), third)


def adjustment_set(graph: NamedGraph, cause: checks.Node, effect: checks.Node, kind: str) -> list[str] | None:
    """A set that a DAG says to adjust for; see `DAG.adjustment_set`."""
    if kind not in ADJUSTMENT_KINDS:
        raise UnknownNameError("kind of adjustment set", kind, ADJUSTMENT_KINDS)
    i, j = different(graph, cause, effect)
    if graph.adjacency[j, i]:
        return None
    if kind == "parents":
        chosen = separation.parents_of(graph.adjacency, [i])
    elif kind == "minimal":
        chosen = separation.minimal_adjustment_set(graph.adjacency, i, j)
    else:
        chosen = separation.optimal_adjustment_set(graph.adjacency, i, j)
    return [graph.names[node] for node in sorted(chosen)]


def is_adjustment_set(graph: NamedGraph, cause: checks.Node, effect: checks.Node, given: Nodes) -> bool:
    """Whether a DAG says that a set will do; see `DAG.is_adjustment_set`."""
    i, j = different(graph, cause, effect)
    return separation.is_adjustment_set(graph.adjacency, i, j, nodes_of(graph, given))
