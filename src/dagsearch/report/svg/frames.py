"""Groups of a large graph as tinted frames with headings."""

from __future__ import annotations

from dagsearch.report.layout import Box, GraphLayout, Group
from dagsearch.report.layout.framed import HEADING_SIZE, heading_baseline
from dagsearch.report.svg.colours import NOTE, TINTS
from dagsearch.report.svg.element import content, element, number, place_of


def frames(layout: GraphLayout) -> list[str]:
    """Return the frames of a layout as one group, behind all else; nothing where there are none."""
    if not layout.frames:
        return []
    look = {"fill_opacity": 0.07, "stroke_opacity": 0.45}
    drawn = [
        _frame(place, frame, group)
        for place, (frame, group) in enumerate(zip(layout.frames, layout.groups, strict=True))
    ]
    return [element("g", {"class": "ds-frames", **look}, drawn)]


def headings(layout: GraphLayout) -> list[str]:
    """Return what the frames of a layout are called, above their lines."""
    look: dict[str, str | float] = {"fill": NOTE, "font_size": HEADING_SIZE, "font_weight": "bold"}
    drawn = [_heading(frame, group) for frame, group in zip(layout.frames, layout.groups, strict=True)]
    return [element("g", {"class": "ds-headings", **look}, drawn)] if drawn else []


def _frame(place: int, frame: Box, group: Group) -> str:
    tint = TINTS[place % len(TINTS)]
    members = " ".join(map(str, group.nodes))
    return element(
        "rect", {"class": "ds-frame", **place_of(frame), "rx": 12, "fill": tint, "stroke": tint, "data_nodes": members}
    )


def _heading(frame: Box, group: Group) -> str:
    x, y = heading_baseline(frame)
    return element("text", {"class": "ds-heading", "x": number(x), "y": number(y)}, [content(group.heading)])
