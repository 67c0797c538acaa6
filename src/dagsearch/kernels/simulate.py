"""Algorithm 2 of the paper: the compiled loop of simulations below one root.

A simulation selects by UCB1, expands one tree node, rolls out uniformly, scores what it built and backs the return up.
Everything lives in arrays. Scores that are not compiled are fetched by calling back into Python from inside the loop;
when memory runs out the loop returns (`MEMO_FULL`, `TREE_FULL`) and is called again to go on exactly where it was.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dagsearch.kernels.bits import ONE, WORD_BITS, include, lowest_bit, select, size, word_count
from dagsearch.kernels.compile import entry_point, kernel, long_kernel
from dagsearch.kernels.local import LOG_FLOOR, find_or_evaluate
from dagsearch.kernels.memo import MISSING, has_room, penalty_at, store, value_at
from dagsearch.kernels.process import NO_STUB, insert_edge, restore
from dagsearch.kernels.random import below_high, below_low, next_word
from dagsearch.kernels.tree import ROOT, UNOPENED, best_by_ucb, expand, open_node, record_return

# What the loop returns with.
DONE, MEMO_FULL, TREE_FULL, FAILED = range(4)
# What it calls back for.
TERMS, REWARDS = range(2)
NO_BUDGET = -1
NEGLIGIBLE = 1e-10  # differences of rewards below this are rounding

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
        ("n_edges_limit", np.int64),  # a simulation stops here: budget or horizon
        ("edge_budget", np.int64),  # or NO_BUDGET: prefixes of any size count
        ("use_tree", np.int64),  # 0: rollouts from the root only
        ("decomposable", np.int64),  # 0: rewards come from outside
        ("equal_variances", np.int64),
        ("exploration", np.float64),
        ("root_value", np.float64),
        ("root_penalty", np.float64),
        ("path_length", np.int64),
        ("n_added", np.int64),  # edges of this simulation
        ("n_requests", np.int64),
        ("best_reward", np.float64),
        ("n_best_edges", np.int64),
    ]
)


@intrinsic
def _call_back(typing_context, address, what, how_many):
    """Call the C function at ``address``."""

    def code(context, builder, signature, args):
        int64 = ir.IntType(64)
        function = builder.inttoptr(args[0], ir.FunctionType(int64, [int64, int64]).as_pointer())
        return builder.call(function, args[1:])

    return types.int64(types.int64, types.int64, types.int64), code


class Search(NamedTuple):
    """All that a search step reads and writes."""

    control: Any  # (1,) CONTROL
    root: Any  # Partial
    graph: Any  # Partial   the simulation's own copy of the root
    rules: Any  # Rules
    tree: Any  # Tree
    memo: Any  # Memo
    family: Any  # Family
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


@kernel
def _add(search, n_added, i, j, words):
    """Add i -> j to the simulation's graph, as the edge after ``n_added`` others."""
    insert_edge(search.graph, i, j, search.rules, words)
    search.causes[n_added] = i
    search.effects[n_added] = j
    include(search.changed, 0, j, words)


@kernel
def _tree_policy(search, control, words):
    """Selection and expansion; returns the stub left open, or NO_STUB. ``path_length`` is 0 if the tree is full."""
    tree, graph = search.tree, search.graph
    stub = control.stub
    node = ROOT
    search.path[0] = ROOT
    control.path_length = 1
    while control.n_root_edges + control.n_added < control.n_edges_limit:
        if tree.first_child[node] == UNOPENED:
            if stub == NO_STUB:
                opened = open_node(tree, node, graph.stubs, 0, words)
            else:
                opened = open_node(tree, node, graph.legal, stub, words)
            if not opened:
                control.path_length = 0
                return stub
        expanding = tree.n_expanded[node] < tree.n_actions[node]
        if expanding:
            node = expand(tree, node, search.random)
        elif tree.n_actions[node] == 0:
            break
        else:
            node = best_by_ucb(tree, node, control.exploration)
        search.path[control.path_length] = node
        control.path_length += 1
        action = np.int64(tree.action[node])
        if stub == NO_STUB:
            stub = action
        else:
            _add(search, control.n_added, stub, action, words)
            control.n_added += 1
            stub = np.int64(NO_STUB)
        if expanding:
            break
    return stub


@kernel
def _simulation_policy(search, control, stub, words):
    """Uniform rollout: a legal stub, then a legal endpoint of it, until the limit or no edge is left."""
    graph = search.graph
    n_added = control.n_added
    n_limit = control.n_edges_limit - control.n_root_edges
    if stub != NO_STUB:
        k = below_low(next_word(search.random), size(graph.legal, stub, words))
        _add(search, n_added, stub, select(graph.legal, stub, k, words), words)
        n_added += 1
    while n_added < n_limit:
        n_stubs = size(graph.stubs, 0, words)
        if n_stubs == np.uint64(0):
            break
        word = next_word(search.random)
        i = select(graph.stubs, 0, below_high(word, n_stubs), words)
        k = below_low(word, size(graph.legal, i, words))
        _add(search, n_added, i, select(graph.legal, i, k, words), words)
        n_added += 1
    control.n_added = n_added


@kernel
def _begin(search, control, words):
    """Set the simulation's graph back to the root."""
    restore(search.graph, search.root, words)
    control.n_added = 0
    control.path_length = 0
    for w in range(word_count(words)):
        search.changed[w] = np.uint64(0)


@kernel
def _request(search, control, node, rows, row, words):
    """Ask for a local score that is not known."""
    k = control.n_requests
    search.request_nodes[k] = node
    n_words = word_count(words)
    for w in range(n_words):
        search.request_parents[k * n_words + w] = rows[row * n_words + w]
    control.n_requests += 1


