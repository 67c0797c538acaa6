"""Putting parts of a picture side by side and below each other, without much empty room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

_WIDER_THAN_HIGH = 1.6


class Packed(NamedTuple):
    """Where the upper left corner of each part lies, and the size of all."""

    corners: list[tuple[float, float]]
    width: float
    height: float


def packed(sizes: Sequence[tuple[float, float]], gap: float, least_width: float = 0.0) -> Packed:
    """Put each part, in the order given, where it lies highest, then leftmost; somewhat wider than high in all.

    Parameters
    ----------
    sizes
        Width and height of each part.
    gap
        Between parts.
    least_width
        All may be so wide in any case.
    """
    area = sum((width + gap) * (height + gap) for width, height in sizes)
    limit = max([least_width, math.sqrt(area * _WIDER_THAN_HIGH), *(width for width, _ in sizes)])
    corners: list[tuple[float, float]] = []
    bottoms: list[tuple[float, float, float]] = []  # left, right and bottom of each part so far, with the gap
    for width, height in sizes:
        x, y = min(_places(width + gap, bottoms, limit + gap), key=lambda place: (place[1], place[0]))
        corners.append((x, y))
        bottoms.append((x, x + width + gap, y + height + gap))
    total = max((right - gap for _, right, _ in bottoms), default=0.0)
    return Packed(corners, total, max((bottom - gap for _, _, bottom in bottoms), default=0.0))


def _places(width: float, bottoms: Sequence[tuple[float, float, float]], limit: float) -> list[tuple[float, float]]:
    """Places for a width, gap included, below all parts there: at the left, and beside each part."""
    lefts = [0.0, *(right for _, right, _ in bottoms if right + width <= limit)]
    return [
        (x, max((bottom for left, right, bottom in bottoms if left < x + width and x < right), default=0.0))
        for x in lefts
    ]
