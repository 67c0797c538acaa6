"""A graph as SVG, in pure Python."""

from __future__ import annotations

from dagsearch.graph.marks import opacity_of, width_of
from dagsearch.report.layout import Box, GraphLayout, layout_of
from dagsearch.report.layout.result import Curve
from dagsearch.report.layout.text import label_of
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.sketch import Sketch, Stroke
from dagsearch.report.svg.arrow import arrow, point_at
from dagsearch.report.svg.colours import BOX, BOX_BORDER, BOX_TEXT, CLASSES, SIGNS, colour_of
from dagsearch.report.svg.element import content, element, number

FONTS = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_MARGIN = 12.0
_PIXELS_PER_POINT = 1.6
_PLAIN_WIDTH = 1.7
_LABEL_SIZE = 10.5


def graph_svg(sketch: Sketch, *, embedded: bool = False, layout: GraphLayout | None = None) -> str:
    """Return a graph as SVG; neither Graphviz nor matplotlib is needed.

    Parameters
    ----------
    sketch
        What to draw.
    embedded
        Whether a page styles it. Colours are then by sign alone: edges have the classes ``pos``, ``neg`` and ``none``,
        and attributes carry the same colours for where the page has no style.
    layout
        Where everything lies, if that is known already.
    """
    layout = layout_of(sketch) if layout is None else layout
    index = {name: node for node, name in enumerate(sketch.names)}
    edges = [
        _edge(number_, stroke, (index[stroke.cause], index[stroke.effect]), route, by_verdict=not embedded)
        for number_, (stroke, route) in enumerate(zip(sketch.strokes, layout.routes, strict=True))
    ]
    nodes = [_node(node, name, layout.boxes[node]) for node, name in enumerate(sketch.names)]
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    said = _in_words(sketch)
    attributes: dict[str, str | float | None] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "ds-graph",
        "viewBox": " ".join(map(number, (-_MARGIN, -_MARGIN, width, height))),
        "width": number(width),
        "height": number(height),
        "role": "img",
        "aria_label": said,
        "font_family": FONTS,
        "font_size": FONT_SIZE,
    }
    return element("svg", attributes, [element("g", {"class": "ds-viewport"}, [*edges, *nodes])])


def _in_words(sketch: Sketch) -> str:
    """What the picture shows, for people who do not see it."""
    major = [stroke for stroke in sketch.strokes if not stroke.minor]
    shown = f"graph of {len(sketch.names)} variables and {len(major)} edges"
    return f"{sketch.title}: {shown}" if sketch.title else shown.capitalize()


def _edge(place: int, stroke: Stroke, ends: tuple[int, int], route: Curve, by_verdict: bool) -> str:
    """One edge: what can be clicked, its line, its arrowhead and its label."""
    known = stroke.probability is not None
    width = width_of(stroke.probability or 0.0) * _PIXELS_PER_POINT if known else _PLAIN_WIDTH
    colour = colour_of(stroke, by_verdict)
    paths = arrow(route, width, stroke.directed)
    inside = [
        element(
            "path",
            {
                "class": "ds-hit",
                "d": paths.whole,
                "fill": "none",
                "stroke": "#000",
                "stroke_opacity": 0,
                "stroke_width": 14,
                "pointer_events": "stroke",
            },
        ),
        element(
            "path",
            {
                "class": "ds-line",
                "d": paths.line,
                "fill": "none",
                "stroke": colour,
                "stroke_width": width,
                "stroke_dasharray": "5 4" if stroke.style.dashed or stroke.minor else None,
            },
        ),
    ]
    if paths.head is not None:
        inside.append(element("path", {"class": "ds-head", "d": paths.head, "fill": colour}))
    if stroke.label is not None:
        inside.append(_label(stroke.label, route, colour))
    about = {
        "class": f"ds-edge {CLASSES[stroke.sign]}" + (" minor" if stroke.minor else ""),
        "data_edge": str(place),
        "data_from": str(ends[0]),
        "data_to": str(ends[1]),
        "data_kind": stroke.kind,
        "data_sign": SIGNS[stroke.sign],
        "opacity": opacity_of(stroke.probability) if stroke.probability is not None else None,
    }
    return element("g", about, inside)


def _label(text: str, route: Curve, colour: str) -> str:
    """Small text beside the middle of an edge."""
    middle, _ = point_at(route, 0.5)
    place = {"x": number(middle[0] + 5), "y": number(middle[1] + 3)}
    return element("text", {"class": "ds-label", **place, "font_size": _LABEL_SIZE, "fill": colour}, [content(text)])


def _node(place: int, name: str, box: Box) -> str:
    """One variable: a rounded box with its name, cut where it is long, and the whole name as a tip."""
    corner = {"x": number(box.left), "y": number(box.top), "width": number(box.width), "height": number(box.height)}
    centre = {"x": number(box.centre[0]), "y": number(box.centre[1] + 0.35 * FONT_SIZE)}
    inside = [
        element("title", {}, [content(name)]),
        element("rect", {**corner, "rx": 7, "fill": BOX, "stroke": BOX_BORDER, "stroke_width": 1}),
        element("text", {**centre, "text_anchor": "middle", "fill": BOX_TEXT}, [content(label_of(name))]),
    ]
    return element("g", {"class": "ds-node", "data_node": str(place)}, inside)
