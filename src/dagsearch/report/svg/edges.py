"""Edges as lines with arrowheads and labels."""

from __future__ import annotations

from dagsearch.graph.marks import opacity_of, width_of
from dagsearch.report.layout import GraphLayout
from dagsearch.report.layout.result import Curve, strokes_between
from dagsearch.report.sketch import Sketch, Stroke
from dagsearch.report.svg.arrow import arrow
from dagsearch.report.svg.colours import CLASSES, SIGNS, colour_of
from dagsearch.report.svg.element import element
from dagsearch.report.svg.labels import Label, labels

_PIXELS_PER_POINT = 1.6
_PLAIN_WIDTH = 1.6
OPACITY_BETWEEN = 0.3
"""Of edges from one group to another."""
_CLICKABLE = 14.0


def edge_groups(sketch: Sketch, layout: GraphLayout, by_verdict: bool, interactive: bool) -> list[str]:
    """Return all edges; those from one group to another lie below the others."""
    index = {name: node for node, name in enumerate(sketch.names)}
    ends = [(index[stroke.cause], index[stroke.effect]) for stroke in sketch.strokes]
    # Not those of the layout: it may have been made for more strokes than are drawn.
    between = strokes_between(layout.groups, ends)
    beside = labels(sketch, layout)
    groups = []
    for place in sorted(range(len(ends)), key=lambda place: (place not in between, place)):
        stroke = sketch.strokes[place]
        inside = _drawn(stroke, layout.routes[place], colour_of(stroke, by_verdict), beside.get(place), interactive)
        about = _about(place, stroke, ends[place]) if interactive else {}
        look = {"class": _classes(stroke, place in between), **about}
        groups.append(element("g", {**look, "opacity": _opacity(stroke, place in between)}, inside))
    return groups


def _about(place: int, stroke: Stroke, ends: tuple[int, int]) -> dict[str, str]:
    """What a page looks an edge up by."""
    return {
        "data_edge": str(place),
        "data_from": str(ends[0]),
        "data_to": str(ends[1]),
        "data_kind": stroke.kind,
        "data_sign": SIGNS[stroke.sign],
    }


def _classes(stroke: Stroke, between: bool) -> str:
    return f"ds-edge {CLASSES[stroke.sign]}{' minor' if stroke.minor else ''}{' between' if between else ''}"


def _opacity(stroke: Stroke, between: bool) -> float | None:
    """The likelier, the more opaque; None: wholly so."""
    opacity = 1.0 if stroke.probability is None else opacity_of(stroke.probability)
    opacity *= OPACITY_BETWEEN if between else 1.0
    return None if opacity == 1.0 else opacity


def _drawn(stroke: Stroke, route: Curve, colour: str, label: Label | None, interactive: bool) -> list[str]:
    """The parts of an edge: what can be clicked, line, arrowhead and label."""
    width = _PLAIN_WIDTH if stroke.probability is None else width_of(stroke.probability) * _PIXELS_PER_POINT
    paths = arrow(route, width, stroke.directed)
    dashes = "5 4" if stroke.style.dashed or stroke.minor else None
    line: dict[str, str | float | None] = {
        "class": "ds-line",
        "d": paths.line,
        "stroke": colour,
        "stroke_width": width,
        "stroke_dasharray": dashes,
    }
    inside = [element("path", line)]
    if interactive:
        hit: dict[str, str | float | None] = {
            "class": "ds-hit",
            "d": paths.whole,
            "stroke": "#000",
            "stroke_opacity": 0,
            "stroke_width": _CLICKABLE,
        }
        inside.insert(0, element("path", hit))
    if paths.head is not None:
        inside.append(element("path", {"class": "ds-head", "d": paths.head, "fill": colour}))
    if label is not None:
        inside.append(label.drawn(colour))
    return inside
