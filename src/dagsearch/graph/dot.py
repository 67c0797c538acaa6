"""Graphviz source, with names quoted safely and a pleasant default look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagsearch.graph.base import NamedGraph

StyledEdge = tuple[str, str, Mapping[str, str]]

_LOOK = """\
  graph [rankdir=TB, nodesep=0.35, ranksep=0.55, fontname="Helvetica"];
  node [shape=box, style="rounded,filled", fillcolor="#f3f6fa", color="#5b6b7f", fontcolor="#1d2733",
        fontname="Helvetica", fontsize=12, height=0.4, margin="0.14,0.06"];
  edge [color="#3d4b5c", arrowsize=0.75];"""


def to_dot(graph: NamedGraph) -> str:
    """Return a graph as Graphviz source; undirected edges have no arrowhead.

    Parameters
    ----------
    graph
        A DAG or a PDAG; isolated nodes are kept.
    """
    arrows: list[StyledEdge] = [(cause, effect, {}) for cause, effect in graph.directed_edges]
    lines: list[StyledEdge] = [(first, second, {"dir": "none"}) for first, second in graph.undirected_edges]
    return source(graph.names, arrows + lines)


def source(names: Iterable[str], edges: Iterable[StyledEdge], graph_attributes: Iterable[str] = ()) -> str:
    """Return Graphviz source; `graph_attributes` are statements about the graph, put as they are."""
    nodes = [f"  {quote(name)};" for name in names]
    arrows = [f"  {quote(cause)} -> {quote(effect)}{_bracketed(attributes)};" for cause, effect, attributes in edges]
    extras = [f"  {line};" for line in graph_attributes]
    return "\n".join(["digraph {", _LOOK, *extras, *nodes, *arrows, "}", ""])


def quote(text: str) -> str:
    """Return text as a quoted DOT string that Graphviz shows as it is."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _bracketed(attributes: Mapping[str, str]) -> str:
    """Attributes of one edge as DOT, with a space before, or nothing."""
    listed = ", ".join(f"{key}={quote(value)}" for key, value in attributes.items())
    return f" [{listed}]" if listed else ""
