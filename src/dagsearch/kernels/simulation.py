"""What a simulation reads and writes, and the two steps that all kinds of simulations share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.bits import include, word_count
from dagsearch.kernels.compile import kernel, single_use_kernel
from dagsearch.kernels.process import NO_STUB, insert_edge, restore

# What the loop returns with.
DONE, MEMO_FULL, TREE_FULL, FAILED = range(4)
NO_BUDGET = -1

CONTROL = np.dtype(
    [
        ("n_done", np.int64),  # simulations below this root
        ("n_target", np.int64),  # return `DONE` after so many
        (
            "callback",
            np.int64,
        ),  # address of a C function int64(what, how_many); non-zero means that it failed
        ("stub", np.int64),  # of the root, or NO_STUB
        ("n_root_edges", np.int64),
        ("n_tree_limit", np.int64),  # the tree stops here: budget, or horizon
        ("n_edges_limit", np.int64),  # rollouts stop here: budget or horizon
        ("edge_budget", np.int64),  # or NO_BUDGET: prefixes of any size count
        ("keeps_any_size", np.int64),  # with a budget: the end of every simulation may be the best graph
        ("use_tree", np.int64),  # 0: rollouts from the root only
        ("decomposable", np.int64),  # 0: rewards come from outside
        ("equal_variances", np.int64),
        ("exploration", np.float64),
        ("root_value", np.float64),
        ("root_penalty", np.float64),
        ("path_length", np.int64),
        ("n_added", np.int64),  # edges of this simulation
        ("n_requests", np.int64),
        ("n_worked", np.int64),  # since Python was last asked whether time is over
        ("best_reward", np.float64),
        ("n_best_edges", np.int64),
    ]
)


class Search(NamedTuple):
    """All that a search step reads and writes."""

    control: Any  # (1,) CONTROL
    root: Any  # Partial
    graph: Any  # Partial   the simulation's own copy of the root
    rules: Any  # Rules
    tree: Any  # Tree
    memo: Any  # Memo
    family: Any  # Family, or Outside
    random: Any  # (1,) uint64
    path: Any  # (2 * max_edges + 2,) int64   tree nodes visited by this simulation
    causes: Any  # (max_edges,) int64   its edges in order
    effects: Any  # (max_edges,) int64
    rewards: Any  # (max_edges + 1,) float64   rewards[k]: after k of its edges
    root_terms: Any  # (n_nodes, 2) float64   value and penalty of each node at the root
    replay_terms: Any  # (n_nodes, 2) float64   the same while edges are replayed
    replay: Any  # (n_nodes * n_words,) uint64   parents while edges are replayed
    changed: Any  # (n_words,) uint64   nodes with new parents
    best_parents: Any  # (n_nodes * n_words,) uint64
    request_nodes: Any  # (max_edges,) int64   local scores that are needed
    request_parents: Any  # (max_edges * n_words,) uint64
    request_terms: Any  # (max_edges, 2) float64   the answer: value and penalty of each


@single_use_kernel
def begin(search, control, words):
    """Set the simulation's graph back to the root."""
    restore(search.graph, search.root, words)
    control.n_added = 0
    control.path_length = 0
    for w in range(word_count(words)):
        search.changed[w] = np.uint64(0)


@kernel
def add(search, n_added, i, j, words):
    """Add i -> j to the simulation's graph, as the edge after ``n_added`` others."""
    insert_edge(search.graph, i, j, search.rules, words)
    search.causes[n_added] = i
    search.effects[n_added] = j
    include(search.changed, 0, j, words)


@single_use_kernel
def go_to(search, control, node, stub, words):
    """Go on to a tree node: its action becomes the stub, or the endpoint of an edge from the stub; returns the stub."""
    search.path[control.path_length] = node
    control.path_length += 1
    action = np.int64(search.tree.action[node])
    if stub == NO_STUB:
        return action
    add(search, control.n_added, stub, action, words)
    control.n_added += 1
    return np.int64(NO_STUB)
