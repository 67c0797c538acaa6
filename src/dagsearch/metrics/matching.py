"""Two graphs over the same nodes: which node of one is which node of the other."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError, as_named
from dagsearch.graph import DAG, PDAG, as_graph
from dagsearch.graph.base import NamedGraph
from dagsearch.graph.checks import default_names, is_table
from dagsearch.graph.convert import is_matrix

_MOST_NAMED = 20


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
        Anything that `dagsearch.graph.as_graph` reads. Nodes are matched by name. Only what has no names of its own, a
        matrix or a graph made from one, is matched by position, and must have as many nodes. A node that one graph
        lacks is isolated there.

    Raises
    ------
    InputError
        Where the nodes of the two graphs cannot be matched.
    """
    found_side, true_side = _side(found), _side(truth)
    _refuse_smaller_matrix(found_side, true_side)
    _refuse_smaller_matrix(true_side, found_side)
    found_graph, true_graph = _share_names(found_side, true_side)
    refuse_similar_names(found_graph.names, true_graph.names)
    names = tuple(dict.fromkeys(true_graph.names + found_graph.names))
    return Matched(names, spread(found_graph, names), spread(true_graph, names))


def spread(graph: DAG | PDAG, names: tuple[str, ...]) -> npt.NDArray[np.int8]:
    """Return the matrix of a graph in the order of names, where more nodes may be named."""
    rows = [names.index(name) for name in graph.names]
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    matrix[np.ix_(rows, rows)] = graph.adjacency
    return matrix


def refuse_similar_names(found: Iterable[str], truth: Iterable[str]) -> None:
    """Raise where names that only one graph has differ in case or blanks from names that only the other one has."""
    only_found, only_true = set(found) - set(truth), set(truth) - set(found)
    similar = {_without_case(name): name for name in sorted(only_true)}
    for name in sorted(only_found):
        other = similar.get(_without_case(name))
        if other is not None:
            raise InputError(
                f"found and truth must be graphs over the same names, but found has {name!r} where truth has {other!r}"
            )


def _without_case(name: str) -> str:
    """A name as a reader of tables may take it for another one."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


class _Side(NamedTuple):
    """One of two graphs, and what it was given as."""

    graph: DAG | PDAG
    is_complete: bool  # a matrix, with names or without
    has_names: bool
    has_order: bool  # unlike the nodes of a list of edges

    @property
    def may_be_renamed(self) -> bool:
        """Whether the nodes have the names that they get where none are given."""
        return self.has_order and self.graph.names == default_names(self.graph.n_nodes)


def _side(given: Any) -> _Side:
    is_listed = not (is_matrix(given) or isinstance(given, NamedGraph) or hasattr(given, "is_directed"))
    return _Side(
        graph=as_graph(given),
        is_complete=is_matrix(given),
        has_names=is_table(given) or not is_matrix(given),
        has_order=not is_listed,
    )


def _refuse_smaller_matrix(side: _Side, other: _Side) -> None:
    """Raise where a matrix lacks nodes: only a list of edges may leave isolated ones out."""
    if side.is_complete and side.graph.n_nodes < other.graph.n_nodes:
        raise InputError(
            f"found and truth must have the same nodes, got a matrix for {side.graph.n_nodes} nodes "
            f"and a graph of {other.graph.n_nodes}"
        )


def _share_names(found: _Side, truth: _Side) -> tuple[DAG | PDAG, DAG | PDAG]:
    """Name the nodes alike: as they are where names are shared, by position where one graph has none."""
    if _go_by_name(found, truth):
        return found.graph, truth.graph
    if found.graph.n_nodes == truth.graph.n_nodes and found.has_order and truth.has_order:
        if found.may_be_renamed:
            return found.graph.with_names(truth.graph.names), truth.graph
        if truth.may_be_renamed:
            return found.graph, truth.graph.with_names(found.graph.names)
    raise InputError(
        f"found and truth must be graphs over the same names, but they share none: "
        f"found has {_listed(found)}; truth has {_listed(truth)}"
    )


def _go_by_name(found: _Side, truth: _Side) -> bool:
    """Whether nodes of the same name are the same ones, or there are no nodes."""
    names, others = found.graph.names, truth.graph.names
    if not names or not others:
        return True
    if found.has_names and truth.has_names:
        return bool(set(names) & set(others))
    # A row without a name has a number, which a name such as x0 may give as well.
    if not (set(names) <= set(others) or set(names) >= set(others)):
        return False
    if set(names) == set(others) and names != others and found.has_order and truth.has_order:
        raise InputError(
            "found and truth must be graphs over the same names: the rows of a matrix without names are x0, x1, ... or "
            f"those of the other graph, {_listed(found if found.has_names else truth)}; name them: DAG(matrix, names)"
        )
    return True


def _listed(side: _Side) -> str:
    names = side.graph.names
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (", ".join(map(as_named, names[:_MOST_NAMED])) + more) if side.has_names else "none"
