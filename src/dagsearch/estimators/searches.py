"""The searches of the paper as estimators: CD-UCT, greedy search, random search, random sampling."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from dagsearch import checks
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.scored import ScoreSearch
from dagsearch.graph import Knowledge
from dagsearch.scores.levels import Levels
from dagsearch.search.cd_uct import CDUCTSettings, ExplorationScale, FinalMove, cd_uct
from dagsearch.search.greedy import greedy
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import Outcome, Problem
from dagsearch.search.random_search import n_rollouts, random_search

Variances = Literal["different", "equal"]

DEFAULT_SIMS_PER_NODE = 500
DEFAULT_EXPLORATION = 0.05
# Without a budget a rollout has no natural end, and random edges beyond the first few only add noise. A search then
# stops as soon as nothing pays, which is early: a few restarts find better graphs than more simulations would.
OPEN_HORIZON = 6
OPEN_RESTARTS = 4


class CDUCT(ScoreSearch):
    """Causal discovery by Monte Carlo tree search in DAG space: Algorithm 2 of the paper.

    Parameters
    ----------
    score
        ``"auto"``, a score's name, a score made by `dagsearch.scores.make`, or an object of your own with
        ``local(node, parents)`` or ``reward(adjacency)``.
    edge_budget
        Number of edges of the constructed graph; None lets the score decide.
    sims_per_node
        Simulations per decision, times the number of variables.
    horizon
        A simulation adds at most so many edges. None: up to the budget; without a budget, 6.
    exploration
        Weight of exploration in UCB1.
    final_move
        ``"most-visits"`` or ``"highest-mean"``: which child of the root a decision goes to.
    prune
        ``"auto"``: by the score, ``"cam"``, ``"coefficients"`` or ``"none"``; see `dagsearch.prune`.
    knowledge
        Required and forbidden edges, tiers; see `Knowledge`.
    time_limit
        Seconds after which the best graph so far is returned.
    random_state
        Seed, numpy generator, or None for a fresh seed (kept in ``result_.seed``).
    n_jobs
        Threads for ``bic-gp``, ``bic-gam`` and CAM pruning; the result is the same whatever it is. -1: all cores.
    progress
        Show a progress bar on a terminal.
    variances
        ``"different"`` or ``"equal"`` residual variances, for continuous scores given by name.
    penalty
        ``"edges"`` (the paper's), ``"parameters"``, or ``"auto"``: edges with an edge budget, parameters without.
    exploration_scale
        ``"root-mean"``: exploration is multiplied with the absolute mean return of the previous decision's root, as in
        the paper's runs; ``"none"``: taken as it is.
    n_restarts
        Independent searches of which the best graph is kept. None: 1 with an edge budget, 4 without.
    cycle_tracking
        ``"incremental"`` (Algorithm 1 of the paper) or ``"traversal"`` (its naive rival, for comparison).
    start
        A DAG to start from; its edges count towards the budget.
    max_parents
        No variable gets more causes.
    kinds
        ``{"column": "continuous" | "discrete"}`` where the inferred kind is wrong.
    alpha
        Significance level of ``prune="cam"``.
    levels
        For discrete scores given by name, whose penalty or prior depends on how many levels columns have: ``"seen"`` in
        the rows, ``"declared"`` by the table (pandas Categorical, polars Enum), or ``{"column": number}``.

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

    def __init__(
        self,
        score: Any = "auto",
        edge_budget: int | None = None,
        sims_per_node: float = DEFAULT_SIMS_PER_NODE,
        horizon: int | None = None,
        exploration: float = DEFAULT_EXPLORATION,
        final_move: FinalMove = "most-visits",
        prune: str = "auto",
        knowledge: Knowledge | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        variances: Variances = "different",
        penalty: str = "auto",
        exploration_scale: ExplorationScale = "root-mean",
        n_restarts: int | None = None,
        cycle_tracking: str = "incremental",
        start: Any = None,
        max_parents: int | None = None,
        kinds: Any = None,
        alpha: float = 0.001,
        levels: Levels = "seen",
    ) -> None:
        self.score = score
        self.edge_budget = edge_budget
        self.sims_per_node = sims_per_node
        self.horizon = horizon
        self.exploration = exploration
        self.final_move = final_move
        self.prune = prune
        self.knowledge = knowledge
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.variances = variances
        self.penalty = penalty
        self.exploration_scale = exploration_scale
        self.n_restarts = n_restarts
        self.cycle_tracking = cycle_tracking
        self.start = start
        self.max_parents = max_parents
        self.kinds = kinds
        self.alpha = alpha
        self.levels = levels

    def _check_settings(self) -> None:
        checks.real("sims_per_node", self.sims_per_node, 0.0, strict=True)
        checks.integer("horizon", self.horizon, 1, optional=True)
        checks.real("exploration", self.exploration, 0.0)
        checks.integer("n_restarts", self.n_restarts, 1, optional=True)
        checks.one_of("final_move", self.final_move, ("most-visits", "highest-mean"))
        checks.one_of("exploration_scale", self.exploration_scale, ("root-mean", "none"))
        checks.one_of("cycle_tracking", self.cycle_tracking, ("incremental", "traversal"))

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        is_open = problem.edge_budget is None
        settings = CDUCTSettings(
            sims_per_node=self.sims_per_node,
            horizon=OPEN_HORIZON if self.horizon is None and is_open else self.horizon,
            exploration=self.exploration,
            exploration_scale=self.exploration_scale,
            final_move=self.final_move,
            n_restarts=self.n_restarts or (OPEN_RESTARTS if is_open else 1),
        )
        return cd_uct(problem, judgement.score, settings, rng, monitor), {
            **vars(settings),
            "cycle_tracking": self.cycle_tracking,
        }


class GreedySearch(ScoreSearch):
    """Add the best edge, again and again: the paper's baseline.

    Ties between edges are broken at random. Parameters and attributes are as those of `CDUCT`.
    """

    method: ClassVar[str] = "greedy"
    summary: ClassVar[str] = "the best edge, one at a time"

    def __init__(
        self,
        score: Any = "auto",
        edge_budget: int | None = None,
        prune: str = "auto",
        knowledge: Knowledge | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        variances: Variances = "different",
        penalty: str = "auto",
        start: Any = None,
        max_parents: int | None = None,
        kinds: Any = None,
        alpha: float = 0.001,
        levels: Levels = "seen",
    ) -> None:
        self.score = score
        self.edge_budget = edge_budget
        self.prune = prune
        self.knowledge = knowledge
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.variances = variances
        self.penalty = penalty
        self.start = start
        self.max_parents = max_parents
        self.kinds = kinds
        self.alpha = alpha
        self.levels = levels

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        return greedy(problem, judgement.score, rng, monitor), {}


class RandomSampling(GreedySearch):
    """One uniform rollout of the decision process: the floor that any search should beat.

    Parameters and attributes are as those of `CDUCT`.
    """

    method: ClassVar[str] = "random-sampling"
    summary: ClassVar[str] = "one uniform rollout"

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        return random_search(problem, judgement.score, 1, rng, monitor), {}


class RandomSearch(ScoreSearch):
    """The best of many uniform rollouts, as many as CD-UCT would make simulations.

    Parameters and attributes are as those of `CDUCT`.
    """

    method: ClassVar[str] = "random-search"
    summary: ClassVar[str] = "the best of many uniform rollouts"

    def __init__(
        self,
        score: Any = "auto",
        edge_budget: int | None = None,
        sims_per_node: float = DEFAULT_SIMS_PER_NODE,
        prune: str = "auto",
        knowledge: Knowledge | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        variances: Variances = "different",
        penalty: str = "auto",
        start: Any = None,
        max_parents: int | None = None,
        kinds: Any = None,
        alpha: float = 0.001,
        levels: Levels = "seen",
    ) -> None:
        self.score = score
        self.edge_budget = edge_budget
        self.sims_per_node = sims_per_node
        self.prune = prune
        self.knowledge = knowledge
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.variances = variances
        self.penalty = penalty
        self.start = start
        self.max_parents = max_parents
        self.kinds = kinds
        self.alpha = alpha
        self.levels = levels

    def _check_settings(self) -> None:
        checks.real("sims_per_node", self.sims_per_node, 0.0, strict=True)

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        n_simulations = n_rollouts(problem, self.sims_per_node)
        return random_search(problem, judgement.score, n_simulations, rng, monitor), {
            "sims_per_node": self.sims_per_node
        }
