"""Which nodes of a graph are laid out together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from dagsearch.report.layout.ranks import Edge


def parts_of(n_nodes: int, edges: Sequence[Edge]) -> tuple[list[list[int]], list[int]]:
    """Return the nodes of each part that lines hold together, the largest first, and the nodes without a line."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    joined = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n_nodes, n_nodes))
    n_parts, part_of = connected_components(joined, directed=False) if n_nodes else (0, np.zeros(0))
    parts = [[int(node) for node in np.flatnonzero(part_of == part)] for part in range(n_parts)]
    parts.sort(key=lambda part: (-len(part), part))
    return [part for part in parts if len(part) > 1], [part[0] for part in parts if len(part) == 1]
