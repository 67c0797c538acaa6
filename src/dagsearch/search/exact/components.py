"""Independent parts of a problem: a cycle lies inside one strongly connected component of all possible edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from dagsearch.search.exact.families import Families


@dataclass(frozen=True)
class Component:
    """Nodes that may lie on a common cycle, and their families with the parents among them.

    Attributes
    ----------
    members
        The nodes, as the whole problem numbers them; the component numbers them 0, 1, ...
    families
        Families over the members. Parents elsewhere close no cycle and are left out; of families that differ only in
        these the best is here.
    origins
        (n_families,) position of each family in the whole problem.
    """

    members: NDArray[np.int64]
    families: Families
    origins: NDArray[np.int64]


def components(families: Families) -> Iterator[Component]:
    """Split a problem into its components, smallest first."""
    possible = np.zeros((families.n_nodes, families.n_nodes), dtype=bool)
    np.logical_or.at(possible, families.nodes, families.parents)
    _, label = connected_components(possible.T, directed=True, connection="strong")
    groups = [np.flatnonzero(label == k) for k in np.unique(label)]
    for members in sorted(groups, key=len):
        yield _component(families, members)


def whole(families: Families) -> Component:
    """The problem as one component."""
    return Component(np.arange(families.n_nodes), families, np.arange(len(families)))


def _component(families: Families, members: NDArray[np.int64]) -> Component:
    if len(members) == families.n_nodes:
        return whole(families)
    local_number = np.full(families.n_nodes, -1)
    local_number[members] = np.arange(len(members))
    origins = np.flatnonzero(local_number[families.nodes] >= 0)
    nodes, parents = local_number[families.nodes[origins]], families.parents[np.ix_(origins, members)]
    # Families are sorted by falling score: the first of equal ones is the best.
    _, first = np.unique(_as_bytes(nodes, parents), return_index=True)
    first.sort()
    inside = Families(len(members), nodes[first], families.scores[origins[first]], parents[first])
    return Component(members, inside, origins[first])


def _as_bytes(nodes: NDArray[np.int64], parents: NDArray[np.bool_]) -> NDArray[np.void]:
    """Each family as one value, (n_families,), which is sorted far sooner than a row of numbers."""
    keys = np.column_stack([nodes.astype(np.int32).reshape(-1, 1).view(np.uint8), np.packbits(parents, axis=1)])
    return np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).ravel()
