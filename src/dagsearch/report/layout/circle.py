"""The simple layout of a part with too many lines for layers: all nodes on a circle, causes before effects."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dagsearch.report.layout.curves import straight
from dagsearch.report.layout.part import BOX_HEIGHT, Part
from dagsearch.report.layout.ranks import Edge, ranks
from dagsearch.report.layout.result import Box
from dagsearch.report.layout.spacing import ROOMY, Spacing


def circular_part(widths: Sequence[float], edges: Sequence[Edge], spacing: Spacing = ROOMY) -> Part:
    """Lay a connected DAG out clockwise from the top, by the layers that its nodes would be in; see `layered_part`."""
    rank = ranks(len(widths), edges)
    order = sorted(range(len(widths)), key=lambda node: (rank[node], node))
    widest = max(widths, default=0.0)
    radius = (widest + spacing.gap) / (2.0 * math.sin(math.pi / max(len(widths), 2)))
    boxes = [Box(0.0, 0.0, width, BOX_HEIGHT) for width in widths]
    for place, node in enumerate(order):
        angle = 2.0 * math.pi * place / len(order)
        x, y = radius * (1.0 + math.sin(angle)), radius * (1.0 - math.cos(angle))
        boxes[node] = boxes[node].moved(x + (widest - widths[node]) / 2.0, y)
    routes = [straight(boxes[upper], boxes[lower]) for upper, lower in edges]
    return Part(2.0 * radius + widest, 2.0 * radius + BOX_HEIGHT, boxes, routes)
