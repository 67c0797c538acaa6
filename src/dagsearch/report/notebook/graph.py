"""Graphs: a picture, or what there is to say of one that is too large."""

from __future__ import annotations

from dagsearch.estimators.result import Graph
from dagsearch.graph import CyclicGraph
from dagsearch.report.notebook.cells import block, chain, lead, line
from dagsearch.report.notebook.picture import is_drawn, not_drawn, picture, picture_svg
from dagsearch.report.page.markup import Markup
from dagsearch.report.page.words import counted
from dagsearch.report.sketch import sketch

_LONGEST_CYCLE = 6


def graph_html(graph: Graph) -> str:
    """Size and picture."""
    shown = None
    if graph.n_nodes:
        drawn = picture(sketch(graph)) if is_drawn(graph.n_edges) else None
        shown = drawn or not_drawn(graph, "ds.report.draw(graph, 'graph.svg')", "graph")
    return block(lead(type(graph).__name__, f": {size_of(graph)}"), cycle_of(graph), shown)


def graph_svg(graph: Graph) -> str | None:
    """The picture; None if it is too large."""
    return picture_svg(sketch(graph)) if graph.n_nodes and is_drawn(graph.n_edges) else None


def size_of(graph: Graph) -> str:
    """Numbers of variables and edges."""
    n_open = len(graph.undirected_edges)
    said = f", {n_open} of them undirected: the direction is open" if n_open else ""
    return f"{counted(graph.n_nodes, 'variable')}, {counted(graph.n_edges, 'edge')}{said}"


def cycle_of(graph: Graph) -> Markup | None:
    """A cycle, where there should be none."""
    if not isinstance(graph, CyclicGraph):
        return None
    names = graph.cycle
    if len(names) > _LONGEST_CYCLE:
        return line(f"It has a cycle of {len(names)} variables.")
    return line("It has a cycle: ", chain([*names, names[0]]))
