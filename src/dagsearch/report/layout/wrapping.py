"""Breaking layers that are too wide to look at."""

from __future__ import annotations

from collections.abc import Sequence

from dagsearch.report.layout.ranks import Edge

WIDEST_LAYER = 1400.0


def wrapped(rank: Sequence[int], edges: Sequence[Edge], widths: Sequence[float]) -> list[int]:
    """Return the layers of nodes after those that are too wide have been broken into several.

    Only nodes without an effect are moved downwards, and only nodes without a cause upwards: all edges still lead
    down, and only theirs become longer.
    """
    causes, effects = {upper for upper, _ in edges}, {lower for _, lower in edges}
    nodes = range(len(rank))
    lowered = _pushed(rank, [node not in causes for node in nodes], widths)
    raised = _pushed([-layer for layer in lowered], [node not in effects for node in nodes], widths)
    top = max(raised, default=0)
    return [top - layer for layer in raised]


def _pushed(rank: Sequence[int], may_move: Sequence[bool], widths: Sequence[float]) -> list[int]:
    """Push as many nodes as necessary from each layer to the next; the widest layer is followed by new ones."""
    pushed = list(rank)
    layer = min(pushed, default=0)
    while layer <= max(pushed, default=-1):
        inside = [node for node, place in enumerate(pushed) if place == layer]
        room = WIDEST_LAYER
        for node in sorted(inside, key=lambda node: (may_move[node], node)):
            room -= widths[node]
            if room < 0 and may_move[node] and node != inside[0]:
                pushed[node] += 1
        layer += 1
    return pushed
