"""The parent sets that an optimal DAG may use, and their scores: a *family* is a node with one set of parents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import Rows, membership_from_rows, rows_from_membership
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.families import propose
from dagsearch.kernels.local import OUTSIDE, store_many
from dagsearch.kernels.memo import MAX_LOAD, Memo, new_memo
from dagsearch.search.protocol import Problem, ScoreLike

TIE = 1e-11
"""Scores that differ by less are taken to be equal; it is far above rounding and far below what matters."""

_CHUNK = 1 << 16
_CHUNK_FROM_OUTSIDE = 1 << 9  # these may take milliseconds each


@dataclass(frozen=True)
class Families:
    """Families sorted by node, and by falling score for each node.

    Attributes
    ----------
    n_nodes
        Number of variables.
    nodes, scores
        (n_families,) node and local score of each family.
    parents
        (n_families, n_nodes) bool.
    """

    n_nodes: int
    nodes: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of parents of each family."""
        sizes: NDArray[np.int64] = self.parents.sum(axis=1)
        return sizes

    def of(self, node: int) -> slice:
        """Where the families of a node are."""
        return slice(*np.searchsorted(self.nodes, [node, node + 1]).tolist())

    def only(self, kept: NDArray[np.bool_]) -> Families:
        """Some of the families."""
        return Families(self.n_nodes, self.nodes[kept], self.scores[kept], self.parents[kept])

    def adjacency(self, chosen: NDArray[np.int64]) -> NDArray[np.int8]:
        """The graph of one family per node, given by their positions."""
        adjacency = np.zeros((self.n_nodes, self.n_nodes), dtype=np.int8)
        adjacency[:, self.nodes[chosen]] = self.parents[chosen].T
        return adjacency


@dataclass(frozen=True)
class Objective:
    """What is maximised: the sum of weight * value - penalty; DAGs that are worse by up to ``slack`` matter too."""

    weight: float = 1.0
    slack: float = 0.0

    @property
    def margin(self) -> float:
        """What a set must have above the best of its subsets not to be dominated."""
        return TIE if self.slack == 0.0 else -(self.slack + TIE)


@dataclass(frozen=True)
class Survey:
    """What an enumeration found.

    ``max_parents`` is the number of parents up to which sets were looked at, beside required ones, or None if all that
    matter were.
    """

    families: Families
    max_parents: int | None


