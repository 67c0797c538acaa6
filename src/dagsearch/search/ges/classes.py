"""A class of DAGs as compiled code takes it, and the class that a step leads to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch.graph.bitset import Rows, membership_from_rows, rows_from_membership
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.classes.change import make_step
from dagsearch.kernels.classes.completion import COMPLETE, Member, draw_class, find_member, new_member
from dagsearch.kernels.classes.marks import Marks, no_marks


class Step(NamedTuple):
    """From a class to a neighbouring one, see `kernels.classes.operators`."""

    gain: float
    phase: int
    cause: int  # X
    effect: int  # Y
    clique: Rows  # of neighbours of Y


def parents_in_a_member(mixed: NDArray[np.int8]) -> Rows:
    """Parents of each node in a DAG that a graph stands for: the one of `graph.extension.consistent_extension`.

    Parameters
    ----------
    mixed
        (n_nodes, n_nodes); [i, j] == 1 alone means i -> j, both ways i - j.
    """
    parents: Rows = _found_member(_marks_of(mixed), len(mixed)).parents
    return parents


def _marks_of(mixed: NDArray[np.int8]) -> Marks:
    there = mixed.astype(bool)
    directed, lines = there & ~there.T, there & there.T
    return Marks(*map(rows_from_membership, (directed.T, directed, lines, there | there.T)))


def _found_member(marks: Marks, n_nodes: int) -> Member:
    n_words, words = words_for(n_nodes)
    member = new_member(n_nodes, n_words)
    if find_member(marks, member, words) != COMPLETE:
        raise RuntimeError("a step led to a graph that stands for no DAG")
    return member


class EquivalenceClass:
    """A class of DAGs, which does not change.

    Parameters
    ----------
    mixed
        (n_nodes, n_nodes) of one of its DAGs, or of another graph that stands for it; [i, j] == 1 alone means i -> j,
        both ways i - j.

    Attributes
    ----------
    marks
        Its graph: arrows that all members share, and lines.
    """

    def __init__(self, mixed: NDArray[np.int8]) -> None:
        self._n_nodes = len(mixed)
        self.marks = self._completed(_marks_of(mixed))

    def _completed(self, marks: Marks) -> Marks:
        """The graph of the class that another graph stands for."""
        n_words, words = words_for(self._n_nodes)
        completed = no_marks(self._n_nodes, n_words)
        draw_class(_found_member(marks, self._n_nodes), completed, words)
        return completed

    def after(self, step: Step) -> EquivalenceClass:
        """The class that a valid step leads to."""
        _, words = words_for(self._n_nodes)
        changed = Marks(*(rows.copy() for rows in self.marks))
        make_step(changed, step.phase, step.cause, step.effect, step.clique, words)
        entered = EquivalenceClass.__new__(EquivalenceClass)
        entered._n_nodes, entered.marks = self._n_nodes, self._completed(changed)
        return entered

    @property
    def adjacency(self) -> NDArray[np.int8]:
        """(n_nodes, n_nodes); [i, j] == 1 alone means i -> j, both ways i - j."""
        around = membership_from_rows(self.marks.parents | self.marks.neighbours, self._n_nodes)
        return np.ascontiguousarray(around.T).astype(np.int8)

    def pairs_touched(self, before: EquivalenceClass) -> NDArray[np.bool_]:
        """Pairs, (n_nodes, n_nodes), at which steps, or what they gain, may be others than in the class before.

        What a step at (X, Y) gains depends on who is around X and around Y, and on who is adjacent among the
        neighbours of Y; whether it is valid may depend on the whole graph.
        """
        n, touched = self._n_nodes, np.zeros((self._n_nodes, self._n_nodes), dtype=bool)
        rows = [np.stack([each.reshape(n, -1) for each in graph.marks]) for graph in (before, self)]
        nodes = (rows[0] != rows[1]).any(axis=(0, 2))
        touched[nodes], touched[:, nodes] = True, True
        is_new = (rows[0][-1] != rows[1][-1]).any(axis=1)  # at most two nodes, which were joined or parted
        lines = membership_from_rows(self.marks.neighbours, n)
        touched[:, lines[:, is_new].sum(axis=1) > 1] = True
        return touched
