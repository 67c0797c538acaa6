"""The equivalence class of a DAG: the arrows on whose direction all equivalent DAGs agree, and lines.

S. A. Andersson, D. Madigan and M. D. Perlman, "A characterization of Markov equivalence classes for acyclic digraphs",
Annals of Statistics 25, 1997: in the graph of a class (its CPDAG) exactly the strongly protected arrows are directed.
Arrows that are not protected become lines, one after the other, until all that are left are.

Experiments tell more. Where variables are set, their causes lose their influence, so that an arrow at which exactly one
end is set in some experiment is protected, too (A. Hauser and P. Buehlmann, "Characterization and greedy learning of
interventional Markov equivalence classes of directed acyclic graphs", JMLR 13, 2012: strong I-protection).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from dagsearch.graph.neighbourhoods import Neighbourhoods

Edge = tuple[int, int]


def cpdag(adjacency: npt.NDArray[np.int8], targets: Iterable[Collection[int]] = ()) -> npt.NDArray[np.int8]:
    """Return the completed PDAG of a DAG, both of shape (n_nodes, n_nodes).

    Parameters
    ----------
    adjacency
        The DAG.
    targets
        Nodes that were set together, one collection for each experiment; beside these there are observations, or
        for each node at least experiments in which it was not set.
    """
    graph, experiments = Neighbourhoods(adjacency), [frozenset(target) for target in targets]
    arrows = _arrows(graph)
    told = {arrow for arrow in arrows if any(len(target.intersection(arrow)) == 1 for target in experiments)}
    free_unprotected(graph, arrows, told)
    return graph.adjacency()


def class_of(adjacency: npt.NDArray[np.int8]) -> Neighbourhoods:
    """Return the completed PDAG of a DAG of shape (n_nodes, n_nodes) as sets."""
    graph = Neighbourhoods(adjacency)
    free_unprotected(graph, _arrows(graph))
    return graph


def free_unprotected(
    graph: Neighbourhoods, doubtful: Iterable[Edge], told: Collection[Edge] = frozenset()
) -> list[Edge]:
    """Turn arrows that are not strongly protected into lines, in place, and return them.

    Parameters
    ----------
    graph
        A DAG, or what is between a DAG and its CPDAG: some of the lines of the latter are lines already.
    doubtful
        The arrows to look at, among which all that are not protected must be. Those that lose their protection by the
        loss of others are looked at in any case.
    told
        Arrows that something else than the graph protects.
    """
    # Whatever protects an arrow ends earlier in the order of the DAG, or begins later and ends at the same node.
    # Arrows can therefore not go on protecting each other in circles, and it does not matter which is looked at first.
    waiting, freed = set(doubtful), []
    while waiting:
        cause, effect = arrow = waiting.pop()
        if arrow not in told and effect in graph.children[cause] and not _is_protected(graph, cause, effect):
            waiting.update(_protected_by(graph, cause, effect))
            graph.free(cause, effect)
            freed.append(arrow)
    return freed


def _arrows(graph: Neighbourhoods) -> list[Edge]:
    return [(cause, effect) for effect, parents in enumerate(graph.parents) for cause in parents]


def _is_protected(graph: Neighbourhoods, cause: int, effect: int) -> bool:
    """Whether an arrow is strongly protected (definition 3.3): DAGs in which it is reversed are not equivalent."""
    causes, adjacent = graph.parents[effect], graph.adjacent
    if graph.parents[cause] - adjacent[effect] or graph.children[cause] & causes:
        return True  # reversed, it would make a v-structure at the cause, or close a cycle
    # No node is adjacent to itself: where there is another one to which it is not, there are two.
    if len(causes - adjacent[cause]) > 1:
        return True  # it is part of a v-structure
    # Two other causes, not adjacent, are joined to this one by lines. One of these may still be an arrow to this cause.
    return any(len(causes - adjacent[other]) > 1 for other in graph.neighbours[cause] & causes)


def _protected_by(graph: Neighbourhoods, cause: int, effect: int) -> list[Edge]:
    """Arrows that may be strongly protected thanks to another one, which is in no v-structure."""
    children, parents = graph.children, graph.parents
    onwards = [(effect, other) for other in children[effect] - graph.adjacent[cause]]
    around = [(cause, other) for other in children[cause] & children[effect]]
    return onwards + around + [(other, effect) for other in parents[cause] & parents[effect]]
