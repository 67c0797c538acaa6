"""RL-BIC (Zhu, Ng and Chen 2020) as an estimator."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from dagsearch import checks, scores
from dagsearch.baselines.rl_bic import RLBICSettings, TrainingState, train
from dagsearch.errors import InputError
from dagsearch.estimators.base import CONTINUOUS_DATA, Judgement
from dagsearch.estimators.scored import ScoreSearch
from dagsearch.graph import Knowledge
from dagsearch.scores.levels import Levels
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.protocol import Outcome, Problem

_DEFAULTS = RLBICSettings()


class RLBIC(ScoreSearch):
    """Reinforcement learning with BIC: a policy network proposes whole graphs, and the best DAG that it met is kept.

    The networks and their training are those of Zhu et al. (2020) with the settings of the paper's runs. Needs the
    extra ``rl``: ``pip install 'dagsearch[rl]'``. JAX computes on all cores, or on a GPU if it was installed for one.

    Parameters
    ----------
    score
        As that of `CDUCT`, but decomposable: graphs with cycles are judged too. The paper uses ``"bic-gp"``.
    n_iterations
        Steps of training.
    batch_size
        Graphs sampled in each step.
    input_dimension
        Observations that describe each variable to the network, drawn afresh for each graph.
    learning_rate
        Of Adam at the start.
    initial_bias
        First value of the learnt bias of all edge logits.
    penalty
        ``"edges"``, the paper's and what ``"auto"`` stands for, or ``"parameters"``.
    prune, knowledge, time_limit, random_state, n_jobs, progress, variances, kinds, alpha, levels
        As those of `CDUCT`.

    Attributes
    ----------
    dag_, pruned_dag_, evidence_, reward_, result_, score_
        As those of `CDUCT`; ``result_.n_simulations`` counts sampled graphs.
    """

    method: ClassVar[str] = "rl-bic"
    summary: ClassVar[str] = "policy gradient: a network proposes whole graphs"
    data_kinds: ClassVar[tuple[str, ...]] = CONTINUOUS_DATA
    extra: ClassVar[str | None] = "rl"

    def __init__(
        self,
        score: Any = "auto",
        n_iterations: int = _DEFAULTS.n_iterations,
        batch_size: int = _DEFAULTS.batch_size,
        input_dimension: int = _DEFAULTS.input_dimension,
        learning_rate: float = _DEFAULTS.learning_rate,
        initial_bias: float = _DEFAULTS.initial_bias,
        prune: str = "auto",
        knowledge: Knowledge | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        variances: Literal["different", "equal"] = "different",
        penalty: str = "auto",
        kinds: Any = None,
        alpha: float = 0.001,
        levels: Levels = "seen",
    ) -> None:
        self.score = score
        self.n_iterations = n_iterations
        self.batch_size = batch_size
        self.input_dimension = input_dimension
        self.learning_rate = learning_rate
        self.initial_bias = initial_bias
        self.prune = prune
        self.knowledge = knowledge
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.variances = variances
        self.penalty = penalty
        self.kinds = kinds
        self.alpha = alpha
        self.levels = levels

    def _check_settings(self) -> None:
        checks.integer("n_iterations", self.n_iterations, 1)
        checks.integer("batch_size", self.batch_size, 1)
        checks.integer("input_dimension", self.input_dimension, 1)
        checks.real("learning_rate", self.learning_rate, 0.0, strict=True)
        checks.real("initial_bias", self.initial_bias, -50.0, 50.0)

    def _penalty(self, score_name: str) -> Any:
        return "edges" if self.penalty == "auto" and score_name not in scores.DISCRETE else super()._penalty(score_name)

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        if not judgement.score.decomposable:
            raise InputError("score must have local(node, parents): rl-bic judges graphs with cycles, too")
        settings = RLBICSettings(
            n_iterations=self.n_iterations,
            batch_size=self.batch_size,
            input_dimension=self.input_dimension,
            learning_rate=self.learning_rate,
            initial_bias=self.initial_bias,
        )
        last = TrainingState(0, None, -np.inf, 0.0)

        def note(state: TrainingState) -> None:
            nonlocal last
            last = state
            monitor.check(lambda seconds: self._progress(state, seconds))

        # Required edges are always there, so their reversals would always close a cycle.
        free = problem.allowed & ~problem.start & ~problem.start.T
        with monitor.guard():
            train(judgement.data.standardised(), judgement.score, settings, rng, note, free=free, forced=problem.start)
        adjacency = problem.start.astype(np.int8) if last.adjacency is None else last.adjacency
        n_graphs = last.iteration * self.batch_size
        outcome = Outcome(adjacency, last.reward, n_graphs, 0, last.iteration, monitor.status)
        return outcome, vars(settings)

    def _progress(self, state: TrainingState, seconds: float) -> Progress:
        return Progress(
            fraction=state.iteration / self.n_iterations,
            step=state.iteration,
            n_steps=self.n_iterations,
            n_simulations=state.iteration * self.batch_size,
            best_reward=state.reward,
            seconds=seconds,
            detail=f"{state.cyclic_share:.0%} cyclic",
        )
