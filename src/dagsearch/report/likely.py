"""Pairs that may be adjacent though a graph does not join them, as lines of a picture."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dagsearch.confidence import Confidence
from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.estimators.result import Graph
from dagsearch.report.sketch import Stroke

LEAST_LIKELY = 0.05
"""Pairs that are less likely are not worth a line."""


def other_likely(
    confidence: Confidence, graph: Graph, names: Collection[str], least: float = LEAST_LIKELY
) -> list[Stroke]:
    """Return the pairs that a graph does not join, the likeliest first, each in its likelier direction.

    Parameters
    ----------
    confidence
        How sure edges are.
    graph
        Over some of its variables.
    names
        The variables that are shown.
    least
        The least probability of a pair; at least `LEAST_LIKELY`.
    """
    adjacent, shown = confidence.adjacency_probability, set(names)
    joined = {frozenset(edge) for edge in (*graph.directed_edges, *graph.undirected_edges)}
    pairs = [
        (float(adjacent[i, j]), i, j)
        for i, j in np.argwhere(np.triu(adjacent >= max(least, LEAST_LIKELY), 1)).tolist()
        if (pair := frozenset((confidence.names[i], confidence.names[j]))) <= shown and pair not in joined
    ]
    return [_stroke(confidence, i, j) for _, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1:]))]


def _stroke(confidence: Confidence, i: int, j: int) -> Stroke:
    """A line between two variables in the likelier direction, which is open unless it is sure."""
    if confidence.edge_probability[j, i] > confidence.edge_probability[i, j]:
        i, j = j, i
    adjacent = float(confidence.adjacency_probability[i, j])
    directed = bool(confidence.edge_probability[i, j] > SURE_DIRECTION * adjacent)
    return Stroke(confidence.names[i], confidence.names[j], directed, "plain", adjacent, minor=True)
