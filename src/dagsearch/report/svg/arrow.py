"""Lines and arrowheads as SVG paths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.report.layout.result import Curve
from dagsearch.report.svg.element import number

Point = npt.NDArray[np.float64]


class Arrow(NamedTuple):
    """The paths of an edge."""

    line: str
    head: str | None
    whole: str  # the line up to the tip


def arrow(route: Curve, width: float, directed: bool) -> Arrow:
    """Return the paths of an edge along a route; the line ends where the arrowhead begins, if there is one."""
    whole = path(route)
    if not directed:
        return Arrow(whole, None, whole)
    length = 6.0 + 1.7 * width
    shortened, base = _shortened(route, length)
    return Arrow(path(shortened), _head(route[-1], base, length, half=0.42 * length), whole)


def path(route: Curve) -> str:
    """Return a chain of Bezier curves as the ``d`` of a path."""
    pieces = [f"M{_point(route[0])}"]
    pieces += [
        f"C{_point(route[at])} {_point(route[at + 1])} {_point(route[at + 2])}" for at in range(1, len(route), 3)
    ]
    return "".join(pieces)


def point_at(route: Curve, part: float) -> tuple[Point, Point]:
    """Return the point after a part of the pieces of a route, and the direction that it has there."""
    n_pieces = (len(route) - 1) // 3
    piece = min(int(part * n_pieces), n_pieces - 1)
    a, b, c, d = route[3 * piece : 3 * piece + 4]
    t = part * n_pieces - piece
    point = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    direction = (1 - t) ** 2 * (b - a) + 2 * (1 - t) * t * (c - b) + t**2 * (d - c)
    return point, direction


def _shortened(route: Curve, length: float) -> tuple[Curve, Point]:
    """Return a route without its last few pixels, and where it now ends."""
    tip = route[-1]
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if np.hypot(*(_split(route[-4:], middle)[-1] - tip)) > length:
            low = middle
        else:
            high = middle
    kept = _split(route[-4:], low)
    return np.concatenate([route[:-4], kept]), kept[-1]


def _split(piece: Curve, t: float) -> Curve:
    """Return the first part of one Bezier curve, by de Casteljau."""
    points, first = piece, [piece[0]]
    while len(points) > 1:
        points = points[:-1] * (1 - t) + points[1:] * t
        first.append(points[0])
    return np.array(first)


def _head(tip: Point, base: Point, length: float, half: float) -> str:
    """Return a triangle with its tip at the end of an edge."""
    along = tip - base
    along = along / max(float(np.hypot(*along)), 1e-9)
    aside = np.array([-along[1], along[0]]) * half
    back = tip - along * length
    return f"M{_point(tip)}L{_point(back + aside)} {_point(back - aside)}Z"


def _point(point: Point) -> str:
    return f"{number(float(point[0]))},{number(float(point[1]))}"
