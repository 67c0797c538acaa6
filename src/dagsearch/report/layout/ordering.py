"""In which order the stops of each layer stand, so that few lines cross.

A stop is a node, or the place where a long edge passes a layer. Sweeps up and down sort each layer by where the
neighbours in the last one stand, swaps of adjacent stops mend what sorting leaves, and the best order met is kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

Links = Sequence[Sequence[int]]
Layers = list[list[int]]

_N_SWEEPS = 20
_PATIENCE = 5  # sweeps without improvement
_N_ROUNDS_OF_SWAPS = 4


def ordered(layers: Layers, above: Links, below: Links) -> Layers:
    """Return the layers with their stops in an order with few crossings.

    Parameters
    ----------
    layers
        Stops of each layer, from top to bottom.
    above, below
        For each stop those that it is linked to in the layer above, and in the one below.
    """
    candidates = [_swept(start, above, below) for start in _starts(layers, above, below)]
    return min(candidates, key=lambda found: n_crossings(found, below))


def n_crossings(layers: Layers, below: Links) -> int:
    """How many pairs of lines cross."""
    place = _places(layers)
    total = 0
    for layer in layers[:-1]:
        passed: list[int] = []
        for stop in layer:
            targets = sorted(place[other] for other in below[stop])
            total += sum(len(passed) - bisect_right(passed, target) for target in targets)
            for target in targets:
                insort(passed, target)
    return total


def _places(layers: Layers) -> dict[int, int]:
    return {stop: place for layer in layers for place, stop in enumerate(layer)}


def _starts(layers: Layers, above: Links, below: Links) -> list[Layers]:
    """Two orders to start from: as a walk from the top meets the stops, and as one from the bottom does."""
    level = {stop: depth for depth, layer in enumerate(layers) for stop in layer}
    starts = []
    for roots in (layers, layers[::-1]):
        found: Layers = [[] for _ in layers]
        seen: set[int] = set()
        waiting = [stop for layer in reversed(roots) for stop in reversed(layer)]
        while waiting:
            stop = waiting.pop()
            if stop not in seen:
                seen.add(stop)
                found[level[stop]].append(stop)
                waiting += [other for other in (*reversed(above[stop]), *reversed(below[stop])) if other not in seen]
        starts.append(found)
    return starts


def _swept(layers: Layers, above: Links, below: Links) -> Layers:
    """Sweep down and up until that has not helped for a while."""
    best, fewest, since = [list(layer) for layer in layers], n_crossings(layers, below), 0
    for sweep in range(_N_SWEEPS):
        if fewest == 0 or since == _PATIENCE:
            break
        _sort_layers(layers, above if sweep % 2 == 0 else below, downwards=sweep % 2 == 0)
        _swap(layers, above, below)
        crossings = n_crossings(layers, below)
        since += 1
        if crossings < fewest:
            best, fewest, since = [list(layer) for layer in layers], crossings, 0
    return best


def _sort_layers(layers: Layers, towards: Links, downwards: bool) -> None:
    """Sort each layer by where its neighbours in the layer before stand; who has none keeps the place."""
    place = _places(layers)
    for layer in layers if downwards else reversed(layers):
        wanted = {stop: _middle([place[other] for other in towards[stop]], place[stop]) for stop in layer}
        layer.sort(key=lambda stop: wanted[stop])
        place.update((stop, position) for position, stop in enumerate(layer))


def _middle(places: list[int], otherwise: int) -> float:
    """The mean: in trials it left fewer crossings than the median."""
    return sum(places) / len(places) if places else float(otherwise)


def _swap(layers: Layers, above: Links, below: Links) -> None:
    """Swap adjacent stops while fewer lines cross thereby."""
    place = _places(layers)
    for _ in range(_N_ROUNDS_OF_SWAPS):
        improved = False
        for layer in layers:
            for left in range(len(layer) - 1):
                first, second = layer[left], layer[left + 1]
                gain = sum(_gain(links[first], links[second], place) for links in (above, below))
                if gain > 0:
                    layer[left], layer[left + 1] = second, first
                    place[first], place[second] = left + 1, left
                    improved = True
        if not improved:
            return


def _gain(first: Sequence[int], second: Sequence[int], place: dict[int, int]) -> int:
    """By how much crossings of the links of two adjacent stops become fewer if these change places."""
    gain = 0
    for a in first:
        for b in second:
            gain += (place[a] > place[b]) - (place[a] < place[b])
    return gain
