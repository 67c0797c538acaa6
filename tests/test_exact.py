"""Exact search as an estimator: known optima, the record of a fit, restrictions, and ending early."""

from __future__ import annotations

import math
import sys

import naive
import numpy as np
import pytest
from common import Faulty, discrete_frame, is_dag, make, noise_table, normal_frame
from sklearn.base import clone

import dagsearch as ds
from dagsearch.errors import InputError, MissingExtraError
from dagsearch.scores.custom import CustomLocalScore

TABLE = normal_frame()
NAMES = list("abcdef")
TINY = 1e-6  # a time limit that is over at once
CHAIN = normal_frame(150, 4, seed=3)


def exact(table=TABLE, **settings):
    return ds.ExactSearch(**{"random_state": 0, **settings}).fit(table)


def all_rewards(score, n_nodes):
    """(n_edges, reward) of every DAG."""
    graphs = naive.all_dags(n_nodes)
    return [(len(edges), score.reward(ds.DAG(naive.adjacency_of(edges, n_nodes)))) for edges in graphs]


# ---------------------------------------------------------------- optima that are known


@pytest.mark.parametrize(
    ("name", "settings", "reward"),
    [
        ("asia", {}, -2.164532),
        ("child", {}, -12.972274),
        ("child", {"edge_budget": 25}, -12.984809),
        ("insurance", {}, -14.302414),
        ("insurance", {"levels": "declared"}, -14.413359),
    ],
)
def test_optima_of_benchmark_tables_are_those_known_and_gobnilp_has_none_higher(data_folder, name, settings, reward):
    model = exact(ds.datasets.load(name), **settings)
    assert model.reward_ == pytest.approx(reward, abs=2e-6)
    assert model.certificate_.gap == 0.0
    assert model.dag_.n_edges == settings.get("edge_budget", model.dag_.n_edges)
    by_gobnilp = np.load(data_folder / "bnlearn" / "processed" / f"{name}-1000-gobnilp-BIC.npy")
    if "edge_budget" not in settings:
        assert model.score_.reward(by_gobnilp) <= model.reward_ + 1e-9


@pytest.mark.parametrize("score", ["bic-linear", "bic-quadratic"])
def test_the_optimum_on_sachs_is_that_of_every_solver_and_no_search_exceeds_it(score):
    data = ds.datasets.load("sachs")
    model = exact(data, score=score)
    for solver in ("dynamic", "highs"):
        other = exact(data, score=model.score_, solver=solver)
        assert other.reward_ == pytest.approx(model.reward_, abs=1e-9)
        wanted = "dynamic programming" if solver == "dynamic" else "(HiGHS)"
        assert all(wanted in way for way in other.certificate_.ways)
    for search in (ds.CDUCT, ds.GreedySearch):
        assert make(search, score=model.score_).fit(data).reward_ <= model.reward_ + 1e-9


@pytest.mark.long
@pytest.mark.parametrize(("edge_budget", "reward", "n_edges"), [(49, 44.48645, 49), (None, 44.54818, 51)])
def test_the_optimum_on_sachs_with_gaussian_processes(edge_budget, reward, n_edges):
    model = exact(ds.datasets.load("sachs"), score="bic-gp", edge_budget=edge_budget)
    assert model.reward_ == pytest.approx(reward, abs=2e-4)
    assert (model.dag_.n_edges, model.certificate_.is_optimal) == (n_edges, True)


def test_equal_variances_give_the_best_of_all_dags():
    for edge_budget in (None, 2):
        model = exact(CHAIN, score="bic-linear", variances="equal", edge_budget=edge_budget)
        rewards = [reward for n_edges, reward in all_rewards(model.score_, 4) if edge_budget in (None, n_edges)]
        assert model.reward_ == pytest.approx(max(rewards), abs=1e-9)
        assert model.certificate_.is_optimal
    with pytest.raises(InputError, match=r"n_best must be 1 with variances='equal'"):
        exact(CHAIN, score="bic-linear", variances="equal", n_best=2)


def test_independent_columns_give_the_empty_graph_and_a_proof():
    model = exact(np.random.default_rng(0).normal(size=(200, 4)), score="bic-linear")
    assert model.dag_.n_edges == 0
    assert model.certificate_.is_optimal
    assert str(model.certificate_).startswith("proven optimal among all DAGs (")


# ---------------------------------------------------------------- the record


