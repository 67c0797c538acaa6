"""Parent sets of one node, level by level, without those that a better subset makes useless.

A set is *dominated* if one of its subsets has at least its score: the subset closes no cycle that the set does not
close. A set is *open* as long as one of its supersets might not be dominated, by an upper bound of their scores. Every
superset of a set that is not open is dominated, so a level consists of the sets whose every subset of the level before
is open. ``margin`` is what a set must have above the best of its subsets not to count as dominated; if it is negative,
a set may lose so much.
"""

from __future__ import annotations

import numpy as np

from dagsearch.kernels import counts, gram
from dagsearch.kernels.bits import contains, exclude, include, size, word_count
from dagsearch.kernels.compile import entry_point, kernel
from dagsearch.kernels.local import BDEU, DISCRETE_BIC, evaluate
from dagsearch.kernels.memo import MISSING, find, penalty_at, value_at


@kernel
def _least_penalty(family, node, rows, row, words):
    """A lower bound, found without looking at the data, of the penalties of a set and of all its supersets."""
    if family.code == DISCRETE_BIC:
        n_parents = gram.linear_columns(rows, row, family.columns, words)
        q = counts.configurations(family.cardinalities, family.columns, n_parents)
        return family.penalty_weight * q * (family.cardinalities[node] - 1)
    if family.code == BDEU or family.penalise_parameters:
        return family.edge_price * np.float64(size(rows, row, words))
    return family.penalty_weight * np.float64(size(rows, row, words))


@kernel
def _best_below(level, node, candidates, upto, rows, row, words):
    """Best score and least bound of the subsets with one candidate less; (inf, -inf) if one of them is not open."""
    best, bound = -np.inf, np.inf
    for c in range(upto + 1):
        member = candidates[c]
        if not contains(rows, row, member, words):
            continue
        exclude(rows, row, member, words)
        slot = find(level, node, rows, row, words)
        include(rows, row, member, words)
        if slot == MISSING:
            return np.inf, -np.inf
        best = max(best, value_at(level, slot, words))
        bound = min(bound, penalty_at(level, slot, words))
    return best, bound


@entry_point
def propose(level, family, node, ceiling, margin, candidates, sets, last, place, larger, larger_last, below, words):
    """Write sets with one candidate more that might not be dominated to ``larger``; returns how many.

    ``level`` holds best score and bound of every open set of this size; ``sets`` (n * n_words,) are these sets, and
    ``last`` (n,) is the position of their last candidate: a set is made from the one without its last candidate.
    ``place`` (2,) int64 is where to go on, a set and a candidate; the work is done once ``place[0]`` is n.
    ``ceiling`` bounds scores before penalties. ``below`` gets the best score of any subset.
    """
    n_words = word_count(words)
    n_found, n_sets = 0, last.shape[0]
    while place[0] < n_sets and n_found < below.shape[0]:
        parent, c = place[0], max(place[1], last[place[0]] + 1)
        if c >= candidates.shape[0]:
            place[0] += 1
            place[1] = 0
            continue
        place[1] = c + 1
        for w in range(n_words):
            larger[n_found * n_words + w] = sets[parent * n_words + w]
        include(larger, n_found, candidates[c], words)
        best, bound = _best_below(level, node, candidates, c, larger, n_found, words)
        bound = min(bound, ceiling - _least_penalty(family, node, larger, n_found, words))
        if bound > best + margin:
            larger_last[n_found] = c
            below[n_found] = best
            n_found += 1
    return n_found


@kernel
def _cells_in_use(family, node, rows, row, words):
    """Number of joint values of the parents that occur."""
    n_parents = gram.linear_columns(rows, row, family.columns, words)
    n_cells = counts.parent_cells(family.codes, family.levels, family.columns, n_parents, family.cells, family.relabel)
    for c in range(n_cells):
        family.relabel[c] = 0
    n_used = 0
    for k in range(family.cells.shape[0]):
        if family.relabel[family.cells[k]] == 0:
            family.relabel[family.cells[k]] = 1
            n_used += 1
    return n_used


@entry_point
def evaluate_many(family, node, rows, terms, best_values, words):
    """Write (value, penalty) of ``node`` given each set to ``terms`` (n, 2).

    ``best_values`` (n,) holds upper bounds of the values of a set and all its supersets. With BDeu each joint value of
    the parents that occurs costs log r at least, as its first observation does, and supersets have no fewer of them
    (de Campos and Ji 2011).
    """
    for k in range(terms.shape[0]):
        value, penalty = evaluate(family, node, rows, k, words)
        terms[k, 0], terms[k, 1] = value, penalty
        if family.code == BDEU:
            n_used = _cells_in_use(family, node, rows, k, words)
            best_values[k] = min(best_values[k], -n_used * np.log(family.cardinalities[node]) / family.n_samples)