class _Node:
    """Open parent sets of one node at the current size, and the families found so far."""

    def __init__(self, node: int, problem: Problem, score: ScoreLike, objective: Objective, best_value: float) -> None:
        self.node = node
        self.required = problem.start[:, node]
        allowed = problem.allowed[:, node] & ~self.required
        allowed[node] = False
        self.candidates = np.flatnonzero(allowed).astype(np.int64)
        self._score = score
        self._objective = objective
        self._best_value = best_value
        self.ceiling = objective.weight * best_value
        self._n_words, self._words = words_for(problem.n_nodes)
        self.found_sets: list[Rows] = []
        self.found_scores: list[NDArray[np.float64]] = []
        first = rows_from_membership(self.required[np.newaxis])
        self._next: list[tuple[Rows, NDArray[np.int64], NDArray[np.float64]]] = []
        self._settle(first, np.array([-1]), np.array([-np.inf]))
        self.close_level()

    def close_level(self) -> None:
        """Go on to the sets with one parent more."""
        if not self._next:
            self.sets, self.last = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
            return
        self.sets, self.last, standings = (np.concatenate(parts) for parts in zip(*self._next, strict=True))
        self._next = []
        self._level = self._indexed(standings)

    def n_possible(self) -> int:
        """No more sets than this can have to be evaluated at the next size."""
        return int((len(self.candidates) - 1 - self.last).sum())

    def grow(self) -> Iterator[int]:
        """Evaluate the sets with one parent more, in chunks; gives the number evaluated in each."""
        chunk = _CHUNK_FROM_OUTSIDE if self._score.family.code == OUTSIDE else _CHUNK
        chunk = min(chunk, self.n_possible())
        place = np.zeros(2, dtype=np.int64)
        while chunk and place[0] < len(self.last):
            larger = np.empty(chunk * self._n_words, dtype=np.uint64)
            last, below = np.empty(chunk, dtype=np.int64), np.empty(chunk)
            n_found = propose(
                self._level, self._score.family, self.node, self.ceiling, self._objective.margin, self.candidates,
                self.sets, self.last, place, larger, last, below, self._words,
            )  # fmt: skip
            if n_found:
                self._settle(larger[: n_found * self._n_words], last[:n_found], below[:n_found])
            yield n_found

    def _settle(self, sets: Rows, last: NDArray[np.int64], below: NDArray[np.float64]) -> None:
        """Evaluate sets; keep those that are not dominated, and take note of those that are open."""
        terms, best_values, least_penalties = self._score.survey(self.node, sets, self._best_value)
        weight, margin = self._objective.weight, self._objective.margin
        scores = weight * terms[:, 0] - terms[:, 1]
        bounds = weight * best_values - least_penalties
        kept = scores > below + margin
        standings = np.maximum(scores, below)
        still_open = bounds > standings + margin
        by_set = sets.reshape(len(last), self._n_words)
        self.found_sets.append(by_set[kept])
        self.found_scores.append(scores[kept])
        if still_open.any():
            both = np.column_stack([standings, bounds])
            self._next.append((by_set[still_open].ravel(), last[still_open], both[still_open]))

    def _indexed(self, standings: NDArray[np.float64]) -> Memo:
        """A table from the open sets to their best scores and bounds."""
        capacity = 16
        while len(self.last) > MAX_LOAD * capacity:
            capacity *= 2
        level = new_memo(capacity, self._n_words)
        store_many(level, np.full(len(self.last), self.node), self.sets, standings, self._words)
        return level


def enumerate_families(
    problem: Problem,
    score: ScoreLike,
    objective: Objective,
    max_parents: int | None,
    report: Callable[[int], None],
) -> Survey:
    """Find all families that are not dominated, level by level for all nodes.

    Parameters
    ----------
    problem
        Required edges (its start graph) and allowed ones.
    score
        A decomposable score.
    objective
        What is maximised.
    max_parents
        No larger sets are looked at. None: as large as may pay, and as ``score.affordable`` allows.
    report
        Called with the number of sets evaluated so far; may raise to end the enumeration.
    """
    best_values = score.best_values()
    nodes = [_Node(node, problem, score, objective, best_values[node]) for node in range(problem.n_nodes)]
    n_evaluated, size = len(nodes), 0
    most = None if max_parents is None else max_parents
    while any(len(node.last) and len(node.candidates) for node in nodes):
        n_possible = sum(node.n_possible() for node in nodes)
        if n_possible == 0:
            break
        if most is None and n_evaluated + n_possible > score.affordable:
            return Survey(_collected(nodes, problem.n_nodes), size)
        size += 1
        for node in nodes:
            if most is not None and node.required.sum() + size > most:
                continue
            for n_more in node.grow():
                n_evaluated += n_more
                report(n_evaluated)
        if most is not None and size >= most:
            break
        for node in nodes:
            node.close_level()
    return Survey(_collected(nodes, problem.n_nodes), None)


def _collected(nodes: list[_Node], n_nodes: int) -> Families:
    counts = [sum(map(len, node.found_scores)) for node in nodes]
    of_node = np.repeat(np.arange(n_nodes), counts)
    scores = np.concatenate([part for node in nodes for part in node.found_scores])
    sets = np.concatenate([part for node in nodes for part in node.found_sets])
    order = np.lexsort((-scores, of_node))
    return Families(n_nodes, of_node[order], scores[order], membership_from_rows(sets[order].ravel(), n_nodes))