def test_the_record_of_a_fit_fits_together():
    model = exact(score="bic-quadratic", budget="at-most", edge_budget=9, n_best=2, solver="highs")
    proof, settings = model.certificate_, model.result_.settings
    assert proof.reward == proof.best_reward == proof.bound == proof.optimum == pytest.approx(model.reward_, abs=1e-12)
    assert (proof.gap, proof.is_optimal, proof.status) == (0.0, True, "finished")
    assert proof.ways == ("cutting planes (HiGHS)",)
    assert 0.0 < proof.seconds <= model.result_.seconds
    assert str(proof) == (
        f"proven optimal among DAGs with at most 9 edges (cutting planes (HiGHS), {proof.seconds:.1f} s)"
    )
    assert (settings["budget"], settings["n_best"], settings["solver"]) == ("at-most", 2, "highs")
    assert (settings["edge_budget"], settings["max_parents"], settings["penalty"]) == (9, None, "edges")
    assert model.equivalence_class_ == model.dag_.to_cpdag()
    assert model.dag_.names == model.best_graphs_[1].dag.names == tuple(NAMES)


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_the_best_graphs_are_the_best_of_all_in_order(solver):
    one = exact(CHAIN, solver=solver)
    assert one.best_graphs_ == (ds.estimators.RankedDAG(one.dag_, one.certificate_.reward),)
    for settings in ({}, {"edge_budget": 3}):
        model = exact(CHAIN, solver=solver, n_best=5, **settings)
        rewards = [each.reward for each in model.best_graphs_]
        allowed = [r for n_edges, r in all_rewards(model.score_, 4) if n_edges == settings.get("edge_budget", n_edges)]
        np.testing.assert_allclose(rewards, sorted(allowed, reverse=True)[:5], atol=1e-9)
        assert rewards[0] == pytest.approx(model.reward_, abs=1e-9)
        assert len({each.dag for each in model.best_graphs_}) == 5
        for each in model.best_graphs_:
            assert model.score_.reward(each.dag) == pytest.approx(each.reward, abs=1e-9)


def test_there_are_no_more_best_graphs_than_graphs():
    model = exact(TABLE[["a", "b"]], n_best=5)
    assert sorted(each.dag.edges for each in model.best_graphs_) == [[], [("a", "b")], [("b", "a")]]


def test_seeds_change_no_reward_and_the_same_seed_repeats_the_graph():
    table = discrete_frame()  # members of a class are equally good
    models = [exact(table, random_state=seed) for seed in (0, 1, 2, 0)]
    assert len({round(model.reward_, 9) for model in models}) == 1
    assert len({model.equivalence_class_ for model in models}) == 1
    assert models[0].dag_ == models[3].dag_
    twin = clone(models[0]).set_params(n_best=2, solver="dynamic")
    assert (twin.get_params()["n_best"], twin.solver, models[0].n_best) == (2, "dynamic", 1)
    assert twin.fit(table).reward_ == pytest.approx(models[0].reward_, abs=1e-9)


def test_gaussian_processes_are_penalised_by_edges_without_a_budget_too():
    assert exact(CHAIN.iloc[:40], score="bic-gp").result_.settings["penalty"] == "edges"
    assert exact(CHAIN, score="bic-linear").result_.settings["penalty"] == "extended"


# ---------------------------------------------------------------- constant columns


def test_constant_columns_are_set_aside():
    table = discrete_frame().assign(k=1, m="x")
    model = exact(table)
    assert "set aside, as they hold one value only and get no edges: 'k', 'm'" in model.result_.notes
    assert model.dag_.adjacency[:5, :5].sum() == model.dag_.n_edges == exact(discrete_frame()).dag_.n_edges > 0
    kept = exact(table, edge_budget=3, knowledge=ds.Knowledge(required=[("a", "k")]))
    assert ("a", "k") in kept.dag_.edges
    assert (kept.dag_.n_edges, kept.certificate_.is_optimal) == (3, True)
    with pytest.raises(InputError, match=r"edge_budget must be between 0 and 10 .*got 11; set aside.* 'k', 'm'"):
        exact(table, edge_budget=11)
    assert not any("set aside" in note for note in exact(discrete_frame()).result_.notes)


# ---------------------------------------------------------------- restrictions


KNOWLEDGE = ds.Knowledge(required=[("d", "a")], forbidden=[("b", "c")], tiers=[["b", "c", "d"], ["a"]])


@pytest.mark.parametrize("knowledge", [None, KNOWLEDGE])
@pytest.mark.parametrize("max_parents", [None, 1])
@pytest.mark.parametrize(("edge_budget", "budget"), [(None, "exactly"), (2, "exactly"), (3, "exactly"), (3, "at-most")])
def test_restrictions_give_the_best_of_all_graphs_that_fit_them(knowledge, max_parents, edge_budget, budget):
    settings = {"edge_budget": edge_budget, "budget": budget, "max_parents": max_parents, "knowledge": knowledge}
    model = exact(CHAIN, score="bic-linear", penalty="parameters", **settings)
    best = -math.inf
    for edges in naive.all_dags(4):
        adjacency = naive.adjacency_of(edges, 4)
        named = {("abcd"[i], "abcd"[j]) for i, j in edges}
        right_number = {"exactly": len(edges) == edge_budget, "at-most": len(edges) <= (edge_budget or 0)}[budget]
        is_known = knowledge is None or (("d", "a") in named and not named & {("b", "c"), ("a", "b"), ("a", "c")})
        if (edge_budget is None or right_number) and is_known and adjacency.sum(axis=0).max() <= (max_parents or 9):
            best = max(best, model.score_.reward(ds.DAG(adjacency)))
    assert model.reward_ == pytest.approx(best, abs=1e-9)
    among = model.certificate_.among
    number = {"exactly": f"exactly {edge_budget} edges", "at-most": f"at most {edge_budget} edges"}[budget]
    assert (number in among) is (edge_budget is not None)
    assert ("at most 1 causes per variable" in among) is (max_parents == 1)
    assert among.endswith(" that fit what is known") is (knowledge is not None)
    assert among.startswith("all DAGs") is (edge_budget is None and max_parents is None)


