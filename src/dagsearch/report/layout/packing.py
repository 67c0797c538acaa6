"""Putting parts of a picture side by side, in rows."""

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
    """Fill rows from left to right with parts in the order given, somewhat wider than high in all.

    Parameters
    ----------
    sizes
        Width and height of each part.
    gap
        Between parts.
    least_width
        Rows may be so wide in any case.
    """
    area = sum((width + gap) * (height + gap) for width, height in sizes)
    limit = max([least_width, math.sqrt(area * _WIDER_THAN_HIGH), *(width for width, _ in sizes)])
    corners: list[tuple[float, float]] = []
    x = y = height_of_row = 0.0
    for width, height in sizes:
        if x > 0 and x + width > limit:
            x, y, height_of_row = 0.0, y + height_of_row + gap, 0.0
        corners.append((x, y))
        x += width + gap
        height_of_row = max(height_of_row, height)
    total = max((x + width for (x, _), (width, _) in zip(corners, sizes, strict=True)), default=0.0)
    return Packed(corners, total, y + height_of_row)
