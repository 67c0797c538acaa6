"""Graphviz source, with names quoted safely and a pleasant default look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dagsearch.graph.marks import MOST_LABELLED, UNMARKED, EdgeMark, Marks, width_of, with_opacity

if TYPE_CHECKING:
    from dagsearch.graph.base import NamedGraph

StyledEdge = tuple[str, str, Mapping[str, str]]

_COLOUR = "#3d4b5c"
_LOOK = f"""\
  graph [rankdir=TB, nodesep=0.35, ranksep=0.55, fontname="Helvetica"];
  node [shape=box, style="rounded,filled", fillcolor="#f3f6fa", color="#5b6b7f", fontcolor="#1d2733",
        fontname="Helvetica", fontsize=12, height=0.4, margin="0.14,0.06"];
  edge [color="{_COLOUR}", arrowsize=0.75];"""


def to_dot(graph: NamedGraph, marks: Marks | None = None) -> str:
    """Return a graph as Graphviz source; undirected edges have no arrowhead.

    Parameters
    ----------
    graph
        A DAG or a PDAG; isolated nodes are kept.
    marks
        How sure edges are, if that is known: open ones have no arrowhead either, and the likelier an edge, the thicker
        it is. Effects are written beside the edges of a small graph. All numbers are attributes of the edges, which
        Graphviz does not look at.
    """
    marks = marks or {}
    labelled = graph.n_edges <= MOST_LABELLED
    edges: list[StyledEdge] = []
    for directed, pairs in ((True, graph.directed_edges), (False, graph.undirected_edges)):
        edges += [(*pair, _attributes(marks.get(pair, UNMARKED), directed, labelled)) for pair in pairs]
    return source(graph.names, edges)


def _attributes(mark: EdgeMark, directed: bool, labelled: bool) -> dict[str, str]:
    """What the source says of an edge."""
    said = {"dir": "none"} if mark.is_open or not directed else {}
    if mark.adjacent is not None:
        said |= look_of(mark.adjacent, _COLOUR)
    if labelled and mark.label is not None:
        said |= label_of(mark.label)
    return said | mark.known_as_text()


def label_of(text: str) -> dict[str, str]:
    """Graphviz' words for small text beside an edge."""
    return {"label": f" {text} ", "fontsize": "9", "fontcolor": _COLOUR, "fontname": "Helvetica"}


def look_of(probability: float, colour: str) -> dict[str, str]:
    """Graphviz' words for the look of an edge that has a probability."""
    return {"color": with_opacity(colour, probability), "penwidth": f"{width_of(probability):.2f}"}


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
