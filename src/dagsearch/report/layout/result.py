"""What a layout is: boxes and curves, in pixels, with y growing downwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Curve = npt.NDArray[np.float64]
"""A chain of cubic Bezier curves, shape (3 * n_pieces + 1, 2): a point, then two handles and a point for each piece."""


class Box(NamedTuple):
    """The place of a node, or of a group of nodes."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Where it ends."""
        return self.top + self.height

    @property
    def centre(self) -> tuple[float, float]:
        """The point in its middle."""
        return self.left + self.width / 2, self.top + self.height / 2

    def moved(self, right: float, down: float) -> Box:
        """The same box elsewhere."""
        return self._replace(left=self.left + right, top=self.top + down)


class Group(NamedTuple):
    """Nodes that many lines join, and what they are called together."""

    nodes: tuple[int, ...]
    heading: str


def strokes_between(groups: Sequence[Group], ends: Iterable[tuple[int, int]]) -> frozenset[int]:
    """Return which strokes, given by the positions of cause and effect, lead out of a group or into one."""
    group_of = {node: number for number, group in enumerate(groups) for node in group.nodes}
    return frozenset(
        stroke for stroke, (cause, effect) in enumerate(ends) if group_of.get(cause) != group_of.get(effect)
    )


class GraphLayout(NamedTuple):
    """Where everything in a picture lies.

    Attributes
    ----------
    width, height
        Size of what all boxes and curves lie in, starting at (0, 0).
    boxes
        One for each name of the sketch, in its order.
    routes
        One curve for each stroke of the sketch, in its order, from the border of the cause to that of the effect.
    frames
        Around groups of nodes that belong together; none in a small graph.
    groups
        What is in each frame, in the same order.
    between
        Strokes from one group to another.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    routes: tuple[Curve, ...]
    frames: tuple[Box, ...] = ()
    groups: tuple[Group, ...] = ()
    between: frozenset[int] = frozenset()
