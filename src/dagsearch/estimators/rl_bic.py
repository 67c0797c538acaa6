"""RL-BIC (Zhu, Ng and Chen 2020) as an estimator."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dagsearch import checks, memory, parameters, scores
from dagsearch.baselines.rl_bic import RLBICSettings, TrainingState, train
from dagsearch.errors import InputError
from dagsearch.estimators.base import CONTINUOUS_DATA, Judgement
from dagsearch.estimators.scored import ScoreSearch
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.protocol import Outcome, Problem

# Of variables, in each graph: weights of 16 heads that the gradients of 6 blocks need, three arrays like them for one
# block, its products over head widths of 4 with their gradient; what the decoder computes, and its gradients.
_BYTES_PER_PAIR = 16 * 4 * (6 + 3 + 2 * 4) + 16 * 4 * 3


class RLBIC(parameters.RLBIC, ScoreSearch):
    """Reinforcement learning with BIC: a policy network proposes whole graphs, and the best DAG that it met is kept.

    The networks and their training are those of Zhu et al. (2020) with the settings of the paper's runs. Needs the
    extra ``rl``. JAX computes on all cores, or on a GPU if it was installed for one. Columns in
    another order are like another seed.

    Attributes
    ----------
    dag_, pruned_dag_, evidence_, reward_, result_, score_
        As those of `CDUCT`; ``result_.n_simulations`` counts sampled graphs.
    """

    method: ClassVar[str] = "rl-bic"
    summary: ClassVar[str] = "policy gradient: a network proposes whole graphs"
    data_kinds: ClassVar[tuple[str, ...]] = CONTINUOUS_DATA
    extra: ClassVar[str | None] = "rl"
    # The network reads whole rows, whatever of them is missing or was set.
    takes_gaps: ClassVar[bool] = False
    takes_interventions: ClassVar[bool] = False

    def _check_settings(self) -> None:
        checks.integer("n_iterations", self.n_iterations, 1)
        checks.integer("batch_size", self.batch_size, 1)
        checks.integer("input_dimension", self.input_dimension, 1)
        checks.real("learning_rate", self.learning_rate, 0.0, strict=True)
        checks.real("initial_bias", self.initial_bias, -50.0, 50.0)

    def _penalty(self, score_name: str) -> Any:
        return "edges" if self.penalty == "auto" and score_name in scores.REGRESSIONS else super()._penalty(score_name)

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        if not judgement.score.decomposable:
            raise InputError("score must have local(node, parents): rl-bic judges graphs with cycles, too")
        d = judgement.data.n_nodes
        memory.require(
            _BYTES_PER_PAIR * self.batch_size * float(d) ** 2,
            f"rl-bic with batches of {self.batch_size:,} graphs of {d:,} variables",
            "use fewer variables, or a smaller batch_size (--batch-size)",
        )
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
            if state.adjacency is not None:
                n_graphs = state.iteration * self.batch_size
                n_edges = int(state.adjacency.sum())
                monitor.note_best(state.reward, n_edges, "policy gradient", n_simulations=n_graphs)
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