def test_an_impossible_combination_names_the_edge_budget():
    only_a_cycle = [(i, j) for i in NAMES for j in NAMES if i != j and i + j not in ("ab", "bc", "ca")]
    with pytest.raises(InputError, match="edge_budget is 3, but no DAG with so many edges fits"):
        exact(edge_budget=3, knowledge=ds.Knowledge(forbidden=only_a_cycle))
    with pytest.raises(InputError, match="edge_budget must be between 0 and 5"):
        exact(edge_budget=6, max_parents=1)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("budget", "some"), ("n_best", 0), ("n_best", True), ("solver", "cplex"), ("edge_budget", -1), ("max_parents", 0)],
)
def test_wrong_values_are_refused_with_the_name_of_the_argument(argument, value):
    with pytest.raises(InputError, match=rf"{argument}.*{value}"):
        ds.ExactSearch(**{argument: value}).check()


def test_a_missing_solver_is_refused_before_any_work(monkeypatch):
    fitted = make(ds.GreedySearch).fit(TABLE)
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    advice = r"solver='scip' needs the extra 'exact'"
    with pytest.raises(MissingExtraError, match=advice):
        ds.ExactSearch(solver="scip").check()
    with pytest.raises(MissingExtraError, match=advice):
        ds.certify(fitted, solver="scip")


# ---------------------------------------------------------------- users' own scores


def test_a_score_of_ones_own_is_maximised_and_its_errors_pass_through():
    table_score = naive.TableScore(1, 4)
    model = exact(noise_table(4), score=table_score)
    assert model.reward_ == max(table_score.reward_of_edges(edges) for edges in naive.all_dags(4))
    assert model.certificate_.is_optimal

    def fail():
        raise KeyError("mine")

    for at_call in (3, 100):
        with pytest.raises(KeyError, match="mine"):
            exact(score=Faulty(at_call, fail))
    whole_graphs = naive.WholeGraphScore(table_score)
    with pytest.raises(InputError, match=r"needs a score with local\(node, parents\)"):
        exact(noise_table(4), score=whole_graphs)
    with pytest.raises(InputError, match=r"needs a score with local\(node, parents\)"):
        ds.certify(make(ds.GreedySearch, score=whole_graphs).fit(noise_table(4)))


def test_what_could_not_be_looked_at_is_said(monkeypatch):
    monkeypatch.setattr(CustomLocalScore, "affordable", 100)
    model = exact(score=naive.TableScore(1, 6))
    assert model.certificate_.among == "all DAGs with at most 2 causes per variable (larger sets were not looked at)"
    assert model.result_.settings["max_parents"] == 2
    note = "sets of more than 2 causes are too many to look at; set max_parents to go further"
    assert note in model.result_.notes
    further = exact(score=naive.TableScore(1, 6), max_parents=3)
    assert further.reward_ > model.reward_
    assert (further.certificate_.among, further.result_.notes) == ("DAGs with at most 3 causes per variable", ())


# ---------------------------------------------------------------- ending early


@pytest.mark.parametrize(
    "settings", [{}, {"n_best": 3}, {"solver": "highs"}, {"edge_budget": 4}, {"variances": "equal"}]
)
def test_a_time_limit_that_is_over_at_once_ends_with_a_graph_and_no_bound(settings):
    model = exact(score="bic-linear", time_limit=TINY, **settings)
    proof = model.certificate_
    assert model.result_.status == proof.status == "time-limit"
    assert is_dag(model.dag_)
    assert proof.bound == math.inf
    assert (proof.optimum, proof.is_optimal, model.best_graphs_) == (None, False, ())
    assert str(proof).startswith(f"no bound is known among {proof.among}; best known ")
    assert str(proof).endswith(": time-limit")
    assert model.dag_.n_edges == settings.get("edge_budget", model.dag_.n_edges)
    assert "inf" not in str(proof)


@pytest.mark.parametrize("at_call", [20, 70, 150])
def test_ctrl_c_ends_with_a_graph(at_call):
    def interrupt():
        raise KeyboardInterrupt

    model = exact(score=Faulty(at_call, interrupt))
    proof = model.certificate_
    assert model.result_.status == proof.status == "interrupted"
    assert is_dag(model.dag_)
    assert proof.reward == model.reward_ <= proof.bound
    assert [each.dag for each in model.best_graphs_] == ([model.dag_] if proof.is_optimal else [])
    known = f"no bound is known among all DAGs; best known {model.reward_:.6f} ("
    assert proof.is_optimal or str(proof).startswith(known)
