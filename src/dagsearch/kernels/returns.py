"""What a simulation is worth: rewards of what it built, and the returns of the tree nodes on its way."""

from __future__ import annotations

import numpy as np

from dagsearch.kernels.bits import ONE, WORD_BITS, include, lowest_bit, size, word_count
from dagsearch.kernels.callback import REWARDS, TERMS, call_back, is_over
from dagsearch.kernels.compile import kernel, long_kernel, single_use_kernel
from dagsearch.kernels.local import LOG_FLOOR, find_or_evaluate
from dagsearch.kernels.memo import MISSING, penalty_at, store, value_at
from dagsearch.kernels.process import NO_STUB
from dagsearch.kernels.simulation import NO_BUDGET
from dagsearch.kernels.tree import record_return

NEGLIGIBLE = 1e-10  # differences of rewards below this are rounding


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


@single_use_kernel
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


@single_use_kernel
def _score_prefixes(search, control, words):
    """Reward after every edge: the edges are replayed from the root, one look-up each; False if time is over."""
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
        if is_over(control, size(search.replay, j, words) ** 3, words):
            return False
        if slot == MISSING:
            _request(search, control, j, search.replay, j, words)
            continue
        value += value_at(search.memo, slot, words) - search.replay_terms[j, 0]
        penalty += penalty_at(search.memo, slot, words) - search.replay_terms[j, 1]
        search.replay_terms[j, 0] = value_at(search.memo, slot, words)
        search.replay_terms[j, 1] = penalty_at(search.memo, slot, words)
        search.rewards[k + 1] = _combine(control, value, penalty)
    return True


@single_use_kernel
def _fetch_terms(search, control, words):
    """Have Python compute the requested local scores, and enter them in the memo; False if it failed."""
    if call_back(control.callback, TERMS, control.n_requests) != 0:
        return False
    for k in range(control.n_requests):
        terms = search.request_terms
        store(search.memo, search.request_nodes[k], search.request_parents, k, terms[k, 0], terms[k, 1], words)
    return True


@single_use_kernel
def score(search, control, words):
    """Fill ``rewards``; False if Python was needed for it and failed, or time is over."""
    if not control.decomposable:
        return call_back(control.callback, REWARDS, control.n_added) == 0
    while True:
        control.n_requests = 0
        if control.edge_budget == NO_BUDGET:
            if not _score_prefixes(search, control, words):
                return False
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


@single_use_kernel
def back_up_end(search, control, words):
    """With a budget: one return for the whole path; the best graph is the best of those with most edges, or of all."""
    reward = search.rewards[control.n_added]
    n_edges = control.n_root_edges + control.n_added
    counts_alike = control.keeps_any_size or n_edges == control.n_best_edges
    if (counts_alike and reward > control.best_reward) or (not counts_alike and n_edges > control.n_best_edges):
        _remember(search, control, np.int64(control.n_added), words)
    for p in range(control.path_length):
        record_return(search.tree, search.path[p], reward)


@single_use_kernel
def back_up_prefixes(search, control, words):
    """Without a budget: a tree node's return is the best reward met from its own graph onwards.

    A tree node at position p of the path stands for at least ceil(p / 2) edges, one stub more if the root has one.
    """
    rewards = search.rewards
    best = np.int64(0)
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
