"""A graph as a picture in a notebook: small, and the same on light and dark ground.

In HTML it is an image that holds its own data. Notebooks that nobody has run yet lose SVG among HTML, but keep images.
"""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from xml.etree import ElementTree

import numpy as np

from dagsearch.estimators.result import Graph
from dagsearch.graph import CyclicGraph
from dagsearch.report.notebook.cells import Column, aside, code, named, table
from dagsearch.report.page.markup import Markup, joined
from dagsearch.report.page.words import counted
from dagsearch.report.sketch import Sketch
from dagsearch.report.svg import graph_svg
from dagsearch.report.svg.element import element as svg_element

MOST_EDGES = 150
"""A picture of more edges takes seconds, and nobody can read it in a cell."""
_MOST_CHARACTERS = 100_000
_GROUND = "white"
# Wide pictures shrink to the width of the cell, up to where letters are still read; then they are scrolled.
_LEAST_SCALE = 0.65
_MOST_HUBS = 8


def is_drawn(n_edges: int) -> bool:
    """Whether a graph of so many edges is shown as a picture."""
    return n_edges <= MOST_EDGES


@lru_cache(maxsize=8)
def picture_svg(drawn: Sketch) -> str | None:
    """The picture alone; None if it is too large for a notebook.

    Notebooks ask for it twice, in HTML and alone.
    """
    svg = graph_svg(drawn, interactive=False, background=_GROUND)
    return svg if len(svg) <= _MOST_CHARACTERS else None


def picture(drawn: Sketch) -> Markup | None:
    """The picture as an image in HTML; None if it is too large for a notebook."""
    svg = picture_svg(drawn)
    if svg is None:
        return None
    root = ElementTree.fromstring(svg)
    least = _LEAST_SCALE * float(root.attrib["width"])
    style = f"max-width:100%;min-width:{least:.0f}px;height:auto;border-radius:6px;margin:2px 0"
    data = f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode('ascii')}"
    return Markup(svg_element("img", {"src": data, "alt": root.attrib["aria-label"], "style": style}))


def not_drawn(graph: Graph, code_for_all: str, name: str) -> Markup:
    """What stands in the place of a picture that is too large.

    Parameters
    ----------
    graph
        The graph.
    code_for_all
        What draws all of it.
    name
        What the graph is called in code.
    """
    why = "the picture would be large" if is_drawn(graph.n_edges) else f"more than {counted(MOST_EDGES, 'edge')}"
    said = aside(
        f"Not drawn here: {why}. ",
        code(code_for_all),
        " shows all, ",
        code(f"ds.report.draw({name}, 'part.svg', focus='NAME')"),
        " what is near a variable. Those with most edges:",
    )
    return joined(said, _hubs(graph))


def _hubs(graph: Graph) -> Markup:
    """The variables with most edges."""
    there, back = (matrix.astype(bool) for matrix in (graph.adjacency, graph.adjacency.T))
    both = np.zeros_like(there) if isinstance(graph, CyclicGraph) else there & back
    counts = np.stack([(there & ~both).sum(axis=0), (there & ~both).sum(axis=1), both.sum(axis=0)], axis=1)
    first = np.argsort(-counts.sum(axis=1), kind="stable")[:_MOST_HUBS]
    titles = ["Causes", "Effects", *(["Direction open"] if both.any() else [])]
    columns = [Column("Variable"), *(Column(title, "right") for title in titles)]
    return table(columns, [[named(graph.names[node]), *map(str, counts[node, : len(titles)])] for node in first])
