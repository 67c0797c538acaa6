"""The climb from class to class of DAGs, as long as the best step gains.

D. M. Chickering, "Optimal structure identification with greedy search", JMLR 3, 2002; turning: A. Hauser and
P. Buehlmann, JMLR 13, 2012. Which steps there are: `kernels.classes.operators`. What is known beforehand restricts
them, see `restriction`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError, UnknownNameError
from dagsearch.interruption import look
from dagsearch.kernels.classes.operators import DELETE, INSERT, TURN
from dagsearch.search.ges.classes import EquivalenceClass, Step, parents_in_a_member
from dagsearch.search.ges.restriction import Restriction
from dagsearch.search.ges.steps import Steps
from dagsearch.search.protocol import ScoreLike

_CODES = {"forward": INSERT, "backward": DELETE, "turning": TURN}
PHASES = tuple(_CODES)


@dataclass(frozen=True, eq=False)
class GesStep:
    """Where a search stands after a step.

    Attributes
    ----------
    phase
        One of `PHASES`.
    step
        Number of steps so far, over all phases.
    score
        Sum of the local scores of a DAG in the class, in the search's unit.
    adjacency
        (n_nodes, n_nodes) of the class, directed as far as what is known tells; [i, j] == 1 alone means i -> j, both
        ways i - j.
    """

    phase: str
    step: int
    score: float
    adjacency: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class GesFit:
    """Where a search ended; fields as in `GesStep`."""

    adjacency: NDArray[np.int8]
    score: float
    n_steps: int


def equivalence_search(
    score: ScoreLike,
    phases: Sequence[str] = PHASES,
    on_step: Callable[[GesStep], None] | None = None,
    least_gain: float = 1e-6,
    unit: float = 1.0,
    allowed: NDArray[np.bool_] | None = None,
    required: NDArray[np.bool_] | None = None,
    check: Callable[[], None] = look,
) -> GesFit:
    """Climb from the class of the empty graph, or of the required edges, until no step of any phase gains.

    Parameters
    ----------
    score
        A score whose reward is a sum of local terms. Steps are judged as if equivalent DAGs scored the same, which
        holds for ``bic-linear``, ``bic-discrete`` and ``bdeu``; with other scores the score may fall in a step.
    phases
        Which of `PHASES` to go through, in this order.
    on_step
        Called after each step. What it, ``check`` or the score raises ends the search and reaches the caller, who then
        knows the class of the last step.
    least_gain
        A step must gain more than this, in units of ``unit``.
    unit
        What local scores are multiplied by: the number of rows, where rewards are log-likelihoods divided by it.
    allowed
        (n_nodes, n_nodes); not [i, j]: there is no edge i -> j. By default there may be any.
    required
        (n_nodes, n_nodes); [i, j]: there is an edge i -> j. Acyclic and allowed; by default there is none.
    check
        Called several times a second; it may raise to end the search.

    Raises
    ------
    InputError
        If a phase is unknown or there is none, the reward is no sum of local scores, or one of these is not finite.
    """
    _check_phases(phases)
    if score.family.equal_variances:
        raise InputError("with variances='equal' the reward does not split into one number per node")
    search = _Search(score, on_step, least_gain, unit, _restriction(score.n_nodes, allowed, required), check)
    for phase in phases:
        search.run(phase)
    return GesFit(search.adjacency, search.score, search.n_steps)


class _Search:
    """A class of DAGs that changes step by step."""

    def __init__(
        self,
        score: ScoreLike,
        on_step: Callable[[GesStep], None] | None,
        least_gain: float,
        unit: float,
        restriction: Restriction | None,
        check: Callable[[], None],
    ) -> None:
        d = score.n_nodes
        start = np.zeros((d, d), dtype=np.int8) if restriction is None else restriction.required.astype(np.int8)
        self._local, self._unit = score, unit
        self._on_step, self._least_gain, self._check = on_step, least_gain, check
        self._restriction = restriction
        self._steps = Steps(score, unit, check)
        self._place = EquivalenceClass(start)
        self.adjacency = self._oriented(self._place)
        self.score = self._total(start)
        self.n_steps = 0

    def run(self, phase: str) -> None:
        """Take steps of one kind while they gain."""
        self._steps.begin(_CODES[phase], self._legal(phase))
        seen = set()
        # With a score that tells equivalent DAGs apart, turning could go round for ever.
        while (before := self._place.adjacency.tobytes()) not in seen:
            seen.add(before)
            entered = self._best_neighbour()
            if entered is None:
                return
            self._steps.note_change(self._place, entered)
            self._move_to(entered, phase)

    def _legal(self, phase: str) -> NDArray[np.bool_] | None:
        """Pairs at which steps may lead to classes that fit what is known."""
        if self._restriction is None or phase == "turning":
            return None
        return self._restriction.may_join if phase == "forward" else self._restriction.may_part

    def _best_neighbour(self) -> EquivalenceClass | None:
        """Where the best step leads that may be made; None if none gains."""
        best = self._steps.best(self._place, self._least_gain)
        if best is None:
            return None
        if (entered := self._within(best)) is not None:
            return entered
        # To list all that gain takes longer.
        others = self._steps.gaining(self._place, self._least_gain)[1:]
        return next((entered for step in others if (entered := self._within(step)) is not None), None)

    def _within(self, step: Step) -> EquivalenceClass | None:
        """The class that a step leads to, if one of its members fits what is known."""
        self._check()
        entered = self._place.after(step)
        fits = self._restriction is None or self._restriction.oriented(entered.adjacency) is not None
        return entered if fits else None

    def _move_to(self, entered: EquivalenceClass, phase: str) -> None:
        """Enter a class, and tell whoever is watching."""
        adjacency = self._oriented(entered)
        self.score = self._total(adjacency)
        self._place, self.adjacency = entered, adjacency
        self.n_steps += 1
        if self._on_step is not None:
            self._on_step(GesStep(phase, self.n_steps, self.score, self.adjacency))

    def _oriented(self, place: EquivalenceClass) -> NDArray[np.int8]:
        """A class, directed as far as what is known tells."""
        adjacency = place.adjacency
        oriented = adjacency if self._restriction is None else self._restriction.oriented(adjacency)
        if oriented is None:
            raise RuntimeError("a class was entered that does not fit what is known")
        oriented.setflags(write=False)
        return oriented

    def _total(self, adjacency: NDArray[np.int8]) -> float:
        """Score of a DAG in a class."""
        terms = self._local.terms(np.arange(len(adjacency)), parents_in_a_member(adjacency))
        return math.fsum((self._unit * (terms[:, 0] - terms[:, 1])).tolist())


def _restriction(
    n_nodes: int, allowed: NDArray[np.bool_] | None, required: NDArray[np.bool_] | None
) -> Restriction | None:
    """What is known, if anything is."""
    if allowed is None and required is None:
        return None
    everything = np.ones((n_nodes, n_nodes), dtype=bool)
    return Restriction(everything if allowed is None else allowed, ~everything if required is None else required)


def _check_phases(phases: Sequence[str]) -> None:
    if not phases:
        raise InputError("phases must name at least one phase, got none")
    for phase in phases:
        if phase not in PHASES:
            raise UnknownNameError("phase", phase, PHASES)
