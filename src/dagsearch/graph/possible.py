"""What can be in the graphs that a partially directed graph stands for.

M. H. Maathuis, M. Kalisch and P. Bühlmann, "Estimating high-dimensional intervention effects from observational data",
Annals of Statistics 37, 2009 (IDA, its local version): in an equivalence class, some of a node's neighbours can be its
parents together exactly if no new v-structure arises at the node.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError
from dagsearch.graph.separation import reachable

Adjacency = npt.NDArray[np.int8]

_MOST_SETS = 4096


def possible_parent_sets(mixed: Adjacency, node: int) -> list[list[int]]:
    """The sets of parents that a node can have, smaller numbers of neighbours among them first.

    Parameters
    ----------
    mixed
        (n_nodes, n_nodes); [i, j] == 1 alone means i -> j, both ways i - j.
    node
        The node.

    Raises
    ------
    InputError
        If there are more than 4096.
    """
    adjacent = (mixed | mixed.T).astype(bool)
    undirected = (mixed[node] & mixed[:, node]).astype(bool)
    sure = np.flatnonzero(mixed[:, node].astype(bool) & ~undirected).tolist()
    fitting = [int(near) for near in np.flatnonzero(undirected) if adjacent[near, sure].all()]
    sets: list[list[int]] = [[]]
    grown = sets
    while grown:
        grown = [
            [*chosen, near]
            for chosen in grown
            for near in fitting
            if (not chosen or near > chosen[-1]) and adjacent[near, chosen].all()
        ]
        sets = sets + grown
        if len(sets) > _MOST_SETS:
            raise InputError(f"node {node} can have more than {_MOST_SETS} different sets of parents")
    return [sorted(sure + chosen) for chosen in sets]


def can_reach(mixed: Adjacency, start: int) -> set[int]:
    """Nodes that the start may be a cause of: those at the end of a path without an arrow against it."""
    return reachable(mixed, [start]) - {start}
