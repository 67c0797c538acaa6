"""Graphviz source, with names quoted safely and a pleasant default look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dagsearch._visible import clipped, not_in_xml, visible
from dagsearch.graph.marks import MOST_LABELLED, UNMARKED, EdgeMark, Marks, width_of, with_opacity
from dagsearch.graph.stand_ins import EXACT_NAME, as_ascii, stand_ins

if TYPE_CHECKING:
    from dagsearch.graph.base import NamedGraph

StyledEdge = tuple[str, str, Mapping[str, str]]

_COLOUR = "#3d4b5c"
_LOOK = f"""\
  graph [rankdir=TB, nodesep=0.35, ranksep=0.55, fontname="Helvetica"];
  node [shape=box, style="rounded,filled", fillcolor="#f3f6fa", color="#5b6b7f", fontcolor="#1d2733",
        fontname="Helvetica", fontsize=12, height=0.4, margin="0.14,0.06"];
  edge [color="{_COLOUR}", arrowsize=0.75];"""

# Graphviz reads no quoted text of more than 16,384 bytes.
_LONGEST = 4_000
_LONGEST_LABEL = 100
# Graphviz shows the character that such a word stands for in HTML.
_ENTITY = re.compile(r"&(?=#?\w+;)")


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
    called = names_in_source(names)
    nodes = [f"  {quote(short)}{_bracketed(_said_of_node(name, short))};" for name, short in called.items()]
    arrows = [
        f"  {quote(called[cause])} -> {quote(called[effect])}{_bracketed(attributes)};"
        for cause, effect, attributes in edges
    ]
    extras = [f"  {line};" for line in graph_attributes]
    return "\n".join(["digraph {", _LOOK, *extras, *nodes, *arrows, "}", ""])


def names_in_source(names: Iterable[str]) -> dict[str, str]:
    """What each node is called in Graphviz source: its name, unless Graphviz cannot read it or takes it for a mark."""
    return stand_ins(names, _is_plain)


def _is_plain(name: str) -> bool:
    is_short = len(name) <= _LONGEST // 4  # bytes of a character
    is_shown = not name.startswith("%") and "\r" not in name and not_in_xml(name) is None
    return bool(name) and is_short and is_shown and _ENTITY.search(name) is None  # which it also writes into titles


def _said_of_node(name: str, short: str) -> dict[str, str]:
    """Attributes of a node: none if its name is shown as it is."""
    if name != short:
        exact = {EXACT_NAME: as_ascii(name)}
        return {"label": _ENTITY.sub("&amp;", clipped(visible(name), _LONGEST_LABEL)), **exact}
    lines = name.split("\n")
    # A line without a letter makes Graphviz write to memory that is not its own.
    shown = "\n".join(map(visible, lines)) if all(map(str.strip, lines)) else visible(name)
    return {"label": shown} if shown != name else {}


def quote(text: str) -> str:
    """Return text as a quoted DOT string that Graphviz shows as it is."""
    pieces = [text[start : start + _LONGEST] for start in range(0, len(text), _LONGEST)] or [""]
    return " + ".join(map(_quoted, pieces))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _bracketed(attributes: Mapping[str, str]) -> str:
    """Attributes of one edge as DOT, with a space before, or nothing."""
    listed = ", ".join(f"{key}={quote(value)}" for key, value in attributes.items())
    return f" [{listed}]" if listed else ""
