"""Random DAGs with an exact number of edges, whose node order says nothing about the causal order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dagsearch import memory
from dagsearch.errors import InputError

Adjacency = NDArray[np.int8]

# Without a number of edges, a graph gets so many per node: neither a forest nor a thicket.
EDGES_PER_NODE = 2
_BYTES_PER_PAIR = 16.0


def random_adjacency(kind: str, n_nodes: int, n_edges: int | None, rng: np.random.Generator) -> Adjacency:
    """Draw a DAG.

    Parameters
    ----------
    kind
        One of `RANDOM_GRAPHS`.
    n_nodes
        Number of nodes.
    n_edges
        Exact number of edges; by default two per node, or as many as there can be.
    rng
        Changed in place.

    Returns
    -------
    ndarray of int8, (n_nodes, n_nodes)
        ``[i, j] == 1`` means i -> j; the nodes are in random order.

    Raises
    ------
    InputError
        If there cannot be so many edges.
    """
    # Among all pairs edges are drawn, and put into a matrix.
    memory.require(
        _BYTES_PER_PAIR * float(n_nodes) ** 2, f"a random graph of {n_nodes:,} variables", "ask for fewer variables"
    )
    most = n_nodes * (n_nodes - 1) // 2
    n_drawn = min(EDGES_PER_NODE * n_nodes, most) if n_edges is None else n_edges
    if n_drawn > most:
        raise InputError(f"n_edges must be between 0 and {most} for {n_nodes} variables, got {n_drawn}")
    ordered = RANDOM_GRAPHS[kind](n_nodes, n_drawn, rng)
    place = rng.permutation(n_nodes)
    return ordered[np.ix_(place, place)]


def _erdos_renyi(n_nodes: int, n_edges: int, rng: np.random.Generator) -> Adjacency:
    """Draw the edges uniformly, without replacement, from all pairs (earlier, later)."""
    causes, effects = np.triu_indices(n_nodes, k=1)
    chosen = rng.choice(len(causes), size=n_edges, replace=False)
    adjacency = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    adjacency[causes[chosen], effects[chosen]] = 1
    return adjacency


def _scale_free(n_nodes: int, n_edges: int, rng: np.random.Generator) -> Adjacency:
    """Let nodes arrive one by one and choose causes among the earlier ones, the rather the more edges these have.

    The plain Barabási-Albert model gives each node the same number m of links, and m (n - m) edges in all; here the
    numbers differ by at most one wherever there are enough earlier nodes, so that any total can be met.
    """
    adjacency = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    for node, n_causes in enumerate(_shares(n_nodes, n_edges, rng)):
        # One is added lest a node without edges never gets any.
        attraction = 1.0 + adjacency[:node].sum(axis=1) + adjacency[:, :node].sum(axis=0)
        if n_causes:
            causes = rng.choice(node, size=n_causes, replace=False, p=attraction / attraction.sum())
            adjacency[causes, node] = 1
    return adjacency


def _shares(n_nodes: int, n_edges: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Deal the edges out to the nodes in turns; the k-th node can take k at most, and the last turn is by lot."""
    shares, n_left = np.zeros(n_nodes, dtype=np.int64), n_edges
    while n_left:
        takers = np.flatnonzero(shares < np.arange(n_nodes))
        takers = takers if len(takers) <= n_left else rng.choice(takers, size=n_left, replace=False)
        shares[takers] += 1
        n_left -= len(takers)
    return shares


RANDOM_GRAPHS: dict[str, Callable[[int, int, np.random.Generator], Adjacency]] = {
    "erdos-renyi": _erdos_renyi,
    "scale-free": _scale_free,
}
"""Each draws a matrix (n_nodes, n_nodes) in causal order from the numbers of nodes and edges."""
