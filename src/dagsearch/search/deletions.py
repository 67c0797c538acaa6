"""Deletions of edges in an equivalence class of DAGs: the backward phase of greedy equivalence search.

D. M. Chickering, "Optimal structure identification with greedy search", JMLR 3, 2002, definition 13, theorem 17 and
corollary 18. Delete(X, Y, H) leads from a class to that of one of its DAGs without the edge X -> Y. In that DAG the
neighbours of Y that are adjacent to X, called NA, are parents of Y, except for H. There is such a DAG where NA without
H is a clique, and by a score that is the same for equivalent DAGs two local scores of Y tell what the deletion gains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import rows_of
from dagsearch.graph.cliques import largest_cliques
from dagsearch.graph.equivalence import class_of, free_unprotected
from dagsearch.graph.extension import consistent_extension
from dagsearch.graph.neighbourhoods import Neighbourhoods
from dagsearch.kernels.returns import NEGLIGIBLE
from dagsearch.search.protocol import Problem, ScoreLike

# What NA keeps may be any clique in it, and a clique of n nodes has 2**n subsets. All are tried up to eight nodes, and
# of more cliques the largest, with which fewest edges are turned. In sparse graphs NA hardly ever has two nodes.
MOST_CLIQUES = 256
"""How many deletions of one edge are tried at most."""
_BATCH = 256  # local scores asked for together: many share a call's overhead, few let a time limit be heard

Family = tuple[int, frozenset[int]]
"""A node and a set of parents."""


class Deletion(NamedTuple):
    """Delete(X, Y, H) in an equivalence class."""

    cause: int  # X
    effect: int  # Y
    turned: frozenset[int]  # H, whose undirected edges with X and Y become directed: to H
    parents: frozenset[int]  # of Y without X, in the DAG from which X -> Y is deleted

    @property
    def before(self) -> Family:
        """The effect with its parents in that DAG."""
        return self.effect, self.parents | {self.cause}

    @property
    def after(self) -> Family:
        """The same without the edge."""
        return self.effect, self.parents


def valid_deletions(around: Neighbourhoods, effect: int) -> Iterator[Deletion]:
    """The deletions, in a class given by its CPDAG, of all edges into a node and of undirected ones from a lower node.

    Delete(X, Y, H) and Delete(Y, X, H) of an undirected edge lead to the same class, so that one is enough. Of an edge
    with more than `MOST_CLIQUES` deletions not all are listed.
    """
    parents, neighbours = around.parents[effect], around.neighbours[effect]
    for cause in sorted(parents | {neighbour for neighbour in neighbours if neighbour < effect}):
        shared = frozenset(neighbours & around.adjacent[cause])  # NA
        others = parents - {cause}
        for kept in largest_cliques(shared, around.adjacent, MOST_CLIQUES):
            yield Deletion(cause, effect, shared - kept, kept | others)


class Deleted(NamedTuple):
    """What there is after a deletion besides the CPDAG of the new class."""

    member: NDArray[np.int8]  # a DAG of the new class
    touched: set[int]  # the nodes at which valid deletions, or what they gain, may be others than before


def delete(around: Neighbourhoods, member: NDArray[np.int8], deletion: Deletion) -> Deleted:
    """Make a valid deletion: turn the CPDAG of a class, in place, into that of the next class.

    Only lines that join nodes to the effect, directly or by way of others, can become arrows. They are directed as in a
    DAG of the next class; then arrows become lines if they need not be arrows.

    Parameters
    ----------
    around
        The CPDAG, which is changed.
    member
        A DAG of its class. That of the next class differs from it by the edge and among those nodes only.
    deletion
        One of its `valid_deletions`.
    """
    cause, effect = deletion.cause, deletion.effect
    joined = around.component(effect)
    _take_edge(around, deletion)
    nodes = sorted(joined | {cause})
    dag = member.copy()
    dag[np.ix_(nodes, nodes)] = consistent_extension(around.adjacency(nodes)).adjacency
    _direct_lines(around, joined, dag)
    # Where else an arrow becomes a line, it is because another one did that protected it.
    doubtful = [(parent, node) for node in joined for parent in around.parents[node]]
    doubtful += [(effect, child) for child in around.children[effect]]
    # Deletions at other nodes see the edge only where it ends at a neighbour and at a cause or another neighbour of the
    # node, which is then joined to the effect, too.
    return Deleted(dag, joined.union(*free_unprotected(around, doubtful)))


def _take_edge(around: Neighbourhoods, deletion: Deletion) -> None:
    """Take the edge away, in place, and turn what must be turned: definition 13."""
    cause, effect, turned, _ = deletion
    around.disconnect(cause, effect)
    for node in turned:
        around.direct(effect, node)
        if node in around.neighbours[cause]:
            around.direct(cause, node)


def _direct_lines(around: Neighbourhoods, nodes: set[int], dag: NDArray[np.int8]) -> None:
    """Direct the lines among some nodes, in place, as a DAG does."""
    for node in nodes:
        for effect in [other for other in around.neighbours[node] if dag[node, other]]:
            around.direct(node, effect)


class Deletions:
    """The best deletion in the class of a graph, one after the other, as long as they pay.

    All DAGs of a class must be within the problem. Where edges are required or forbidden, or their number is given, the
    graph therefore stays as it is. A limit on the parents needs no care: all DAGs of a class have the same largest
    number of parents, and a deletion takes a parent away in one of them. (Nodes joined by undirected edges have the
    same parents by directed ones, and of a clique of undirected edges the last node always has all others as parents.)

    Parameters
    ----------
    problem
        What the graph must keep to.
    score
        A score whose reward is a sum of local terms and the same for equivalent DAGs. Where it is not quite the same,
        deletions that turn out not to pay are not made.
    adjacency
        The DAG to start from, which must be within the problem.
    check
        Called before local scores are asked for and before each deletion; it may raise to end the search.

    Attributes
    ----------
    best
        A DAG of the last class, never worse than the given one; that one itself if no deletion pays.
    """

    def __init__(
        self,
        problem: Problem,
        score: ScoreLike,
        adjacency: NDArray[np.int8],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.best = adjacency
        self._problem = problem
        self._score = score
        self._check = check
        self._reward = -np.inf
        self._values: dict[Family, float] = {}
        self._refused: set[Deletion] = set()

    def run(self) -> None:
        """Delete edges until no deletion pays.

        What ``check`` or the score raises reaches the caller, and ``best`` is what there is so far.
        """
        if not _takes_whole_classes(self._problem):
            return
        self._reward = self._score.reward_of(self.best)
        around = class_of(self.best)
        best_at: list[_Gain | None] = [None] * around.n_nodes
        stale = list(range(around.n_nodes))
        while True:
            self._check()
            for effect, best in zip(stale, self._best_at_each(stale, around), strict=True):
                best_at[effect] = best
            chosen = _highest(best_at)
            if chosen is None:
                return
            member, touched = delete(around, self.best, chosen.deletion)
            if self._keep(member):
                stale = sorted(touched)
            else:
                self._refused.add(chosen.deletion)
                around, stale = class_of(self.best), [chosen.deletion.effect]

    def _keep(self, member: NDArray[np.int8]) -> bool:
        """Whether a DAG is no worse than the best so far, which it then becomes."""
        reward = self._score.reward_of(member)
        if reward < self._reward:
            return False
        self.best, self._reward = member, reward
        return True

    def _best_at_each(self, effects: list[int], around: Neighbourhoods) -> list[_Gain | None]:
        """For each effect the deletion that gains most, None where none pays."""
        deletions = [list(valid_deletions(around, effect)) for effect in effects]
        self._learn(family for each in deletions for deletion in each for family in (deletion.before, deletion.after))
        return [_highest(map(self._gain, each)) for each in deletions]

    def _gain(self, deletion: Deletion) -> _Gain | None:
        """What a deletion gains, None if it is no more than rounding, or was found not to be true."""
        if deletion in self._refused:
            return None
        before, after = self._values[deletion.before], self._values[deletion.after]
        return _Gain(after - before, deletion) if after > before + NEGLIGIBLE * (1.0 + abs(before)) else None

    def _learn(self, families: Iterable[Family]) -> None:
        """Ask for the local scores that are not known yet, many together."""
        new = [family for family in dict.fromkeys(families) if family not in self._values]
        for first in range(0, len(new), _BATCH):
            self._check()
            batch = new[first : first + _BATCH]
            nodes, sets = zip(*batch, strict=True)
            terms = self._score.terms(np.array(nodes), rows_of(sets, self._score.n_nodes))
            self._values.update(zip(batch, (terms[:, 0] - terms[:, 1]).tolist(), strict=True))


class _Gain(NamedTuple):
    """A deletion and what it adds to the reward."""

    gain: float
    deletion: Deletion


def _highest(gains: Iterable[_Gain | None]) -> _Gain | None:
    """The highest gain, the first of them if there are several; None if there is none."""
    return max((gain for gain in gains if gain is not None), key=itemgetter(0), default=None)


def _takes_whole_classes(problem: Problem) -> bool:
    """Whether, with a DAG, all that are equivalent are within a problem, and graphs of any size are."""
    free = problem.allowed | np.eye(problem.n_nodes, dtype=bool)
    return problem.edge_budget is None and not problem.start.any() and bool(free.all())
