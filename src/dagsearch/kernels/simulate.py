"""Algorithm 2 of the paper: the compiled loop of simulations below one root.

A simulation selects by UCB1, expands one tree node, rolls out uniformly, scores what it built and backs the return up.
Everything lives in arrays. Scores that are not compiled are fetched by calling back into Python from inside the loop;
when memory runs out the loop returns (`MEMO_FULL`, `TREE_FULL`) and is called again to go on exactly where it was.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import select, size, word_count
from dagsearch.kernels.callback import is_over
from dagsearch.kernels.compile import entry_point, single_use_kernel
from dagsearch.kernels.memo import has_room
from dagsearch.kernels.process import NO_STUB
from dagsearch.kernels.random import below_high, below_low, next_word
from dagsearch.kernels.returns import back_up_end, back_up_prefixes, score
from dagsearch.kernels.simulation import DONE, FAILED, MEMO_FULL, NO_BUDGET, TREE_FULL, add, begin, go_to
from dagsearch.kernels.tree import ROOT, UNOPENED, best_by_ucb, expand, open_node


@single_use_kernel
def tree_policy(search, control, words):
    """Selection and expansion; returns the stub left open, or NO_STUB. ``path_length`` is 0 if the tree is full."""
    tree, graph = search.tree, search.graph
    stub = np.int64(control.stub)
    node = np.int64(ROOT)
    search.path[0] = ROOT
    control.path_length = 1
    while control.n_root_edges + control.n_added < control.n_tree_limit:
        if tree.first_child[node] == UNOPENED:
            rows, row = (graph.stubs, np.int64(0)) if stub == NO_STUB else (graph.legal, stub)
            if not open_node(tree, node, rows, row, words):
                control.path_length = 0
                return stub
        expanding = tree.n_expanded[node] < tree.n_actions[node]
        if expanding:
            node = np.int64(expand(tree, node, search.random))
        elif tree.n_actions[node] == 0:
            break
        else:
            node = np.int64(best_by_ucb(tree, node, control.exploration))
        stub = go_to(search, control, node, stub, words)
        if expanding:
            break
    return stub


@single_use_kernel
def _simulation_policy(search, control, stub, words):
    """Uniform rollout: a legal stub, then a legal endpoint of it, until the limit or no edge is left.

    False if time is over. There is none where the tree has gone as far as the limit; a stub that it has left open there
    counts for nothing.
    """
    graph = search.graph
    n_added = control.n_added
    n_limit = control.n_edges_limit - control.n_root_edges
    # One place where edges are added: each is compiled for itself, with all that follows from an edge.
    while n_added < n_limit:
        n_stubs = size(graph.stubs, 0, words)
        if stub == NO_STUB and n_stubs == np.uint64(0):
            break
        word = next_word(search.random)
        i = select(graph.stubs, 0, below_high(word, n_stubs), words) if stub == NO_STUB else np.int64(stub)
        stub = np.int64(NO_STUB)
        k = below_low(word, size(graph.legal, i, words))
        add(search, n_added, i, select(graph.legal, i, k, words), words)
        n_added += 1
        if is_over(control, search.root_terms.shape[0] * word_count(words), words):
            return False
    control.n_added = n_added
    return True


@entry_point
def simulate(search, words):
    """Run simulations until ``n_target`` are done, or something is needed; returns the status."""
    control = search.control[0]
    while control.n_done < control.n_target:
        if not has_room(search.memo, control.n_tree_limit - control.n_root_edges):
            return MEMO_FULL
        begin(search, control, words)
        stub = np.int64(control.stub)
        if control.use_tree:
            stub = tree_policy(search, control, words)
            if control.path_length == 0:
                return TREE_FULL
        if not _simulation_policy(search, control, stub, words):
            return FAILED
        if not score(search, control, words):
            return FAILED
        if control.edge_budget == NO_BUDGET:
            back_up_prefixes(search, control, words)
        else:
            back_up_end(search, control, words)
        control.n_done += 1
    return DONE
