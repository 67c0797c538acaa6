"""A walk over all steps of one kind from a class, for what they gain.

A pair of nodes keeps a bound: no step at it gains more. As long as nothing around the pair changes the bound holds, and
whether ways are barred, which depends on the whole graph, is asked only of steps that may be the best. Where a local
score costs milliseconds it is the other way round: the bound is of valid steps, and only their scores are asked for.

The loop returns whenever local scores are missing (`ASKING`), what it lists is `FULL`, or it has looked at so many
cliques (`PAUSED`), and goes on where it was when it is called again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.classes.marks import copy_set
from dagsearch.kernels.classes.operators import (
    CLIQUE,
    N_FAMILIES,
    NONE,
    begin,
    closes_no_cycle,
    go_on,
    has_steps,
    list_families,
    rank,
    turns_nothing_else,
)
from dagsearch.kernels.compile import entry_point, kernel, long_kernel
from dagsearch.kernels.memo import MISSING, find, penalty_at, value_at

DONE, PAUSED, ASKING, FULL = range(4)
# What the walk is for: bounds of pairs that are due, the best step, or all that gain enough.
BOUNDING, CHOOSING, LISTING = range(3)
NOTHING = -np.inf

STATE = np.dtype(
    [
        ("task", np.int64),
        ("phase", np.int64),
        ("bars_first", np.int64),  # 1: bounds are of valid steps
        ("place", np.int64),  # where the walk is, and where it ends
        ("stop", np.int64),
        ("n_looks", np.int64),  # cliques that may be looked at before it returns
        ("is_inside", np.int64),  # 1: it is among the cliques of the pair
        ("n_candidates", np.int64),
        ("depth", np.int64),
        ("is_known", np.int64),  # 0: local scores of the pair were missing
        ("n_asked", np.int64),
        ("n_listed", np.int64),
        ("bound", np.float64),  # of the pair, as far as the walk has come
        ("unit", np.float64),  # of gains, in units of local scores
        ("best_gain", np.float64),  # to begin with, what a step must gain more than
        ("best_pair", np.int64),  # or NONE
        ("best_rank", np.int64),
    ]
)


class Sweep(NamedTuple):
    """What a walk over all pairs reads and writes."""

    state: Any  # (1,) STATE
    walk: Any  # Walk
    pairs: Any  # (n_nodes * n_nodes,) int64   those to look at: x * n_nodes + y
    is_due: Any  # (n_nodes * n_nodes,) bool   pairs whose bound does not hold
    bounds: Any  # (n_nodes * n_nodes,) float64
    best_clique: Any  # (n_words,) uint64
    asked_nodes: Any  # (n,) int64   families whose local scores are missing
    asked: Any  # (n * n_words,) uint64
    listed_pairs: Any  # (n,) int64   steps
    listed_gains: Any  # (n,) float64
    listed_cliques: Any  # (n * n_words,) uint64


@long_kernel
def _gain(memo, sweep, n_families, words):
    """What a step gains; NaN, and its families among those asked for, if a local score is missing."""
    state, walk = sweep.state, sweep.walk
    n_before = state[0].n_asked
    after = before = 0.0
    for k in range(n_families):
        slot = find(memo, walk.nodes[k], walk.families, k, words)
        term = np.nan
        if slot != MISSING:
            term = state[0].unit * (value_at(memo, slot, words) - penalty_at(memo, slot, words))
        if not np.isfinite(term):  # whoever is asked refuses it
            asked = state[0].n_asked
            sweep.asked_nodes[asked] = walk.nodes[k]
            copy_set(walk.families, k, sweep.asked, asked, words)
            state[0].n_asked = asked + 1
            continue
        if k % 2 == 0:
            after += term
        else:
            before += term
    return np.nan if state[0].n_asked > n_before else after - before


@kernel
def _is_worth_it(sweep, pair, n_nodes, marks, words):
    """Whether there may be a step at the pair that the task is about."""
    state = sweep.state[0]
    if state.task == BOUNDING or sweep.bounds[pair] > state.best_gain:
        return True
    if state.task == LISTING or sweep.bounds[pair] < state.best_gain:
        return False
    return rank(marks, state.phase, pair // n_nodes, pair % n_nodes, n_nodes, words) < state.best_rank


@kernel
def _is_better(state, gain, place):
    """Whether a step comes before the best one so far."""
    if gain > state[0].best_gain:
        return True
    return gain == state[0].best_gain and state[0].best_pair != NONE and place < state[0].best_rank


@kernel
def _take(sweep, gain, x, y, n_nodes, place, words):
    """Make a step the best one so far."""
    state = sweep.state
    state[0].best_gain, state[0].best_pair, state[0].best_rank = gain, x * n_nodes + y, place
    copy_set(sweep.walk.sets, CLIQUE, sweep.best_clique, 0, words)
    return DONE


@kernel
def _list(sweep, gain, x, y, n_nodes, words):
    """Append a step to those that gain enough, if there is room."""
    listed = sweep.state[0].n_listed
    if listed == sweep.listed_pairs.shape[0]:
        return FULL
    sweep.listed_pairs[listed], sweep.listed_gains[listed] = x * n_nodes + y, gain
    copy_set(sweep.walk.sets, CLIQUE, sweep.listed_cliques, listed, words)
    sweep.state[0].n_listed = listed + 1
    return DONE


@long_kernel
def _judge(marks, sweep, gain, x, y, n_nodes, words):
    """Take or list a step if it gains enough and is valid; returns `DONE`, or `FULL`."""
    state, phase = sweep.state, sweep.state[0].phase
    place = rank(marks, phase, x, y, n_nodes, words)
    is_choosing = state[0].task == CHOOSING
    is_wanted = _is_better(state, gain, place) if is_choosing else gain > state[0].best_gain
    if not is_wanted or not closes_no_cycle(marks, sweep.walk, phase, x, y, state[0].depth, words):
        return DONE
    if is_choosing:
        return _take(sweep, gain, x, y, n_nodes, place, words)
    return _list(sweep, gain, x, y, n_nodes, words)


@long_kernel
def _look(marks, memo, sweep, x, y, n_nodes, words):
    """Look at one clique; returns `DONE`, or `ASKING` or `FULL` if it has to be looked at again."""
    state, walk = sweep.state, sweep.walk
    phase, is_bounding = state[0].phase, state[0].task == BOUNDING
    if turns_nothing_else(marks, walk, phase, x, y, words):
        return DONE
    bars_first = is_bounding and state[0].bars_first
    if bars_first and not closes_no_cycle(marks, walk, phase, x, y, state[0].depth, words):
        return DONE
    if state[0].n_asked + N_FAMILIES > sweep.asked_nodes.shape[0]:
        return ASKING
    gain = _gain(memo, sweep, list_families(marks, walk, phase, x, y, words), words)
    if not np.isnan(gain) and not is_bounding:
        return _judge(marks, sweep, gain, x, y, n_nodes, words)
    if np.isnan(gain):
        state[0].is_known = 0
    else:
        state[0].bound = max(state[0].bound, gain)
    return DONE if is_bounding else ASKING


@kernel
def _enter(marks, sweep, x, y, words):
    """Go to the first clique of a pair."""
    state, phase = sweep.state, sweep.state[0].phase
    state[0].bound = NOTHING
    state[0].is_known = 1
    state[0].depth = NONE
    if has_steps(marks, phase, x, y, words):
        state[0].n_candidates, state[0].depth = begin(marks, sweep.walk, phase, x, y, words)


@entry_point
def walk_on(marks, memo, sweep, n_nodes, words):
    """Walk over the pairs; returns `DONE` at the end, or why it is not there."""
    state = sweep.state
    while state[0].place < state[0].stop:
        pair = sweep.pairs[state[0].place]
        x, y = pair // n_nodes, pair % n_nodes
        if not state[0].is_inside:
            if not _is_worth_it(sweep, pair, n_nodes, marks, words):
                state[0].place += 1
                continue
            _enter(marks, sweep, x, y, words)
            state[0].is_inside = 1
        while state[0].depth != NONE:
            if state[0].n_looks <= 0:
                return PAUSED
            state[0].n_looks -= 1
            status = _look(marks, memo, sweep, x, y, n_nodes, words)
            if status != DONE:
                return status
            state[0].depth = go_on(marks, sweep.walk, state[0].phase, state[0].n_candidates, state[0].depth, words)
        if state[0].task == BOUNDING:
            sweep.bounds[pair] = state[0].bound
            sweep.is_due[pair] = state[0].is_known == 0
        state[0].is_inside = 0
        state[0].place += 1
    return DONE
