"""Candidate parents: the few nodes among which the parents of each node are looked for, and weights of their sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.graph.bitset import Rows, rows_from_membership

LocalNats = Callable[[NDArray[np.int64], Rows], NDArray[np.float64]]
"""Log weights in nats, (n,), of nodes, (n,), with parent sets packed as rows."""

_CHUNK = 1 << 16  # sets that are weighed at once


def choose_candidates(
    local_nats: LocalNats,
    found: Sequence[NDArray[np.int8]],
    n_candidates: int,
    allowed: NDArray[np.bool_],
    required: NDArray[np.bool_],
    max_parents: int,
) -> NDArray[np.int64]:
    """Choose candidate parents of each node.

    Required causes come first. Then parents of the node in graphs that a search found, its children there, and other
    parents of these children; where there are too many of a kind, those that graphs agree on and that raise the log
    weight most. What room is left goes to the nodes that raise it most, alone or beside the parents that were found.

    Parameters
    ----------
    local_nats
        Log weights of nodes with parent sets.
    found
        Graphs that a search found, (n_nodes, n_nodes) each; there may be none.
    n_candidates
        The most candidates of a node.
    allowed
        (n_nodes, n_nodes) which edges may be there.
    required
        (n_nodes, n_nodes) which edges must be there.
    max_parents
        The most parents of a node.

    Returns
    -------
    (n_nodes, n_candidates) candidates by rank, -1 where there are fewer.
    """
    n_nodes = len(allowed)
    most = int(required.sum(axis=0).max(initial=0))
    if not max(1, most) <= n_candidates:
        raise InputError(
            f"n_candidates must be at least {max(1, most)}, the number of required causes, got {n_candidates}"
        )
    width = min(n_candidates, max(n_nodes - 1, 1))
    graphs = [np.asarray(graph) != 0 for graph in found]
    chosen = np.full((n_nodes, width), -1, dtype=np.int64)
    for node in range(n_nodes):
        may_be = (allowed[:, node] | required[:, node]) & (np.arange(n_nodes) != node)
        gains = _best_gains(local_nats, node, graphs, may_be, required[:, node], max_parents)
        rank = _rank(node, graphs, required[:, node])
        # The first key of lexsort is the least important one: index, gain, times found, kind.
        order = np.lexsort((np.arange(n_nodes), -gains, -rank))
        ranked = order[may_be[order]][:width]
        chosen[node, : len(ranked)] = ranked
    return chosen


def _rank(node: int, graphs: list[NDArray[np.bool_]], required: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How near each node is to ``node`` in the graphs, (n_nodes,): parents before children before their parents."""
    n_graphs = max(len(graphs), 1)
    rank = np.where(required, 4.0, 0.0)
    for weight, kind in ((1.0, _co_parents), (2.0, _children), (3.0, _parents)):
        times = np.sum([kind(graph, node) for graph in graphs], axis=0) / n_graphs if graphs else np.zeros(len(rank))
        rank = np.maximum(rank, np.where(times > 0, weight + times / 2, 0.0))
    return rank


def _parents(graph: NDArray[np.bool_], node: int) -> NDArray[np.bool_]:
    parents: NDArray[np.bool_] = graph[:, node]
    return parents


def _children(graph: NDArray[np.bool_], node: int) -> NDArray[np.bool_]:
    children: NDArray[np.bool_] = graph[node]
    return children


def _co_parents(graph: NDArray[np.bool_], node: int) -> NDArray[np.bool_]:
    of_children: NDArray[np.bool_] = np.any(graph[:, graph[node]], axis=1)
    return of_children


def _best_gains(
    local_nats: LocalNats,
    node: int,
    graphs: list[NDArray[np.bool_]],
    may_be: NDArray[np.bool_],
    required: NDArray[np.bool_],
    max_parents: int,
) -> NDArray[np.float64]:
    """The most that each node adds to the log weight, (n_nodes,): beside required causes, or beside found parents."""
    bases = [required]
    for graph in graphs:
        parents = (graph[:, node] & may_be) | required
        if not any(np.array_equal(parents, base) for base in bases):
            bases.append(parents)
    gains = np.full(len(may_be), -np.inf)
    for base in bases:
        others = np.flatnonzero(may_be)
        with_each, without = np.tile(base, (len(others), 1)), np.tile(base, (len(others), 1))
        with_each[np.arange(len(others)), others] = True
        without[np.arange(len(others)), others] = False
        possible = (with_each.sum(axis=1) <= max_parents) & ~required[others]
        if possible.any():
            rise = _weigh(local_nats, node, with_each[possible]) - _weigh(local_nats, node, without[possible])
            gains[others[possible]] = np.maximum(gains[others[possible]], rise)
    return gains


def weigh_subsets(
    local_nats: LocalNats,
    candidates: NDArray[np.int64],
    required: NDArray[np.bool_],
    max_parents: int,
    report: Callable[[float], None],
) -> NDArray[np.float64]:
    """Log weights, (n_nodes, 2^n_candidates), of all sets of candidates with all required causes; -inf for the others.

    ``report`` is called with the share of the work that is done; it may raise to end it.
    """
    n_nodes, width = candidates.shape
    log_weights = np.full((n_nodes, 2**width), -np.inf)
    for node, row in enumerate(candidates):
        given = row[row >= 0]
        missing = np.setdiff1d(np.flatnonzero(required[:, node]), given)
        if len(missing):
            raise InputError(f"candidates of node {node} must hold its required causes, got none of {missing.tolist()}")
        possible = _possible_sets(required[given, node], max(max_parents, int(required[:, node].sum())))
        for first in range(0, len(possible), _CHUNK):
            some = possible[first : first + _CHUNK]
            members = np.zeros((len(some), n_nodes), dtype=bool)
            members[:, given] = some[:, np.newaxis] >> np.arange(len(given)) & 1
            log_weights[node, some] = _weigh(local_nats, node, members)
            report((node + first / len(possible)) / n_nodes)
    return log_weights


def _possible_sets(is_required: NDArray[np.bool_], max_parents: int) -> NDArray[np.int64]:
    """Sets of candidates, as numbers, that hold the required ones and are not too large."""
    places = np.arange(len(is_required))
    sets = np.arange(2 ** len(is_required), dtype=np.int64)
    always = int(is_required @ (1 << places)) if len(places) else 0
    sizes = (sets[:, np.newaxis] >> places & 1).sum(axis=1)
    possible: NDArray[np.int64] = sets[(sets & always == always) & (sizes <= max_parents)]
    return possible


def _weigh(local_nats: LocalNats, node: int, members: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Log weights of one node with many parent sets, (n, n_nodes) bool."""
    return local_nats(np.full(len(members), node), rows_from_membership(members))
