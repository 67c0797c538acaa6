"""A picture while its parts are put in place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dagsearch.report.layout.curves import around, points_of, straight
from dagsearch.report.layout.ranks import Edge
from dagsearch.report.layout.result import Box, Curve, GraphLayout, Group, strokes_between

_ROUNDING = 1e-6  # in pixels
_MOST_BOWED = 2_000
"""Strokes between parts up to which each looks for a way around boxes; where there are more, they cover all anyway."""


class Board:
    """Boxes and routes that have their place so far.

    Parameters
    ----------
    ends
        For each stroke the positions of cause and effect.
    """

    def __init__(self, ends: Sequence[Edge]) -> None:
        self._ends = ends
        self.boxes: dict[int, Box] = {}
        self.frames: list[Box] = []
        self._groups: list[Group] = []
        self._routes: dict[int, Curve] = {}

    def put(
        self,
        nodes: Sequence[int],
        boxes: Sequence[Box],
        strokes: Sequence[int],
        routes: Sequence[Curve],
        corner: tuple[float, float],
    ) -> None:
        """Put a part with its upper left corner in some place; routes lead from the upper node to the lower one."""
        self.boxes.update((node, box.moved(*corner)) for node, box in zip(nodes, boxes, strict=True))
        for stroke, route in zip(strokes, routes, strict=True):
            moved = route + np.array(corner)
            starts_at_cause = self._starts_at(moved, self.boxes[self._ends[stroke][0]])
            self._routes[stroke] = moved if starts_at_cause else moved[::-1]

    def frame(self, frame: Box, nodes: Sequence[int], heading: str) -> None:
        """Put a frame around a group of nodes."""
        self.frames.append(frame)
        self._groups.append(Group(tuple(nodes), heading))

    @staticmethod
    def _starts_at(route: Curve, box: Box) -> bool:
        x, y = route[0]
        reaches_across = box.left - _ROUNDING <= x <= box.right + _ROUNDING
        return bool(reaches_across and box.top - _ROUNDING <= y <= box.bottom + _ROUNDING)

    def finished(self) -> GraphLayout:
        """Draw the strokes that no part has as curves between the boxes, and move all to the origin."""
        boxes = [self.boxes[node] for node in range(len(self.boxes))]
        corners = np.array([(box.left, box.top, box.right, box.bottom) for box in boxes]).reshape(-1, 4)
        few = len(self._ends) - len(self._routes) <= _MOST_BOWED

        def between(cause: int, effect: int) -> Curve:
            if not few:
                return straight(boxes[cause], boxes[effect])
            return around(boxes[cause], boxes[effect], np.delete(corners, (cause, effect), axis=0))

        routes = [
            self._routes[stroke] if stroke in self._routes else between(*ends) for stroke, ends in enumerate(self._ends)
        ]
        outlines = [[(frame.left, frame.top), (frame.right, frame.bottom)] for frame in self.frames]
        points = np.concatenate([[(0.0, 0.0)], corners[:, :2], corners[:, 2:], *map(points_of, routes), *outlines])
        low, high = points.min(axis=0), points.max(axis=0)
        return GraphLayout(
            width=float(high[0] - low[0]),
            height=float(high[1] - low[1]),
            boxes=tuple(box.moved(*-low) for box in boxes),
            routes=tuple(route - low for route in routes),
            frames=tuple(frame.moved(*-low) for frame in self.frames),
            groups=tuple(self._groups),
            between=strokes_between(self._groups, self._ends),
        )
