"""Drawing with matplotlib, for where Graphviz is not installed.

One unit of the axes is one inch, so that boxes and arrows can be placed before anything is rendered.
"""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dagsearch.graph.marks import opacity_of, width_of
from dagsearch.graph.order import find_cycle, topological_order
from dagsearch.report.layers import Points, layered
from dagsearch.report.sketch import Sketch, Stroke

_FONT_SIZE = 10
_BOX_HEIGHT = 0.36
_LAYER_HEIGHT = 1.0
_GAP = 0.3  # between boxes
_PADDING = 0.15  # within boxes


def render(sketch: Sketch, file_format: str) -> bytes:
    """Return the picture as the bytes of an SVG or PNG file."""
    import matplotlib as mpl  # noqa: PLC0415

    picture = io.BytesIO()
    # The salt and the absent date make the same graph give the same bytes.
    metadata = {"Date": None} if file_format == "svg" else {}
    with mpl.rc_context({"svg.hashsalt": "dagsearch", "font.family": "sans-serif"}):
        figure = _figure(sketch)
        figure.savefig(picture, format=file_format, dpi=160, metadata=metadata, bbox_inches="tight")
    return picture.getvalue()


def _figure(sketch: Sketch) -> Any:
    """Draw boxes, arrows from box to box, title and legend."""
    widths = {name: _text_width(name) + 2 * _PADDING for name in sketch.names}
    scale = np.array([max(widths.values(), default=0.0) + _GAP, _LAYER_HEIGHT])
    layout = layered(_downward(sketch))
    axes = _empty_axes(np.concatenate([layout.places, *layout.routes.values()]) * scale, margin=scale / 2)
    for name, place in zip(sketch.names, layout.places * scale, strict=True):
        _draw_box(axes, name, place, widths[name])
    index = {name: node for node, name in enumerate(sketch.names)}
    for stroke in sketch.strokes:
        upper, lower = stroke.cause, stroke.effect
        if (index[upper], index[lower]) not in layout.routes:
            upper, lower = lower, upper
        route = layout.routes[index[upper], index[lower]] * scale
        path = _between_boxes(route, widths[upper], widths[lower])
        _draw_stroke(axes, stroke, path if upper == stroke.cause else path[::-1])
    _draw_heading(axes, sketch)
    return axes.figure


def _text_width(text: str) -> float:
    """Width in inches."""
    from matplotlib.textpath import TextPath  # noqa: PLC0415

    # A dollar sign would start a formula.
    return float(TextPath((0, 0), text.replace("$", r"\$"), size=_FONT_SIZE).get_extents().width) / 72


def _downward(sketch: Sketch) -> npt.NDArray[np.int8]:
    """Return an acyclic graph to arrange by, in which each stroke has one edge."""
    index = {name: node for node, name in enumerate(sketch.names)}
    arranged = np.zeros((len(index), len(index)), dtype=np.int8)
    others = np.zeros_like(arranged)
    for stroke in sketch.strokes:
        # Undirected edges have no direction of their own, and missing ones could close a cycle.
        matrix = arranged if stroke.directed and stroke.kind != "missing" else others
        matrix[index[stroke.cause], index[stroke.effect]] = 1
    while (cycle := find_cycle(arranged)) is not None:
        upward = cycle[-1], cycle[0]
        arranged[upward], others[upward] = 0, 1
    in_order = np.ix_(*[topological_order(arranged)] * 2)
    arranged[in_order] |= np.triu((others | others.T)[in_order])
    return arranged


def _empty_axes(points: Points, margin: Points) -> Any:
    """Return axes, one inch a unit, with room for the points and a margin around them."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    shown = points if len(points) else np.zeros((1, 2))
    low, high = shown.min(axis=0) - margin, shown.max(axis=0) + margin
    axes = Figure(figsize=tuple(high - low)).add_axes((0, 0, 1, 1))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.set_axis_off()
    return axes


def _draw_box(axes: Any, name: str, centre: Points, width: float) -> None:
    """Draw a node: a rounded box with its name."""
    from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415

    corner = (centre[0] - width / 2, centre[1] - _BOX_HEIGHT / 2)
    rounded = "round,pad=0,rounding_size=0.1"
    axes.add_patch(FancyBboxPatch(corner, width, _BOX_HEIGHT, boxstyle=rounded, fc="#f3f6fa", ec="#5b6b7f", zorder=3))
    look = {"size": _FONT_SIZE, "color": "#1d2733", "zorder": 4, "parse_math": False}
    axes.text(*centre, name, ha="center", va="center_baseline", **look)


def _between_boxes(route: Points, upper_width: float, lower_width: float) -> Points:
    """Return a chain of vertical-ended Bezier curves from the bottom of one box to the top of another."""
    stops = route.copy()
    stops[0] += _port(route[1] - route[0], upper_width), -_BOX_HEIGHT / 2
    stops[-1] += _port(route[-2] - route[-1], lower_width), _BOX_HEIGHT / 2
    path = [stops[0]]
    for above, below in pairwise(stops):
        middle = (above[1] + below[1]) / 2
        path += [np.array([above[0], middle]), np.array([below[0], middle]), below]
    return np.array(path)


def _port(towards: Points, width: float) -> float:
    """Where on its side of a box an edge is fixed, away from the middle by the direction it takes."""
    room = width / 2 - 0.08
    return float(np.clip(0.25 * towards[0], -room, room))


def _draw_stroke(axes: Any, stroke: Stroke, path: Points) -> None:
    """Draw one edge along a path."""
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415
    from matplotlib.path import Path  # noqa: PLC0415

    codes = [Path.MOVETO] + [Path.CURVE4] * (len(path) - 1)
    arrow = FancyArrowPatch(
        path=Path(path, codes),
        arrowstyle="-|>" if stroke.directed else "-",
        mutation_scale=10,
        linestyle=(0, (4, 3)) if stroke.style.dashed else "solid",
        linewidth=1.1 if stroke.probability is None else width_of(stroke.probability),
        alpha=None if stroke.probability is None else opacity_of(stroke.probability),
        edgecolor=stroke.style.colour,
        facecolor=stroke.style.colour if stroke.directed else "none",
    )
    axes.add_patch(arrow)
    if stroke.label is not None:
        middle = path[len(path) // 2] if len(path) % 2 else path[len(path) // 2 - 1 : len(path) // 2 + 1].mean(axis=0)
        look = {"size": _FONT_SIZE - 2, "color": stroke.style.colour, "ha": "center", "va": "center", "zorder": 5}
        axes.text(*middle, stroke.label, bbox={"fc": "white", "ec": "none", "pad": 0.6}, **look)


def _draw_heading(axes: Any, sketch: Sketch) -> None:
    """Write title and legend above the graph, the caption below it."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    keys = [
        Line2D([], [], color=style.colour, linestyle="--" if style.dashed else "-", label=text)
        for text, style in sketch.legend
    ]
    if keys or sketch.title:
        axes.legend(
            handles=keys,
            title=sketch.title,
            title_fontproperties={"weight": "bold", "size": 11},
            ncols=max(len(keys), 1),
            loc="lower center",
            bbox_to_anchor=(0.5, 1),
            frameon=False,
        )
    if sketch.caption:
        look = {"size": _FONT_SIZE - 2, "color": "#5b6b7f", "ha": "center", "va": "top"}
        axes.text(0.5, 0, sketch.caption, transform=axes.transAxes, **look)
