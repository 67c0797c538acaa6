"""The geometry of an edge along its route: where the line ends, and the arrowhead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.report.layout.result import Curve

Points = npt.NDArray[np.float64]


class Arrow(NamedTuple):
    """A line, and the three corners of its arrowhead if it has one, the tip first."""

    line: Curve
    head: Points | None


def arrow_along(route: Curve, width: float, directed: bool) -> Arrow:
    """Return an edge along a route; the line ends where the arrowhead begins, if there is one."""
    if not directed:
        return Arrow(route, None)
    length = 6.0 + 1.7 * width
    line = shortened(route, length)
    return Arrow(line, _head(route[-1], line[-1], length, half=0.42 * length))


def point_at(route: Curve, part: float) -> tuple[Points, Points]:
    """Return the point after a part of the pieces of a route, and the direction that it has there."""
    n_pieces = (len(route) - 1) // 3
    piece = min(int(part * n_pieces), n_pieces - 1)
    a, b, c, d = route[3 * piece : 3 * piece + 4]
    t = part * n_pieces - piece
    point = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    direction = (1 - t) ** 2 * (b - a) + 2 * (1 - t) * t * (c - b) + t**2 * (d - c)
    return point, direction


def shortened(route: Curve, length: float) -> Curve:
    """Return a route without its last few pixels."""
    tip = route[-1]
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if np.hypot(*(_split(route[-4:], middle)[-1] - tip)) > length:
            low = middle
        else:
            high = middle
    return np.concatenate([route[:-4], _split(route[-4:], low)])


def _split(piece: Curve, t: float) -> Curve:
    """Return the first part of one Bezier curve, by de Casteljau."""
    points, first = piece, [piece[0]]
    while len(points) > 1:
        points = points[:-1] * (1 - t) + points[1:] * t
        first.append(points[0])
    return np.array(first)


def _head(tip: Points, base: Points, length: float, half: float) -> Points:
    """Return a triangle with its tip at the end of an edge."""
    along = tip - base
    along = along / max(float(np.hypot(*along)), 1e-9)
    aside = np.array([-along[1], along[0]]) * half
    back = tip - along * length
    return np.array([tip, back + aside, back - aside])
