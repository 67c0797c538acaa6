"""What settings of estimators do: the budget, the automatic choice of a score, penalties, knowledge, time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, make, normal_frame, quick
from estimator_cases import TABLE, every_search, name_of, with_and_without_a_budget, with_scores

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.estimators import SEARCHES

# ---------------------------------------------------------------- the budget


@every_search
@pytest.mark.parametrize("edge_budget", [0, 1, 5, 14, 15])
def test_the_edge_budget_is_met_exactly(kind, edge_budget):
    for table, score in ((TABLE, "bic-quadratic"), (discrete_frame(n_nodes=6), "bic-discrete")):
        model = make(kind, score=score, edge_budget=edge_budget, sims_per_node=2, prune="none").fit(table)
        assert model.dag_.n_edges == edge_budget
        assert model.pruned_dag_ == model.dag_


@pytest.mark.parametrize(("kind", "score"), with_scores(SEARCHES.values(), ds.scores.CONTINUOUS), ids=name_of)
def test_without_a_budget_the_score_decides_and_no_graph_is_worse_than_the_empty_one(kind, score):
    table = normal_frame(80, 5)
    model = make(kind, score=score).fit(table)
    empty = np.zeros((5, 5), dtype=int)
    assert model.reward_ >= model.score_.reward(empty)
    assert model.result_.status == "finished"


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch], ids=lambda kind: kind.method)
def test_without_a_budget_noise_stays_without_edges_and_a_strong_chain_is_found(kind):
    noise = np.random.default_rng(0).normal(size=(2000, 5))
    assert make(kind, score="bic-linear").fit(noise).dag_.n_edges == 0
    chain = np.cumsum(noise, axis=1)
    model = make(kind, score="bic-linear", sims_per_node=30).fit(chain)
    skeleton = model.dag_.adjacency + model.dag_.adjacency.T
    assert (skeleton[np.arange(4), np.arange(1, 5)] == 1).all()


def test_more_simulations_do_not_fall_behind_random_sampling():
    sampled = np.mean([quick(ds.RandomSampling, edge_budget=8, random_state=s).fit(TABLE).reward_ for s in range(10)])
    searched = quick(ds.RandomSearch, edge_budget=8, sims_per_node=20).fit(TABLE).reward_
    uct = quick(ds.CDUCT, edge_budget=8, sims_per_node=20).fit(TABLE).reward_
    assert uct >= searched > sampled


# ---------------------------------------------------------------- the automatic score


def text_table():
    return normal_frame(300, 4).assign(b=["low", "high", "middle"] * 100)


@pytest.mark.parametrize(
    ("table", "score", "reason"),
    [
        (normal_frame(100, 4), "evidence", "all columns are continuous"),
        (normal_frame(320, 16).T.T, "evidence", "all columns are continuous"),
        (discrete_frame(), "bic-discrete", "all columns are discrete"),
        (
            text_table()[["a", "b"]],
            "mixed",
            "1 columns are continuous and 1 discrete",
        ),
        (normal_frame(100, 4).assign(b=[0, 1] * 50), "mixed", "3 columns are continuous and 1 discrete"),
    ],
)
def test_the_automatic_score_suits_the_columns_and_says_why(table, score, reason):
    model = make(ds.CDUCT, edge_budget=1).fit(table)
    assert model.score_.name == model.result_.settings["score"] == score
    assert len(model.result_.notes) == 1
    assert model.result_.notes[0].startswith(f"score: {score}, since {reason}")


@pytest.mark.parametrize("settings", [{"variances": "equal"}, {"penalty": "edges"}, {"penalty": "parameters"}])
@pytest.mark.parametrize(
    ("table", "score", "reason"),
    [
        (normal_frame(100, 4), "bic-quadratic", "all columns are continuous"),
        (normal_frame(99, 4), "bic-linear", "all columns are continuous, and 99 rows are few"),
        (
            np.random.default_rng(0).normal(size=(120, 101)),
            "bic-linear",
            "all columns are continuous, too many of them for products",
        ),
        (normal_frame(100, 4).assign(b=[0, 1] * 50), "bic-quadratic", "all columns are numbers (1 with few levels)"),
    ],
)
def test_what_only_regressions_have_gets_one_of_them(table, score, reason, settings):
    model = make(ds.RandomSampling, edge_budget=1, **settings).fit(table)
    assert model.score_.name == score
    assert model.result_.notes == (f"score: {score}, since {reason}",)
    assert settings.items() <= model.result_.settings.items()


def test_a_score_that_was_asked_for_needs_no_note():
    assert make(ds.CDUCT, score="bic-linear", edge_budget=1).fit(TABLE).result_.notes == ()


def test_continuous_columns_beside_text_are_cut_into_bins_where_the_score_must_be_the_same_for_equivalent_graphs():
    table = text_table()
    model = make(ds.GES).fit(table)
    binned = ds.as_dataset(table).binned(["a", "c", "d"], 5)
    assert model.reward_ == pytest.approx(ds.scores.make("bic-discrete", binned).reward(model.dag_.to_dag()), rel=1e-12)
    assert model.dag_.names == tuple("abcd")


def test_kinds_override_what_was_inferred():
    table = discrete_frame()
    kinds = dict.fromkeys(table, "continuous")
    assert make(ds.CDUCT, edge_budget=1, kinds=kinds).fit(table).score_.name == "evidence"
    counts = pd.DataFrame(np.random.default_rng(0).integers(0, 30, (300, 3)), columns=list("abc"))
    assert make(ds.CDUCT, edge_budget=1).fit(counts).score_.name == "evidence"
    kinds = dict.fromkeys(counts, "discrete")
    assert make(ds.CDUCT, edge_budget=1, kinds=kinds).fit(counts).score_.name == "bic-discrete"


# ---------------------------------------------------------------- variances, penalties, scores


@every_search
def test_equal_variances_reach_the_score(kind):
    model = make(kind, score="bic-linear", variances="equal", edge_budget=4).fit(TABLE)
    expected = ds.scores.make("bic-linear", TABLE, variances="equal").reward(model.dag_)
    assert model.reward_ == pytest.approx(expected, rel=1e-12)
    assert model.result_.settings["variances"] == "equal"
    assert make(kind, score="bic-linear", edge_budget=4).fit(TABLE).result_.settings["variances"] == "different"


@pytest.mark.parametrize(
    ("penalty", "edge_budget", "in_force"),
    [
        ("auto", None, "extended"),
        ("auto", 3, "edges"),
        ("edges", None, "edges"),
        ("parameters", 3, "parameters"),
    ],
)
def test_the_penalty_stands_up_to_many_candidates_where_it_decides_the_number_of_edges(penalty, edge_budget, in_force):
    model = make(ds.GreedySearch, score="bic-quadratic", penalty=penalty, edge_budget=edge_budget).fit(TABLE)
    assert model.result_.settings["penalty"] == in_force
    expected = ds.scores.make("bic-quadratic", TABLE, penalty=in_force).reward(model.dag_)
    assert model.reward_ == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch, ds.RandomSearch], ids=lambda kind: kind.method)
@pytest.mark.parametrize("name", ["bic-linear", "bic-gp", "bic-gam"])
def test_a_second_fit_on_the_same_score_evaluates_less(kind, name):
    table = normal_frame(80, 5)
    score = ds.scores.make(name, table)
    first = make(kind, score=score, edge_budget=6).fit(table)
    second = make(kind, score=score, edge_budget=6).fit(table)
    other = make(kind, score=score, edge_budget=6, random_state=1).fit(table)
    assert first.result_.n_score_evaluations > 0
    assert second.result_.n_score_evaluations == 0
    assert other.result_.n_score_evaluations < first.result_.n_score_evaluations
    assert second.dag_ == first.dag_
    assert first.score_ is second.score_ is score


@every_search
def test_a_users_own_scores_are_maximised(kind):
    wanted = {("a", "b"), ("b", "c"), ("a", "c")}
    weights = np.array([[float((i, j) in wanted) for j in "abcd"] for i in "abcd"])

    class Local:
        def local(self, node, parents):
            return sum(weights[p, node] for p in parents)

    class Whole:
        def reward(self, adjacency):
            return float((adjacency * weights).sum())

    for score in (Local(), Whole()):
        model = make(kind, score=score, edge_budget=3, sims_per_node=50).fit(normal_frame(30, 4))
        assert model.reward_ == len(wanted & set(model.dag_.edges))
        if kind is not ds.RandomSampling:
            assert set(model.dag_.edges) == wanted
        assert model.result_.settings["score"] == "custom"


# ---------------------------------------------------------------- knowledge, start, max_parents


@with_and_without_a_budget
def test_knowledge_is_obeyed(kind, edge_budget):
    knowledge = ds.Knowledge(
        required=[("f", "a"), ("a", "c")], forbidden=[("a", "b"), ("d", "e"), ("e", "d")], tiers=[["f"], ["a", "d"]]
    )
    for seed in range(4):
        model = quick(kind, edge_budget=edge_budget, knowledge=knowledge, random_state=seed).fit(TABLE)
        edges = set(model.dag_.edges)
        assert {("f", "a"), ("a", "c")} <= edges
        assert not edges & {("a", "b"), ("d", "e"), ("e", "d"), ("a", "f"), ("d", "f")}
        assert edge_budget is None or len(edges) == edge_budget


@every_search
def test_the_start_graph_is_kept_and_counts_towards_the_budget(kind):
    start = ds.DAG.from_edges([("f", "e"), ("e", "d"), ("f", "a")], names=list("abcdef"))
    shuffled = nx.DiGraph([("e", "d"), ("f", "e"), ("f", "a")])
    shuffled.add_nodes_from("cb")
    numbered = nx.from_numpy_array(start.adjacency, create_using=nx.DiGraph)
    for given in (start, start.adjacency, start.to_networkx(), start.edges, shuffled, numbered):
        model = quick(kind, edge_budget=5, start=given).fit(TABLE)
        assert set(start.edges) <= set(model.dag_.edges)
        assert model.dag_.n_edges == 5
    assert quick(kind, edge_budget=3, start=start).fit(TABLE).dag_ == start
    with pytest.raises(InputError, match="edge_budget must be between 3 and 15 for 6 variables, got 2"):
        quick(kind, edge_budget=2, start=start).fit(TABLE)


@with_and_without_a_budget
def test_no_variable_gets_more_parents_than_allowed(kind, edge_budget):
    for max_parents in (2, 3):
        model = quick(kind, edge_budget=edge_budget, max_parents=max_parents).fit(TABLE)
        assert model.dag_.adjacency.sum(axis=0).max() <= max_parents
        assert edge_budget is None or model.dag_.n_edges == edge_budget


def test_cycle_tracking_changes_nothing_but_time():
    runs = [quick(ds.CDUCT, edge_budget=9, cycle_tracking=c).fit(TABLE).dag_ for c in ("incremental", "traversal")]
    assert runs[0] == runs[1]


# ---------------------------------------------------------------- time


def test_a_time_limit_ends_the_search_with_its_best_graph():
    table = normal_frame(200, 12)
    model = make(ds.CDUCT, score="bic-linear", edge_budget=30, sims_per_node=1e5, time_limit=0.3).fit(table)
    assert model.result_.status == "time-limit"
    assert model.result_.seconds < 5
    assert model.dag_.n_edges == 30
    assert model.reward_ == model.score_.reward(model.dag_)
