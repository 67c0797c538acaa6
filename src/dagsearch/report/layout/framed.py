"""Parts of a picture with a frame and a heading around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dagsearch.report.layout.part import Part
from dagsearch.report.layout.ranks import Edge
from dagsearch.report.layout.result import Box
from dagsearch.report.layout.text import label_of, text_width

HEADING_SIZE = 12.0
_BOLDER = 1.1  # bold letters are wider
_MARGIN = 14.0  # from the boxes of a group to the frame around it
_HEADING_HEIGHT = 16.0
_LEAST_GROUP = 4  # nodes; fewer that no line joins to others are seen to belong together without a frame


class FramedPart(NamedTuple):
    """A part with the nodes and strokes that it is about; without a heading it has no frame either."""

    nodes: Sequence[int]
    strokes: Sequence[int]
    part: Part
    heading: str | None = None

    @property
    def width(self) -> float:
        """That of the frame, if there is one."""
        if self.heading is None:
            return self.part.width
        return max(self.part.width, text_width(self.heading, HEADING_SIZE) * _BOLDER) + 2 * _MARGIN

    @property
    def height(self) -> float:
        """That of the frame, if there is one."""
        return self.part.height + (0.0 if self.heading is None else 2 * _MARGIN + _HEADING_HEIGHT)

    @property
    def inside(self) -> tuple[float, float]:
        """Where in the frame the part lies."""
        down = 0.0 if self.heading is None else _MARGIN + _HEADING_HEIGHT
        return (self.width - self.part.width) / 2, down


def heading_baseline(frame: Box) -> tuple[float, float]:
    """Where the heading of a frame starts."""
    return frame.left + _MARGIN, frame.top + _MARGIN / 2 + HEADING_SIZE


def heading_of(nodes: Sequence[int], edges: Iterable[Edge], names: Sequence[str]) -> str | None:
    """What a group is called: by the node with most lines in it; None: it needs no frame.

    Parameters
    ----------
    nodes
        Members of the group.
    edges
        All lines of the picture.
    names
        Of all nodes.
    """
    members, lines, leaves = set(nodes), Counter[int](), False
    for edge in edges:
        inside = [node for node in edge if node in members]
        leaves |= len(inside) == 1
        lines.update(inside if len(inside) == 2 else ())
    if len(members) < _LEAST_GROUP and not leaves:
        return None
    hub = min(nodes, key=lambda node: (-lines[node], node))
    return f"{len(members)} variables around {label_of(names[hub])}" if len(members) > 1 else label_of(names[hub])
