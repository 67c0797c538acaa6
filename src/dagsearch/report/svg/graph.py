"""A graph as SVG, in pure Python."""

from __future__ import annotations

from dagsearch.report.layout import GraphLayout, layout_of
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.sketch import Sketch
from dagsearch.report.svg.colours import BOX, BOX_BORDER
from dagsearch.report.svg.edges import edge_groups
from dagsearch.report.svg.element import element, number
from dagsearch.report.svg.frames import frames, headings
from dagsearch.report.svg.heading import heading
from dagsearch.report.svg.nodes import node_group

FONTS = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_MARGIN = 12.0


def graph_svg(
    sketch: Sketch,
    *,
    embedded: bool = False,
    interactive: bool = True,
    background: str | None = None,
    layout: GraphLayout | None = None,
) -> str:
    """Return a graph as SVG; neither Graphviz nor matplotlib is needed.

    Every edge is a ``g`` of class ``ds-edge``, every node one of class ``ds-node``; their ``data-`` attributes are
    positions in the strokes and names of the sketch. The same sketch gives the same text.

    Parameters
    ----------
    sketch
        What to draw.
    embedded
        Whether it is part of a page that has title, legend and styles of its own. Colours are then by sign alone: edges
        have the classes ``pos``, ``neg`` and ``none``, and attributes carry the same colours for a page without styles.
    interactive
        Whether there are wide invisible lines that can be clicked, and ``data-`` attributes.
    background
        A colour behind the picture; None: none.
    layout
        Where everything lies, if that is known already.
    """
    layout = layout_of(sketch) if layout is None else layout
    top, bottom, least_width = (
        ([], [], 0.0)
        if embedded
        else heading(
            sketch.grouped(bool(layout.between)) if layout.frames else sketch, layout.width, background is not None
        )
    )
    width = max(layout.width, least_width)
    left = -(width - layout.width) / 2 - _MARGIN
    above, below = (sum(line.height for line in lines) for lines in (top, bottom))
    frame = left, -_MARGIN - above, width + 2 * _MARGIN, layout.height + above + below + 2 * _MARGIN
    attributes: dict[str, str | float | None] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "ds-graph",
        "viewBox": " ".join(map(number, frame)),
        "width": number(frame[2]),
        "height": number(frame[3]),
        "role": "img",
        "aria_label": in_words(sketch, len(layout.frames)),
        "font_family": FONTS,
        "font_size": FONT_SIZE,
    }
    behind = [] if background is None else [_background(frame, background)]
    written, y = [], -above
    for line in top:
        y += line.height
        written.append(line.drawn(layout.width / 2, y - 6))
    y = layout.height
    for line in bottom:
        y += line.height
        written.append(line.drawn(layout.width / 2, y))
    return element("svg", attributes, [*behind, *written, _viewport(sketch, layout, embedded, interactive)])


def in_words(sketch: Sketch, n_groups: int = 0) -> str:
    """What the picture shows and what it leaves out, for people who do not see it."""
    major = [stroke for stroke in sketch.strokes if not stroke.minor]
    shown = f"graph of {len(sketch.names)} variables and {len(major)} edges" + (
        f" in {n_groups} groups" if n_groups else ""
    )
    said = f"{sketch.title}: {shown}" if sketch.title else shown.capitalize()
    return f"{said}; {sketch.left_out}" if sketch.left_out else said


def _viewport(sketch: Sketch, layout: GraphLayout, embedded: bool, interactive: bool) -> str:
    """Frames, edges above them, and headings and nodes above these."""
    edges = edge_groups(sketch, layout, by_verdict=not embedded, interactive=interactive)
    nodes = [
        node_group(node, name, box, interactive, in_focus=name in sketch.focus)
        for node, (name, box) in enumerate(zip(sketch.names, layout.boxes, strict=True))
    ]
    look_of_nodes: dict[str, str | float] = {
        "fill": BOX,
        "stroke": BOX_BORDER,
        "stroke_width": 1,
        "text_anchor": "middle",
    }
    inside = [element("g", {"class": "ds-edges", "fill": "none"}, edges)]
    inside += headings(layout)
    inside += [element("g", {"class": "ds-nodes", **look_of_nodes}, nodes)]
    return element("g", {"class": "ds-viewport"}, [*frames(layout), *inside])


def _background(frame: tuple[float, float, float, float], colour: str) -> str:
    x, y, width, height = map(number, frame)
    return element("rect", {"class": "ds-background", "x": x, "y": y, "width": width, "height": height, "fill": colour})
