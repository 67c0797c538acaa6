"""How far sorting the variables by a simple number already gives the causal order away.

Reisach, Seiler and Weichwald 2021, "Beware of the Simulated DAG!" (by variance), and Reisach et al. 2023, "A
Scale-Invariant Sorting Criterion to Find a Causal Order in Additive Noise Models" (by R squared). With E the set of
edges and E^k the pairs of nodes joined by a directed path of k edges,

    sortability = sum_k sum_{i -> j in E^k} increasing(s_i, s_j)  /  sum_k |E^k|,

where increasing is 1 if s_i < s_j, 1/2 if they are equal and 0 otherwise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from dagsearch.data import Dataset, as_dataset
from dagsearch.errors import DataError, InputError
from dagsearch.graph import DAG, as_graph
from dagsearch.graph.base import NamedGraph
from dagsearch.graph.checks import default_names, is_table
from dagsearch.graph.convert import is_matrix
from dagsearch.metrics.matching import spread

# Columns that were standardised differ in variance by rounding only: they are equal up to this relative difference.
TOLERANCE = 1e-9

# Smaller eigenvalues of a correlation matrix are rounding: some variable is a linear function of others.
_SMALLEST_EIGENVALUE = 1e-12


def varsortability(data: Any, dag: Any = None, *, tolerance: float = TOLERANCE) -> float:
    """Return how well the order of marginal variances agrees with the causal order.

    At 1, variance grows along every directed path and sorting by it alone gives the causal order away; at 0 it
    shrinks along every path, which gives away as much; at 0.5 it says nothing, as after standardising.

    Parameters
    ----------
    data
        A `Dataset`, or any table that `dagsearch.as_dataset` reads; numbers only.
    dag
        The true graph, as anything that `dagsearch.graph.as_graph` reads; by default the truth of the `Dataset`.
        Nodes are matched by name; where one side has no names of its own, by position.
    tolerance
        Variances count as equal up to this relative difference.

    Returns
    -------
    float
        Between 0 and 1; NaN for a graph without edges.

    Raises
    ------
    DataError
        If a column holds text, whose codes have no scale.
    InputError
        If there is no such graph, if it has undirected edges, or if its nodes are not the columns.

    Examples
    --------
    >>> varsortability([[0.0, 0.0], [1.0, 2.0], [2.0, 4.5]], [("x0", "x1")])
    1.0
    """
    table = _numbers(data)
    return _sortability(table.values.var(axis=0), _adjacency(table, dag), _checked_tolerance(tolerance))


def r2_sortability(data: Any, dag: Any = None, *, tolerance: float = TOLERANCE) -> float:
    """Return how well the causal order agrees with the order by R squared, which no change of units alters.

    R squared is the share of a variable's variance that a linear regression on all other variables explains.

    Parameters
    ----------
    data, dag
        As in `varsortability`.
    tolerance
        Values of R squared count as equal up to this relative difference.

    Returns
    -------
    float
        Between 0 and 1; NaN for a graph without edges.

    Raises
    ------
    DataError
        If a column holds text or is constant.
    InputError
        As in `varsortability`.
    """
    table = _numbers(data)
    return _sortability(_r2(table.standardised()), _adjacency(table, dag), _checked_tolerance(tolerance))


def _sortability(scores: npt.NDArray[np.float64], adjacency: npt.NDArray[np.int8], tolerance: float) -> float:
    """Evaluate the formula above; a DAG has no path of n_nodes edges."""
    low, high = scores[:, None], scores[None, :]
    increasing = 0.5 * (high > low * (1 + tolerance)) + 0.5 * (high >= low * (1 - tolerance))
    n_ordered, n_paths, joined = 0.0, 0, adjacency.astype(bool)
    while joined.any():
        n_ordered += float(increasing[joined].sum())
        n_paths += int(joined.sum())
        joined = joined @ adjacency.astype(bool)
    return n_ordered / n_paths if n_paths else math.nan


def _r2(standardised: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """R squared of each column on all others: 1 - 1 / (C^-1)_jj, with C the correlation matrix."""
    correlation = standardised.T @ standardised / len(standardised)
    eigenvalues, vectors = np.linalg.eigh(correlation)
    precisions = (vectors**2 / np.maximum(eigenvalues, _SMALLEST_EIGENVALUE)).sum(axis=1)
    r2: npt.NDArray[np.float64] = np.clip(1 - 1 / precisions, 0, 1)
    return r2


def _numbers(data: Any) -> Dataset:
    table = as_dataset(data)
    for name, labels in zip(table.names, table.labels, strict=True):
        if labels is not None:
            raise DataError(f"column {name!r} holds text/categories, which have no variance to sort by")
    return table


def _adjacency(table: Dataset, dag: Any) -> npt.NDArray[np.int8]:
    """Return the matrix of the true graph in the order of the columns."""
    if dag is None and table.truth is None:
        raise InputError("dag must be given, since the data come without a true graph")
    graph = as_graph(table.truth if dag is None else dag)
    if not isinstance(graph, DAG):
        raise InputError("dag must be a DAG, this one has undirected edges")
    is_bare = is_matrix(dag) and not is_table(dag)
    if not is_bare and set(graph.names) <= set(table.names):
        return spread(graph, table.names)
    has_order = is_bare or isinstance(dag, NamedGraph) or hasattr(dag, "is_directed")
    has_default_names = has_order and default_names(table.n_nodes) in (graph.names, table.names)
    if graph.n_nodes != table.n_nodes or not has_default_names:
        strangers = [name for name in graph.names if name not in table.names]
        what = (
            f"got the other node {strangers[0]!r}"
            if strangers
            else f"got a matrix for {graph.n_nodes} nodes, not {table.n_nodes}"
        )
        raise InputError(f"dag must be a graph over the columns of the data, {what}")
    return np.asarray(graph.adjacency)


def _checked_tolerance(tolerance: float) -> float:
    if not 0 <= tolerance < 1:
        raise InputError(f"tolerance must be a number of at least 0 and below 1, got {tolerance!r}")
    return tolerance
