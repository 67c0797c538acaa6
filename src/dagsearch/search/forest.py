"""The trees of parent sets as Python keeps them: memory for the kernels, and what they come back for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.forest import (
    BOOKS,
    BRANCH,
    FULL,
    MOST_SEEDS,
    NEEDS_ADDITIONS,
    NO_CHILD,
    NOBODY,
    TREE_NODE,
    UNKNOWN,
    Forest,
    enter_additions,
    enter_drops,
    parents_at,
)
from dagsearch.kernels.growth import DiscreteGrowth, LinearGrowth, OutsideGrowth, QuadraticGrowth
from dagsearch.kernels.growth.drops import Drops
from dagsearch.kernels.growth.monomials import N_OWN, NOTHING, Monomials
from dagsearch.kernels.local import LINEAR, OUTSIDE, QUADRATIC, Family
from dagsearch.kernels.refit import Refit
from dagsearch.search.checkpoint import Arrays, arrays_of, with_arrays
from dagsearch.search.protocol import Problem, ScoreLike

_FIRST_TREE_NODES = 1 << 10
_FIRST_BRANCHES = 1 << 13
_MASK_BYTES = 2**24
MOST_BYTES = 2**30
"""Of all trees of a search: what they hold is found again if it is forgotten, at the price of time."""
_REGRESSION = ("n_samples", "equal_variances", "penalise_parameters", "penalty_weight", "edge_price")
_COUNTING = ("code", "n_samples", "penalty_weight", "codes", "weights", "levels", "cardinalities", "x_log_x")


@dataclass(frozen=True)
class Seed:
    """A variable, and a set of parents of it as a mask, (n_nodes,)."""

    node: int
    parents: NDArray[np.bool_]


class ParentTrees:
    """What growing and shrinking found for each variable, shared by all orders that a thread looks at.

    Parameters
    ----------
    problem
        Edges that may be there, those that must be (its start), and the most parents.
    score
        A score whose reward is a sum of local terms.
    scale
        What values are multiplied with: 1, or the slope of the reward in a mean square if variances are equal.
    price
        Of each edge, beside the penalty that the score has.
    seeds
        Sets of parents from which climbs start, too.
    most_bytes
        How much memory they take, about, before searches let them `forget`.
    """

    def __init__(
        self,
        problem: Problem,
        score: ScoreLike,
        scale: float = 1.0,
        price: float = 0.0,
        seeds: Sequence[Seed] = (),
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._score = score
        self._scale = scale
        self._price = price
        self._n_nodes = problem.n_nodes
        # While arrays grow, there are two of each.
        self._most_branches = most_bytes // (2 * BRANCH.itemsize)
        self.growth = growth_of(score.family, scale)
        self.forest = self._new_forest(problem)
        for seed in seeds:
            self.plant(seed)

    def _new_forest(self, problem: Problem) -> Forest:
        d = problem.n_nodes
        required = problem.start.astype(bool)
        lists = np.zeros((d, d), dtype=np.int64)
        for node, column in enumerate(required.T):
            causes = np.flatnonzero(column)
            lists[node, : len(causes) + 1] = len(causes), *causes
        nodes, books = np.zeros(d, dtype=TREE_NODE), np.zeros(1, dtype=BOOKS)
        nodes["value"] = self._local(np.arange(d), required.T)
        nodes["above"] = np.arange(d)
        nodes["added"] = nodes["dropped"] = NOBODY
        nodes["n_parents"] = required.sum(axis=0)
        books["n_tree_nodes"], books["max_parents"] = d, problem.max_parents
        books["most_branches"] = self._most_branches
        books["price"] = self._price
        books["outside"] = isinstance(self.growth, OutsideGrowth)
        books["exchanges"] = isinstance(self.growth, DiscreteGrowth)
        known = np.zeros((d, 2, 2), dtype=np.int64)
        known[:, :, 0] = UNKNOWN
        return Forest(
            nodes=nodes,
            lists=known,
            branches=np.zeros(_FIRST_BRANCHES, dtype=BRANCH),
            books=books,
            learnt=np.zeros((d, d) if isinstance(self.growth, OutsideGrowth) else (0, 0), dtype=bool),
            may_join=np.ascontiguousarray((problem.allowed & ~np.eye(d, dtype=bool)).T),
            required=lists,
            seeds=np.full((d, MOST_SEEDS), NO_CHILD, dtype=np.int64),
            members=np.zeros((2, d + 1), dtype=np.int64),
            gone=np.zeros(d, dtype=bool),
            candidates=np.zeros(d, dtype=bool),
            values=np.zeros(d),
        )

    def _local(self, nodes: NDArray[Any], membership: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Local scores of sets of parents, asked for together."""
        terms = self._score.terms(nodes, rows_from_membership(membership))
        values: NDArray[np.float64] = terms[:, 0] * self._scale - terms[:, 1] - self._price * membership.sum(axis=1)
        return values

    @property
    def n_evaluations(self) -> int:
        """Local scores that compiled code evaluated so far."""
        return int(self.forest.books["n_evaluations"][0])

    def plant(self, seed: Seed) -> bool:
        """Have climbs of a variable start from a set of parents, too; False if they do, or have enough such sets.

        The set has the required parents and keeps to the most parents and to allowed edges.
        """
        node, parents = seed.node, seed.parents
        seeds = self.forest.seeds[node]
        known = [self.parents(seed) for seed in (node, *seeds[seeds != NO_CHILD])]
        if len(known) > MOST_SEEDS or np.flatnonzero(parents).tolist() in known:
            return False
        free = parents.copy()
        free[self.forest.required[node, 1 : self.forest.required[node, 0] + 1]] = False
        value = float(self._local(np.array([node]), parents[np.newaxis])[0])
        tree_node = node
        for parent in np.flatnonzero(free):
            tree_node = self._new_tree_node(tree_node, int(parent), value)
        seeds[len(known) - 1] = tree_node
        return True

    def planted(self) -> list[Seed]:
        """The sets of parents that were planted, in that order for each variable."""
        rows = enumerate(self.forest.seeds)
        return [Seed(node, self._mask(int(seed))) for node, seeds in rows for seed in seeds[seeds != NO_CHILD]]

    def captured(self) -> Arrays:
        """The trees as they are; what is not in use is left out."""
        books = self.forest.books[0]
        n_nodes, n_branches = int(books["n_tree_nodes"]), int(books["n_branches"])
        used = {"nodes": n_nodes, "lists": n_nodes, "branches": n_branches}
        if isinstance(self.growth, OutsideGrowth):
            used["learnt"] = n_nodes
        parts = {name: getattr(self.forest, name)[:n] for name, n in used.items()}
        return arrays_of("forest", self.forest._replace(**parts))

    def restore(self, state: Arrays) -> None:
        """Take the trees that another search on the same problem and score had."""
        self.forest = with_arrays("forest", self.forest, state)

    def _new_tree_node(self, above: int, added: int, value: float) -> int:
        """A tree node that no branch leads to."""
        if self.forest.books["n_tree_nodes"][0] == len(self.forest.nodes):
            self._enlarge()
        forest = self.forest
        tree_node = int(forest.books["n_tree_nodes"][0])
        forest.books["n_tree_nodes"] += 1
        forest.nodes[tree_node] = (value, above, added, NOBODY, forest.nodes["n_parents"][above] + 1)
        forest.lists[tree_node] = [[UNKNOWN, 0], [UNKNOWN, 0]]
        return tree_node

    def values(self, tree_nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Local scores at tree nodes."""
        values: NDArray[np.float64] = self.forest.nodes["value"][tree_nodes]
        return values

    def values_of(self, adjacency: NDArray[np.int8]) -> NDArray[np.float64]:
        """Local scores of all variables in a graph, as the trees count them."""
        return self._local(np.arange(self._n_nodes), adjacency.T.astype(bool))

    def supply(self, status: int) -> None:
        """Give the kernels what they came back for: memory, or local scores from outside."""
        if status == FULL:
            self._enlarge()
            return
        tree_node = int(self.forest.books["asked"][0])
        while self.forest.books["n_branches"][0] + 2 * self._n_nodes > len(self.forest.branches):
            self._enlarge()
        if status == NEEDS_ADDITIONS:
            self._learn_additions(tree_node)
        else:
            self._learn_drops(tree_node)

    def forget(self, but: NDArray[np.int64]) -> NDArray[np.int64]:
        """Forget all tree nodes but some and those on the way to them; returns where these are now, in the same shape.

        Roots and seeds stay, and so do branches of what stays.
        """
        forest = self.forest
        kept = self._on_the_way_to(np.concatenate([forest.seeds.ravel(), but.ravel()]))
        position = np.full(int(forest.books["n_tree_nodes"][0]), NO_CHILD, dtype=np.int64)
        position[kept] = np.arange(len(kept))
        nodes, lists = forest.nodes[kept], forest.lists[kept]
        nodes["above"] = position[nodes["above"]]
        branches = forest.branches[_members_of(lists)]
        branches["child"] = position[branches["child"]]
        ends = np.cumsum(lists[:, :, 1]).reshape(-1, 2)
        lists[:, :, 0] = np.where(lists[:, :, 0] == UNKNOWN, UNKNOWN, ends - lists[:, :, 1])
        forest.books["n_tree_nodes"], forest.books["n_branches"] = len(kept), len(branches)
        # What has to stay must not fill the trees, or they would forget all the time.
        forest.books["most_branches"] = max(self._most_branches, 2 * len(branches))
        learnt = forest.learnt[kept] if isinstance(self.growth, OutsideGrowth) else forest.learnt
        forest.seeds[:] = position[forest.seeds]
        self.forest = forest._replace(nodes=nodes, lists=lists, branches=branches, learnt=learnt)
        return position[but]

    def _on_the_way_to(self, tree_nodes: NDArray[np.int64]) -> NDArray[np.intp]:
        """Tree nodes that climbs to some pass, and all roots; in the order in which they are."""
        above = self.forest.nodes["above"]
        is_passed = np.zeros(int(self.forest.books["n_tree_nodes"][0]), dtype=bool)
        is_passed[: self._n_nodes] = True
        while len(tree_nodes := np.unique(tree_nodes[~is_passed[tree_nodes]])):
            is_passed[tree_nodes] = True
            tree_nodes = above[tree_nodes]
        return np.flatnonzero(is_passed)

    def _enlarge(self) -> None:
        """Twice the room for what is more than half full."""
        forest, books = self.forest, self.forest.books[0]
        if 2 * books["n_tree_nodes"] >= len(forest.nodes):
            room = max(_FIRST_TREE_NODES, len(forest.nodes))
            forest = forest._replace(nodes=_longer(forest.nodes, room), lists=_longer(forest.lists, room))
            if isinstance(self.growth, OutsideGrowth):
                forest = forest._replace(learnt=_longer(forest.learnt, room))
        if 2 * (books["n_branches"] + self._n_nodes) >= len(forest.branches):
            room = max(2 * self._n_nodes, len(forest.branches))
            forest = forest._replace(branches=_longer(forest.branches, room))
        self.forest = forest

    def _owner_and_members(self, tree_node: int) -> tuple[int, NDArray[np.bool_]]:
        """The variable of a tree node, and its parents as a mask."""
        owner = tree_node
        while self.forest.nodes["above"][owner] != owner:
            owner = int(self.forest.nodes["above"][owner])
        return owner, self._mask(tree_node)

    def _mask(self, tree_node: int) -> NDArray[np.bool_]:
        """The parents in a set, (n_nodes,)."""
        members = np.zeros(self._n_nodes, dtype=bool)
        members[self.parents(tree_node)] = True
        return members

    def _learn_additions(self, tree_node: int) -> None:
        """Local scores with each candidate added that a walk could take and that is not known yet."""
        node, members = self._owner_and_members(tree_node)
        self.forest.learnt[tree_node] |= members
        new = np.flatnonzero(self.forest.candidates & ~members)
        values = self._local(np.full(len(new), node), members | np.eye(self._n_nodes, dtype=bool)[new])
        enter_additions(self.forest, tree_node, new, values)

    def _learn_drops(self, tree_node: int) -> None:
        """Local scores without each parent that is not required."""
        node, members = self._owner_and_members(tree_node)
        is_free = members.copy()
        is_free[self.forest.required[node, 1 : self.forest.required[node, 0] + 1]] = False
        free = np.flatnonzero(is_free)
        values = self._local(np.full(len(free), node), members & ~np.eye(self._n_nodes, dtype=bool)[free])
        enter_drops(self.forest, tree_node, free, values)

    def adjacency(self, tree_nodes: NDArray[np.int64]) -> NDArray[np.int8]:
        """The graph in which each variable has the parents of a tree node."""
        adjacency = np.zeros((self._n_nodes, self._n_nodes), dtype=np.int8)
        for node, tree_node in enumerate(tree_nodes.tolist()):
            adjacency[self.parents(tree_node), node] = 1
        return adjacency

    def parents(self, tree_node: int) -> list[int]:
        """The parents in a set."""
        parents = np.zeros(self._n_nodes + 1, dtype=np.int64)
        return sorted(parents[: parents_at(self.forest, tree_node, parents)].tolist())


def _members_of(lists: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of all branches in lists of them, one list after the other."""
    starts, counts = lists[:, :, 0].ravel(), lists[:, :, 1].ravel()
    before = np.cumsum(counts) - counts
    positions: NDArray[np.int64] = np.repeat(starts - before, counts) + np.arange(counts.sum())
    return positions


def _longer(array: NDArray[Any], n_more: int) -> NDArray[Any]:
    """The array with room for more."""
    longer = np.zeros((len(array) + n_more, *array.shape[1:]), dtype=array.dtype)
    # As bytes: numpy copies records field by field.
    longer[: len(array)].view(np.uint8).reshape(-1)[:] = array.view(np.uint8).reshape(-1)
    return longer


def growth_of(family: Family, scale: float) -> Any:
    """What kernels need of a family to grow sets of parents, with scratch of its own."""
    d = family.n_nodes
    if family.code == OUTSIDE:
        return OutsideGrowth(d)
    if family.code not in (LINEAR, QUADRATIC):
        return _discrete_growth(family)
    settings = {name: getattr(family, name) for name in _REGRESSION}
    if family.code == LINEAR:
        return LinearGrowth(
            **settings,
            scale=scale,
            gram=family.gram,
            work=np.empty_like(family.work),
            known=np.zeros(d + 1, dtype=np.int64),
            rows=np.empty((d, d)),
            left=np.empty((2, d)),
            refit=_own_scratch(family.refit),
            columns=np.empty_like(family.columns),
        )
    return QuadraticGrowth(
        **settings,
        scale=scale,
        **_monomials_and_drops(family),
        block=np.empty(((d + 1) * (d + 2) // 2, d)),
        lanes=np.empty((d + 5, d)),
        refit=_own_scratch(family.refit),
        columns=np.empty_like(family.columns),
    )


def _own_scratch(refit: Refit) -> Refit:
    return refit._replace(basis=np.empty_like(refit.basis))


def _monomials_and_drops(family: Family) -> dict[str, Any]:
    """Room for the monomials of as many parents as there can be; the system gives it where it is written to."""
    d = family.n_nodes
    n_monomials = (d - 1) * (d + 2) // 2
    n_rows = min(n_monomials, int(family.n_samples))
    monomials = Monomials(
        gram=family.gram,
        known=np.full(d + 1, NOTHING, dtype=np.int64),
        counts=np.zeros((d, 3), dtype=np.int64),
        least=np.ones(d),
        about=np.empty((n_monomials + 1, 4), dtype=np.int64),
        lower=np.empty((n_monomials + 1, n_rows + 1)),
        solved=np.empty((d - 1 + N_OWN, n_rows, d)),
        left=np.empty(((d + 1) * (d + 2) * (d + 3) // 6, d)),
    )
    drops = Drops(
        inverse=np.empty((n_rows, n_rows)),
        basis=np.empty((d + 1, n_rows)),
        within=np.empty((n_monomials + 2, d + 1)),
    )
    return {"monomials": monomials, "drops": drops}


def _discrete_growth(family: Family) -> DiscreteGrowth:
    """Bits of all levels, and scratch."""
    row_of_bit = np.repeat(np.arange(len(family.weights), dtype=np.int32), family.weights)
    codes = family.codes[:, row_of_bit]
    n_words, _ = words_for(len(row_of_bit))
    planes = [
        rows_from_membership(column == np.arange(r)[:, None]) for column, r in zip(codes, family.levels, strict=True)
    ]
    shares = [np.bincount(column) / len(row_of_bit) for column in codes]
    n_masks = max(1, _MASK_BYTES // (8 * n_words))
    return DiscreteGrowth(
        **{name: getattr(family, name) for name in _COUNTING},
        **{name: np.empty_like(getattr(family, name)) for name in ("cells", "relabel", "table")},
        entropies=np.array([-np.sum(share[share > 0] * np.log(share[share > 0])) for share in shares]),
        starts=np.concatenate([[0], np.cumsum(family.levels)[:-1]]),
        planes=np.concatenate(planes).reshape(-1, n_words),
        row_of_bit=row_of_bit,
        kept=np.empty((3, len(family.weights)), dtype=np.int64),
        masks=np.empty((n_masks, n_words), dtype=np.uint64),
        totals=np.empty(n_masks, dtype=np.int64),
    )
