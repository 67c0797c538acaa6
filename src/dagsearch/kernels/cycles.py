"""How cyclic a directed graph is: h(A) = trace(exp(A)) - d, a weighted count of closed walks (Zheng et al. 2018)."""

from __future__ import annotations

from dagsearch.kernels.compile import contracted_entry_point, kernel

_NEGLIGIBLE = 1e-15


@kernel
def _multiply(adjacency, power, product, divisor):
    """Put adjacency @ power / divisor into ``product``; returns its sum. Rows are added up, as entries are 0 or 1."""
    n_nodes = len(adjacency)
    total = 0.0
    for i in range(n_nodes):
        for k in range(n_nodes):
            product[i, k] = 0.0
        for j in range(n_nodes):
            if adjacency[i, j]:
                for k in range(n_nodes):
                    product[i, k] += power[j, k]
        for k in range(n_nodes):
            product[i, k] /= divisor
            total += product[i, k]
    return total


@contracted_entry_point
def weigh_cycles(adjacencies, powers, h):
    """Put h of each graph into ``h``: exactly zero for a DAG, positive otherwise.

    adjacencies  (n, n_nodes, n_nodes) int8, without loops
    powers       (2, n_nodes, n_nodes) float64 scratch
    h            (n,) float64
    """
    n_nodes = adjacencies.shape[1]
    for graph in range(len(adjacencies)):
        adjacency = adjacencies[graph]
        for i in range(n_nodes):
            for j in range(n_nodes):
                powers[0, i, j] = adjacency[i, j]
        h[graph], order, rest = 0.0, 1, 1.0
        # Powers of a DAG's matrix vanish after n_nodes steps; those of others are outgrown by the factorial.
        while rest > _NEGLIGIBLE * h[graph] and rest > 0.0:
            order += 1
            power, product = powers[order % 2], powers[(order + 1) % 2]
            rest = _multiply(adjacency, power, product, order)
            for i in range(n_nodes):
                h[graph] += product[i, i]
