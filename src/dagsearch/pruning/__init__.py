"""Second stage: take insignificant edges out of a constructed DAG."""

from __future__ import annotations

from typing import Any

from dagsearch.data import as_dataset
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import DAG, as_graph
from dagsearch.pruning.coefficients import keep_large_coefficients

__all__ = ["METHODS", "prune"]

METHODS = ("coefficients", "none")


def prune(dag: Any, data: Any, method: str = "coefficients", threshold: float = 0.3, degree: int = 1) -> DAG:
    """Remove the edges of a DAG that the data do not support.

    Parameters
    ----------
    dag
        A `DAG`, or anything that `dagsearch.graph.as_graph` reads as one.
    data
        The table, with a column per node in the same order.
    method
        ``"coefficients"``: keep a parent if a coefficient that involves it is larger than ``threshold`` in the
        regression of the standardised node on its standardised parents. ``"none"``: keep everything.
    threshold
        Smallest absolute coefficient that keeps an edge.
    degree
        1: linear regression; 2: all monomials of degree at most two.

    Raises
    ------
    InputError
        If the method is unknown, or graph and table do not fit.
    """
    if method not in METHODS:
        raise UnknownNameError("pruning method", method, METHODS)
    graph = as_graph(dag)
    if not isinstance(graph, DAG):
        raise InputError("only a DAG can be pruned, got a graph with undirected edges")
    dataset = as_dataset(data)
    if graph.n_nodes != dataset.n_nodes:
        raise InputError(f"the graph has {graph.n_nodes} nodes, the data have {dataset.n_nodes} variables")
    if method == "none":
        return graph
    if degree not in (1, 2):
        raise InputError(f"degree must be 1 or 2, got {degree}")
    if not threshold >= 0:
        raise InputError(f"threshold must not be negative, got {threshold}")
    kept = keep_large_coefficients(graph.adjacency, dataset.standardised(), threshold, degree)
    return DAG.from_adjacency(kept, names=graph.names)
