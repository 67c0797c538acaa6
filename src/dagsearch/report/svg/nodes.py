"""Variables as rounded boxes."""

from __future__ import annotations

from dagsearch._visible import visible
from dagsearch.report.layout import Box
from dagsearch.report.layout.text import label_of
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.svg.colours import BOX_TEXT
from dagsearch.report.svg.element import content, element, number, place_of


def node_group(place: int, name: str, box: Box, interactive: bool, in_focus: bool = False) -> str:
    """Return one variable: a box with its name, cut where it is long, and the whole name as a tip.

    What is not interactive has no tip unless the name is cut; what the picture is about has a thick border.
    """
    label = label_of(name)
    centre = {"x": number(box.centre[0]), "y": number(box.centre[1] + 0.35 * FONT_SIZE)}
    inside = [element("title", {}, [content(name)])] if interactive or label != visible(name) else []
    inside += [
        element("rect", {**place_of(box), "rx": 7, "stroke_width": 2.5 if in_focus else None}),
        element("text", {**centre, "fill": BOX_TEXT, "stroke": "none"}, [content(label)]),
    ]
    return element(
        "g",
        {"class": "ds-node focus" if in_focus else "ds-node", "data_node": str(place) if interactive else None},
        inside,
    )
