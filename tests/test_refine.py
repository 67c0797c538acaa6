"""Refinement of graphs that another search has found: what it keeps to, how it ends, and as a part of CD-UCT."""

import math
import signal

import naive
import numpy as np
import pytest
from common import is_dag, noise_table, normal_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_orders import best_of_all_dags
from order_climbs import Weights, refined
from search_problems import fits, problem_of, problems, some_graph
from stopping import Acting, interrupt, press_ctrl_c

import dagsearch as ds
from dagsearch import scores
from dagsearch.graph import Knowledge
from dagsearch.scores.custom import CustomLocalScore
from dagsearch.search import cd_uct
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import INTERRUPTED, TIME_LIMIT
from dagsearch.search.refine import can_refine

ALL_DAGS = naive.all_dags(4)


# ---------------------------------------------------------------- graphs


@settings(max_examples=40, deadline=None)
@given(problem=problems(), seed=st.integers(0, 10_000))
def test_a_graph_never_gets_worse_and_stays_within_the_problem(problem, seed):
    own = naive.TableScore(seed, problem.n_nodes)
    before = some_graph(problem, np.random.default_rng(seed))
    assert fits(problem, before)
    after = refined(problem, own, before, seed)
    assert fits(problem, after)
    assert own.reward_of_edges(after) >= own.reward_of_edges(before)


@pytest.mark.long
@pytest.mark.parametrize("max_parents", [None, 1, 2])
@pytest.mark.parametrize("start", [frozenset(), frozenset({(3, 1)})])
def test_no_dag_of_four_nodes_gets_worse_and_none_better_than_the_best(max_parents, start):
    problem = problem_of(4, start, max_parents=max_parents)
    within = [edges for edges in ALL_DAGS if fits(problem, edges)]
    n_better = 0
    for seed in range(10):
        own = naive.TableScore(seed, 4)
        best = max(map(own.reward_of_edges, within))
        for before in within[seed::90]:
            after = refined(problem, own, before, seed)
            assert after in within
            assert own.reward_of_edges(before) <= own.reward_of_edges(after) <= best
            n_better += own.reward_of_edges(before) < own.reward_of_edges(after)
    assert n_better > 5


@pytest.mark.long
def test_weights_of_five_nodes_are_maximised_over_all_dags():
    for seed in range(10):
        own = Weights(seed, 5)
        found = refined(problem_of(5), own, frozenset(), seed)
        assert sum(own.of_edge[edge] for edge in found) == pytest.approx(best_of_all_dags(own, 5), abs=1e-9)


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_with_equal_variances_no_dag_gets_worse_and_none_better_than_the_best(name):
    dags = np.array([naive.adjacency_of(edges, 4) for edges in ALL_DAGS])
    n_best = n_better = 0
    for seed in range(4):
        score = scores.make(name, normal_table(60, 4, seed), variances="equal")
        assert can_refine(score)
        rewards = dict(zip(ALL_DAGS, score.rewards_of(dags).tolist(), strict=True))
        for before in ALL_DAGS[seed::90]:
            after = refined(problem_of(4), score, before, seed, n_kicks=5)
            assert rewards[before] <= rewards[after]
            n_better += rewards[before] < rewards[after]
            n_best += rewards[after] == pytest.approx(max(rewards.values()), abs=1e-9)
    assert n_better > 15
    assert n_best > 15


@pytest.mark.parametrize("variances", ["different", "equal"])
def test_with_an_edge_budget_edges_are_swapped_and_stay_as_many(variances):
    score = scores.make("bic-linear", normal_table(80, 6, 2), variances=variances)
    before = frozenset({(5, 0), (4, 0), (3, 1), (5, 2)})
    after = refined(problem_of(6, frozenset({(5, 0)}), edge_budget=4), score, before)
    assert len(after) == 4
    assert (5, 0) in after
    assert score.reward(naive.adjacency_of(after, 6)) > score.reward(naive.adjacency_of(before, 6))


def test_the_best_graph_is_kept_where_growing_finds_a_worse_one():
    """No single parent pays, so that growing stops at once: the pair is only there because it was given."""

    class Pair:
        def local(self, node, parents):
            return 1.0 if (node, parents) == (2, (0, 1)) else -float(len(parents))

    pair = frozenset({(0, 2), (1, 2)})
    assert refined(problem_of(4), Pair(), frozenset()) == frozenset()
    assert refined(problem_of(4), Pair(), pair) == pair


def test_one_seed_repeats_and_two_seeds_differ():
    own, problem = naive.TableScore(1, 9), problem_of(9)
    found = [refined(problem, own, frozenset(), seed, n_kicks=0) for seed in (0, 0, 1, 2, 3, 4)]
    assert found[0] == found[1]
    assert len(set(found)) > 1


