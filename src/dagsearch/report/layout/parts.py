"""Which nodes of a graph are laid out together: connected ones, in a large graph groups that many lines join."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from dagsearch.report.layout.ranks import Edge

MOST_UNGROUPED = 60
"""Nodes with a line up to which no groups are made."""

# Groups are found by chance, always the same one.
_SEED = 0


def parts_of(n_nodes: int, edges: Sequence[Edge]) -> tuple[list[list[int]], list[int]]:
    """Return the nodes of each part that lines hold together, the largest first, and the nodes without a line."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    joined = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n_nodes, n_nodes))
    n_parts, part_of = connected_components(joined, directed=False) if n_nodes else (0, np.zeros(0))
    parts = [[int(node) for node in np.flatnonzero(part_of == part)] for part in range(n_parts)]
    parts.sort(key=lambda part: (-len(part), part))
    return [part for part in parts if len(part) > 1], [part[0] for part in parts if len(part) == 1]


def groups_of(parts: Sequence[Sequence[int]], edges: Sequence[Edge]) -> list[list[int]]:
    """Return communities (Louvain), ordered so that those with many lines between them come one after the other."""
    import networkx as nx  # noqa: PLC0415

    graph = nx.Graph()
    graph.add_nodes_from(node for part in parts for node in part)
    graph.add_edges_from(sorted(edges))
    found = [sorted(group) for group in nx.community.louvain_communities(graph, seed=_SEED)]
    return _in_line(sorted(found, key=lambda group: (-len(group), group)), edges)


def _in_line(groups: list[list[int]], edges: Sequence[Edge]) -> list[list[int]]:
    """Start with the first group, and go on with the one that has most lines to the last ones."""
    group_of = {node: number for number, group in enumerate(groups) for node in group}
    lines = np.zeros((len(groups), len(groups)))
    for upper, lower in edges:
        lines[group_of[upper], group_of[lower]] += 1
    lines += lines.T
    line, left = [0], list(range(1, len(groups)))
    while left:
        following = max(left, key=lambda group: (2 * lines[group, line[-1]] + lines[group, line[-4:]].sum(), -group))
        line.append(following)
        left.remove(following)
    return [groups[number] for number in line]
