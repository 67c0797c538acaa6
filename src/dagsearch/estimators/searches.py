"""Searches as estimators: CD-UCT, search over orders, greedy search, random search, random sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.data import Arrangement
from dagsearch.errors import InputError
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.scored import ScoreSearch
from dagsearch.scores import Score
from dagsearch.search.cd_uct import CDUCTSettings, Rollout, TreePolicy, cd_uct
from dagsearch.search.greedy import greedy
from dagsearch.search.monitor import Monitor
from dagsearch.search.orders import OrderSettings, default_kicks, default_restarts, is_regression, order_search
from dagsearch.search.protocol import Outcome, Problem
from dagsearch.search.random_search import n_affordable, n_rollouts, random_search

DEFAULT_SIMS_PER_NODE = 500

# Without a budget a uniform rollout has no natural end, and random edges beyond the first few only add noise.
OPEN_HORIZON = 6
# A search without a budget stops as soon as nothing pays, which is early: a few restarts find better graphs than more
# simulations would. Where local scores take milliseconds, refinement gets there with far fewer of them.
OPEN_RESTARTS = 4
# Per decision: more would take long on wide tables, which need more decisions, and refinement makes up for it.
OPEN_SIMULATIONS = 4_000
OPEN_SIMULATIONS_TIMES_NODES = 1_000_000
# A guided rollout is worth hundreds of uniform ones, and goes on as long as edges pay (benchmarks/rollouts.py).
GUIDED_HORIZON = 30
GUIDED_SIMULATIONS = (10, 200)
GUIDED_SIMULATIONS_TIMES_NODES = 1_000
# Restarts share the local scores that they know. Regressions need half of those that counts need.
GUIDED_RESTARTS_TIMES_NODES = 200
MOST_GUIDED_RESTARTS = 8


class CDUCT(parameters.CDUCT, ScoreSearch):
    """Causal discovery by Monte Carlo tree search in DAG space: Algorithm 2 of the paper.

    Columns in another order are like another seed.

    Attributes
    ----------
    dag_, pruned_dag_ : DAG
        What the search constructed, and what pruning left of it.
    evidence_ : EdgeEvidence or None
        What pruning was decided by: the p-value or largest coefficient of each edge.
    reward_ : float
        Reward of ``dag_``; higher is better.
    result_ : Result
        Record of the fit.
    score_ : Score
        The score, with its cache of local scores.

    Examples
    --------
    >>> import dagsearch as ds
    >>> model = ds.CDUCT(random_state=0).fit(ds.datasets.load("sachs"))
    >>> model.dag_.n_nodes
    11
    """

    method: ClassVar[str] = "cd-uct"
    summary: ClassVar[str] = "Monte Carlo tree search in DAG space"

    def _check_settings(self) -> None:
        checks.real("sims_per_node", self.sims_per_node, 0.0, checks.MOST, strict=True, optional=True)
        checks.integer("horizon", self.horizon, 1, optional=True)
        checks.real("exploration", self.exploration, 0.0)
        checks.real("temperature", self.temperature, 0.0, strict=True)
        checks.integer("n_restarts", self.n_restarts, 1, optional=True)
        if self.keep == "any-size" and self.refine == "on" and self.edge_budget is not None:
            raise InputError(
                "refine='on' swaps edges of graphs with exactly edge_budget edges: it needs keep='budget-size'"
            )

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        settings = self._settings(problem, judgement.score)
        return cd_uct(problem, judgement.score, settings, rng, monitor), {
            **vars(settings),
            "cycle_tracking": self.cycle_tracking,
        }

    def _settings(self, problem: Problem, score: Score) -> CDUCTSettings:
        """What was asked for, and defaults: as in the paper with an edge budget."""
        is_open = problem.edge_budget is None
        rollout = self._rollout(is_open, score)
        default = _open_defaults(problem.n_nodes, score, rollout) if is_open else _Defaults(DEFAULT_SIMS_PER_NODE)
        return CDUCTSettings(
            sims_per_node=default.sims_per_node if self.sims_per_node is None else self.sims_per_node,
            horizon=default.horizon if self.horizon is None else self.horizon,
            exploration=float(self.exploration),
            exploration_scale=self.exploration_scale,
            final_move=self.final_move,
            n_restarts=self.n_restarts or default.n_restarts,
            refine=self.refine == "on" or (is_open and self.refine == "auto"),
            rollout=rollout,
            tree_policy=self._tree_policy(rollout),
            temperature=float(self.temperature),
            horizon_ends=self.horizon_ends,
            calibration=self.calibration,
            keep=self.keep,
        )

    def _rollout(self, is_open: bool, score: Score) -> Rollout:
        """Guided without a budget, if there are local scores to guide by that take microseconds.

        Where they take milliseconds, far more uniform simulations cost little beside them, and find as good graphs.
        """
        if self.rollout == "auto":
            is_cheap = score.decomposable and not score.is_fitted
            return "guided" if is_open and is_cheap and self.tree_policy != "ucb1" else "uniform"
        if self.rollout == "guided" and not score.decomposable:
            raise InputError("rollout='guided' needs a score with local(node, parents), which tells what an edge gains")
        return self.rollout

    def _tree_policy(self, rollout: Rollout) -> TreePolicy:
        if self.tree_policy == "auto":
            return "puct" if rollout == "guided" else "ucb1"
        if self.tree_policy == "puct" and rollout == "uniform":
            raise InputError("tree_policy='puct' goes by what guides rollouts: it needs rollout='guided'")
        return self.tree_policy


@dataclass(frozen=True)
class _Defaults:
    """Of parameters that are None; as in the paper where nothing is said."""

    sims_per_node: float
    horizon: int | None = None
    n_restarts: int = 1


def _open_defaults(n_nodes: int, score: Score, rollout: Rollout) -> _Defaults:
    """Without an edge budget: see the constants above."""
    if rollout == "guided":
        n_simulations = np.clip(GUIDED_SIMULATIONS_TIMES_NODES / n_nodes, *GUIDED_SIMULATIONS)
        share = 3 if score.is_fitted else 2 if is_regression(score) else 1
        n_restarts = np.clip(GUIDED_RESTARTS_TIMES_NODES // (share * n_nodes), 1, MOST_GUIDED_RESTARTS)
        return _Defaults(float(n_simulations) / n_nodes, GUIDED_HORIZON, int(n_restarts))
    n_simulations = min(DEFAULT_SIMS_PER_NODE * n_nodes, OPEN_SIMULATIONS, OPEN_SIMULATIONS_TIMES_NODES / n_nodes)
    return _Defaults(n_simulations / n_nodes, OPEN_HORIZON, 1 if score.is_fitted else OPEN_RESTARTS)


class OrderSearch(parameters.OrderSearch, ScoreSearch):
    """Search over orders of the variables: best moves of single ones, parents by climbs (as in BOSS).

    Columns in another order are like another seed. Attributes are as those of `CDUCT`.
    """

    method: ClassVar[str] = "order"
    summary: ClassVar[str] = "best moves in the order of the variables"

    @property
    def _score_decides(self) -> bool:
        return True

    def _check_settings(self) -> None:
        checks.integer("n_restarts", self.n_restarts, 1, optional=True)
        checks.integer("n_kicks", self.n_kicks, 0, optional=True)

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        score = judgement.score
        if not score.decomposable:
            raise InputError("order needs a score with local(node, parents), as it chooses parents for each variable")
        settings = OrderSettings(
            n_restarts=self.n_restarts or default_restarts(score),
            n_kicks=default_kicks(score) if self.n_kicks is None else self.n_kicks,
            n_jobs=checks.jobs(self.n_jobs),
        )
        return order_search(problem, score, settings, rng, monitor), {
            "n_restarts": settings.n_restarts,
            "n_kicks": settings.n_kicks,
        }


class GreedySearch(parameters.GreedySearch, ScoreSearch):
    """Add the best edge, again and again: the paper's baseline.

    Ties between edges are broken at random, by their names, so that the order of the columns does not matter.
    Attributes are as those of `CDUCT`.
    """

    method: ClassVar[str] = "greedy"
    summary: ClassVar[str] = "the best edge, one at a time"

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        return greedy(problem, judgement.score, rng, monitor, Arrangement.of(judgement.data.names).places), {}


class RandomSampling(GreedySearch):
    """One uniform rollout of the decision process: the floor that any search should beat.

    Columns in another order are like another seed. Attributes are as those of `CDUCT`.
    """

    method: ClassVar[str] = "random-sampling"
    summary: ClassVar[str] = "one uniform rollout"

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        return random_search(problem, judgement.score, 1, rng, monitor), {}


class RandomSearch(parameters.RandomSearch, ScoreSearch):
    """The best of many uniform rollouts, as many as CD-UCT would make simulations.

    Columns in another order are like another seed. Attributes are as those of `CDUCT`.
    """

    method: ClassVar[str] = "random-search"
    summary: ClassVar[str] = "the best of many uniform rollouts"

    def _check_settings(self) -> None:
        checks.real("sims_per_node", self.sims_per_node, 0.0, checks.MOST, strict=True, optional=True)

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        sims_per_node = DEFAULT_SIMS_PER_NODE if self.sims_per_node is None else self.sims_per_node
        n_simulations = n_rollouts(problem, sims_per_node)
        if self.sims_per_node is None and problem.edge_budget is None and judgement.score.is_fitted:
            n_simulations = min(n_simulations, n_affordable(problem, judgement.score))
        return random_search(problem, judgement.score, n_simulations, rng, monitor), {"sims_per_node": sims_per_node}
