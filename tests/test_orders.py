"""Search over orders as a whole: what it keeps to, how it repeats, and how it ends."""

import math
import signal

import naive
import numpy as np
import pytest
from common import discrete_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st
from order_climbs import COMPILED_OR_EQUAL, found_by, tables
from search_problems import fits, problem_of, problems, some_graph
from stopping import Acting, interrupt, press_ctrl_c

from dagsearch import scores
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED, INTERRUPTED, TIME_LIMIT

# ---------------------------------------------------------------- what it keeps to


def check_outcome(problem, own, seed):
    outcome = found_by(problem, scores.adapt(own, problem.n_nodes), seed, n_kicks=3)
    edges = naive.edges_of(outcome.adjacency)
    assert fits(problem, edges)
    assert outcome.reward == own.reward_of_edges(edges)
    assert outcome.status == FINISHED


@settings(max_examples=60, deadline=None)
@given(problem=problems((2, 7)), seed=st.integers(0, 10_000))
def test_graphs_stay_within_the_problem_and_have_the_reward_that_is_reported(problem, seed):
    check_outcome(problem, naive.TableScore(seed, problem.n_nodes), seed)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(problem=problems((2, 8)), seed=st.integers(0, 2**40))
def test_ten_thousand_graphs_stay_within_the_problem_and_have_the_reward_that_is_reported(problem, seed):
    check_outcome(problem, naive.TableScore(seed, problem.n_nodes), seed)


@pytest.mark.parametrize(("name", "chosen"), COMPILED_OR_EQUAL)
def test_graphs_of_tables_stay_within_the_problem_and_have_the_reward_that_is_reported(name, chosen):
    rng = np.random.default_rng(6)
    for seed in range(6):
        start = some_graph(problem_of(7, max_parents=1), rng)
        allowed = (rng.random((7, 7)) < 0.7) | naive.adjacency_of(start, 7).astype(bool)
        problem = problem_of(7, start, allowed, max_parents=2)
        outcome = found_by(problem, scores.make(name, tables(name, seed), **chosen), seed)
        assert fits(problem, naive.edges_of(outcome.adjacency))
        afresh = scores.make(name, tables(name, seed), **chosen)
        assert outcome.reward == pytest.approx(afresh.reward(outcome.adjacency), abs=1e-12)


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_equal_variances_end_where_no_dag_of_four_nodes_is_much_better(name):
    dags = np.array([naive.adjacency_of(edges, 4) for edges in naive.all_dags(4)])
    n_best = 0
    for seed in range(10):
        score = scores.make(name, normal_table(60, 4, seed), variances="equal")
        outcome, best = found_by(problem_of(4), score, seed), score.rewards_of(dags).max()
        assert score.reward_of(np.zeros((4, 4), dtype=np.int8)) < outcome.reward <= best + 1e-12
        n_best += outcome.reward == pytest.approx(best, abs=1e-9)
    assert n_best >= 9


@pytest.mark.parametrize("seed", [1, 2])
def test_large_rewards_whose_sums_are_rounded_do_not_keep_a_search_from_ending(seed):
    """Rewards in nats of a hundred thousand rows: sums in another order differ by more than a negligible gain."""
    rng = np.random.default_rng(seed)
    alone, gains = np.abs(rng.normal(size=10)) * 1e6, rng.normal(size=(10, 10))

    class Large:
        def local(self, node, parents):
            return float(alone[node] + sum(gains[p, node] for p in parents) - 0.5 * len(parents) ** 1.5)

    assert found_by(problem_of(10), scores.adapt(Large(), 10), monitor=Monitor(time_limit=20.0)).status == FINISHED


# ---------------------------------------------------------------- seeds and threads


def test_one_seed_repeats_and_two_seeds_differ():
    problem = problem_of(9)
    found = [
        found_by(problem, scores.adapt(naive.TableScore(1, 9), 9), seed, n_restarts=1, n_kicks=0)
        for seed in (0, 0, 1, 2, 3, 4)
    ]
    assert naive.edges_of(found[0].adjacency) == naive.edges_of(found[1].adjacency)
    assert found[0].reward == found[1].reward
    assert len({naive.edges_of(each.adjacency) for each in found}) > 1


@pytest.mark.parametrize(("name", "chosen"), COMPILED_OR_EQUAL)
def test_the_number_of_threads_changes_nothing(name, chosen):
    """Some restarts end at worse graphs, others at equivalent ones, whose rewards differ by rounding."""
    table, problem = tables(name, 3, 10), problem_of(10)

    def found(seed, n_restarts, n_jobs=1):
        return found_by(
            problem, scores.make(name, table, **chosen), seed, None, n_restarts=n_restarts, n_kicks=0, n_jobs=n_jobs
        )

    alone = [found(seed, 1) for seed in range(12)]
    assert len({naive.edges_of(each.adjacency) for each in alone}) > 1
    assert len({round(each.reward, 9) for each in alone}) > 1
    for seed in range(5):
        each = [found(seed, 6, n_jobs) for n_jobs in (1, 2, 3)]
        assert len({naive.edges_of(one.adjacency) for one in each}) == 1
        assert len({one.reward for one in each}) == 1
        assert {one.n_steps for one in each} == {6}


