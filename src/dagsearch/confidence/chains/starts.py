"""Where chains start: partitions of graphs that a search found, and of graphs along random orders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.graph.order import find_cycle, topological_order
from dagsearch.kernels.partition_sums import ParentTables

_TRIES = 1000


def layers_of(adjacency: NDArray[np.int8]) -> NDArray[np.int64]:
    """Layer of each node of a DAG: the length of the longest path that ends in it."""
    layers = np.zeros(len(adjacency), dtype=np.int64)
    for node in topological_order(adjacency):
        layers[node] = max((layers[parent] + 1 for parent in np.flatnonzero(adjacency[:, node])), default=0)
    return layers


def start_from_graph(tables: ParentTables, adjacency: NDArray[np.int8]) -> NDArray[np.int64]:
    """Layers of a graph that was found; parents that the tables do not know are replaced by the best earlier ones."""
    if len(topological_order(adjacency)) < len(adjacency):
        raise InputError("starts must be acyclic, got a graph with a cycle")
    joined = adjacency | _required(tables)
    order = topological_order(joined)
    if cycle := find_cycle(joined):
        raise InputError(
            f"starts must go together with required edges, got {' -> '.join(map(str, [*cycle, cycle[0]]))}"
        )
    kept = np.zeros_like(adjacency)
    for position, node in enumerate(order):
        parents = _as_set(tables.candidates[node], adjacency[:, node])
        if parents not in tables.sets[node, : tables.n_sets[node]]:
            parents = _best_inside(tables, node, order[:position])
        if parents < 0:
            raise InputError(f"starts must allow some parent set of node {node} in their order, got one that does not")
        kept[_members(tables.candidates[node], parents), node] = 1
    return layers_of(kept)


def random_start(tables: ParentTables, rng: np.random.Generator) -> NDArray[np.int64]:
    """Layers of the best graph along a random order in which required causes come before their effects."""
    n_nodes = len(tables.candidates)
    required = _required(tables)
    for _ in range(_TRIES):
        shuffled = rng.permutation(n_nodes)
        order = [int(shuffled[k]) for k in topological_order(required[np.ix_(shuffled, shuffled)])]
        graph = np.zeros((n_nodes, n_nodes), dtype=np.int8)
        sets = [_best_inside(tables, node, order[:position]) for position, node in enumerate(order)]
        if len(order) == n_nodes and min(sets) >= 0:
            for node, parents in zip(order, sets, strict=True):
                graph[_members(tables.candidates[node], parents), node] = 1
            return layers_of(graph)
    raise InputError(f"log_weights must allow some DAG; none was found along {_TRIES} random orders")


def _required(tables: ParentTables) -> NDArray[np.int8]:
    """Edges that every allowed parent set has."""
    required = np.zeros((len(tables.candidates),) * 2, dtype=np.int8)
    for node, candidates in enumerate(tables.candidates):
        always = int(np.bitwise_and.reduce(tables.sets[node, : tables.n_sets[node]]))
        required[_members(candidates, always), node] = 1
    return required


def _members(candidates: NDArray[np.int64], parents: int) -> NDArray[np.int64]:
    """Nodes of a set of candidates."""
    members: NDArray[np.int64] = candidates[(parents >> np.arange(len(candidates)) & 1).astype(bool)]
    return members


def _as_set(candidates: NDArray[np.int64], is_parent: NDArray[np.int8]) -> int:
    """The set of candidates that parents form, or -1 if one of them is no candidate."""
    chosen = (candidates >= 0) & (is_parent[candidates] != 0)
    if chosen.sum() < np.count_nonzero(is_parent):
        return -1
    return int(chosen @ (1 << np.arange(len(candidates), dtype=np.int64)))


def _best_inside(tables: ParentTables, node: int, earlier: list[int]) -> int:
    """The parent set of highest weight among earlier nodes, or -1 if there is none."""
    inside = int(np.isin(tables.candidates[node], earlier) @ (1 << np.arange(tables.candidates.shape[1])))
    sets = tables.sets[node, : tables.n_sets[node]]
    fitting = np.flatnonzero(sets & ~inside == 0)
    return int(sets[fitting[0]]) if len(fitting) else -1
