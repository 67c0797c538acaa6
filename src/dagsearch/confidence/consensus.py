"""From probabilities of edges to one graph: what most agree on, with directions left open, and the best single DAG.

The expected structural Hamming distance of a graph splits into pairs of nodes. An edge i -> j costs 1 - P(i -> j), no
edge costs P(adjacent); so an edge gains P(i -> j) + P(adjacent) - 1 over none, and the best DAG is that of the best
order of the nodes, in which all edges that gain and point from earlier to later nodes are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from dagsearch.graph import DAG, PDAG
from dagsearch.kernels.linear_order import best_orders

_MOST_ORDERED_EXACTLY = 18
"""Nodes on common cycles of edges that gain; more are ordered by moving single nodes."""


@dataclass(frozen=True)
class Consensus:
    """Edges that are likely, directed where the direction is.

    Attributes
    ----------
    graph
        The graph; an edge whose direction is open is undirected.
    opened
        Edges (cause, effect) that were likely to point that way but lay on a cycle of such edges, and were left open.
    notes
        What to know about the graph, in words.
    """

    graph: PDAG
    opened: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def has_member(self) -> bool:
        """Whether some DAG has these edges and no further v-structures."""
        return self.graph.has_member


@dataclass(frozen=True)
class BestDag:
    """The DAG with the least expected structural Hamming distance, or the best one found."""

    dag: DAG
    expected_shd: float
    is_optimal: bool


def consensus(
    names: tuple[str, ...],
    edges: NDArray[np.float64],
    adjacent: NDArray[np.float64],
    threshold: float,
    direction: float,
) -> Consensus:
    """The graph of likely edges.

    Parameters
    ----------
    names
        Names of the nodes.
    edges, adjacent
        (n_nodes, n_nodes) P(i -> j), and P(i and j are adjacent).
    threshold
        Pairs with a higher probability of being adjacent get an edge.
    direction
        It is directed where one direction has more than this share of the probability.
    """
    joined = adjacent > threshold
    np.fill_diagonal(joined, val=False)
    directed = joined & (edges > direction * adjacent)
    directed &= ~(directed.T & (edges <= edges.T))  # a share below one half may hold both ways
    opened = _open_cycles(directed, np.where(adjacent > 0.0, edges / np.where(adjacent > 0.0, adjacent, 1.0), 0.0))
    mixed = directed | (joined & ~directed & ~directed.T)
    graph = PDAG(mixed.astype(np.int8), names)
    named = tuple((names[cause], names[effect]) for cause, effect in opened)
    notes = []
    if named:
        listed = ", ".join(f"{cause} -> {effect}" for cause, effect in named)
        notes.append(f"left open, since likely directions form a cycle and these are the least sure on it: {listed}")
    if not graph.has_member:
        notes.append("no DAG has these edges: every way to direct the open ones makes a cycle or a new v-structure")
    return Consensus(graph, named, tuple(notes))


def _open_cycles(directed: NDArray[np.bool_], sureness: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Remove the least sure edge of each cycle, in place, until there is none; returns the edges removed."""
    opened: list[tuple[int, int]] = []
    while True:
        graph = nx.DiGraph(list(map(tuple, np.argwhere(directed).tolist())))
        try:
            cycle = nx.find_cycle(graph)
        except nx.NetworkXNoCycle:
            return opened
        cause, effect = min(cycle, key=lambda edge: (float(sureness[edge]), edge))
        directed[cause, effect] = False
        opened.append((cause, effect))


def expected_shd(graph: NDArray[np.int8], edges: NDArray[np.float64], adjacent: NDArray[np.float64]) -> float:
    """Expected structural Hamming distance of a graph, (n_nodes, n_nodes), whose open edges fit both directions."""
    upper = np.triu_indices(len(graph), 1)
    forward, backward = graph.astype(bool)[upper], graph.T.astype(bool)[upper]
    pair = adjacent[upper]
    right = np.select([forward & backward, forward, backward], [pair, edges[upper], edges.T[upper]], default=1.0 - pair)
    return float((1.0 - right).sum())


def best_dag(names: tuple[str, ...], edges: NDArray[np.float64], adjacent: NDArray[np.float64]) -> BestDag:
    """The DAG with the least expected structural Hamming distance; arguments as of `consensus`."""
    gains = np.maximum(edges + adjacent - 1.0, 0.0)
    np.fill_diagonal(gains, 0.0)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(names)))
    graph.add_edges_from(map(tuple, np.argwhere(gains > 0.0).tolist()))
    adjacency, is_optimal = gains > 0.0, True
    for component in nx.strongly_connected_components(graph):
        nodes = np.array(sorted(component))
        within = gains[np.ix_(nodes, nodes)]
        few = len(nodes) <= _MOST_ORDERED_EXACTLY
        is_optimal &= few
        order = _best_order(within) if few else _good_order(within)
        place = np.argsort(order)
        adjacency[np.ix_(nodes, nodes)] &= place[:, np.newaxis] < place[np.newaxis, :]
    dag = DAG(adjacency.astype(np.int8), names)
    return BestDag(dag, expected_shd(dag.adjacency, edges, adjacent), is_optimal)


def _best_order(gains: NDArray[np.float64]) -> list[int]:
    """The order in which gains from earlier to later nodes add up to the most."""
    n = len(gains)
    best, last = np.empty(2**n), np.empty(2**n, dtype=np.int8)
    best_orders(np.ascontiguousarray(gains), best, last)
    order, members = [], 2**n - 1
    while members:
        order.append(int(last[members]))
        members ^= 1 << order[-1]
    return order[::-1]


def _good_order(gains: NDArray[np.float64]) -> list[int]:
    """An order that moving a single node does not improve."""
    order: list[int] = np.argsort(gains.sum(axis=0) - gains.sum(axis=1), kind="stable").tolist()
    improved = True
    while improved:
        improved = False
        for node in list(order):
            others = [other for other in order if other != node]
            # Placed behind k others, the node gains from those and gives to the rest.
            after = np.concatenate([[0.0], np.cumsum(gains[others, node] - gains[node, others])])
            best, here = int(after.argmax()), order.index(node)
            if after[best] > after[here] + 1e-12:
                order = [*others[:best], node, *others[best:]]
                improved = True
    return order
