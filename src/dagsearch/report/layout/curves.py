"""Smooth curves through given points, and around boxes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dagsearch.report.layout.result import Box, Curve

_STEEPEST = 0.7  # sideways per step downwards, where an edge passes between boxes
_HANDLE = 0.42  # of a piece's height: longer ones than for a cubic of y make softer turns
_BOWS = (0.0, 30.0, -30.0, 60.0, -60.0, 100.0, -100.0, 150.0, -150.0)  # away from the straight line, in pixels
_PIXELS_WORTH_A_BOX = 120.0
_SAMPLES = np.linspace(0.06, 0.94, 15)
_MARGIN = 4.0


def falling(points: Sequence[tuple[float, float]]) -> Curve:
    """A curve that runs steadily downwards through points, without swinging beyond any of them."""
    slopes = [(b[0] - a[0]) / (b[1] - a[1]) for a, b in pairwise(points)]
    inner = [_between(before, after) for before, after in pairwise(slopes)]
    ends = [0.6 * slopes[0], 0.6 * slopes[-1]]
    at = [ends[0], *inner, ends[1]]
    path = [points[0]]
    for (start, end), (leaving, arriving) in zip(pairwise(points), pairwise(at), strict=True):
        handle = _HANDLE * (end[1] - start[1])
        path += [(start[0] + leaving * handle, start[1] + handle), (end[0] - arriving * handle, end[1] - handle), end]
    return np.array(path)


def _between(before: float, after: float) -> float:
    """The slope at a point between two pieces (Fritsch and Butland), which keeps the curve from swinging."""
    if before * after <= 0:
        return 0.0
    return float(np.clip(2 * before * after / (before + after), -_STEEPEST, _STEEPEST))


def around(start: Box, end: Box, others: npt.NDArray[np.float64]) -> Curve:
    """A curve between two boxes that bows around others if a bow can avoid them.

    Parameters
    ----------
    start, end
        The boxes that it joins.
    others
        Left, top, right and bottom of each box to be avoided, shape (n_boxes, 4).
    """
    best, least = None, np.inf
    for bow in _BOWS:
        curve = _bowed(start, end, bow)
        cost = abs(bow) / _PIXELS_WORTH_A_BOX
        if cost >= least:
            break
        cost += _covered(curve, others)
        if cost < least:
            best, least = curve, cost
    assert best is not None
    return best


def straight(start: Box, end: Box) -> Curve:
    """A straight line between two boxes, whatever lies between them."""
    return _bowed(start, end, 0.0)


def _bowed(start: Box, end: Box, bow: float) -> Curve:
    """One Bezier curve, away from the middle of the straight line by so many pixels, less if the line is short."""
    a, b = np.array(start.centre), np.array(end.centre)
    along = b - a
    length = max(float(np.hypot(*along)), 1e-9)
    aside = np.array([-along[1], along[0]]) / length * np.clip(bow, -length, length) * 4 / 3
    handles = a + along / 3 + aside, a + along * 2 / 3 + aside
    first, last = _border(start, handles[0]), _border(end, handles[1])
    if _holds(start, handles[0]) or _holds(end, handles[1]):
        # Wide boxes side by side: the middle third of the way between their borders is short.
        gap = (last - first) / 3
        handles = first + gap + aside, last - gap + aside
    return np.array([first, *handles, last])


def _border(box: Box, towards: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Where the line from the middle of a box through a point leaves the box."""
    centre = np.array(box.centre)
    step = towards - centre
    half = np.array([box.width / 2, box.height / 2])
    border: npt.NDArray[np.float64] = centre + step * np.min(half / np.maximum(np.abs(step), 1e-9))
    return border


def _holds(box: Box, point: npt.NDArray[np.float64]) -> bool:
    """Whether a point lies in a box."""
    return bool((np.abs(point - np.array(box.centre)) < (box.width / 2, box.height / 2)).all())


def points_of(curve: Curve) -> npt.NDArray[np.float64]:
    """Some points on a chain of Bezier curves, the ends of its pieces apart; handles lie farther outside."""
    t = _SAMPLES[:, None, None]
    a, b, c, d = curve[:-1:3], curve[1::3], curve[2::3], curve[3::3]
    points: npt.NDArray[np.float64] = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return points.reshape(-1, 2)


def _covered(curve: Curve, boxes: npt.NDArray[np.float64]) -> float:
    """How many of some boxes a curve runs through."""
    if not len(boxes):
        return 0.0
    points = points_of(curve)
    inside = (points[:, None] >= boxes[None, :, :2] - _MARGIN) & (points[:, None] <= boxes[None, :, 2:] + _MARGIN)
    return float(inside.all(axis=2).any(axis=0).sum())
