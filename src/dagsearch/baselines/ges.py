"""Greedy equivalence search: the best insertion, deletion or turning of an edge, from class to class of DAGs.

D. M. Chickering, "Optimal structure identification with greedy search", JMLR 3, 2002; turning: A. Hauser and
P. Bühlmann, JMLR 13, 2012. The operators are those of the package ``ges``; the score and the loop are ours, so that a
search can be watched and stopped between steps. What is known beforehand restricts it, see `ges_restricted`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.baselines.ges_restricted import Restriction, restricted_steps
from dagsearch.errors import InputError, MissingExtraError, UnknownNameError
from dagsearch.graph.equivalence import cpdag
from dagsearch.graph.extension import consistent_extension

__all__ = ["PHASES", "GesFit", "GesStep", "equivalence_search"]

PHASES = ("forward", "backward", "turning")

Local = Callable[[int, tuple[int, ...]], float]
Step = Callable[[NDArray[Any], "_Memo"], tuple[float, NDArray[Any]]]
Completion = Callable[[NDArray[Any]], NDArray[Any]]


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
        Sum of the local scores of a DAG in the class.
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
    n_nodes: int,
    local: Local,
    phases: Sequence[str] = PHASES,
    on_step: Callable[[GesStep], None] | None = None,
    least_gain: float = 1e-6,
    allowed: NDArray[np.bool_] | None = None,
    required: NDArray[np.bool_] | None = None,
) -> GesFit:
    """Climb from the class of the empty graph, or of the required edges, until no step of any phase gains.

    Parameters
    ----------
    n_nodes
        Number of variables.
    local
        Score of a node (an index) given its parents (indices in ascending order); higher is better. The total is their
        sum. Each family is asked for once. Steps are judged as if equivalent DAGs scored the same, which holds for
        ``bic-linear``, ``bic-discrete`` and ``bdeu``; with other scores the score may fall in a step.
    phases
        Which of `PHASES` to go through, in this order.
    on_step
        Called after each step. What it or ``local`` raises ends the search and reaches the caller, who then knows the
        class of the last step.
    least_gain
        A step must gain more than this, in units of ``local``.
    allowed
        (n_nodes, n_nodes); not [i, j]: there is no edge i -> j. By default there may be any.
    required
        (n_nodes, n_nodes); [i, j]: there is an edge i -> j. Acyclic and allowed; by default there is none.

    Raises
    ------
    InputError
        If a phase is unknown or there is none, or a local score is not finite.
    MissingExtraError
        If the package ``ges`` is not installed.
    """
    _check_phases(phases)
    steps, completed = _operators()
    restriction = _restriction(n_nodes, allowed, required)
    if restriction is not None:
        steps = restricted_steps(restriction)
    search = _Search(n_nodes, _Memo(local), on_step, least_gain, restriction)
    for phase in phases:
        search.run(phase, steps[phase], completed)
    return GesFit(search.adjacency, search.score, search.n_steps)


class _Memo:
    """Local scores in the form that the package asks for them, each computed once."""

    def __init__(self, local: Local) -> None:
        self._local = local
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}

    def local_score(self, node: int, parents: Iterable[int]) -> float:
        """Score of a node given a set of parents."""
        family = int(node), tuple(sorted(map(int, parents)))
        if family not in self._known:
            self._known[family] = _finite(self._local(*family), *family)
        return self._known[family]

    def total(self, dag: NDArray[np.int8]) -> float:
        """Score of a DAG."""
        return math.fsum(self.local_score(node, np.flatnonzero(dag[:, node])) for node in range(len(dag)))


class _Search:
    """A class of DAGs that changes step by step."""

    def __init__(
        self,
        n_nodes: int,
        memo: _Memo,
        on_step: Callable[[GesStep], None] | None,
        least_gain: float,
        restriction: Restriction | None,
    ) -> None:
        start = np.zeros((n_nodes, n_nodes), dtype=np.int8) if restriction is None else restriction.required
        self.cpdag = cpdag(start.astype(np.int8))
        self.score = memo.total(start.astype(np.int8))
        self.n_steps = 0
        self._restriction = restriction
        self._memo, self._on_step, self._least_gain = memo, on_step, least_gain

    @property
    def adjacency(self) -> NDArray[np.int8]:
        """The class, directed as far as what is known tells."""
        oriented = self.cpdag if self._restriction is None else self._restriction.oriented(self.cpdag)
        if oriented is None:
            raise RuntimeError("a class was entered that does not fit what is known")
        return oriented

    def run(self, phase: str, step: Step, completed: Completion) -> None:
        """Take steps of one kind while they gain."""
        seen = set()
        # With a score that tells equivalent DAGs apart, turning could go round for ever.
        while (before := self.cpdag.tobytes()) not in seen:
            seen.add(before)
            gain, changed = step(self.cpdag, self._memo)
            if gain <= self._least_gain:
                return
            self._move_to(completed(changed).astype(np.int8), phase)

    def _move_to(self, entered: NDArray[np.int8], phase: str) -> None:
        """Enter a class, and tell whoever is watching."""
        entered.setflags(write=False)
        self.cpdag = entered
        self.score = self._memo.total(consistent_extension(self.adjacency).adjacency)
        self.n_steps += 1
        if self._on_step is not None:
            self._on_step(GesStep(phase, self.n_steps, self.score, self.adjacency))


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


def _finite(score: float, node: int, parents: tuple[int, ...]) -> float:
    """The score, if steps can be compared by it."""
    if not math.isfinite(score):
        raise InputError(f"local scores must be finite, got {score} for node {node} with parents {list(parents)}")
    return float(score)


def _operators() -> tuple[dict[str, Step], Completion]:
    """The best step of each phase, and what makes a class of its outcome."""
    try:
        import ges  # noqa: PLC0415
        import ges.utils  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("GES", "baselines") from error
    steps = (ges.forward_step, ges.backward_step, ges.turning_step)
    return dict(zip(PHASES, steps, strict=True)), ges.utils.pdag_to_cpdag
