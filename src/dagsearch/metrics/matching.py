"""Two graphs over the same nodes: which node of one is which node of the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError
from dagsearch.graph import DAG, PDAG, as_graph
from dagsearch.graph.checks import default_names
from dagsearch.graph.convert import is_matrix


class Matched(NamedTuple):
    """Two graphs whose nodes were matched; an undirected edge is a one both ways."""

    names: tuple[str, ...]  # those of the truth, then those that only the found graph has
    found: npt.NDArray[np.int8]  # (n_nodes, n_nodes), in the order of names
    truth: npt.NDArray[np.int8]  # (n_nodes, n_nodes), in the order of names


def match(found: Any, truth: Any) -> Matched:
    """Match the nodes of two graphs.

    Parameters
    ----------
    found, truth
        Anything that `dagsearch.graph.as_graph` reads. Nodes are matched by name; where one graph has no
        names of its own, by position. A node that one graph lacks is isolated there.

    Raises
    ------
    InputError
        Where the nodes of the two graphs cannot be matched.
    """
    found_graph, true_graph = as_graph(found), as_graph(truth)
    _refuse_small_matrix(found, found_graph, true_graph)
    _refuse_small_matrix(truth, true_graph, found_graph)
    found_graph, true_graph = _share_names(found_graph, true_graph)
    names = tuple(dict.fromkeys(true_graph.names + found_graph.names))
    return Matched(names, spread(found_graph, names), spread(true_graph, names))


def spread(graph: DAG | PDAG, names: tuple[str, ...]) -> npt.NDArray[np.int8]:
    """Return the matrix of a graph in the order of names, where more nodes may be named."""
    rows = [names.index(name) for name in graph.names]
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    matrix[np.ix_(rows, rows)] = graph.adjacency
    return matrix


def _refuse_small_matrix(given: Any, graph: DAG | PDAG, other: DAG | PDAG) -> None:
    """Raise where a matrix lacks nodes: only a list of edges may leave isolated ones out."""
    if is_matrix(given) and graph.n_nodes < other.n_nodes:
        raise InputError(
            f"found and truth must have the same nodes, got a matrix for {graph.n_nodes} nodes "
            f"and a graph of {other.n_nodes}"
        )


def _share_names(found: DAG | PDAG, truth: DAG | PDAG) -> tuple[DAG | PDAG, DAG | PDAG]:
    """Name the nodes alike: as they are where names are shared, by position where one graph has none."""
    if not found.names or not truth.names or set(found.names) & set(truth.names):
        return found, truth
    if found.n_nodes == truth.n_nodes:
        if found.names == default_names(found.n_nodes):
            return found.with_names(truth.names), truth
        if truth.names == default_names(truth.n_nodes):
            return found, truth.with_names(found.names)
    raise InputError(
        f"found and truth must be graphs over the same names, but they share none: "
        f"found has {', '.join(found.names)}; truth has {', '.join(truth.names)}"
    )
