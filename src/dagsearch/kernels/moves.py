"""Search over orders by best moves of single variables (as in BOSS, Andrews et al. 2023), with kicks.

A pass takes variables one by one, in random order, to the places where the reward is highest. Only those are looked at
whose surroundings changed: their own parents, or those of a variable that has them as a parent. When none is left, the
order is compared with the best so far, a few variables of the better one are moved to random places, and passes begin
again.

What parents variables get, and would get if one of them moved, is asked as a list of questions, which one loop answers
by climbs in the trees. The loop returns whenever something is needed from outside (`FULL`, `NEEDS_ADDITIONS`,
`NEEDS_EXCHANGES`), and goes on with the same question when it is called again. Between two lists of questions it also
returns if the trees are `CROWDED`: what is forgotten then is found again, so that searches do not depend on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel, long_kernel, single_use_kernel
from dagsearch.kernels.forest import (
    FULL,
    NEGLIGIBLE,
    NOBODY,
    REACHED,
    climb,
    learn,
)
from dagsearch.kernels.random import below_high, below_low, next_word

# What the loop returns with, beside why climbs stop.
DONE, PAUSED, CROWDED = range(10, 13)
# What the questions are about: the parents in an order, or the best place of a variable.
ARRANGING, MOVING = range(2)
BEFORE_ALL, AFTER_ALL = -1, 1 << 30  # spots of a variable that is a candidate of all others, or of none

STATE = np.dtype(
    [
        ("about", np.int64),
        ("n_questions", np.int64),
        ("n_answered", np.int64),
        ("turn", np.int64),  # of this pass
        ("n_turns", np.int64),
        ("all_seen", np.int64),  # whether no variable moved since all were to be looked at
        ("n_idle", np.int64),  # kicks since the best reward was met
        ("n_kicks", np.int64),  # end after so many
        ("n_kicked", np.int64),  # variables that a kick moves
        ("reach", np.int64),  # over so many places at most
        ("n_looks", np.int64),  # variables looked at so far
        ("n_target", np.int64),  # return `PAUSED` after so many
        ("reward", np.float64),
        ("best_reward", np.float64),
    ]
)
QUESTION = np.dtype(
    [
        ("node", np.int64),
        ("low", np.int64),  # first and last place that it is about
        ("high", np.int64),
        ("spot", np.int64),  # where the variable of the last question is then
        ("end", np.int64),  # the answer for the last place: a tree node
    ]
)


class OrderSearch(NamedTuple):
    """An order of the variables, and the best one so far."""

    state: Any  # (1,) STATE
    random: Any  # (1,) uint64
    order: Any  # (2, n_nodes) int64   the order, and the best one so far
    place: Any  # (n_nodes,) int64   of each variable
    at: Any  # (2, n_nodes) int64   where the climb of each variable ends in the trees, and did in the best order
    is_due: Any  # (n_nodes,) bool   variables to be looked at
    turns: Any  # (n_nodes,) int64   those of this pass
    spots: Any  # (n_nodes,) int64   places that climbs go by: with the variable that moves taken out
    ends: Any  # (n_nodes,) int64   where the climb of that variable ends at each place
    questions: Any  # (n_nodes + 1,) QUESTION
    climbing: Any  # (1,) CLIMBING   how far the climb that is asked for is
    stack: Any  # (n_nodes + 1,) STRETCH   what is left of it


@kernel
def pays(reward, than):
    """Whether a reward is higher by more than rounding: sums of the same terms in another order differ a little."""
    return reward > than + NEGLIGIBLE * (1.0 + abs(than))


@long_kernel
def _reward(nodes, at):
    """Sum of the local scores."""
    total = 0.0
    for v in range(at.shape[1]):
        total += nodes[at[0, v]].value
    return total


@long_kernel
def _ask(questions, state, node, low, high, spot):
    """Append a question."""
    k = state[0].n_questions
    questions[k].node = node
    questions[k].low = low
    questions[k].high = high
    questions[k].spot = spot
    state[0].n_questions = k + 1


@long_kernel
def _ask_for_parents(state, order, place, spots, questions, first, last):
    """Ask for the parents of the variables at places from ``first`` to ``last``."""
    state[0].about = ARRANGING
    state[0].n_questions = state[0].n_answered = 0
    for k in range(order.shape[1]):
        place[order[0, k]] = spots[order[0, k]] = k
    for k in range(first, last + 1):
        _ask(questions, state, order[0, k], k, k, last)


@long_kernel
def _mark_due(nodes, is_due, node, tree_node):
    """A variable and those that its climb passed are to be looked at."""
    is_due[node] = True
    while nodes[tree_node].above != tree_node:
        if nodes[tree_node].added != NOBODY:
            is_due[nodes[tree_node].added] = True
        tree_node = nodes[tree_node].above


@long_kernel
def _settle(state, nodes, questions, at, is_due):
    """Note where the climbs end that were asked for, and what has to be looked at therefore."""
    for k in range(state[0].n_questions):
        node, end = questions[k].node, questions[k].end
        if end != at[0, node]:
            _mark_due(nodes, is_due, node, at[0, node])
            _mark_due(nodes, is_due, node, end)
            at[0, node] = end


@kernel
def _take_out(place, spots, node):
    """Write the places of all other variables, with ``node`` taken out, to ``spots``."""
    old = place[node]
    for v in range(place.shape[0]):
        spots[v] = place[v] - (place[v] > old)


@long_kernel
def _range_of(required, spots, node):
    """First and last place among the others that keep required causes before their effects."""
    first, last = 0, spots.shape[0] - 1
    for k in range(required[node, 0]):
        first = max(first, spots[required[node, 1 + k]] + 1)
    for other in range(spots.shape[0]):
        for k in range(required[other, 0]):
            if required[other, 1 + k] == node:
                last = min(last, spots[other])
    return first, last


@kernel
def _has_passed(nodes, tree_node, variable):
    """Whether a climb to a tree node passed a variable."""
    while nodes[tree_node].above != tree_node:
        if nodes[tree_node].added == variable:
            return True
        tree_node = nodes[tree_node].above
    return False


@long_kernel
def _ask_for_moves(state, order, place, at, spots, questions, nodes, may_join, required, node):
    """Ask what the parents of all variables would be if ``node`` were at other places; its own come last.

    Those that it passes on its way to the front have it as a candidate then; those on its way to the end lose it, which
    matters only if their climb passed it.
    """
    state[0].about = MOVING
    state[0].n_questions = state[0].n_answered = 0
    old = place[node]
    _take_out(place, spots, node)
    first, last = _range_of(required, spots, node)
    for p in range(old - 1, first - 1, -1):
        if may_join[order[0, p], node]:
            _ask(questions, state, order[0, p], p, p, BEFORE_ALL)
    for p in range(old + 1, last + 1):
        if _has_passed(nodes, at[0, order[0, p]], node):
            _ask(questions, state, order[0, p], p - 1, p - 1, AFTER_ALL)
    _ask(questions, state, node, first, last, AFTER_ALL)


@long_kernel
def _best_place(state, order, place, at, ends, questions, nodes):
    """Gain and place of the best move of the variable that the questions are about."""
    last_question = state[0].n_questions - 1
    node, first, last = questions[last_question].node, questions[last_question].low, questions[last_question].high
    old = place[node]
    best, best_place, k = 0.0, old, 0
    for step in (-1, 1):
        change = -nodes[at[0, node]].value
        p = old + step
        while first <= p <= last:
            other = order[0, p]
            if k < last_question and questions[k].node == other:
                change += nodes[questions[k].end].value - nodes[at[0, other]].value
                k += 1
            gain = nodes[ends[p]].value + change
            if gain > best:
                best, best_place = gain, p
            p += step
    return best, best_place


@long_kernel
def _shift(order, start, to):
    """Move the variable at ``start`` to ``to``; those between make room."""
    node = order[0, start]
    step = 1 if to > start else -1
    for k in range(start, to, step):
        order[0, k] = order[0, k + step]
    order[0, to] = node


@long_kernel
def _take_turns(state, random, is_due, turns):
    """Draw in which order the next pass looks at the variables that are due; returns how many there are."""
    n = 0
    for v in range(turns.shape[0]):
        if is_due[v]:
            turns[n] = v
            n += 1
    for k in range(n - 1, 0, -1):
        other = np.int64(below_high(next_word(random), np.uint64(k + 1)))
        turns[k], turns[other] = turns[other], turns[k]
    state[0].turn, state[0].n_turns = 0, n
    return n


@long_kernel
def _kick(state, random, order, place, spots, is_due, required):
    """Take a few random variables to random places within reach that required edges allow."""
    d = order.shape[1]
    for _ in range(state[0].n_kicked):
        for k in range(d):
            place[order[0, k]] = k
        word = next_word(random)
        node = np.int64(below_high(word, np.uint64(d)))
        _take_out(place, spots, node)
        first, last = _range_of(required, spots, node)
        first, last = max(first, place[node] - state[0].reach), min(last, place[node] + state[0].reach)
        to = first + np.int64(below_low(word, np.uint64(last - first + 1)))
        _shift(order, place[node], to)
        is_due[node] = True


@long_kernel
def _keep_better(state, order, at):
    """Go on from the better one of this order and the best so far, and count kicks that lead to nothing better.

    Orders that are as good are kept, as there are many of the same reward, and better ones may be near one of them.
    """
    reward, best = state[0].reward, state[0].best_reward
    state[0].n_idle = 0 if pays(reward, best) else state[0].n_idle + 1
    new, old = (0, 1) if not pays(best, reward) else (1, 0)
    state[0].best_reward = max(reward, best)
    for k in range(order.shape[1]):
        order[old, k] = order[new, k]
        at[old, k] = at[new, k]


@single_use_kernel
def _answer(growth, forest, state, spots, ends, questions, climbing, stack):
    """Answer the questions from where it was; returns REACHED or what is needed."""
    last = state[0].n_questions - 1
    mover = questions[last].node
    while state[0].n_answered <= last:
        k = state[0].n_answered
        spots[mover] = questions[k].spot
        status = climb(forest, questions[k].node, questions[k].low, questions[k].high, spots, ends, climbing, stack)
        if status == REACHED:
            questions[k].end = ends[questions[k].high]
            state[0].n_answered += 1
            continue
        # One branch for each variable, and one for each parent that is dropped.
        if status == FULL or forest.books[0].n_branches + 2 * spots.shape[0] > forest.branches.shape[0]:
            return FULL
        status = learn(growth, forest, status)
        if status != REACHED:
            return status
    return REACHED


@single_use_kernel
def _make_best_move(state, order, place, at, is_due, turns, spots, ends, questions, nodes):
    """Take the variable that the questions are about to its best place and ask for parents again, if that pays."""
    gain, to = _best_place(state, order, place, at, ends, questions, nodes)
    node = turns[state[0].turn]
    old = place[node]
    is_due[node] = False
    state[0].turn += 1
    state[0].n_looks += 1
    if not pays(state[0].reward + gain, state[0].reward):
        return False
    _shift(order, old, to)
    state[0].all_seen = 0
    _ask_for_parents(state, order, place, spots, questions, min(old, to), max(old, to))
    return True


@single_use_kernel
def _ask_next(search, state, order, place, at, is_due, spots, questions, nodes, may_join, required):
    """Ask about the next variable, or about the order after a kick; False if kicks are used up."""
    while state[0].turn == state[0].n_turns:
        if _take_turns(state, search.random, is_due, search.turns) > 0:
            break
        if pays(state[0].reward, state[0].best_reward) and not state[0].all_seen:
            state[0].all_seen = 1
            is_due[:] = True
            continue
        _keep_better(state, order, at)
        if state[0].n_idle >= state[0].n_kicks:
            return False
        _kick(state, search.random, order, place, spots, is_due, required)
        state[0].all_seen = 0
        _ask_for_parents(state, order, place, spots, questions, 0, order.shape[1] - 1)
        return True
    node = search.turns[state[0].turn]
    _ask_for_moves(state, order, place, at, spots, questions, nodes, may_join, required, node)
    return True


@entry_point
def begin(search):
    """Ask for the parents of all variables in the order."""
    last = search.order.shape[1] - 1
    _ask_for_parents(search.state, search.order, search.place, search.spots, search.questions, 0, last)


@single_use_kernel
def _is_crowded(books, state, climbing):
    """Whether there are too many branches, at a time when no climb is under way."""
    return state[0].n_answered == 0 and climbing[0].n_starts == 0 and books[0].n_branches > books[0].most_branches


@entry_point
def search_orders(growth, forest, search):
    """Improve the order until ``n_kicks`` kicks in a row lead to nothing better; returns `DONE` or what is needed."""
    state, order, place, at, is_due = search.state, search.order, search.place, search.at, search.is_due
    turns, spots, ends, questions = search.turns, search.spots, search.ends, search.questions
    nodes, may_join, required = forest.nodes, forest.may_join, forest.required
    while True:
        if _is_crowded(forest.books, state, search.climbing):
            return CROWDED
        status = _answer(growth, forest, state, spots, ends, questions, search.climbing, search.stack)
        if status != REACHED:
            return status
        if state[0].about == ARRANGING:
            _settle(state, nodes, questions, at, is_due)
            state[0].reward = _reward(nodes, at)
        elif _make_best_move(state, order, place, at, is_due, turns, spots, ends, questions, nodes):
            continue
        if not _ask_next(search, state, order, place, at, is_due, spots, questions, nodes, may_join, required):
            return DONE
        if state[0].n_looks >= state[0].n_target:
            return PAUSED
