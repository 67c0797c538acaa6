"""The k best DAGs: the space without the best graph is split into parts, each of which is solved (Lawler 1972)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.order import find_cycle, topological_order
from dagsearch.search.exact.families import Families
from dagsearch.search.exact.program import EdgeLimit

BestOver = Callable[[Families], tuple[float, NDArray[np.int64] | None]]
"""Reward and families (by position) of the best DAG over families; None if there is no DAG."""


@dataclass(frozen=True)
class Ranked:
    """A DAG and its reward."""

    adjacency: NDArray[np.int8]
    reward: float


def best_dags(families: Families, best_over: BestOver) -> Iterator[Ranked]:
    """All DAGs over families, best first, each once.

    The graphs of a part share the families of some nodes and exclude a family of the next. Nodes are taken in the
    topological order of the part's best graph: those with shared families then lie on no cycle, and the problem that is
    left gets smaller with each.
    """
    tie_break = count()
    parts: list[tuple[float, int, NDArray[np.bool_], NDArray[np.int64]]] = []

    def push(allowed: NDArray[np.bool_]) -> None:
        positions = np.flatnonzero(allowed)
        if len(np.unique(families.nodes[positions])) < families.n_nodes:
            return
        reward, chosen = best_over(families.only(allowed))
        if chosen is not None:
            heapq.heappush(parts, (-reward, next(tie_break), allowed, positions[chosen]))

    push(np.ones(len(families), dtype=bool))
    while parts:
        minus_reward, _, allowed, chosen = heapq.heappop(parts)
        adjacency = families.adjacency(chosen)
        yield Ranked(adjacency, -minus_reward)
        shared = allowed.copy()
        for node in topological_order(adjacency):
            excluding = shared.copy()
            excluding[chosen[node]] = False
            push(excluding)
            shared[families.of(node)] = False
            shared[chosen[node]] = True


def neighbours(adjacency: NDArray[np.int8], allowed: NDArray[np.bool_], limit: EdgeLimit | None) -> NDArray[np.int8]:
    """DAGs that differ from one in one edge, or in the place of one if their number is fixed; (n, n_nodes, n_nodes)."""
    if limit is None or not limit.exactly:
        changed = list(_toggled(adjacency, allowed))
    else:
        removed = [graph for graph in _toggled(adjacency, allowed) if graph.sum() < adjacency.sum()]
        changed = [graph for smaller in removed for graph in _toggled(smaller, allowed)]
    distinct = {graph.tobytes(): graph for graph in changed if limit is None or limit.allows(int(graph.sum()))}
    distinct.pop(adjacency.tobytes(), None)
    return np.array(list(distinct.values()), dtype=np.int8).reshape(-1, *adjacency.shape)


def _toggled(adjacency: NDArray[np.int8], allowed: NDArray[np.bool_]) -> Iterator[NDArray[np.int8]]:
    """DAGs with one allowed edge more or less."""
    for cause, effect in np.argwhere(allowed):
        graph = adjacency.copy()
        graph[cause, effect] ^= 1
        if graph[cause, effect] == 0 or find_cycle(graph) is None:
            yield graph
