r"""Exact learning: the DAG with the best reward, and a proof.

::

    score --> families --> components --> subsets   dynamic programming, few nodes
                                      \-> program   integer programming: orders (first graphs), separation (cuts),
                                                    then highs or scip
    learner     puts these together: edge budgets, the bound, the best graphs in order (ranking)
    variances   rewards that are no sum over nodes
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.search.exact.learner import ExactSettings, Learner
from dagsearch.search.exact.program import PROVEN
from dagsearch.search.exact.ranking import Ranked
from dagsearch.search.exact.scip import require_scip
from dagsearch.search.exact.solve import SOLVERS, Solver
from dagsearch.search.exact.variances import learn_with_equal_variances
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED, Problem, ScoreLike

__all__ = ["SOLVERS", "ExactOutcome", "ExactSettings", "Ranked", "Solver", "exact"]


@dataclass(frozen=True)
class ExactOutcome:
    """What an exact search found.

    Attributes
    ----------
    adjacency, reward
        The best graph; optimal if ``reward`` is ``bound``.
    bound
        No graph has a higher reward; infinite if nothing is known.
    max_parents
        The bound holds for graphs with at most so many parents per node, as more could not be afforded; None: for all.
    ranking
        The best graphs in order, if more than one was asked for.
    ways
        How the optimum was found.
    status
        ``"finished"``, or why the search ended early.
    """

    adjacency: NDArray[np.int8]
    reward: float
    bound: float
    max_parents: int | None
    ranking: tuple[Ranked, ...]
    ways: tuple[str, ...]
    status: str


def exact(
    problem: Problem,
    score: ScoreLike,
    settings: ExactSettings,
    rng: np.random.Generator,
    monitor: Monitor,
    first: NDArray[np.int8] | None = None,
) -> ExactOutcome:
    """Find the best DAG; the time limit and Ctrl-C end this with the best graph so far and its bound.

    ``first`` is a graph to start from, which the result is no worse than; None: that of greedy search.
    """
    if not score.decomposable:
        raise InputError("exact learning needs a score with local(node, parents); this one only judges whole graphs")
    if settings.solver == "scip":
        require_scip()
    learner = Learner(problem, score, settings, rng, monitor, first)
    if monitor.status == FINISHED:  # the search for a first graph was not cut short
        with monitor.guard():
            _learn(learner)
    reward = learner.best.reward
    # Sums over families and over nodes differ by rounding.
    is_proven = learner.bound <= reward + PROVEN * max(1.0, abs(reward))
    return ExactOutcome(
        adjacency=learner.best.adjacency,
        reward=reward,
        bound=reward if is_proven else learner.bound,
        max_parents=learner.max_parents,
        ranking=tuple(learner.ranking),
        ways=learner.ways,
        status=monitor.status,
    )


def _learn(learner: Learner) -> None:
    if not learner.score.family.equal_variances:
        learner.learn()
        return
    if learner.settings.n_best > 1:
        raise InputError("n_best must be 1 with variances='equal', where the reward is no sum over variables")
    learn_with_equal_variances(learner)
