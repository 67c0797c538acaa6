r"""Exact learning: the DAG with the best reward, and a proof.

::

    score --> families --> components --> subsets   dynamic programming, few nodes
                                      \-> program   integer programming: orders (first graphs), separation (cuts),
                                                    then highs or scip
    learner     puts these together: edge budgets, the bound, the best graphs in order (ranking)
    scope       the graphs that the bound holds for
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
from dagsearch.search.exact.scope import NarrowedError, NoGraphError, Scope
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
        The best graph; optimal in the scope if it is inside and ``reward`` is ``bound``. It may lie beyond.
    scope
        The graphs that were compared: those of the problem, or those with few parents as more could not be afforded.
    best_reward
        The best reward known of a graph in the scope; -inf if none is known.
    bound
        No graph in the scope has a higher reward; infinite if nothing is known, -inf if the scope is empty.
    ranking
        The best graphs of the scope in order, if more than one was asked for.
    ways
        How the optimum was found.
    status
        ``"finished"``, or why the search ended early.
    """

    adjacency: NDArray[np.int8]
    reward: float
    scope: Scope
    best_reward: float
    bound: float
    ranking: tuple[Ranked, ...]
    ways: tuple[str, ...]
    status: str

    @property
    def max_parents(self) -> int | None:
        """The most parents, beside required ones, up to which sets were looked at; None: all that matter were."""
        return self.scope.max_free_parents


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
    best_reward = learner.best_inside.reward
    # Sums over families and over nodes differ by rounding.
    is_proven = np.isfinite(best_reward) and learner.bound <= best_reward + PROVEN * max(1.0, abs(best_reward))
    return ExactOutcome(
        adjacency=learner.best.adjacency,
        reward=learner.best.reward,
        scope=learner.scope,
        best_reward=best_reward,
        bound=best_reward if is_proven else learner.bound,
        ranking=tuple(learner.ranking),
        ways=learner.ways,
        status=monitor.status,
    )


def _learn(learner: Learner) -> None:
    if learner.score.family.equal_variances and learner.settings.n_best > 1:
        raise InputError("n_best must be 1 with variances='equal', where the reward is no sum over variables")
    while True:
        try:
            if learner.score.family.equal_variances:
                learn_with_equal_variances(learner)
            else:
                learner.learn()
        except NarrowedError:
            learner.start_afresh()
        except NoGraphError:
            return
        else:
            return
