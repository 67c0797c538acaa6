"""Cliques: sets of nodes that are all adjacent to each other."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def largest_cliques(members: AbstractSet[int], adjacent: Sequence[AbstractSet[int]], most: int) -> list[frozenset[int]]:
    """The cliques among some nodes from the largest down, the empty one included; of all there are, the first ``most``.

    Parameters
    ----------
    members
        The nodes, of which some may be adjacent. Time grows with their maximal cliques; where each cycle of four or
        more has a chord, as among the neighbours of a node in an equivalence class, these are no more than the nodes.
    adjacent
        The nodes adjacent to each node, by node; others than the members may be among them.
    most
        How many cliques to return at most, at least 1.
    """
    maximal = maximal_cliques(members, adjacent)
    cliques: list[frozenset[int]] = []
    level: set[frozenset[int]] = set()
    for size in range(max(map(len, maximal)), -1, -1):
        level = {clique - {node} for clique in level for node in clique}
        level.update(clique for clique in maximal if len(clique) == size)
        cliques += sorted(level, key=sorted)
        if len(cliques) >= most:
            break
    return cliques[:most]


def maximal_cliques(members: AbstractSet[int], adjacent: Sequence[AbstractSet[int]]) -> list[frozenset[int]]:
    """The cliques among some nodes that no other of them can join; of no nodes, the empty one.

    C. Bron and J. Kerbosch, "Algorithm 457: finding all cliques of an undirected graph", CACM 16, 1973.
    """
    found: list[frozenset[int]] = []

    def extend(clique: frozenset[int], candidates: set[int], done: set[int]) -> None:
        if not candidates:
            if not done:
                found.append(clique)
            return
        # A maximal clique without the pivot has a node that is not adjacent to it: the others need no turn.
        pivot = max(sorted(candidates | done), key=lambda node: len(candidates & adjacent[node]))
        for node in sorted(candidates - adjacent[pivot]):
            extend(clique | {node}, candidates & adjacent[node], done & adjacent[node])
            candidates = candidates - {node}
            done = done | {node}

    extend(frozenset(), set(members), set())
    return found
