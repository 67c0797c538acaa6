"""Lines and arrowheads as SVG paths."""

from __future__ import annotations

from typing import NamedTuple

from dagsearch.report.layout.arrows import Points, arrow_along
from dagsearch.report.layout.result import Curve
from dagsearch.report.svg.element import number


class Arrow(NamedTuple):
    """The paths of an edge."""

    line: str
    head: str | None
    whole: str  # the line up to the tip


def arrow(route: Curve, width: float, directed: bool) -> Arrow:
    """Return the paths of an edge along a route; the line ends where the arrowhead begins, if there is one."""
    line, head = arrow_along(route, width, directed)
    return Arrow(path(line), None if head is None else _triangle(head), path(route))


def path(route: Curve) -> str:
    """Return a chain of Bezier curves as the ``d`` of a path."""
    pieces = [f"M{_point(route[0])}"]
    pieces += [
        f"C{_point(route[at])} {_point(route[at + 1])} {_point(route[at + 2])}" for at in range(1, len(route), 3)
    ]
    return "".join(pieces)


def _triangle(corners: Points) -> str:
    tip, left, right = corners
    return f"M{_point(tip)}L{_point(left)} {_point(right)}Z"


def _point(point: Points) -> str:
    return f"{number(float(point[0]))},{number(float(point[1]))}"
