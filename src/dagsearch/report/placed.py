"""Graphviz source of a large graph in which everything has its place: Graphviz only turns it into a bitmap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dagsearch.graph import dot
from dagsearch.graph.marks import opacity_of
from dagsearch.report.layout import Box, GraphLayout
from dagsearch.report.layout.arrows import shortened
from dagsearch.report.layout.framed import HEADING_SIZE
from dagsearch.report.layout.result import Curve
from dagsearch.report.layout.text import label_of
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.sketch import Sketch, Stroke
from dagsearch.report.svg.colours import NOTE, TINTS, colour_of
from dagsearch.report.svg.edges import OPACITY_BETWEEN

ENGINE = "nop2"
"""Graphviz' layout engine that leaves everything in its place."""

_POINTS_PER_INCH = 72
_ARROWHEAD = 8.0


def placed_source(
    sketch: Sketch, layout: GraphLayout, look_of: Callable[[Stroke], dict[str, str]], extras: Sequence[str]
) -> str:
    """Return Graphviz source with a point for each pixel of the layout; edges have no labels.

    Parameters
    ----------
    sketch, layout
        What to draw, and where.
    look_of
        Graphviz' words for the look of a stroke.
    extras
        Statements about the graph, such as its heading.
    """
    defaults = ["outputorder=edgesfirst", f"node [fixedsize=true, fontsize={FONT_SIZE:g}]"]
    statements = [*extras, *defaults, *_frames(layout), *_nodes(sketch, layout), *_edges(sketch, layout, look_of)]
    return dot.source((), (), statements)


def _frames(layout: GraphLayout) -> list[str]:
    drawn = []
    for number, (frame, group) in enumerate(zip(layout.frames, layout.groups, strict=True)):
        tint = TINTS[number % len(TINTS)]
        look = {"label": _label(group.heading), "labelloc": "t", "fontsize": f"{HEADING_SIZE:g}", "fontcolor": NOTE}
        look |= {"fillcolor": f"{tint}12", "color": f"{tint}73"}
        drawn.append(f"frame{number} {_bracketed({**_place(frame, layout.height), **look})}")
    return drawn


def _nodes(sketch: Sketch, layout: GraphLayout) -> list[str]:
    drawn = []
    for number, (name, box) in enumerate(zip(sketch.names, layout.boxes, strict=True)):
        look = {"label": _label(label_of(name)), "penwidth": "2.5" if name in sketch.focus else "1"}
        drawn.append(f"node{number} {_bracketed({**_place(box, layout.height), **look})}")
    return drawn


def _edges(sketch: Sketch, layout: GraphLayout, look_of: Callable[[Stroke], dict[str, str]]) -> list[str]:
    index = {name: node for node, name in enumerate(sketch.names)}
    drawn = []
    for number, (stroke, route) in enumerate(zip(sketch.strokes, layout.routes, strict=True)):
        opacity = 1.0 if stroke.probability is None else opacity_of(stroke.probability)
        opacity *= OPACITY_BETWEEN if number in layout.between else 1.0
        colour = f"{colour_of(stroke, by_verdict=True)}{round(255 * opacity):02x}"
        spline = _spline(route, layout.height, stroke.directed)
        look = {**look_of(stroke._replace(label=None)), "color": colour, "pos": spline}
        drawn.append(f"node{index[stroke.cause]} -> node{index[stroke.effect]} {_bracketed(look)}")
    return drawn


def _label(text: str) -> str:
    """Text as Graphviz shows it, which takes &lt; for the character that it stands for."""
    return text.replace("&", "&amp;")


def _place(box: Box, height: float) -> dict[str, str]:
    """Middle and size; in Graphviz y grows upwards."""
    x, y = box.centre
    width, high = box.width / _POINTS_PER_INCH, box.height / _POINTS_PER_INCH
    return {"pos": f"{x:.1f},{height - y:.1f}", "width": f"{width:.4f}", "height": f"{high:.4f}"}


def _spline(route: Curve, height: float, directed: bool) -> str:
    """A route in Graphviz' words; one with an arrowhead names its tip first, and ends where the head begins."""
    line = shortened(route, _ARROWHEAD) if directed else route
    points = [f"{x:.1f},{height - y:.1f}" for x, y in line.tolist()]
    tip = [f"e,{route[-1, 0]:.1f},{height - route[-1, 1]:.1f}"] if directed else []
    return " ".join([*tip, *points])


def _bracketed(attributes: Mapping[str, str]) -> str:
    return f"[{', '.join(f'{key}={dot.quote(value)}' for key, value in attributes.items())}]"