@kernel
def _combine(control, value, penalty):
    """Reward from the sums of values and of penalties."""
    if control.equal_variances:
        return -np.log(value + LOG_FLOOR) - penalty
    return value - penalty


@kernel
def _score_end(search, control, words):
    """Reward of the finished graph: only nodes with new parents are looked up."""
    value, penalty = control.root_value, control.root_penalty
    for w in range(word_count(words)):
        rest = search.changed[w]
        while rest != np.uint64(0):
            j = np.int64(lowest_bit(rest)) + WORD_BITS * w
            rest &= rest - ONE
            slot = find_or_evaluate(search.memo, search.family, j, search.graph.parents, j, words)
            if slot == MISSING:
                _request(search, control, j, search.graph.parents, j, words)
            else:
                value += value_at(search.memo, slot, words) - search.root_terms[j, 0]
                penalty += penalty_at(search.memo, slot, words) - search.root_terms[j, 1]
    search.rewards[control.n_added] = _combine(control, value, penalty)


@long_kernel
def _score_prefixes(search, control, words):
    """Reward after every edge: the edges are replayed from the root, one look-up each."""
    n_words = word_count(words)
    for k in range(control.n_added):
        j = search.effects[k]
        for w in range(n_words):
            search.replay[j * n_words + w] = search.root.parents[j * n_words + w]
        search.replay_terms[j, 0] = search.root_terms[j, 0]
        search.replay_terms[j, 1] = search.root_terms[j, 1]
    value, penalty = control.root_value, control.root_penalty
    search.rewards[0] = _combine(control, value, penalty)
    for k in range(control.n_added):
        i, j = search.causes[k], search.effects[k]
        include(search.replay, j, i, words)
        slot = find_or_evaluate(search.memo, search.family, j, search.replay, j, words)
        if slot == MISSING:
            _request(search, control, j, search.replay, j, words)
            continue
        value += value_at(search.memo, slot, words) - search.replay_terms[j, 0]
        penalty += penalty_at(search.memo, slot, words) - search.replay_terms[j, 1]
        search.replay_terms[j, 0] = value_at(search.memo, slot, words)
        search.replay_terms[j, 1] = penalty_at(search.memo, slot, words)
        search.rewards[k + 1] = _combine(control, value, penalty)


@kernel
def _fetch_terms(search, control, words):
    """Have Python compute the requested local scores, and enter them in the memo; False if it failed."""
    if _call_back(control.callback, TERMS, control.n_requests) != 0:
        return False
    for k in range(control.n_requests):
        terms = search.request_terms
        store(search.memo, search.request_nodes[k], search.request_parents, k, terms[k, 0], terms[k, 1], words)
    return True


@kernel
def _score(search, control, words):
    """Fill ``rewards``; False if Python was needed for it and failed."""
    if not control.decomposable:
        return _call_back(control.callback, REWARDS, control.n_added) == 0
    while True:
        control.n_requests = 0
        if control.edge_budget == NO_BUDGET:
            _score_prefixes(search, control, words)
        else:
            _score_end(search, control, words)
        if control.n_requests == 0:
            return True
        if not _fetch_terms(search, control, words):
            return False


@long_kernel
def _remember(search, control, n_edges_kept, words):
    """Keep the root plus the first ``n_edges_kept`` edges of this simulation as the best graph."""
    for k in range(search.best_parents.shape[0]):
        search.best_parents[k] = search.root.parents[k]
    for k in range(n_edges_kept):
        i, j = search.causes[k], search.effects[k]
        include(search.best_parents, j, i, words)
    control.best_reward = search.rewards[n_edges_kept]
    control.n_best_edges = control.n_root_edges + n_edges_kept


@kernel
def _back_up_end(search, control, words):
    """With a budget: one return for the whole path; the best graph is the best of those with most edges."""
    reward = search.rewards[control.n_added]
    n_edges = control.n_root_edges + control.n_added
    if n_edges > control.n_best_edges or (n_edges == control.n_best_edges and reward > control.best_reward):
        _remember(search, control, control.n_added, words)
    for p in range(control.path_length):
        record_return(search.tree, search.path[p], reward)


@kernel
def _back_up_prefixes(search, control, words):
    """Without a budget: a tree node's return is the best reward met from its own graph onwards.

    A tree node at position p of the path stands for at least ceil(p / 2) edges, one stub more if the root has one.
    """
    rewards = search.rewards
    best = 0
    for k in range(control.n_added + 1):
        if rewards[k] > rewards[best]:
            best = k
    if rewards[best] > control.best_reward + NEGLIGIBLE:
        _remember(search, control, best, words)
    for k in range(control.n_added - 1, -1, -1):
        rewards[k] = max(rewards[k], rewards[k + 1])
    has_stub = 0 if control.stub == NO_STUB else 1
    for p in range(control.path_length):
        record_return(search.tree, search.path[p], rewards[min((p + has_stub + 1) // 2, control.n_added)])


@entry_point
def simulate(search, words):
    """Run simulations until ``n_target`` are done, or something is needed; returns the status."""
    control = search.control[0]
    while control.n_done < control.n_target:
        if not has_room(search.memo, control.n_edges_limit - control.n_root_edges):
            return MEMO_FULL
        _begin(search, control, words)
        stub = control.stub
        if control.use_tree:
            stub = _tree_policy(search, control, words)
            if control.path_length == 0:
                return TREE_FULL
        _simulation_policy(search, control, stub, words)
        if not _score(search, control, words):
            return FAILED
        if control.edge_budget == NO_BUDGET:
            _back_up_prefixes(search, control, words)
        else:
            _back_up_end(search, control, words)
        control.n_done += 1
    return DONE
