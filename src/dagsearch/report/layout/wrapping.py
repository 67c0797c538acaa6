"""Breaking layers that are too wide to look at."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dagsearch.report.layout.ranks import Edge


def wrapped(rank: Sequence[int], edges: Sequence[Edge], widths: Sequence[float], widest: float) -> list[int]:
    """Return the layers of nodes after those that are wider than `widest` have been broken into several.

    Only nodes without an effect are moved downwards, and only nodes without a cause upwards: all edges still lead
    down, and only theirs become longer.
    """
    causes, effects = {upper for upper, _ in edges}, {lower for _, lower in edges}
    nodes = range(len(rank))
    lowered = _pushed(rank, [node not in causes for node in nodes], widths, widest)
    raised = _pushed([-layer for layer in lowered], [node not in effects for node in nodes], widths, widest)
    top = max(raised, default=0)
    return [top - layer for layer in raised]


def _pushed(rank: Sequence[int], may_move: Sequence[bool], widths: Sequence[float], widest: float) -> list[int]:
    """Deal the nodes that may move out of each layer that is too wide to as many layers as their width needs.

    Neighbours go to different layers, so that the lines to lower ones pass between the boxes of upper ones.
    """
    pushed = list(rank)
    layer = min(pushed, default=0)
    while layer <= max(pushed, default=-1):
        inside = [node for node, place in enumerate(pushed) if place == layer]
        n_layers = math.ceil(sum(widths[node] for node in inside) / widest)
        for place, node in enumerate(node for node in inside if may_move[node]):
            pushed[node] += place % n_layers
        layer += 1
    return pushed
