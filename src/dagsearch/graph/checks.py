"""From what users write to names and a 0/1 matrix, or to an error that says what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagsearch import memory
from dagsearch._visible import half_of_a_pair
from dagsearch.errors import CycleError, InputError, UnknownNameError, as_named, in_brief
from dagsearch.graph.order import find_cycle

Node = str | int
Edge = tuple[Node, Node]
Pair = tuple[int, int]

_BYTES_PER_PAIR = 4  # of nodes: the matrix, a copy of it, and what tells cycles


def default_names(n_nodes: int) -> tuple[str, ...]:
    """Names of nodes that were given none: x0, x1, ..."""
    return tuple(f"x{node}" for node in range(n_nodes))


def is_index(node: object) -> bool:
    """Tell whether a node is given by its position rather than by its name."""
    return isinstance(node, int | np.integer) and not isinstance(node, bool)


def is_table(obj: object) -> bool:
    """Tell whether an object is a data frame (pandas or polars), without importing either."""
    return hasattr(obj, "columns") and hasattr(obj, "to_numpy")


def checked_names(names: Iterable[object]) -> tuple[str, ...]:
    """Return the names as strings, all different."""
    if isinstance(names, str):
        raise InputError(f"names must be a list of strings, got the single string {names!r}")
    if not isinstance(names, Iterable):
        raise InputError(f"names must be a list of strings, got {names!r}")
    labels = tuple(str(name) for name in names)
    for place, label in enumerate(labels):
        if not label:
            raise InputError(f"names must not be empty, the one at position {place} is")
        if half_of_a_pair(label):
            raise InputError(f"names must be text that files can hold, got {label[:80]!r} with half a surrogate pair")
    twice = [name for name, count in Counter(labels).items() if count > 1]
    if twice:
        raise InputError(f"names must all differ, given more than once: {', '.join(map(repr, twice))}")
    return labels


def position(node: Node, names: Sequence[str]) -> int:
    """Find a node, given by name or by index, among the names."""
    if is_index(node):
        if not 0 <= int(node) < len(names):
            raise InputError(f"node index must be between 0 and {len(names) - 1}, got {node}")
        return int(node)
    if str(node) not in names:
        raise UnknownNameError("node", node, names)
    return names.index(str(node))


def as_pairs(edges: Iterable[Any]) -> list[Edge]:
    """Read edges as pairs of nodes."""
    pairs = []
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise InputError(f"edges must be a list of pairs (cause, effect), got {in_brief(repr(edges))}")
    for edge in edges:
        if isinstance(edge, str) or not hasattr(edge, "__len__") or len(edge) != 2:
            raise InputError(f"edges must be pairs (cause, effect), got {edge!r}")
        pairs.append((edge[0], edge[1]))
    return pairs


def infer_names(edges: Sequence[Edge]) -> tuple[str, ...]:
    """Names in order of appearance; x0, x1, ... up to the highest index where the edges hold indices."""
    nodes = [node for edge in edges for node in edge]
    by_index = [is_index(node) for node in nodes]
    if not any(by_index):
        return checked_names(dict.fromkeys(nodes))
    if not all(by_index):
        raise InputError("edges mix names and indices: give names=[...] to say which index is which node")
    n_nodes = max(int(node) for node in nodes) + 1
    require_size(n_nodes)
    return default_names(n_nodes)


def refuse_repeats(pairs: Iterable[Pair], names: Sequence[str]) -> None:
    """Raise where a pair is listed more than once."""
    twice = [pair for pair, count in Counter(pairs).items() if count > 1]
    if twice:
        shown = ", ".join(f"({names[i]!r}, {names[j]!r})" for i, j in twice)
        raise InputError(f"edges must be listed once, given more than once: {shown}")


def positions(edges: Iterable[Edge], names: Sequence[str]) -> list[Pair]:
    """Turn edges between nodes into pairs of indices."""
    return [(position(cause, names), position(effect, names)) for cause, effect in edges]


def require_size(n_nodes: int) -> None:
    """Raise where a graph has more nodes than memory has room for."""
    memory.require(
        _BYTES_PER_PAIR * float(n_nodes) ** 2, f"a graph of {n_nodes:,} nodes", "leave out nodes without edges"
    )


def matrix_of(pairs: Iterable[Pair], n_nodes: int) -> npt.NDArray[np.int8]:
    """Return the matrix, shape (n_nodes, n_nodes), with a one for each pair."""
    require_size(n_nodes)
    matrix = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    for cause, effect in pairs:
        matrix[cause, effect] = 1
    return matrix


def read_networkx(graph: Any) -> tuple[npt.NDArray[np.int8], tuple[str, ...]]:
    """Return matrix and names of a networkx graph, in the order of its nodes."""
    if not graph.is_directed():
        raise InputError("graph must be a networkx.DiGraph, got an undirected graph")
    positions_of = {node: position for position, node in enumerate(graph.nodes)}
    pairs = [(positions_of[cause], positions_of[effect]) for cause, effect in graph.edges()]
    return matrix_of(pairs, len(positions_of)), checked_names(graph.nodes)


def checked_matrix(adjacency: Any) -> npt.NDArray[np.int8]:
    """Copy a square matrix of zeros and ones; anything else is refused."""
    given = adjacency.to_numpy() if is_table(adjacency) else adjacency
    try:
        matrix = np.asarray(given)
    except ValueError as error:
        raise InputError("adjacency must be a square matrix, got rows of different lengths") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"adjacency must be a square matrix, got shape {matrix.shape}")
    if not np.isin(matrix, (0, 1)).all():
        raise InputError("adjacency must hold only 0 and 1; threshold weights first, for example abs(weights) > 0.3")
    return matrix.astype(np.int8)


def names_of_matrix(adjacency: Any, n_nodes: int) -> tuple[str, ...]:
    """Names that come with a matrix: a data frame's columns, otherwise x0, x1, ..."""
    if not is_table(adjacency):
        return default_names(n_nodes)
    columns = checked_names(adjacency.columns)
    rows = tuple(map(str, getattr(adjacency, "index", columns)))
    if rows not in (columns, tuple(map(str, range(n_nodes)))):
        raise InputError("adjacency must have the same names, in the same order, on its rows and its columns")
    return columns


def refuse_cycle(directed: npt.NDArray[np.int8], names: Sequence[str]) -> None:
    """Raise with one actual cycle in the message where the directed edges form one."""
    cycle = find_cycle(directed)
    if cycle is not None:
        shown = " -> ".join(as_named(names[node]) for node in [*cycle, cycle[0]])
        raise CycleError(f"the edges must not form a cycle, got {shown}")
