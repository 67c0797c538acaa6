"""A DAG that a partially directed graph stands for.

D. Dor and M. Tarsi, "A simple algorithm to construct a consistent extension of a partially oriented graph", technical
report R-185, UCLA, 1992: some node can come last; its undirected edges point at it, and the rest is a smaller graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

BoolMatrix = npt.NDArray[np.bool_]


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
    directed, undirected = (mixed & ~mixed.T).astype(bool), (mixed & mixed.T).astype(bool)
    dag, left = directed.copy(), np.ones(len(mixed), dtype=bool)
    while left.any():
        last = _possible_last(directed, undirected, left)
        if last is None:
            break
        dag[:, last] |= undirected[:, last] & left
        left[last] = False
    return Extension(dag.astype(np.int8), np.flatnonzero(left).tolist())


def _possible_last(directed: BoolMatrix, undirected: BoolMatrix, left: BoolMatrix) -> int | None:
    """The highest node among those left that causes none of them, and whose causes would form no new v-structure."""
    joined = directed | directed.T | undirected
    for node in np.flatnonzero(left & ~directed[:, left].any(axis=1))[::-1]:
        around = joined[node] & left
        neighbours = np.flatnonzero(undirected[node] & left)
        if all((joined[neighbour] | ~around)[np.arange(len(left)) != neighbour].all() for neighbour in neighbours):
            return int(node)
    return None
