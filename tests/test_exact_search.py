"""Exact search as a whole: against brute force over all DAGs of few nodes, and how it ends early."""

import itertools
import math
import sys
from dataclasses import replace
from importlib.util import find_spec

import naive
import numpy as np
import pytest
from common import discrete_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch import scores
from dagsearch.errors import InputError, MissingExtraError
from dagsearch.graph.bitset import rows_from_membership
from dagsearch.search.exact import ExactSettings, exact, learner
from dagsearch.search.greedy import greedy
from dagsearch.search.monitor import Monitor, OutOfTimeError
from dagsearch.search.protocol import Problem

DAGS = {n_nodes: naive.parents_in_all_dags(n_nodes) for n_nodes in (1, 2, 3, 4, 5)}
SIZES = np.array([number.bit_count() for number in range(32)])
SOLVERS = ("dynamic", "highs", "scip") if find_spec("pyscipopt") else ("dynamic", "highs")
KINDS = {"dense": (2**-10, 0.0), "sparse": (2**-10, 0.75), "tied": (1.0, 0.5)}


# --- Brute force -----------------------------------------------------------------------------------


class LocalTable:
    """Random local scores less a penalty for each parent, in steps of which sums have no rounding.

    Without a penalty dense graphs are best; with one most parent sets are dominated.
    """

    def __init__(self, seed, n_nodes, kind):
        step, penalty = KINDS[kind]
        noise = np.random.default_rng(seed).normal(size=(n_nodes, 2**n_nodes))
        self.scores = np.round(noise / step) * step - penalty * SIZES[: 2**n_nodes]

    def local(self, node, parents):
        return self.scores[node, sum(1 << parent for parent in parents)]


def made(seed, n_nodes, kind):
    return scores.adapt(LocalTable(seed, n_nodes, kind), n_nodes)


def problem_of(n_nodes, edge_budget=None, required=(), allowed=None, max_parents=None):
    return Problem(
        start=naive.adjacency_of(frozenset(required), n_nodes).astype(bool),
        allowed=np.ones((n_nodes, n_nodes), dtype=bool) if allowed is None else allowed,
        edge_budget=edge_budget,
        max_parents=n_nodes - 1 if max_parents is None else max_parents,
    )


def numbers_of(adjacency):
    """The parents of each node as a number."""
    return (1 << np.arange(len(adjacency))) @ adjacency


def fitting(problem, exactly=True):
    """Which of all DAGs a problem allows."""
    parents = DAGS[problem.n_nodes]
    required, possible = numbers_of(problem.start), numbers_of(problem.start | problem.allowed)
    sizes, budget = SIZES[parents], problem.edge_budget
    fits = ((parents & required) == required).all(axis=1) & ((parents & ~possible) == 0).all(axis=1)
    fits &= sizes.max(axis=1) <= problem.max_parents
    n_edges = sizes.sum(axis=1)
    return fits & (budget is None or (n_edges == budget if exactly else n_edges <= budget))


def all_rewards(score):
    """The reward of every DAG from the terms of all families."""
    n_nodes = score.n_nodes
    sets = (np.arange(2**n_nodes)[:, np.newaxis] >> np.arange(n_nodes) & 1).astype(bool)
    terms = np.full((n_nodes, 2**n_nodes, 2), np.nan)
    for node in range(n_nodes):
        without = ~sets[:, node]
        terms[node, without] = score.terms(np.full(without.sum(), node), rows_from_membership(sets[without]))
    values, penalties = np.moveaxis(terms[np.arange(n_nodes), DAGS[n_nodes]].sum(axis=1), 1, 0)
    return (-np.log(values + 1e-8) if score.equal_variances else values) - penalties


def search(score, problem, seed=0, monitor=None, first=None, **chosen):
    most = problem.max_parents if problem.max_parents < problem.n_nodes - 1 else None
    chosen = ExactSettings(**{"max_parents": most, **chosen})
    return exact(problem, score, chosen, np.random.default_rng(seed), monitor or Monitor(), first)


def assert_fits(adjacency, problem, exactly=True):
    """The graph is one of all DAGs that the problem allows."""
    place = np.flatnonzero((DAGS[problem.n_nodes] == numbers_of(adjacency)).all(axis=1))
    assert len(place) == 1
    assert fitting(problem, exactly)[place[0]]


def assert_optimal(outcome, score, rewards, problem, exactly=True, tolerance=0.0):
    assert outcome.status == "finished"
    assert outcome.max_parents is None
    assert_fits(outcome.adjacency, problem, exactly)
    assert outcome.reward == score.reward_of(outcome.adjacency)
    assert outcome.bound == outcome.reward
    optimum = rewards[fitting(problem, exactly)].max()
    assert outcome.reward == pytest.approx(optimum, rel=0, abs=tolerance)


