"""Trees of parent sets, one tree per variable: what a climb from set to set found is found only once.

A tree node is a set of parents that a climb passes through. Its branches are the additions that pay, best first; among
the variables before a place in an order, a climb follows the first branch whose variable lies before it. Where no
addition is left, it follows exchanges in the same way: a parent is dropped, or another one takes its place.

Some sets no climb from the root reaches, such as two parents that pay only together. Those that are known to be good
are seeds: a climb starts from each whose members all lie before the place, and the best end counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from dagsearch.kernels.compile import INLINED, entry_point, kernel, long_kernel, single_use_kernel
from dagsearch.kernels.growth import OutsideGrowth, values_that_pay, values_without_each

NO_CHILD = 0  # tree nodes 0, 1, ... are the roots, which are nobody's children
NOBODY = np.int64(-1)  # no variable is added, or none dropped; typed, or kernels compile once more for the literal
UNKNOWN = -1  # branches that nobody has asked for yet
ADDITIONS, EXCHANGES = range(2)
NEGLIGIBLE = 1e-10  # differences of rewards below this are rounding
# Why a climb stopped.
REACHED, FULL, NEEDS_ADDITIONS, NEEDS_EXCHANGES = range(4)

TREE_NODE = np.dtype(
    [
        ("value", np.float64),  # local score of the set, less the prices of its members
        ("above", np.int32),  # the set before its last change; the tree node itself for roots
        ("added", np.int32),  # the parent that came last, or NOBODY
        ("dropped", np.int32),  # the parent that it took the place of, or NOBODY
        ("n_parents", np.int32),
    ]
)
BRANCH = np.dtype(
    [
        ("value", np.float64),  # local score at its end
        ("added", np.int32),  # the parent that it adds, or NOBODY
        ("dropped", np.int32),  # the parent that it drops, or NOBODY
        ("child", np.int32),  # tree node, or NO_CHILD
    ]
)
BOOKS = np.dtype(
    [
        ("n_tree_nodes", np.int64),
        ("n_branches", np.int64),
        ("most_branches", np.int64),  # with more, a search asks for those to be forgotten that it can do without
        ("n_evaluations", np.int64),  # of local scores by kernels
        ("asked", np.int64),  # tree node that a climb stopped at; ``candidates`` are the additions that it needs
        ("max_parents", np.int64),
        ("price", np.float64),  # of each parent, beside what the local score takes for it
        ("exchanges", np.int64),  # whether a parent may take the place of another, or parents are only dropped
        ("outside", np.int64),  # whether local scores come from outside, so that additions are learnt bit by bit
    ]
)
CLIMBING = np.dtype(
    [
        ("n_starts", np.int64),  # sets of parents from which this climb has started: the root, then seeds
        ("n_left", np.int64),  # stretches of places that are left of the one from which it started last
    ]
)
STRETCH = np.dtype([("tree_node", np.int64), ("low", np.int64), ("high", np.int64)])
MOST_SEEDS = 8
"""Sets of parents of a variable from which climbs start, beside the root."""


class Forest(NamedTuple):
    """The trees, and what walks need besides. Tree node v < n_nodes is the root of variable v."""

    nodes: Any  # (capacity,) TREE_NODE
    lists: Any  # (capacity, 2, 2) int64   [k, kind]: where the branches of that kind begin, or UNKNOWN, and how many
    branches: Any  # (branch capacity,) BRANCH
    books: Any  # (1,) BOOKS
    learnt: Any  # (capacity, n_nodes) bool   additions that are known, if local scores come from outside; else (0, 0)
    may_join: Any  # (n_nodes, n_nodes) bool   [v, c]: c may be a parent of v
    required: Any  # (n_nodes, n_nodes) int64   [v, 0] required parents of v: how many, then which
    seeds: Any  # (n_nodes, MOST_SEEDS) int64   tree nodes below the root of v where further climbs start, or NO_CHILD
    members: Any  # (2, n_nodes + 1) int64 scratch   of a set, and of the set without one
    gone: Any  # (n_nodes,) bool scratch, all False between uses
    candidates: Any  # (n_nodes,) bool scratch
    values: Any  # (n_nodes,) float64 scratch


@long_kernel
def owner_and_members(nodes, required, gone, tree_node, members):
    """The variable whose tree this is, and how many parents the set has, which are written to ``members``.

    Required parents come first, the one that joined last is the last.
    """
    n = 0
    bottom = tree_node
    while nodes[tree_node].above != tree_node:
        added, dropped = nodes[tree_node].added, nodes[tree_node].dropped
        if added != NOBODY:
            if not gone[added]:
                members[n] = added
                n += 1
            gone[added] = False  # one departure undoes one arrival
        if dropped != NOBODY:
            gone[dropped] = True
        tree_node = nodes[tree_node].above
    while nodes[bottom].above != bottom:
        if nodes[bottom].dropped != NOBODY:
            gone[nodes[bottom].dropped] = False
        bottom = nodes[bottom].above
    for k in range(required[tree_node, 0]):
        members[n] = required[tree_node, 1 + k]
        n += 1
    for k in range(n // 2):
        members[k], members[n - 1 - k] = members[n - 1 - k], members[k]
    return np.int64(tree_node), n


@long_kernel
def _insert(branches, start, n, added, dropped, value):
    """Put a branch among ``n`` sorted ones; of equal ones that with the lower number comes first."""
    k = start + n
    while k > start and (
        branches[k - 1].value < value or (branches[k - 1].value == value and branches[k - 1].added > added)
    ):
        branches[k] = branches[k - 1]
        k -= 1
    branches[k].value = value
    branches[k].added = added
    branches[k].dropped = dropped
    branches[k].child = NO_CHILD


@long_kernel
def close_list(lists, books, tree_node, kind, n_found):
    """The branches that were written after those in use belong to a tree node."""
    lists[tree_node, kind, 0] = books[0].n_branches
    lists[tree_node, kind, 1] = n_found
    books[0].n_branches += n_found


@long_kernel
def _mark_candidates(may_join, node, members, n_members, candidates):
    """Mark those who may join, beside the members; returns how many."""
    n_candidates = 0
    for c in range(candidates.shape[0]):
        candidates[c] = may_join[node, c]
        n_candidates += may_join[node, c]
    for k in range(n_members):
        n_candidates -= candidates[members[k]]
        candidates[members[k]] = False
    return n_candidates


@long_kernel
def find_additions(growth, forest, tree_node):
    """Learn which additions to a set pay; the forest must have room."""
    books, members, values, candidates = forest.books, forest.members[0], forest.values, forest.candidates
    nodes, branches = forest.nodes, forest.branches
    node, n = owner_and_members(nodes, forest.required, forest.gone, tree_node, members)
    books[0].n_evaluations += _mark_candidates(forest.may_join, node, members, n, candidates)
    prices = (n + 1) * books[0].price
    least = nodes[tree_node].value + NEGLIGIBLE + prices
    values_that_pay(growth, node, members, n, candidates, least, values)
    n_found = 0
    for c in range(values.shape[0]):
        if values[c] > least:
            _insert(branches, books[0].n_branches, n_found, c, NOBODY, values[c] - prices)
            n_found += 1
    close_list(forest.lists, books, tree_node, ADDITIONS, n_found)


@long_kernel
def _insert_best(branches, start, n, added, dropped, value):
    """`_insert` unless a better branch adds the same variable, in place of a worse one; returns how many there are."""
    for k in range(start, start + n):
        if branches[k].added == added:
            if branches[k].value >= value:
                return n
            for after in range(k, start + n - 1):
                branches[after] = branches[after + 1]
            n -= 1
            break
    _insert(branches, start, n, added, dropped, value)
    return n + 1


@long_kernel
def find_exchanges(growth, forest, tree_node):
    """Learn which exchanges of a parent pay; the forest must have room.

    Of the parents that a variable could take the place of, the one is kept with which that pays most.
    """
    books, members, rest, values = forest.books, forest.members[0], forest.members[1], forest.values
    nodes, branches, candidates = forest.nodes, forest.branches, forest.candidates
    node, n = owner_and_members(nodes, forest.required, forest.gone, tree_node, members)
    n_candidates = _mark_candidates(forest.may_join, node, members, n, candidates)
    least = nodes[tree_node].value + NEGLIGIBLE
    prices = n * books[0].price
    start, n_found = books[0].n_branches, 0
    books[0].n_evaluations += n
    values_without_each(growth, node, members, n, rest, values)
    for k in range(forest.required[node, 0], n):
        without = values[k] - (n - 1) * books[0].price
        if without > least:
            _insert(branches, start, n_found, NOBODY, members[k], without)
            n_found += 1
    for k in range(forest.required[node, 0], n):
        if books[0].exchanges:
            for m in range(n - 1):
                rest[m] = members[m + (m >= k)]
            books[0].n_evaluations += n_candidates
            values_that_pay(growth, node, rest, n - 1, candidates, least + prices, values)
            for c in range(values.shape[0]):
                if values[c] > least + prices:
                    n_found = _insert_best(branches, start, n_found, c, members[k], values[c] - prices)
    close_list(forest.lists, books, tree_node, EXCHANGES, n_found)


def learn(growth: Any, forest: Any, status: int) -> int:
    """Learn what a climb stopped for; returns REACHED, or ``status`` if it has to come from outside."""
    raise NotImplementedError("for kernels only")


def _learn(growth, forest, status):
    if status == NEEDS_ADDITIONS:
        find_additions(growth, forest, forest.books[0].asked)
    else:
        find_exchanges(growth, forest, forest.books[0].asked)
    return REACHED


@overload(learn, jit_options=INLINED)
def _learn_by_kind(growth, forest, status):
    if growth.instance_class is OutsideGrowth:
        return lambda growth, forest, status: status  # noqa: ARG005 - numba matches arguments by name
    return _learn


@long_kernel
def _follow(nodes, lists, branches, books, tree_node, branch):
    """The tree node at the end of a branch, made if it is new; NO_CHILD if there is no room for it."""
    child = np.int64(branches[branch].child)
    if child == NO_CHILD and books[0].n_tree_nodes < nodes.shape[0]:
        child = books[0].n_tree_nodes
        books[0].n_tree_nodes += 1
        added, dropped = branches[branch].added, branches[branch].dropped
        branches[branch].child = child
        nodes[child].value = branches[branch].value
        nodes[child].above = tree_node
        nodes[child].added = added
        nodes[child].dropped = dropped
        nodes[child].n_parents = nodes[tree_node].n_parents + (added != NOBODY) - (dropped != NOBODY)
        for kind in (ADDITIONS, EXCHANGES):
            lists[child, kind, 0] = UNKNOWN
            lists[child, kind, 1] = 0
    return child


@long_kernel
def _lacks_additions(learnt, may_join, spots, node, tree_node, below, candidates):
    """Whether additions are not known for candidates at spots below ``below``; marks these."""
    lacks = False
    for c in range(spots.shape[0]):
        is_new = spots[c] < below and may_join[node, c] and not learnt[tree_node, c]
        candidates[c] = is_new
        lacks |= is_new
    return lacks


@single_use_kernel
def _why_not_ready(forest, books, tree_node, kind, node, spots, below):
    """Why the branches of a tree node are not known for spots below ``below``; REACHED if they are."""
    if kind == EXCHANGES:
        return NEEDS_EXCHANGES if forest.lists[tree_node, kind, 0] == UNKNOWN else REACHED
    if forest.nodes[tree_node].n_parents >= books[0].max_parents:
        return REACHED
    if not books[0].outside:
        return NEEDS_ADDITIONS if forest.lists[tree_node, kind, 0] == UNKNOWN else REACHED
    lacks = _lacks_additions(forest.learnt, forest.may_join, spots, node, tree_node, below, forest.candidates)
    return NEEDS_ADDITIONS if lacks else REACHED


@kernel
def _last_spot(nodes, tree_node, spots):
    """The last spot of the variables that were added on the way to a tree node."""
    last = -1
    while nodes[tree_node].above != tree_node:
        last = max(last, spots[nodes[tree_node].added])
        tree_node = nodes[tree_node].above
    return last


@kernel
def _push(climbing, stack, tree_node, low, high):
    """Leave a stretch of places for later."""
    stretch = stack[climbing[0].n_left]
    stretch.tree_node, stretch.low, stretch.high = tree_node, low, high
    climbing[0].n_left += 1


@long_kernel
def _climb_on(forest, node, spots, ends, climbing, stack):
    """Climb along the stretches that are left, and write better ends to ``ends``; as `climb`."""
    nodes, lists, branches, books = forest.nodes, forest.lists, forest.branches, forest.books
    is_first = climbing[0].n_starts == 1
    while climbing[0].n_left > 0:
        climbing[0].n_left -= 1
        stretch = stack[climbing[0].n_left]
        tree_node, low, high = stretch.tree_node, stretch.low, stretch.high
        for kind in (ADDITIONS, EXCHANGES):
            if high < low:
                break
            books[0].asked = tree_node
            status = _why_not_ready(forest, books, tree_node, kind, node, spots, high)
            branch = lists[tree_node, kind, 0]
            end = branch + lists[tree_node, kind, 1]
            while status == REACHED and branch < end and high >= low:
                variable = branches[branch].added
                after = low if variable == NOBODY else max(low, spots[variable] + 1)
                if after <= high:
                    child = _follow(nodes, lists, branches, books, tree_node, branch)
                    if child == NO_CHILD:
                        status = FULL
                        break
                    _push(climbing, stack, child, after, high)
                    high = after - 1
                branch += 1
            if status != REACHED:
                _push(climbing, stack, tree_node, low, high)
                return status
        for p in range(low, high + 1):
            if is_first or nodes[tree_node].value > nodes[ends[p]].value + NEGLIGIBLE:
                ends[p] = tree_node
    return REACHED


@long_kernel
def climb(forest, node, low, high, spots, ends, climbing, stack):
    """Write the tree nodes where climbs of ``node`` end to ``ends[p]`` for each p from ``low`` to ``high``.

    The climb of p is among the variables at spots below p. A branch serves all places after the spot of its variable,
    so that whole stretches of places share a climb. ``climbing`` (1,) CLIMBING and ``stack`` (n_nodes + 1,) STRETCH
    tell how far it is. Returns REACHED, or why it stopped, with the tree node in the books; called again with the same
    arguments, it goes on from there.
    """
    while True:
        status = _climb_on(forest, node, spots, ends, climbing, stack)
        if status != REACHED:
            return status
        n_starts = climbing[0].n_starts
        if n_starts > 0 and (n_starts > forest.seeds.shape[1] or forest.seeds[node, n_starts - 1] == NO_CHILD):
            climbing[0].n_starts = 0
            return REACHED
        start = node if n_starts == 0 else forest.seeds[node, n_starts - 1]
        climbing[0].n_starts += 1
        first = max(low, _last_spot(forest.nodes, start, spots) + 1)
        if first <= high:
            _push(climbing, stack, start, first, high)


@entry_point
def parents_at(forest, tree_node, parents):
    """Write the parents of a tree node to ``parents`` (n_nodes + 1,); returns how many."""
    return owner_and_members(forest.nodes, forest.required, forest.gone, tree_node, parents)[1]


@entry_point
def enter_additions(forest, tree_node, candidates, values):
    """Add what candidates are worth to the branches of a tree node; the forest must have room for all of them."""
    start, n_found = forest.books[0].n_branches, forest.lists[tree_node, ADDITIONS, 1]
    for k in range(n_found):
        forest.branches[start + k] = forest.branches[forest.lists[tree_node, ADDITIONS, 0] + k]
    for k in range(candidates.shape[0]):
        forest.learnt[tree_node, candidates[k]] = True
        if values[k] > forest.nodes[tree_node].value + NEGLIGIBLE:
            _insert(forest.branches, start, n_found, candidates[k], NOBODY, values[k])
            n_found += 1
    close_list(forest.lists, forest.books, tree_node, ADDITIONS, n_found)


@entry_point
def enter_drops(forest, tree_node, dropped, values):
    """Enter what a set is worth without each parent; the forest must have room for all of them."""
    start, n_found = forest.books[0].n_branches, 0
    for k in range(dropped.shape[0]):
        if values[k] > forest.nodes[tree_node].value + NEGLIGIBLE:
            _insert(forest.branches, start, n_found, NOBODY, dropped[k], values[k])
            n_found += 1
    close_list(forest.lists, forest.books, tree_node, EXCHANGES, n_found)