def test_more_kicks_and_restarts_never_do_worse():
    own = naive.TableScore(1, 9)
    rewards = [
        found_by(problem_of(9), scores.adapt(own, 9), 1, n_restarts=n_restarts, n_kicks=n_kicks).reward
        for n_restarts, n_kicks in ((1, 0), (1, 30), (8, 30))
    ]
    assert rewards == sorted(rewards)
    assert rewards[0] < rewards[-1]


# ---------------------------------------------------------------- ending early


@pytest.mark.parametrize(("name", "chosen"), COMPILED_OR_EQUAL)
def test_progress_is_reported_with_rewards_of_graphs(name, chosen):
    heard = []

    class Listening(Monitor):
        def check(self, report):
            heard.append(report(0.0).best_reward)

    outcome = found_by(problem_of(7), scores.make(name, tables(name, 0), **chosen), monitor=Listening(), n_kicks=200)
    rewards = [reward for reward in heard if math.isfinite(reward)]
    assert rewards == sorted(rewards)
    assert rewards[-1] == pytest.approx(outcome.reward, abs=1e-9)


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_ctrl_c_leaves_the_best_graph_so_far(act, share):
    problem, handler = problem_of(7, frozenset({(6, 0)})), signal.getsignal(signal.SIGINT)
    counted = Acting(5, 7, -1, interrupt)
    whole = found_by(problem, scores.adapt(counted, 7))
    monitor, own = Monitor(), Acting(5, 7, 8 + int(share * counted.n_calls), act)
    outcome = found_by(problem, scores.adapt(own, 7), monitor=monitor)
    assert outcome.status == monitor.status == INTERRUPTED
    assert own.n_calls < counted.n_calls
    edges = naive.edges_of(outcome.adjacency)
    assert fits(problem, edges)
    assert outcome.reward == naive.TableScore(5, 7).reward_of_edges(edges) <= whole.reward
    assert signal.getsignal(signal.SIGINT) is handler


def test_the_time_limit_leaves_the_best_graph_so_far():
    problem, monitor = problem_of(7), Monitor(time_limit=60.0)
    counted = Acting(5, 7, -1, interrupt)
    found_by(problem, scores.adapt(counted, 7))

    def let_time_pass():
        monitor.time_limit = 0.0

    own = Acting(5, 7, counted.n_calls // 2, let_time_pass)
    outcome = found_by(problem, scores.adapt(own, 7), monitor=monitor)
    assert outcome.status == TIME_LIMIT
    assert fits(problem, naive.edges_of(outcome.adjacency))
    assert own.reward_of_edges(frozenset()) < outcome.reward == own.reward_of_edges(naive.edges_of(outcome.adjacency))


@pytest.mark.parametrize("time_limit", [1e-9, 0.3])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_time_limit_is_heard_in_all_threads(n_jobs, time_limit):
    score, problem = scores.make("bic-linear", normal_table(200, 12)), problem_of(12, frozenset({(11, 0)}))
    found_by(problem, score)  # compiles
    monitor = Monitor(time_limit=time_limit)
    outcome = found_by(problem, score, monitor=monitor, n_restarts=20, n_kicks=10**9, n_jobs=n_jobs)
    assert outcome.status == TIME_LIMIT
    assert monitor.seconds < 60
    assert fits(problem, naive.edges_of(outcome.adjacency))
    assert outcome.reward == pytest.approx(score.reward(outcome.adjacency), abs=1e-12)
    if time_limit < 1e-6:
        np.testing.assert_array_equal(outcome.adjacency, problem.start)
    else:
        assert outcome.reward > score.reward(problem.start.astype(np.int8))


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_ctrl_c_is_heard_in_all_threads(n_jobs, act):
    score, problem = scores.make("bic-discrete", discrete_frame(200, 7)), problem_of(7, frozenset({(6, 0)}))
    found_by(problem, score)
    handler, heard = signal.getsignal(signal.SIGINT), []

    def listen(progress):
        heard.append(progress.best_reward)
        if math.isfinite(progress.best_reward):
            act()

    monitor = Monitor(listener=listen, time_limit=30.0)
    outcome = found_by(problem, score, monitor=monitor, n_restarts=20, n_kicks=10**9, n_jobs=n_jobs)
    assert outcome.status == INTERRUPTED
    assert monitor.seconds < 60
    assert fits(problem, naive.edges_of(outcome.adjacency))
    assert outcome.reward == pytest.approx(score.reward(outcome.adjacency), abs=1e-12)
    assert heard[-1] <= outcome.reward + 1e-9
    assert signal.getsignal(signal.SIGINT) is handler
