"""Where on its line each stop of ordered layers stands: close to its neighbours, and apart from those beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dagsearch.report.layout.ordering import Layers, Links

_N_SWEEPS = 24

# How strongly a link pulls: long lines become straight before short ones do.
_PULL = {0: 1.0, 1: 2.0, 2: 8.0}  # by how many of its two ends are places where an edge passes


def spread(layers: Layers, above: Links, below: Links, widths: Sequence[float], n_nodes: int) -> list[float]:
    """Return the x of the middle of each stop.

    Parameters
    ----------
    layers
        Stops of each layer from left to right; stops from `n_nodes` on are places where edges pass.
    above, below
        For each stop those that it is linked to in the layer above, and in the one below.
    widths
        The room that each stop needs, margins included.
    n_nodes
        Number of nodes.
    """
    x = [0.0] * len(widths)
    for layer in layers:
        _settle(layer, x, widths, dict.fromkeys(layer, (0.0, 1.0)))
    for sweep in range(_N_SWEEPS):
        # One-sided sweeps carry news through all layers at once; the last ones balance both sides.
        both = sweep >= _N_SWEEPS - 8
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            sides = (above, below) if both else (above,) if downwards else (below,)
            _settle(layer, x, widths, {stop: _wish(stop, x, sides, n_nodes) for stop in layer})
    leftmost = min((x[stop] - widths[stop] / 2 for stop in range(len(widths))), default=0.0)
    return [place - leftmost for place in x]


def _wish(stop: int, x: Sequence[float], sides: Sequence[Links], n_nodes: int) -> tuple[float, float]:
    """Where a stop would stand, and how strongly; without neighbours it stays, but gives way."""
    pulls = [(x[other], _PULL[(stop >= n_nodes) + (other >= n_nodes)]) for links in sides for other in links[stop]]
    if not pulls:
        return x[stop], 0.05
    strength = sum(pull for _, pull in pulls)
    return sum(place * pull for place, pull in pulls) / strength, strength


def _settle(layer: list[int], x: list[float], widths: Sequence[float], wishes: dict[int, tuple[float, float]]) -> None:
    """Place a layer as near to its wishes as its widths allow, by least squares (pool adjacent violators)."""
    if not layer:
        return
    # Less the room taken by those to the left, places only need to be in order.
    taken = [0.0]
    for left, right in pairwise(layer):
        taken.append(taken[-1] + (widths[left] + widths[right]) / 2)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for offset, stop in zip(taken, layer, strict=True):
        wanted, weight = wishes[stop]
        mean, many = wanted - offset, 1
        while pools and pools[-1][0] > mean:
            other, heavy, more = pools.pop()
            mean = (mean * weight + other * heavy) / (weight + heavy)
            weight += heavy
            many += more
        pools.append((mean, weight, many))
    means = [mean for mean, _, many in pools for _ in range(many)]
    for offset, stop, mean in zip(taken, layer, means, strict=True):
        x[stop] = mean + offset
