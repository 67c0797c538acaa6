"""Random search: the best of independent uniform rollouts from the start graph; random sampling: one rollout."""

from __future__ import annotations

import numpy as np

from dagsearch.search.monitor import Monitor
from dagsearch.search.outcomes import finished, outcome_of
from dagsearch.search.protocol import Outcome, Problem, ScoreLike
from dagsearch.search.simulator import Simulator


def n_rollouts(problem: Problem, sims_per_node: float) -> int:
    """As many rollouts as CD-UCT would make simulations: b_sims * d per decision, two decisions per edge.

    Without a budget the number of edges is not known beforehand; one edge per variable is taken.
    """
    n_edges = problem.n_nodes if problem.edge_budget is None else problem.edge_budget - problem.n_start_edges
    return max(1, int(sims_per_node * problem.n_nodes) * 2 * n_edges)


def n_affordable(problem: Problem, score: ScoreLike) -> int:
    """As many rollouts as can be afforded if each of their edges asks for a local score that takes milliseconds."""
    return max(1, score.affordable // max(problem.max_edges, 1))


def random_search(
    problem: Problem, score: ScoreLike, n_simulations: int, rng: np.random.Generator, monitor: Monitor
) -> Outcome:
    """Keep the best of ``n_simulations`` rollouts."""
    stage = monitor.stage("rollouts")
    seed = int(rng.integers(2**63))
    if stage.result is not None:
        return outcome_of(stage.result)
    search = Simulator(problem, score, seed, monitor, stage=stage)
    search.n_steps = 1
    with monitor.guard():
        if search.has_actions:
            search.simulate(n_simulations, exploration=None)
            search.step = 1
    if search.record is not None:
        search.record.tell_best(search)
    outcome = Outcome(
        adjacency=search.best_adjacency(),
        reward=search.best_reward,
        n_simulations=search.n_simulations,
        n_calibration_simulations=0,
        n_steps=search.step,
        status=monitor.status,
    )
    return finished(stage, outcome)
