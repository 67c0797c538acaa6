"""A layered layout after Sugiyama: causes above effects, with lanes for the edges that pass a layer."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.graph.order import topological_order

_N_SWEEPS = 24
_LANE_WIDTH = 0.3  # of a passing edge, where a node takes 1

Points = npt.NDArray[np.float64]


class Layout(NamedTuple):
    """Where nodes lie and edges run; layers are at y = 0, -1, ..."""

    places: Points  # (n_nodes, 2)
    routes: dict[tuple[int, int], Points]  # per edge (n_points, 2): the cause, its lanes, the effect


def layered(adjacency: npt.NDArray[np.int8]) -> Layout:
    """Lay out a DAG so that every edge points downwards."""
    depth = _depths(adjacency)
    chains = _chains(adjacency, depth)
    level = dict(enumerate(depth))
    for chain in chains.values():
        level.update((stop, depth[chain[0]] + step) for step, stop in enumerate(chain))
    x = _arrange(level, chains.values(), n_nodes=len(adjacency))
    points = np.array([(x[stop], -level[stop]) for stop in range(len(level))], dtype=float).reshape(-1, 2)
    return Layout(points[: len(adjacency)], {edge: points[chain] for edge, chain in chains.items()})


def _depths(adjacency: npt.NDArray[np.int8]) -> list[int]:
    """Length of the longest path that leads to each node."""
    depth = np.zeros(len(adjacency), dtype=int)
    for node in topological_order(adjacency):
        depth[node] = depth[adjacency[:, node] == 1].max(initial=-1) + 1
    return [int(level) for level in depth]


def _chains(adjacency: npt.NDArray[np.int8], depth: list[int]) -> dict[tuple[int, int], list[int]]:
    """For each edge its stops, one per layer: the cause, new stops numbered from n_nodes on, the effect."""
    chains = {}
    n_stops = len(adjacency)
    for cause, effect in np.argwhere(adjacency).tolist():
        n_lanes = depth[effect] - depth[cause] - 1
        chains[cause, effect] = [cause, *range(n_stops, n_stops + n_lanes), effect]
        n_stops += n_lanes
    return chains


def _arrange(level: dict[int, int], chains: Iterable[list[int]], n_nodes: int) -> dict[int, float]:
    """Pull every stop towards the stops it is linked to, again and again, keeping them apart."""
    near: dict[int, list[int]] = {stop: [] for stop in level}
    for chain in chains:
        for above, below in pairwise(chain):
            near[above].append(below)
            near[below].append(above)
    layers: list[list[int]] = [[] for _ in set(level.values())]
    for stop in sorted(level):
        layers[level[stop]].append(stop)
    x = {stop: float(rank) for layer in layers for rank, stop in enumerate(layer)}
    for sweep in range(_N_SWEEPS):
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wanted = {stop: float(np.mean([x[other] for other in near[stop] or [stop]])) for stop in layer}
            layer.sort(key=lambda stop: (wanted[stop], stop))
            x.update(zip(layer, _kept_apart(layer, wanted, n_nodes), strict=True))
    return x


def _kept_apart(layer: list[int], wanted: dict[int, float], n_nodes: int) -> Points:
    """Positions close to the wanted ones that leave each stop of a sorted layer its width."""
    widths = np.array([1.0 if stop < n_nodes else _LANE_WIDTH for stop in layer])
    # Less the room taken by those to the left, positions only need to be in order.
    taken = np.cumsum(widths) - widths / 2
    slack = np.array([wanted[stop] for stop in layer]) - taken
    pushed_right = np.maximum.accumulate(slack)
    pushed_left = np.minimum.accumulate(slack[::-1])[::-1]
    return (pushed_right + pushed_left) / 2 + taken