@pytest.mark.long
def test_more_kicks_never_do_worse():
    own = naive.TableScore(2, 12)
    found = [refined(problem_of(12), own, frozenset(), n_kicks=n_kicks) for n_kicks in (0, 3, 30)]
    rewards = list(map(own.reward_of_edges, found))
    assert rewards == sorted(rewards)
    assert rewards[0] < rewards[-1]


# ---------------------------------------------------------------- ending early


def calls_of(problem, seed):
    """How many local scores a refinement from the empty graph asks for."""
    own = Acting(seed, problem.n_nodes, -1, interrupt)
    refined(problem, own, frozenset())
    return own.n_calls


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
def test_ctrl_c_leaves_the_best_graph_so_far(act):
    problem, handler = problem_of(7), signal.getsignal(signal.SIGINT)
    n_calls = calls_of(problem, seed=5)
    own = naive.TableScore(5, 7)
    rewards = []
    for at_call in (8, n_calls // 3, 2 * n_calls // 3):
        monitor = Monitor()
        found = refined(problem, Acting(5, 7, at_call, act), frozenset(), monitor=monitor)
        assert monitor.status == INTERRUPTED
        assert fits(problem, found)
        rewards.append(own.reward_of_edges(found))
    assert own.reward_of_edges(frozenset()) <= rewards[0] <= rewards[1] <= rewards[2]
    assert rewards[0] < rewards[2] <= own.reward_of_edges(refined(problem, own, frozenset()))
    assert signal.getsignal(signal.SIGINT) is handler


def test_the_time_limit_leaves_the_best_graph_so_far():
    problem, own = problem_of(7), naive.TableScore(5, 7)
    monitor = Monitor(time_limit=60.0)

    def let_time_pass():
        monitor.time_limit = 0.0

    found = refined(problem, Acting(5, 7, calls_of(problem, seed=5) // 2, let_time_pass), frozenset(), monitor=monitor)
    assert monitor.status == TIME_LIMIT
    assert fits(problem, found)
    assert own.reward_of_edges(frozenset()) < own.reward_of_edges(found)


def test_the_time_limit_is_heard_before_all_parents_of_an_order_are_known():
    """Local scores may take milliseconds: with 60 variables a limit of a second ended a refinement after 25."""
    monitor = Monitor(time_limit=60.0)

    def let_time_pass():
        monitor.time_limit = 0.0

    own = Acting(5, 20, 40, let_time_pass)
    refined(problem_of(20), own, frozenset(), monitor=monitor)
    assert monitor.status == TIME_LIMIT
    assert own.n_calls < 40 + 6 * 20


def test_progress_is_reported_with_the_best_reward():
    own, heard = naive.TableScore(5, 7), []
    monitor = Monitor(listener=heard.append)
    monitor._last_report = -math.inf
    found = refined(problem_of(7), own, frozenset(), monitor=monitor)
    assert heard[0].detail == "refining"
    assert heard[0].best_reward == own.reward_of_edges(frozenset()) < own.reward_of_edges(found)


# ---------------------------------------------------------------- as a part of CD-UCT


def cduct(own, n_nodes=6, **chosen):
    chosen = {"sims_per_node": 5, "n_restarts": 1, "random_state": 0, **chosen}
    return ds.CDUCT(score=own, **chosen).fit(noise_table(n_nodes))


@pytest.mark.long
def test_the_best_of_all_graphs_is_found_more_often_than_without():
    n_best = {"off": 0, "auto": 0, "on": 0}
    for seed in range(8):
        own = naive.TableScore(seed, 6)
        best = ds.ExactSearch(score=own, random_state=0).fit(noise_table(6))
        assert best.certificate_.is_optimal
        rewards = {refine: cduct(own, refine=refine, random_state=seed).reward_ for refine in n_best}
        assert rewards["off"] <= rewards["auto"] == rewards["on"] <= best.reward_
        for refine, reward in rewards.items():
            n_best[refine] += reward == best.reward_
    assert n_best["off"] < n_best["auto"]


def test_refinement_starts_from_the_graph_of_the_search():
    own = naive.TableScore(3, 6)
    plain, better = (cduct(own, refine=refine, rollout="uniform") for refine in ("off", "on"))
    assert plain.result_.n_simulations == better.result_.n_simulations
    assert plain.result_.n_calibration_simulations == better.result_.n_calibration_simulations
    assert (plain.result_.settings["refine"], better.result_.settings["refine"]) == (False, True)
    assert plain.reward_ < better.reward_ == own.reward_of_edges(naive.edges_of(better.dag_.adjacency))


@pytest.mark.parametrize("seed", range(4))
def test_knowledge_start_and_the_limit_on_parents_are_obeyed(seed):
    knowledge = Knowledge(
        required=[("x0", "x5"), ("x2", "x3")],
        forbidden=[("x1", "x2"), ("x2", "x1"), ("x5", "x4")],
        tiers=[["x0", "x2"], ["x3", "x4"], ["x5"]],
    )
    names = [f"x{node}" for node in range(6)]
    own = naive.TableScore(seed, 6)
    options = {"knowledge": knowledge, "start": [("x0", "x4")], "max_parents": 2, "random_state": seed}
    plain, model = (cduct(own, refine=refine, **options) for refine in ("off", "on"))
    adjacency = model.dag_.adjacency.astype(bool)
    assert is_dag(model.dag_)
    assert adjacency[knowledge.required_edges(names)].all()
    assert adjacency[0, 4]
    assert not adjacency[~knowledge.allowed_edges(names)].any()
    assert adjacency.sum(axis=0).max() <= 2
    assert model.reward_ >= plain.reward_


def test_with_an_edge_budget_it_keeps_the_number_of_edges_and_has_to_be_asked_for():
    own = naive.TableScore(3, 6)
    found = {refine: cduct(own, edge_budget=5, refine=refine, sims_per_node=0.2) for refine in ("auto", "off", "on")}
    assert found["auto"].dag_ == found["off"].dag_
    assert [found[refine].result_.settings["refine"] for refine in ("auto", "off", "on")] == [False, False, True]
    for model in found.values():
        assert is_dag(model.dag_)
        assert model.dag_.n_edges == 5
        assert model.reward_ == own.reward_of_edges(naive.edges_of(model.dag_.adjacency))
    assert found["off"].reward_ < found["on"].reward_


@pytest.mark.parametrize("table_score", [naive.TableScore(3, 6)])
def test_scores_of_whole_graphs_are_left_as_they_are(table_score):
    whole = naive.WholeGraphScore(table_score)
    assert not can_refine(scores.adapt(whole, 6))
    assert can_refine(scores.adapt(table_score, 6))
    plain, asked = (cduct(whole, refine=refine) for refine in ("off", "on"))
    assert asked.dag_ == plain.dag_
    assert asked.result_.n_score_evaluations == plain.result_.n_score_evaluations
    assert cduct(table_score, refine="on").reward_ > plain.reward_


@pytest.mark.parametrize("edge_budget", [None, 6])
@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_with_equal_variances_the_reward_is_that_of_the_refined_graph_and_never_lower(name, edge_budget):
    n_better = 0
    for seed in range(4):
        table = normal_frame(100, 6, seed)
        settings = {"score": name, "variances": "equal", "sims_per_node": 0.2, "n_restarts": 1, "random_state": 0}
        settings["penalty"] = "parameters"
        plain, asked = (
            ds.CDUCT(refine=refine, edge_budget=edge_budget, **settings).fit(table) for refine in ("off", "on")
        )
        score = scores.make(name, table, variances="equal", penalty="parameters")
        assert asked.reward_ == pytest.approx(score.reward(asked.dag_), abs=1e-12)
        assert asked.reward_ >= plain.reward_ - 1e-12
        assert edge_budget is None or asked.dag_.n_edges == edge_budget
        n_better += asked.reward_ > plain.reward_ + 1e-6
    assert n_better > 0


def test_one_seed_repeats_a_refined_search_whatever_n_jobs_is():
    settings = {"sims_per_node": 1, "models": ["linear"], "random_state": 4}
    models = [ds.CDUCT(n_jobs=n_jobs, **settings).fit(normal_frame(60, 7)) for n_jobs in (1, 1, 2, -1)]
    assert models[0].result_.settings["refine"] is True
    assert len({model.dag_ for model in models}) == 1
    assert len({model.reward_ for model in models}) == 1
    assert len({model.result_.n_score_evaluations for model in models}) == 1


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
def test_ctrl_c_while_a_search_is_refined_ends_it_with_the_best_graph_so_far(act):
    settings = {"sims_per_node": 0.5, "n_restarts": 1, "random_state": 0}
    counts = []
    for refine in ("off", "on"):
        own = Acting(5, 8, -1, act)
        ds.CDUCT(score=own, refine=refine, **settings).fit(noise_table(8))
        counts.append(own.n_calls)
    own = Acting(5, 8, sum(counts) // 2, act)
    model = ds.CDUCT(score=own, refine="on", **settings).fit(noise_table(8))
    plain = ds.CDUCT(score=naive.TableScore(5, 8), refine="off", **settings).fit(noise_table(8))
    assert counts[0] + 20 < own.at_call < counts[1]
    assert model.result_.status == "interrupted"
    assert is_dag(model.dag_)
    assert model.reward_ == naive.TableScore(5, 8).reward_of_edges(naive.edges_of(model.dag_.adjacency))
    assert model.reward_ >= plain.reward_


def test_an_interrupted_search_is_not_refined():
    own = Acting(5, 8, 30, press_ctrl_c)
    model = ds.CDUCT(score=own, refine="on", random_state=0).fit(noise_table(8))
    assert model.result_.status == "interrupted"
    assert own.n_calls < 100


# ---------------------------------------------------------------- causes within reach of the tree


def let_local_scores_take_milliseconds(monkeypatch, affordable):
    monkeypatch.setattr(CustomLocalScore, "is_fitted", True)
    monkeypatch.setattr(CustomLocalScore, "affordable", affordable)


def promising(own, problem, affordable, monkeypatch):
    let_local_scores_take_milliseconds(monkeypatch, affordable)
    return cd_uct._promising(problem, scores.adapt(own, problem.n_nodes), Monitor())


def gains(own, problem, node):
    """Local score of each allowed cause with the required ones, best first."""
    required = set(np.flatnonzero(problem.start[:, node]).tolist())
    causes = [c for c in range(problem.n_nodes) if problem.allowed[c, node] and c != node]
    return sorted(causes, key=lambda c: own.local(node, tuple(sorted(required | {c}))), reverse=True)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_the_causes_that_alone_gain_most_are_within_reach(monkeypatch, most):
    own, problem = naive.TableScore(2, 8), problem_of(8)
    within = promising(own, problem, 8 * 2**most, monkeypatch)
    for node in range(8):
        assert np.flatnonzero(within.allowed[:, node]).tolist() == sorted(gains(own, problem, node)[:most])
    np.testing.assert_array_equal(within.start, problem.start)
    assert within.max_parents == problem.max_parents


def test_required_edges_stay_within_reach_and_forbidden_ones_out_of_it(monkeypatch):
    own = naive.TableScore(2, 8)
    required = frozenset({(gains(own, problem_of(8), node)[-1], node) for node in (0, 3)})
    allowed = np.random.default_rng(0).random((8, 8)) < 0.7
    problem = problem_of(8, required, allowed | naive.adjacency_of(required, 8).astype(bool))
    within = promising(own, problem, 8 * 2**2, monkeypatch)
    assert within.allowed[problem.start].all()
    assert not (within.allowed & ~problem.allowed).any()
    for node in range(8):
        kept = set(np.flatnonzero(within.allowed[:, node]).tolist())
        assert kept == set(gains(own, problem, node)[:2]) | {c for c, effect in required if effect == node}


def test_all_causes_are_within_reach_of_scores_that_can_afford_them(monkeypatch):
    own, problem = naive.TableScore(2, 8), problem_of(8)
    assert promising(own, problem, 8 * 2**7, monkeypatch) is problem
    assert promising(own, problem, 8 * 2**7 - 1, monkeypatch) is not problem
    monkeypatch.setattr(CustomLocalScore, "is_fitted", False)
    for quick in (own, naive.WholeGraphScore(own)):
        assert cd_uct._promising(problem, scores.adapt(quick, 8), Monitor()) is problem


def test_the_tree_keeps_to_causes_within_reach_and_refinement_looks_at_the_others(monkeypatch):
    let_local_scores_take_milliseconds(monkeypatch, 8 * 2)
    beyond = 0
    for seed in range(5):
        own = naive.TableScore(seed, 8)
        best = {(gains(own, problem_of(8), node)[0], node) for node in range(8)}
        plain, better = (cduct(own, 8, refine=refine, random_state=seed) for refine in ("off", "on"))
        assert naive.edges_of(plain.dag_.adjacency) <= best
        beyond += len(naive.edges_of(better.dag_.adjacency) - best)
    assert beyond > 0
    with_budget = cduct(naive.TableScore(0, 8), 8, edge_budget=20)
    assert with_budget.dag_.n_edges == 20  # which 8 causes could not make up


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
def test_ctrl_c_while_causes_are_screened_ends_with_a_graph_at_once(monkeypatch, act):
    let_local_scores_take_milliseconds(monkeypatch, 8 * 2)
    own = Acting(2, 8, 20, act)
    model = ds.CDUCT(score=own, start=[("x7", "x0")], random_state=0).fit(noise_table(8))
    assert model.result_.status == "interrupted"
    assert ("x7", "x0") in model.dag_.edges
    assert own.n_calls < 60
    assert model.result_.n_simulations < 500


def test_a_time_limit_that_is_over_while_causes_are_screened_ends_with_the_start(monkeypatch):
    let_local_scores_take_milliseconds(monkeypatch, 8 * 2)
    own = naive.TableScore(2, 8)
    model = ds.CDUCT(score=own, start=[("x7", "x0")], time_limit=1e-6, random_state=0).fit(noise_table(8))
    assert model.result_.status == "time-limit"
    assert model.dag_.edges == [("x7", "x0")]