def test_the_numbers_of_all_dags_are_those_of_the_enumeration_by_sets_of_edges():
    numbers = {tuple(numbers_of(naive.adjacency_of(edges, 4)).tolist()) for edges in naive.all_dags(4)}
    assert sorted(numbers) == sorted(map(tuple, DAGS[4].tolist()))
    assert [len(dags) for dags in DAGS.values()] == [1, 3, 25, 543, 29281]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_optimum_is_that_of_brute_force_with_every_edge_budget(kind, solver):
    score = made(2, 4, kind)
    rewards = all_rewards(score)
    for budget, exactly in [(None, True), *((b, True) for b in range(7)), (0, False), (2, False), (5, False)]:
        problem = problem_of(4, budget)
        assert_optimal(search(score, problem, exactly=exactly, solver=solver), score, rewards, problem, exactly)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_optimum_is_that_of_brute_force_over_all_dags_of_five_nodes(kind, solver):
    score = made(3, 5, kind)
    rewards = all_rewards(score)
    for budget, exactly in [(None, True), (2, True), (6, True), (9, True), (4, False)]:
        problem = problem_of(5, budget)
        assert_optimal(search(score, problem, exactly=exactly, solver=solver), score, rewards, problem, exactly)


@st.composite
def restrictions(draw):
    """Required edges of some DAG, forbidden ones, parents and edges limited: each or none of these."""
    n_nodes = draw(st.sampled_from([3, 4, 4, 5]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dag = DAGS[n_nodes][rng.integers(len(DAGS[n_nodes]))] >> np.arange(n_nodes)[:, np.newaxis] & 1
    required = np.argwhere(dag & (rng.random(dag.shape) < draw(st.sampled_from([0.0, 0.3]))))
    allowed = rng.random(dag.shape) < draw(st.sampled_from([1.0, 0.8, 0.5]))
    problem = problem_of(n_nodes, None, map(tuple, required.tolist()), allowed, draw(st.integers(1, n_nodes - 1)))
    problem = replace(problem, max_parents=max(problem.max_parents, int(problem.start.sum(axis=0).max())))
    least, most = problem.n_start_edges, problem.max_edges
    return replace(problem, edge_budget=draw(st.none() | st.integers(least, max(least, most))))


@given(restrictions(), st.booleans(), st.sampled_from(sorted(KINDS)), st.integers(0, 99))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_the_optimum_is_that_of_brute_force_under_all_kinds_of_restrictions(problem, exactly, kind, seed):
    score = made(seed, problem.n_nodes, kind)
    rewards = all_rewards(score)
    for solver in SOLVERS:
        if fitting(problem, exactly).any():
            assert_optimal(search(score, problem, exactly=exactly, solver=solver), score, rewards, problem, exactly)
            continue
        with pytest.raises(InputError, match=f"edge_budget is {problem.edge_budget}, but no DAG with so many"):
            search(score, problem, exactly=exactly, solver=solver)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bic-linear", {}),
        ("bic-linear", {"penalty": "parameters"}),
        ("bic-quadratic", {"penalty": "parameters"}),
        ("bic-discrete", {}),
        ("bdeu", {"sample_size": 10.0}),
    ],
)
def test_the_optimum_by_our_scores_is_that_of_brute_force(name, options):
    table = discrete_frame(60) if name in scores.DISCRETE else normal_table(60, 5)
    score = scores.make(name, table, **options)
    rewards = all_rewards(score)
    for problem in (problem_of(5), problem_of(5, 3), problem_of(5, 8)):
        assert_optimal(search(score, problem), score, rewards, problem, tolerance=1e-12)


@pytest.mark.parametrize(("n_nodes", "budgets"), [(4, (None, 0, 1, 2, 3, 4, 5, 6)), (5, (None, 3, 7))])
@pytest.mark.parametrize("penalty", ["edges", "parameters"])
@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_the_optimum_with_equal_variances_is_that_of_brute_force(name, penalty, n_nodes, budgets):
    score = scores.make(name, normal_table(40, n_nodes, seed=1), variances="equal", penalty=penalty)
    rewards = all_rewards(score)
    for budget in budgets:
        problem = problem_of(n_nodes, budget)
        assert_optimal(search(score, problem), score, rewards, problem, tolerance=1e-9)
    problem = problem_of(n_nodes, 3, [(3, 0)], max_parents=2)
    assert_optimal(search(score, problem, exactly=False), score, rewards, problem, exactly=False, tolerance=1e-9)


def test_the_result_is_no_worse_than_the_first_graph_and_does_not_depend_on_it():
    score = made(5, 4, "tied")
    for budget in (None, 6, 3):
        outcome = search(score, problem_of(4, budget), first=np.triu(np.ones((4, 4), dtype=np.int8), 1))
        assert_optimal(outcome, score, all_rewards(score), problem_of(4, budget))


