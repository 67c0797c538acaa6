"""The loop of simulations whose rollouts draw edges by what they are known to gain, rather than uniformly.

As in `simulate`, but for the rollout, and, if asked for, the tree policy: PUCT lets the same knowledge decide which
children come first, and how far they are explored. A child that is not in the tree yet counts as good as its parent.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import contains, select, size
from dagsearch.kernels.compile import entry_point, long_kernel
from dagsearch.kernels.guide import NOBODY, draw_edge, draw_endpoint, learn, restore_weights
from dagsearch.kernels.memo import has_room
from dagsearch.kernels.process import NO_STUB
from dagsearch.kernels.random import below_high, below_low, next_word
from dagsearch.kernels.returns import back_up_end, back_up_prefixes, score
from dagsearch.kernels.simulate import tree_policy
from dagsearch.kernels.simulation import DONE, FAILED, MEMO_FULL, NO_BUDGET, TREE_FULL, add, begin, go_to
from dagsearch.kernels.tree import ROOT, UNOPENED, add_child, best_by_puct, open_node

UNIFORM_SHARE = 0.05
"""Of a prior: no action is ruled out."""


@long_kernel
def _catch_up(search, guide, growth, n_known, n_added, words):
    """Learn what follows from the edges that were added after the first ``n_known``."""
    for k in range(n_known, n_added):
        is_last = True
        for later in range(k + 1, n_added):
            is_last &= search.effects[later] != search.effects[k]
        if is_last:
            learn(guide, growth, search.memo, search.family, search.graph, search.effects[k], words)


@long_kernel
def _set_priors(tree, node, guide, graph, stub, words):
    """Priors of the children of ``node``, which has just been opened, in descending order."""
    first, n = np.int64(tree.first_child[node]), np.int64(tree.n_actions[node])
    total = 0.0
    for child in range(first, first + n):
        weight = 0.0
        if stub == NO_STUB:
            i = tree.action[child]
            for j in range(guide.sums.shape[0]):
                if contains(graph.legal, i, j, words):
                    weight += guide.weights[j, i]
        else:
            weight = guide.weights[tree.action[child], stub]
        tree.prior[child] = weight
        total += weight
    for child in range(first, first + n):
        share = tree.prior[child] / total if total > 0.0 else 1.0 / n
        prior = (1.0 - UNIFORM_SHARE) * share + UNIFORM_SHARE / n
        action = tree.action[child]
        place = child
        while place > first and tree.prior[place - 1] < prior:
            tree.prior[place] = tree.prior[place - 1]
            tree.action[place] = tree.action[place - 1]
            place -= 1
        tree.prior[place] = prior
        tree.action[place] = action


@long_kernel
def _prior_policy(search, guide, growth, control, words):
    """Selection and expansion by PUCT; returns the stub left open, or NO_STUB. ``path_length`` is 0 if it is full."""
    tree, graph = search.tree, search.graph
    stub = control.stub
    node = ROOT
    n_known = 0
    search.path[0] = ROOT
    control.path_length = 1
    while control.n_root_edges + control.n_added < control.n_tree_limit:
        if tree.first_child[node] == UNOPENED:
            _catch_up(search, guide, growth, n_known, control.n_added, words)
            n_known = control.n_added
            rows, row = (graph.stubs, np.int64(0)) if stub == NO_STUB else (graph.legal, stub)
            if not open_node(tree, node, rows, row, words):
                control.path_length = 0
                return stub
            _set_priors(tree, node, guide, graph, stub, words)
        if tree.n_actions[node] == 0:
            break
        child = best_by_puct(tree, node, control.exploration)
        expanding = child == tree.first_child[node] + tree.n_expanded[node]
        node = add_child(tree, node) if expanding else child
        stub = go_to(search, control, node, stub, words)
        if expanding:
            break
    _catch_up(search, guide, growth, n_known, control.n_added, words)
    return stub


@long_kernel
def _guided_policy(search, guide, growth, control, stub, words):
    """Rollout by weights, until the limit, or until no edge pays; with a budget what has no weight is uniform."""
    graph = search.graph
    n_added = control.n_added
    n_limit = control.n_edges_limit - control.n_root_edges
    if stub != NO_STUB and n_added < n_limit:
        add(search, n_added, stub, draw_endpoint(guide, graph, stub, search.random, words), words)
        n_added += 1
        learn(guide, growth, search.memo, search.family, graph, search.effects[n_added - 1], words)
    while n_added < n_limit:
        i, j = draw_edge(guide, graph, search.random, words)
        if i == NOBODY:
            n_stubs = size(graph.stubs, 0, words)
            if control.edge_budget == NO_BUDGET or n_stubs == np.uint64(0):
                break
            word = next_word(search.random)
            i = select(graph.stubs, 0, below_high(word, n_stubs), words)
            j = select(graph.legal, i, below_low(word, size(graph.legal, i, words)), words)
        add(search, n_added, i, j, words)
        n_added += 1
        learn(guide, growth, search.memo, search.family, graph, j, words)
    control.n_added = n_added


@entry_point
def simulate_guided(search, guide, growth, uses_prior, words):
    """Run simulations until ``n_target`` are done, or something is needed; returns the status."""
    control = search.control[0]
    while control.n_done < control.n_target:
        n_edges = control.n_tree_limit - control.n_root_edges
        if not has_room(search.memo, n_edges * guide.guidance[0].entries_per_edge):
            return MEMO_FULL
        begin(search, control, words)
        restore_weights(guide, words)
        if uses_prior:
            stub = _prior_policy(search, guide, growth, control, words)
        else:
            stub = tree_policy(search, control, words)
            _catch_up(search, guide, growth, 0, control.n_added, words)
        if control.path_length == 0:
            return TREE_FULL
        _guided_policy(search, guide, growth, control, stub, words)
        if not score(search, control, words):
            return FAILED
        if control.edge_budget == NO_BUDGET:
            back_up_prefixes(search, control, words)
        else:
            back_up_end(search, control, words)
        control.n_done += 1
    return DONE
