"""What directions that are known beforehand tell about the others of an equivalence class.

C. Meek, "Causal inference and causal explanation with background knowledge", UAI 1995: with the four rules below, in
the graph that is left each undirected edge points either way in some member of the class that has the known directions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from dagsearch.graph.extension import consistent_extension

BoolMatrix = npt.NDArray[np.bool_]


def with_directions(cpdag: npt.NDArray[np.int8], known: BoolMatrix) -> npt.NDArray[np.int8] | None:
    """Direct the edges of a class of DAGs as far as known directions tell; None if no member has them all.

    Parameters
    ----------
    cpdag
        (n_nodes, n_nodes); [i, j] == 1 alone means i -> j, both ways i - j.
    known
        (n_nodes, n_nodes); [i, j]: should i and j be adjacent, then i -> j.
    """
    graph = cpdag.astype(bool)
    told = known & (graph | graph.T)
    if (told & ~graph).any():
        return None
    graph &= ~told.T
    while any(_direct(graph, rule) for rule in _RULES):
        pass
    # Where the known directions suit no member, the rules end in a cycle or in a collider that the class has not.
    if (told & ~graph).any() or (_colliders(graph) != _colliders(cpdag.astype(bool))).any():
        return None
    mixed = graph.astype(np.int8)
    return None if consistent_extension(mixed).stuck else mixed


def _direct(graph: BoolMatrix, rule: Callable[[BoolMatrix], BoolMatrix]) -> bool:
    """Direct, in place, the undirected edges that a rule tells about; returns whether there were any."""
    found = np.argwhere(rule(graph) & graph & graph.T)
    for cause, effect in found:
        if graph[cause, effect]:
            graph[effect, cause] = False
    return len(found) > 0


def _product(first: BoolMatrix, second: BoolMatrix) -> BoolMatrix:
    """[i, k]: some j has first[i, j] and second[j, k]."""
    reached: BoolMatrix = first.astype(np.int64) @ second.astype(np.int64) > 0
    return reached


def _apart(graph: BoolMatrix) -> BoolMatrix:
    return ~(graph | graph.T | np.eye(len(graph), dtype=bool))


def _no_new_collider(graph: BoolMatrix) -> BoolMatrix:
    """Rule 1: a -> b - c, and a is not adjacent to c: b -> c."""
    directed = graph & ~graph.T
    return _product(directed.T, _apart(graph))


def _no_cycle(graph: BoolMatrix) -> BoolMatrix:
    """Rule 2: a -> b -> c, and a - c: a -> c."""
    directed = graph & ~graph.T
    return _product(directed, directed)


def _between_two_causes(graph: BoolMatrix) -> BoolMatrix:
    """Rule 3: a - b -> d and a - c -> d, b is not adjacent to c, and a - d: a -> d."""
    directed, undirected, apart = graph & ~graph.T, graph & graph.T, _apart(graph)
    told = np.zeros_like(graph)
    for a, d in np.argwhere(undirected):
        between = np.flatnonzero(undirected[a] & directed[:, d])
        told[a, d] = apart[np.ix_(between, between)].any()
    return told


def _before_a_chain(graph: BoolMatrix) -> BoolMatrix:
    """Rule 4: a - c -> d -> b, a is adjacent to d, b is not adjacent to c, and a - b: a -> b."""
    directed, undirected, apart = graph & ~graph.T, graph & graph.T, _apart(graph)
    told = np.zeros_like(graph)
    for a, b in np.argwhere(undirected):
        ends = np.flatnonzero(directed[:, b] & (graph | graph.T)[a])
        begins = np.flatnonzero(undirected[a] & apart[b])
        told[a, b] = directed[np.ix_(begins, ends)].any()
    return told


_RULES = (_no_new_collider, _no_cycle, _between_two_causes, _before_a_chain)


def _colliders(graph: BoolMatrix) -> BoolMatrix:
    """[i, j, k]: i -> k <- j, where i and j are not adjacent."""
    directed = graph & ~graph.T
    colliders: BoolMatrix = directed[:, None, :] & directed[None, :, :] & _apart(graph)[:, :, None]
    return colliders
