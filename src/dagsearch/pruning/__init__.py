"""Second stage: take insignificant edges out of a constructed graph.

Pruning decides which pairs stay adjacent, not which way an edge points. A node of a partially directed graph is
regressed on its parents and its undirected neighbours, so an undirected edge is judged twice; one direction that the
data support keeps it.

Of causes that are the same up to their units the first is judged, and a cause that is the same as its effect alone: the
others explain nothing beside it. Judged together, each would be insignificant given the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch._twins import Twins
from dagsearch.data import Dataset, as_dataset
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import DAG, PDAG, as_graph
from dagsearch.pruning.cam import p_values_of_edges
from dagsearch.pruning.coefficients import largest_coefficients

__all__ = ["METHODS", "EdgeEvidence", "evidence", "prune"]

METHODS = ("cam", "coefficients", "none")


@dataclass(frozen=True, eq=False)
class EdgeEvidence:
    """What the data say about each edge of a graph.

    Attributes
    ----------
    measure
        ``"p-value"`` or ``"coefficient"``.
    limit
        An edge stays if its p-value is below this, or its largest absolute coefficient above it; an undirected edge if
        that is so in one of its directions.
    values
        (n_nodes, n_nodes) the measure of each edge i -> j, NaN where there is no edge. An undirected edge has a value
        for each direction, [i, j] as a cause of j and [j, i] as a cause of i.
    names
        Of the nodes.
    kind
        `DAG` or `PDAG`: what was judged, and what `supported` is.
    """

    measure: str
    limit: float
    values: NDArray[np.float64]
    names: tuple[str, ...]
    kind: type[DAG] | type[PDAG] = DAG

    @property
    def supported(self) -> DAG | PDAG:
        """The graph of the edges that stay, undirected ones undirected."""
        kept = self.values < self.limit if self.measure == "p-value" else self.values > self.limit
        undirected = ~np.isnan(self.values + self.values.T)
        kept |= undirected & kept.T
        return self.kind.from_adjacency(kept.astype(np.int8), names=self.names)

    def by_edge(self) -> dict[tuple[str, str], float]:
        """The measure of each (cause, effect); an undirected edge is listed in both directions."""
        edges = np.argwhere(~np.isnan(self.values))
        return {(self.names[i], self.names[j]): float(self.values[i, j]) for i, j in edges}


def prune(
    dag: Any,
    data: Any,
    method: str = "cam",
    alpha: float = 0.001,
    threshold: float = 0.3,
    degree: int = 1,
    n_jobs: int = 1,
) -> DAG | PDAG:
    """Remove the edges of a graph that the data do not support.

    Parameters
    ----------
    dag
        A `DAG` or `PDAG`, or anything that `dagsearch.graph.as_graph` reads as one. The result is of the same type.
    data
        The table, with a column per node in the same order.
    method
        ``"cam"``: keep a cause if its smooth term in an additive model of the effect has a p-value below ``alpha``; the
        model and its p-values are those of R's mgcv. ``"coefficients"``: keep a cause if a coefficient that involves it
        is larger than ``threshold`` in the regression of the standardised effect on its standardised causes.
        ``"none"``: keep everything. In a `PDAG` undirected neighbours count among the causes, and an undirected edge
        stays, undirected, if it would in one of its directions.
    alpha
        Significance level of ``"cam"``.
    threshold
        Smallest absolute coefficient that keeps an edge.
    degree
        1: linear regression; 2: all monomials of degree at most two.
    n_jobs
        Threads of ``"cam"``; the result does not depend on it.

    Raises
    ------
    InputError
        If the method is unknown, graph and table do not fit, or a node has too many causes for the number of rows.
    """
    if method not in METHODS:
        raise UnknownNameError("pruning method", method, METHODS)
    graph, dataset = _fitting(dag, data)
    if method == "none":
        return graph
    return evidence(graph, dataset, method, alpha, threshold, degree, n_jobs).supported


def evidence(
    dag: Any,
    data: Any,
    method: str = "cam",
    alpha: float = 0.001,
    threshold: float = 0.3,
    degree: int = 1,
    n_jobs: int = 1,
) -> EdgeEvidence:
    """What `prune` decides by: the p-value of each edge, or its largest coefficient; arguments are the same.

    Raises
    ------
    InputError
        As `prune`; there is no evidence by ``"none"``.
    """
    if method not in METHODS[:-1]:
        raise UnknownNameError("pruning method", method, METHODS[:-1])
    graph, dataset = _fitting(dag, data)
    if method == "cam":
        if not (isinstance(alpha, int | float | np.number) and 0.0 < alpha <= 1.0):
            raise InputError(f"alpha must be a number above 0 and at most 1, got {alpha!r}")
        if not isinstance(n_jobs, int) or n_jobs < 1:
            raise InputError(f"n_jobs must be a whole number of at least 1, got {n_jobs!r}")
        x = dataset.standardised()
        needed = Twins.among(x, dataset.values).needed_edges(graph.adjacency)
        p_values = p_values_of_edges(needed, x, graph.names, n_jobs)
        p_values[graph.adjacency > needed] = 1.0
        return EdgeEvidence("p-value", alpha, p_values, graph.names, type(graph))
    if degree not in (1, 2):
        raise InputError(f"degree must be 1 or 2, got {degree}")
    if not threshold >= 0:
        raise InputError(f"threshold must not be negative, got {threshold}")
    x = dataset.standardised()
    needed = Twins.among(x, dataset.values).needed_edges(graph.adjacency)
    sizes = largest_coefficients(needed, x, degree)
    sizes[graph.adjacency > needed] = 0.0
    return EdgeEvidence("coefficient", threshold, sizes, graph.names, type(graph))


def _fitting(dag: Any, data: Any) -> tuple[DAG | PDAG, Dataset]:
    """Graph and table, checked to fit together."""
    graph = as_graph(dag)
    dataset = as_dataset(data)
    if graph.n_nodes != dataset.n_nodes:
        raise InputError(f"the graph has {graph.n_nodes} nodes, the data have {dataset.n_nodes} variables")
    if graph.names != dataset.names and set(graph.names) == set(dataset.names):
        raise InputError("the graph's nodes are the table's columns in another order; bring them into the same order")
    return graph, dataset
