"""Whatever describes a graph, as a DAG or a PDAG."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dagsearch.errors import InputError
from dagsearch.graph import checks
from dagsearch.graph.cyclic import CyclicGraph
from dagsearch.graph.dag import DAG
from dagsearch.graph.pdag import PDAG


def as_graph(obj: Any, names: Iterable[object] | None = None) -> DAG | PDAG:
    """Read a graph from any of the forms in which graphs come.

    Parameters
    ----------
    obj
        A DAG or PDAG, a `networkx.DiGraph`, a matrix of zeros and ones (array, square list of lists or data
        frame), or an iterable of edges (cause, effect). Edges both ways in a matrix or a DiGraph are
        one undirected edge and make the result a PDAG.
    names
        Names of the nodes in order; by default those that come with `obj`.

    Raises
    ------
    InputError
        Where `obj` is none of these, or its parts do not fit together.
    CycleError
        Where directed edges form a cycle.
    """
    if isinstance(obj, DAG | PDAG):
        return obj if names is None else obj.with_names(names)
    if isinstance(obj, CyclicGraph):
        checks.refuse_cycle(obj.adjacency, obj.names)
    if is_matrix(obj):
        return _from_matrix(obj, names)
    if hasattr(obj, "is_directed"):
        matrix, labels = checks.read_networkx(obj)
        return _from_matrix(matrix, labels if names is None else names)
    if isinstance(obj, str) or not isinstance(obj, Iterable):
        raise InputError(f"a graph must be a DAG, PDAG, DiGraph, matrix or list of edges, got {obj!r}")
    return DAG.from_edges(obj, names)


def is_matrix(obj: object) -> bool:
    """Tell whether an object is read as a matrix: an array, a data frame or a square list of lists."""
    if isinstance(obj, np.ndarray) or checks.is_table(obj):
        return True
    if not isinstance(obj, list) or not obj:
        return False
    return all(isinstance(row, list) and len(row) == len(obj) and not _has_text(row) for row in obj)


def _has_text(row: list[object]) -> bool:
    return any(isinstance(value, str) for value in row)


def _from_matrix(matrix: Any, names: Iterable[object] | None) -> DAG | PDAG:
    """Build a PDAG where some edge goes both ways, otherwise a DAG."""
    graph = PDAG(matrix, names)
    return graph if graph.undirected_edges else DAG(graph.adjacency, graph.names)