@pytest.mark.parametrize("edge_budget", [None, 0])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_single_node_has_the_empty_graph(edge_budget, solver):
    score, problem = made(0, 1, "dense"), problem_of(1, edge_budget)
    assert_optimal(search(score, problem, solver=solver), score, all_rewards(score), problem)


# --- The best graphs -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("budget", "exactly"), [(None, True), (2, True), (4, True), (3, False)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_best_graphs_are_the_first_of_all_sorted_by_reward(kind, budget, exactly, solver):
    score = made(7, 4, kind)
    problem = problem_of(4, budget)
    n_best = 30 if solver == "dynamic" else 4
    outcome = search(score, problem, exactly=exactly, n_best=n_best, solver=solver)
    rewards = np.sort(all_rewards(score)[fitting(problem, exactly)])[::-1]
    assert [ranked.reward for ranked in outcome.ranking] == rewards[:n_best].tolist()
    assert len({ranked.adjacency.tobytes() for ranked in outcome.ranking}) == n_best
    for ranked in outcome.ranking:
        assert_fits(ranked.adjacency, problem, exactly)
        assert ranked.reward == score.reward_of(ranked.adjacency)
    assert outcome.reward == outcome.bound == rewards[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_more_graphs_than_there_are_means_all_of_them(kind, solver):
    score = made(1, 3, kind)
    ranking = search(score, problem_of(3), n_best=26, solver=solver).ranking
    assert [ranked.reward for ranked in ranking] == np.sort(all_rewards(score))[::-1].tolist()
    assert len({ranked.adjacency.tobytes() for ranked in ranking}) == 25


@pytest.mark.parametrize("n_best", [2, 5, 15])
@pytest.mark.parametrize("budget", [None, 2, 5])
def test_the_best_graphs_obey_restrictions(n_best, budget):
    problem = problem_of(4, budget, [(0, 1)], ~np.eye(4, k=3, dtype=bool), 2)
    for seed, kind in itertools.product(range(3), KINDS):
        score = made(seed, 4, kind)
        rewards = np.sort(all_rewards(score)[fitting(problem)])[::-1]
        ranking = search(score, problem, n_best=n_best).ranking
        assert [ranked.reward for ranked in ranking] == rewards[:n_best].tolist()


def test_a_ranking_is_refused_where_the_reward_is_no_sum_over_nodes():
    score = scores.make("bic-linear", normal_table(30, 3), variances="equal")
    with pytest.raises(InputError, match="n_best must be 1 with variances='equal'"):
        search(score, problem_of(3), n_best=2)


# --- Limits of what can be afforded ----------------------------------------------------------------


@pytest.mark.parametrize(("affordable", "most"), [(24, 0), (30, 1), (70, 2)])
@pytest.mark.parametrize("budget", [None, 3, 7])
def test_the_bound_holds_for_graphs_with_as_many_parents_as_could_be_afforded(monkeypatch, affordable, most, budget):
    score = made(6, 5, "dense")
    monkeypatch.setattr(type(score), "affordable", affordable)
    outcome = search(score, problem_of(5, budget))
    assert outcome.status == "finished"
    assert outcome.max_parents == most
    assert_fits(outcome.adjacency, problem_of(5, budget))
    afforded = fitting(problem_of(5, budget)) & (SIZES[DAGS[5]].max(axis=1) <= most)
    assert outcome.bound == outcome.best_reward == all_rewards(score)[afforded].max(initial=-math.inf)
    assert outcome.reward == score.reward_of(outcome.adjacency) >= outcome.bound
    assert outcome.scope.has(outcome.adjacency) is bool(outcome.adjacency.sum(axis=0).max() <= most)


@pytest.mark.parametrize("n_best", [3, 12])
def test_the_best_graphs_with_as_many_parents_as_could_be_afforded_are_found(monkeypatch, n_best):
    monkeypatch.setattr(type(made(0, 4, "dense")), "affordable", 16)
    for seed in range(6):
        score = made(seed, 4, "dense")
        rewards = np.sort(all_rewards(score)[fitting(problem_of(4, max_parents=1))])[::-1]
        outcome = search(score, problem_of(4), n_best=n_best)
        assert outcome.max_parents == 1
        assert [ranked.reward for ranked in outcome.ranking] == rewards[:n_best].tolist()


# --- Early ends ------------------------------------------------------------------------------------


class Stopping(Monitor):
    """Ends a search by an exception from the n-th time on that it is asked."""

    def __init__(self, at_check, error):
        super().__init__()
        self.n_left = at_check
        self.error = error

    def check(self, report):
        self.n_left -= 1
        report(0.0)
        if self.n_left <= 0:
            raise self.error


@pytest.mark.parametrize(("budget", "exactly"), [(None, True), (2, True), (5, True), (5, False)])
@pytest.mark.parametrize(("error", "status"), [(OutOfTimeError, "time-limit"), (KeyboardInterrupt, "interrupted")])
@pytest.mark.parametrize("variances", ["different", "equal"])
def test_wherever_a_search_ends_early_its_graph_fits_and_its_bound_holds(budget, exactly, variances, error, status):
    score = made(1, 4, "dense")
    if variances == "equal" or status == "interrupted":
        score = scores.make("bic-linear", normal_table(30, 4, seed=2), variances=variances)
    problem = problem_of(4, budget, [(3, 1)], max_parents=2)
    optimum = all_rewards(score)[fitting(problem, exactly)].max()
    outcomes, monitor = [], Stopping(0, error)
    while monitor.n_left <= 0:
        monitor = Stopping(len(outcomes) + int(1.3 ** len(outcomes)), error)
        outcome = search(score, problem, exactly=exactly, solver="highs", monitor=monitor)
        outcomes.append(outcome)
        assert_fits(outcome.adjacency, problem, exactly)
        assert outcome.reward == score.reward_of(outcome.adjacency)
        assert outcome.bound >= max(optimum - 1e-12, outcome.reward)
        assert outcome.status == (status if monitor.n_left <= 0 else "finished")
    assert len(outcomes) > 5
    assert outcomes[-1].bound == pytest.approx(optimum, abs=1e-9)
    assert all(later.bound <= sooner.bound + 1e-12 for sooner, later in itertools.pairwise(outcomes))


@pytest.mark.parametrize(("budget", "exactly"), [(None, True), (4, True), (4, False)])
def test_no_time_at_all_still_gives_a_graph(budget, exactly):
    score = made(0, 5, "dense")
    problem = problem_of(5, budget, [(1, 0)])
    outcome = search(score, problem, exactly=exactly, monitor=Monitor(time_limit=0.0))
    assert outcome.status == "time-limit"
    assert_fits(outcome.adjacency, problem, exactly)
    assert outcome.reward == score.reward_of(outcome.adjacency)
    assert outcome.bound == math.inf


def raising_at(call, score, method, error):
    """Let a method of a score raise at its n-th call."""
    original, calls = getattr(score, method), []

    def faulty(*arguments):
        calls.append(arguments)
        if len(calls) == call:
            raise error
        return original(*arguments)

    setattr(score, method, faulty)
    return calls


@pytest.mark.parametrize(("method", "call"), [("survey", 1), ("survey", 4), ("survey", 9), ("local", 9), ("local", 40)])
def test_an_interrupt_inside_a_score_ends_with_the_best_graph_so_far(method, call):
    score, optimum = made(0, 5, "dense"), all_rewards(made(0, 5, "dense")).max()
    met = raising_at(call, score if method == "survey" else score.user_score, method, KeyboardInterrupt)
    outcome = search(score, problem_of(5))
    assert outcome.status == "interrupted"
    assert len(met) <= call + 5  # one family of each node to judge the best graph so far
    assert_fits(outcome.adjacency, problem_of(5))
    assert outcome.bound >= optimum >= outcome.reward


def test_an_interrupt_while_edges_are_filled_up_ends_the_search(monkeypatch):
    def interrupted(problem, score, rng, monitor):
        if problem.start.any():
            monitor.status = "interrupted"
        return greedy(problem, score, rng, monitor)

    monkeypatch.setattr(learner, "greedy", interrupted)
    score = made(0, 4, "sparse")
    outcome = search(score, problem_of(4, 6))
    assert outcome.status == "interrupted"
    assert outcome.bound > all_rewards(score)[fitting(problem_of(4, 6))].max() >= outcome.reward


def test_an_error_inside_a_score_is_passed_on():
    score = made(0, 4, "dense")
    raising_at(6, score, "survey", ZeroDivisionError("mine"))
    with pytest.raises(ZeroDivisionError, match="mine"):
        search(score, problem_of(4))


# --- Seeds and solvers -----------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_seed_repeats_and_another_has_the_same_reward(solver):
    score = made(11, 5, "tied")
    for budget in (None, 4):
        one, again, other = (search(score, problem_of(5, budget), seed, solver=solver) for seed in (1, 1, 2))
        assert np.array_equal(one.adjacency, again.adjacency)
        assert one.reward == other.reward


def test_without_scip_its_solver_names_the_extra_before_anything_else(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    score = made(0, 3, "dense")
    raising_at(1, score, "terms", AssertionError)
    with pytest.raises(MissingExtraError, match=r"solver='scip' needs .*'\.\[exact\]'"):
        search(score, problem_of(3), solver="scip")
