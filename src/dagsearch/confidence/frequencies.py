"""How often edges and paths are there among the graphs that a method found on replicates of a table.

An undirected edge counts one for adjacency and a half for each direction. Paths are made of directed edges alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import DagsearchError
from dagsearch.graph import DAG, PDAG, CyclicGraph, as_graph
from dagsearch.graph.checks import default_names

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class FoundGraph:
    """A graph by the positions of the columns.

    Attributes
    ----------
    directed
        Pairs (cause, effect).
    undirected
        Pairs of neighbours, each once.
    acyclic
        Whether directed edges form no cycle.
    """

    directed: Pairs
    undirected: Pairs = ()
    acyclic: bool = True

    def adjacency(self, n_nodes: int) -> NDArray[np.bool_]:
        """Directed edges alone, (n_nodes, n_nodes)."""
        return _matrix(self.directed, n_nodes)


class Frequencies(NamedTuple):
    """Shares of graphs, (n_nodes, n_nodes) each."""

    edges: NDArray[np.float64]
    adjacent: NDArray[np.float64]
    paths: NDArray[np.float64]


def graph_of(model: Any, names: tuple[str, ...]) -> FoundGraph:
    """The graph that a fitted estimator finally offers: ``pruned_dag_`` where there is one, ``dag_`` otherwise.

    Parameters
    ----------
    model
        The estimator.
    names
        The columns of the table.

    Raises
    ------
    DagsearchError
        If it has no such graph, or one over other nodes.
    InputError
        If it is no graph.
    """
    offered = getattr(model, "pruned_dag_", None)
    if offered is None:
        offered = getattr(model, "dag_", None)
    if offered is None:
        raise DagsearchError(f"estimator must have dag_ or pruned_dag_ after fit, {type(model).__name__} has neither")
    graph = offered if isinstance(offered, CyclicGraph) else as_graph(offered, _names_for(offered, names))
    positions = _positions(graph, names)
    return FoundGraph(
        directed=_numbered(graph.directed_edges, positions),
        undirected=_numbered(graph.undirected_edges, positions),
        acyclic=not isinstance(graph, CyclicGraph),
    )


def frequencies(graphs: Sequence[FoundGraph], n_nodes: int) -> Frequencies:
    """Count edges, pairs and paths; whole numbers are summed, so the order of the graphs does not matter."""
    halves, pairs, paths = (np.zeros((n_nodes, n_nodes), dtype=np.int64) for _ in range(3))
    for graph in graphs:
        directed = graph.adjacency(n_nodes)
        open_edges = _matrix(graph.undirected, n_nodes)
        open_edges |= open_edges.T
        halves += 2 * directed + open_edges
        pairs += directed | directed.T | open_edges
        paths += reachable(directed)
    n_graphs = len(graphs)
    return Frequencies(halves / (2 * n_graphs), pairs / n_graphs, paths / n_graphs)


def reachable(directed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """``[i, j]``: whether there is a directed path from i to j, another node."""
    reach = directed.copy()
    for middle in range(len(reach)):
        reach |= reach[:, middle, np.newaxis] & reach[middle]
    np.fill_diagonal(reach, val=False)
    return reach


def _matrix(pairs: Pairs, n_nodes: int) -> NDArray[np.bool_]:
    matrix = np.zeros((n_nodes, n_nodes), dtype=bool)
    for i, j in pairs:
        matrix[i, j] = True
    return matrix


def _names_for(graph: Any, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """A matrix without names is in the order of the columns."""
    return names if isinstance(graph, np.ndarray | list) else None


def _positions(graph: DAG | PDAG | CyclicGraph, names: tuple[str, ...]) -> dict[str, int]:
    """Where nodes are among the columns: by name, or by place if the nodes of the graph were never named."""
    if set(graph.names) <= set(names):
        return {name: names.index(name) for name in graph.names}
    if graph.names == default_names(len(names)):
        return {name: place for place, name in enumerate(graph.names)}
    unknown = sorted(set(graph.names) - set(names))[0]
    raise DagsearchError(f"the estimator's graph has the node {unknown!r}, which is no column of the table")


def _numbered(edges: list[tuple[str, str]], positions: dict[str, int]) -> Pairs:
    return tuple((positions[one], positions[other]) for one, other in edges)
