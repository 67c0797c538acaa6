"""The order of nodes for which the gains of all edges from earlier to later nodes add up to the most."""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.compile import entry_point


@entry_point
def best_orders(gains, best, last):
    """Dynamic programming over all sets of nodes.

    Parameters
    ----------
    gains
        (n_nodes, n_nodes) float64, none negative: gain of an edge from the first to the second node.
    best
        (2^n_nodes,) float64 output: the most that the nodes of a set can gain among themselves.
    last
        (2^n_nodes,) int8 output: the last node of a set in its best order.
    """
    n_nodes = gains.shape[0]
    best[0], last[0] = 0.0, -1
    for members in range(1, 1 << n_nodes):
        best[members] = -np.inf
        for v in range(n_nodes):
            if not members >> v & 1:
                continue
            total = best[members ^ 1 << v]
            for u in range(n_nodes):
                if members >> u & 1:
                    total += gains[u, v]
            if total > best[members]:
                best[members], last[members] = total, v
