"""A DAG that a partially directed graph stands for.

D. Dor and M. Tarsi, "A simple algorithm to construct a consistent extension of a partially oriented graph", technical
report R-185, UCLA, 1992: some node can come last; its undirected edges point at it, and the rest is a smaller graph.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.graph.neighbourhoods import Neighbourhoods


class Extension(NamedTuple):
    """What became of a partially directed graph."""

    adjacency: npt.NDArray[np.int8]  # (n_nodes, n_nodes) of a DAG, if no node is stuck
    stuck: list[int]  # nodes of which none can come after the others; empty where there is a DAG


def consistent_extension(mixed: npt.NDArray[np.int8]) -> Extension:
    """Direct the undirected edges so that no cycle and no v-structure arises.

    Parameters
    ----------
    mixed
        (n_nodes, n_nodes); [i, j] == 1 alone means i -> j, both ways i - j. Of several nodes that can come last the one
        with the highest index does, so that edges rather point from lower to higher indices.
    """
    graph = Neighbourhoods(mixed)
    dag = np.zeros((graph.n_nodes, graph.n_nodes), dtype=np.int8)
    stuck = set(range(graph.n_nodes))
    possible: list[int] = []  # a heap of nodes that can come last, as negative numbers: the highest index comes first
    changed: Iterable[int] = stuck
    while True:
        # What can come last can do so ever after, since the nodes around it only become fewer.
        for node in [node for node in changed if node in stuck and _can_be_last(graph, node)]:
            stuck.remove(node)
            heapq.heappush(possible, -node)
        if not possible:
            break
        last = -heapq.heappop(possible)
        changed = graph.isolate(last)
        dag[list(changed), last] = 1
    return Extension(dag, sorted(stuck))


def _can_be_last(graph: Neighbourhoods, node: int) -> bool:
    """Whether a node causes no other, and its neighbours could become causes of it without a new v-structure."""
    around = graph.adjacent[node]
    # Of the nodes around this one, a neighbour may lack an edge to itself only.
    return not graph.children[node] and all(
        len(around - graph.adjacent[neighbour]) == 1 for neighbour in graph.neighbours[node]
    )
