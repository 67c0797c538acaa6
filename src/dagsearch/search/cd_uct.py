"""CD-UCT, Algorithm 2 of the paper: each edge's stub and endpoint is decided by a tree search of its own.

The tree is built anew for every decision. The best graph met in any simulation is remembered and returned, so the
final moves only steer the search. Without an edge budget the best graph may have any size, the prefixes of all
simulations included, and the search ends when it has moved there and met nothing better with more edges. The best graph
may then be refined, which can take edges back: by moves in an order of the variables, or by swaps that keep the budget.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from dagsearch.graph.bitset import rows_from_membership
from dagsearch.search.checkpoint import Stage
from dagsearch.search.forest import ParentTrees
from dagsearch.search.guidance import Guidance
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.outcomes import finished, outcome_of
from dagsearch.search.protocol import FINISHED, Outcome, Problem, ScoreLike
from dagsearch.search.refine import Refinement, can_refine, check_on
from dagsearch.search.seeds import interacting_pairs
from dagsearch.search.simulator import Simulator

Calibration = Literal["greedy", "exploring"]
FinalMove = Literal["most-visits", "highest-mean"]
HorizonEnds = Literal["simulations", "rollouts"]
Keep = Literal["budget-size", "any-size"]
ExplorationScale = Literal["root-mean", "none"]
Rollout = Literal["uniform", "guided"]
TreePolicy = Literal["ucb1", "puct"]


@dataclass(frozen=True)
class CDUCTSettings:
    """Settings of CD-UCT.

    Attributes
    ----------
    sims_per_node
        Simulations per decision, times the number of variables (b_sims of the paper).
    horizon
        A simulation adds at most so many edges to the root; None: up to the budget.
    horizon_ends
        ``"simulations"``; or ``"rollouts"`` only, as in the paper's runs: the tree may grow beyond the horizon, and
        what it adds there is scored as it stands.
    exploration
        Weight of UCB1's exploration term.
    exploration_scale
        ``"root-mean"`` multiplies it with the absolute mean return of the previous decision's root, as the paper's
        runs did; ``"none"`` takes it as it is.
    calibration
        How the first decision is searched to learn that mean: ``"greedy"``, without exploration, or ``"exploring"``,
        with the exploration as it is, as the paper's runs did.
    keep
        With an edge budget: the best graph is one of ``"budget-size"``, or the end of a simulation of ``"any-size"``.
    final_move
        Decide for the child with most visits or with the highest mean return.
    n_restarts
        Independent searches, of which the best graph is kept.
    refine
        Whether to improve the best graph afterwards.
    rollout
        ``"uniform"`` as in the paper, or ``"guided"``: edges are drawn by a softmax over what they are known to gain.
    tree_policy
        ``"ucb1"`` as in the paper, or ``"puct"``, which takes the same weights for a prior; for guided rollouts.
    temperature
        Of the softmax, as a share of the largest gain at the root.
    """

    sims_per_node: float
    horizon: int | None
    exploration: float
    exploration_scale: ExplorationScale
    final_move: FinalMove
    n_restarts: int = 1
    refine: bool = False
    rollout: Rollout = "uniform"
    tree_policy: TreePolicy = "ucb1"
    temperature: float = 1.0
    horizon_ends: HorizonEnds = "simulations"
    calibration: Calibration = "greedy"
    keep: Keep = "budget-size"


def cd_uct(
    problem: Problem, score: ScoreLike, settings: CDUCTSettings, rng: np.random.Generator, monitor: Monitor
) -> Outcome:
    """Search for the DAG with the highest reward."""
    outcomes: list[Outcome] = []
    within_reach = problem if problem.edge_budget is not None else _promising(problem, score, monitor)
    if monitor.status != FINISHED:
        start = problem.start.astype(np.int8)
        return Outcome(start, score.reward_of(start), 0, 0, 0, monitor.status)
    for _ in range(settings.n_restarts):
        (own_rng,) = rng.spawn(1)
        _begin(len(outcomes), outcomes, monitor)
        stage = monitor.stage(f"restart {len(outcomes)}")
        found = None if stage.result is None else outcome_of(stage.result)
        outcomes.append(found or _search_once(within_reach, score, settings, own_rng, monitor, stage))
        if monitor.status != FINISHED:
            break
    if settings.refine and monitor.status == FINISHED and can_refine(score):
        outcomes = _refined(outcomes, problem, score, rng, monitor)
    best = max(outcomes, key=lambda outcome: (_n_counted_edges(problem, settings, outcome), outcome.reward))
    return replace(
        best,
        n_simulations=sum(outcome.n_simulations for outcome in outcomes),
        n_calibration_simulations=sum(outcome.n_calibration_simulations for outcome in outcomes),
        status=monitor.status,
    )


def _begin(restart: int, outcomes: list[Outcome], monitor: Monitor) -> None:
    """Tell the recorder, if there is one, that what comes is of a restart, and what was simulated before it."""
    if monitor.recorder is not None:
        n_before = sum(outcome.n_simulations + outcome.n_calibration_simulations for outcome in outcomes)
        monitor.recorder.begin(restart, n_before)


def _n_counted_edges(problem: Problem, settings: CDUCTSettings, outcome: Outcome) -> int:
    """With a budget, a graph that spent more of it goes before any reward, unless graphs of any size count."""
    size_counts = problem.edge_budget is not None and settings.keep == "budget-size"
    return int(outcome.adjacency.sum()) if size_counts else 0


def _promising(problem: Problem, score: ScoreLike, monitor: Monitor) -> Problem:
    """The problem without the causes that alone gain least, if local scores take milliseconds.

    As many causes of a variable are kept as have sets that can all be afforded. Refinement looks at the others, too.
    """
    d = problem.n_nodes
    most = int(np.log2(max(score.affordable / d, 2.0)))
    if most >= d - 1 or not score.is_fitted:
        return problem
    stage = monitor.stage("screening")
    if stage.result is not None:
        return replace(problem, allowed=stage.result["allowed"])
    allowed = problem.start.copy()
    with monitor.guard():
        for node in range(d):
            stage.offer()
            monitor.check(lambda seconds: Progress(0.0, 0, None, 0, 0.0, seconds, detail="screening"))
            causes = np.flatnonzero(problem.allowed[:, node] & (np.arange(d) != node))
            sets = problem.start[:, node] | np.eye(d, dtype=bool)[causes]
            terms = score.terms(np.full(len(causes), node), rows_from_membership(sets))
            gains = score.combine(terms[:, 0], terms[:, 1])
            allowed[causes[np.argsort(-gains, kind="stable")[:most]], node] = True
        stage.finish({"allowed": allowed})
    return replace(problem, allowed=allowed)


def _refined(
    outcomes: list[Outcome], problem: Problem, score: ScoreLike, rng: np.random.Generator, monitor: Monitor
) -> list[Outcome]:
    """The outcomes with the best graphs that refinement leads to: the best one at first need not be so in the end.

    The last one is also searched for afresh, from a random order, where local scores are cheap.
    """
    is_sum = problem.edge_budget is None and not score.family.equal_variances
    trees = None
    with monitor.guard():
        if is_sum:
            check = partial(check_on, monitor, outcomes[0].reward)
            seeds = interacting_pairs(problem, score, check, monitor.stage("pairs"))
            trees = ParentTrees(problem, score, seeds=seeds)
    refined = []
    for restart, outcome in enumerate(outcomes):
        _begin(restart, outcomes, monitor)
        refinement = Refinement(problem, score, outcome.adjacency, rng, monitor, trees)
        if monitor.status == FINISHED:
            with monitor.guard():
                refinement.run(name=f"refinement {restart}")
                if outcome is outcomes[-1] and is_sum and not score.is_fitted:
                    refinement.run(afresh=True, name="afresh")
        refined.append(replace(outcome, adjacency=refinement.best, reward=score.reward_of(refinement.best)))
    return refined


def _search_once(
    problem: Problem,
    score: ScoreLike,
    settings: CDUCTSettings,
    rng: np.random.Generator,
    monitor: Monitor,
    stage: Stage,
) -> Outcome:
    """One run of Algorithm 2."""
    search = Simulator(
        problem,
        score,
        int(rng.integers(2**63)),
        monitor,
        settings.horizon,
        Guidance(problem, score, settings.temperature) if settings.rollout == "guided" else None,
        uses_prior=settings.tree_policy == "puct",
        tree_beyond_horizon=settings.horizon_ends == "rollouts",
        keeps_any_size=settings.keep == "any-size",
        stage=stage,
    )
    n_sims = max(1, int(settings.sims_per_node * problem.n_nodes))
    budget = problem.edge_budget
    search.n_steps = None if budget is None else 2 * (budget - problem.n_start_edges)
    with monitor.guard():
        if settings.exploration_scale == "root-mean" and search.has_actions:
            # The first decision has no predecessor: it is searched once only to learn the scale.
            search.calibrate(n_sims, settings.exploration if settings.calibration == "exploring" else 0.0)
        while search.has_actions:
            search.simulate(n_sims, _exploration(search, settings))
            if budget is None and search.at_best:
                break
            action = _final_move(search, settings.final_move)
            if search.record is not None:
                search.record.decided(search, action)
            search.move(action)
            search.step += 1
    if search.record is not None:
        search.record.tell_best(search)
    outcome = Outcome(
        adjacency=search.best_adjacency(),
        reward=search.best_reward,
        n_simulations=search.n_simulations,
        n_calibration_simulations=search.n_calibration_simulations,
        n_steps=search.step,
        status=monitor.status,
    )
    return finished(stage, outcome)


def _exploration(search: Simulator, settings: CDUCTSettings) -> float:
    """C of UCB1: epsilon, or epsilon times the mean return at the previous root."""
    if settings.exploration_scale == "none":
        return settings.exploration
    return settings.exploration * abs(search.root_mean)


def _final_move(search: Simulator, rule: FinalMove) -> int:
    """The action to take at the root; ties go to the other criterion.

    Without a budget only edges of the best graph so far are candidates, so that the root grows into that graph unless
    a better one is met on the way.
    """
    actions, visits, means = search.children()
    if search.problem.edge_budget is None:
        to_best = search.actions_to_best()
        leads = np.isin(actions, to_best)
        if not leads.any():  # with very few simulations no tree node may lead there
            return int(to_best[0])
        actions, visits, means = actions[leads], visits[leads], means[leads]
    keys = (means, visits) if rule == "most-visits" else (visits, means)
    return int(actions[np.lexsort(keys)[-1]])
