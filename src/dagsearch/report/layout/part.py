"""A layered layout after Sugiyama of one connected part of a graph: causes above effects, lanes for long edges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from dagsearch.report.layout.coordinates import spread
from dagsearch.report.layout.curves import falling
from dagsearch.report.layout.ordering import Layers, ordered
from dagsearch.report.layout.ranks import Edge, ranks
from dagsearch.report.layout.result import Box, Curve
from dagsearch.report.layout.spacing import ROOMY, Spacing
from dagsearch.report.layout.wrapping import wrapped

BOX_HEIGHT = 30.0
_WIDEST_LANE, _NARROWEST_LANE = 12.0, 4.0  # the room of an edge that passes a layer
_ALL_LANES = 360.0  # of a layer: where more edges pass, their lanes are narrower
_LEAST_FALL, _MOST_FALL = 40.0, 96.0  # between layers
_FALL_PER_SIDEWAYS = 0.14  # edges that run far sideways need more of it to be told apart
_PORT_STEP, _PORT_MARGIN = 12.0, 9.0  # between the ends of edges at one box; from its corners


class Part(NamedTuple):
    """The layout of a part, starting at (0, 0)."""

    width: float
    height: float
    boxes: list[Box]
    routes: list[Curve]  # one for each edge, downwards


class _Stops(NamedTuple):
    """Nodes, and numbered after them the places where long edges pass layers."""

    layers: Layers
    above: list[list[int]]
    below: list[list[int]]
    chains: list[list[int]]  # for each edge the stops that it runs through


def layered_part(widths: Sequence[float], edges: Sequence[Edge], spacing: Spacing = ROOMY) -> Part:
    """Lay a connected DAG out.

    Parameters
    ----------
    widths
        Of the box of each node.
    edges
        Pairs (upper, lower), as many as there are lines to draw: two nodes may be joined by several.
    spacing
        How much room there is.
    """
    n_nodes, of_nodes = len(widths), [width + spacing.gap for width in widths]
    stops = _stops(wrapped(ranks(n_nodes, edges), edges, of_nodes, spacing.widest_layer), edges)
    rooms = of_nodes + [_lane(stops.layers, n_nodes)] * (len(stops.above) - n_nodes)
    layers = ordered(stops.layers, stops.above, stops.below)
    x = spread(layers, stops.above, stops.below, rooms, n_nodes)
    tops = _tops(layers, stops.below, x)
    top_of = {stop: top for layer, top in zip(layers, tops, strict=True) for stop in layer}
    boxes = [Box(x[node] - widths[node] / 2, top_of[node], widths[node], BOX_HEIGHT) for node in range(n_nodes)]
    width = max((x[stop] + room / 2 for stop, room in enumerate(rooms)), default=0.0)
    return Part(width, tops[-1] + BOX_HEIGHT, boxes, _routes(stops.chains, x, top_of, boxes))


def _stops(rank: Sequence[int], edges: Sequence[Edge]) -> _Stops:
    """Split each edge at the layers that it passes."""
    layers: Layers = [[] for _ in range(max(rank, default=-1) + 1)]
    for node, layer in enumerate(rank):
        layers[layer].append(node)
    above: list[list[int]] = [[] for _ in rank]
    below: list[list[int]] = [[] for _ in rank]
    chains = []
    for upper, lower in edges:
        chain = [upper]
        for layer in range(rank[upper] + 1, rank[lower]):
            chain.append(len(above))
            layers[layer].append(len(above))
            above.append([])
            below.append([])
        chain.append(lower)
        for first, second in pairwise(chain):
            below[first].append(second)
            above[second].append(first)
        chains.append(chain)
    return _Stops(layers, above, below, chains)


def _lane(layers: Layers, n_nodes: int) -> float:
    """The room that each lane gets."""
    most = max(sum(stop >= n_nodes for stop in layer) for layer in layers)
    return min(max(_ALL_LANES / max(most, 1), _NARROWEST_LANE), _WIDEST_LANE)


def _tops(layers: Layers, below: Sequence[Sequence[int]], x: Sequence[float]) -> list[float]:
    """The upper border of each layer; where lines run far sideways there is more room between two layers."""
    tops = [0.0]
    for layer in layers[:-1]:
        sideways = max((abs(x[other] - x[stop]) for stop in layer for other in below[stop]), default=0.0)
        fall = min(_LEAST_FALL + _FALL_PER_SIDEWAYS * sideways, _MOST_FALL)
        tops.append(tops[-1] + BOX_HEIGHT + fall)
    return tops


def _routes(
    chains: Sequence[Sequence[int]], x: Sequence[float], top_of: dict[int, float], boxes: Sequence[Box]
) -> list[Curve]:
    """Curves from the lower border of one box through lanes to the upper border of another."""
    starts = _ports([(chain[0], x[chain[1]]) for chain in chains], boxes)
    ends = _ports([(chain[-1], x[chain[-2]]) for chain in chains], boxes)
    routes = []
    for chain, start, end in zip(chains, starts, ends, strict=True):
        passed = [(x[stop], top_of[stop] + BOX_HEIGHT / 2) for stop in chain[1:-1]]
        first, last = (start, boxes[chain[0]].bottom), (end, boxes[chain[-1]].top)
        routes.append(falling([first, *passed, last]))
    return routes


def _ports(ends: Sequence[tuple[int, float]], boxes: Sequence[Box]) -> list[float]:
    """Where along the border of its box each edge is fixed, given the box and the x that the edge comes from.

    Edges of one box lie beside each other in the order in which they come, lest they cross or cover each other.
    """
    at_box: dict[int, list[int]] = {}
    for edge, (node, _) in enumerate(ends):
        at_box.setdefault(node, []).append(edge)
    ports = [0.0] * len(ends)
    for node, edges in at_box.items():
        edges.sort(key=lambda edge: (ends[edge][1], edge))
        room = boxes[node].width - 2 * _PORT_MARGIN
        step = min(_PORT_STEP, room / max(len(edges) - 1, 1))
        for place, edge in enumerate(edges):
            ports[edge] = boxes[node].centre[0] + (place - (len(edges) - 1) / 2) * step
    return ports
