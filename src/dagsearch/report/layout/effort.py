"""How much work a layered layout is, counted rather than timed: the same graph gets the same picture everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dagsearch.report.layout.ranks import Edge, ranks

MOST_EFFORT = 40_000
"""Beyond this, which takes seconds, nodes stand in a circle; the complete graph of 30 nodes has half as much."""
MOST_LANES_FOR_GRAPHVIZ = 2_000
"""Places where long edges pass layers, up to which Graphviz takes about a second; it cannot be stopped."""


def n_lanes(n_nodes: int, edges: Sequence[Edge]) -> int:
    """Places where edges pass layers on their way, in the DAG of pairs (upper, lower)."""
    rank = ranks(n_nodes, edges)
    return sum(rank[lower] - rank[upper] - 1 for upper, lower in edges)


def effort(n_nodes: int, edges: Sequence[Edge]) -> int:
    """About proportional to the time of `layered_part`: adjacent stops are compared link by link."""
    degrees = Counter(node for edge in edges for node in edge)
    return n_lanes(n_nodes, edges) + sum(degree**2 for degree in degrees.values())
