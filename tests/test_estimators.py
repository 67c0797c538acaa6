"""The estimators' contract: scikit-learn's habits, what is taken as input, what a fit leaves behind."""

from __future__ import annotations

import copy
import dataclasses
import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import discrete_frame, make, normal_frame, quick
from estimator_cases import TABLE, every_method, every_search, name_of
from sklearn.base import clone

import dagsearch as ds
from dagsearch.estimators import SEARCHES
from dagsearch.scores.evidence import DEFAULT_MIN_EFFECT

# ---------------------------------------------------------------- scikit-learn's habits


@every_method
def test_init_only_stores_its_arguments(kind):
    nonsense = {name: object() for name in inspect.signature(kind).parameters}
    model = kind(**nonsense)
    for name, value in nonsense.items():
        assert getattr(model, name) is value
    assert model.get_params(deep=False) == nonsense
    assert set(vars(model)) == set(nonsense)


@every_method
def test_parameters_can_be_read_set_and_cloned(kind):
    model = make(kind, alpha=0.01)
    twin = clone(model)
    assert twin is not model
    assert twin.get_params() == model.get_params()
    assert model.set_params(alpha=0.05, prune="none") is model
    assert (model.alpha, model.prune, twin.alpha) == (0.05, "none", 0.01)
    with pytest.raises(ValueError, match="nosuch"):
        model.set_params(nosuch=1)


@every_method
def test_fit_returns_self_changes_no_parameter_and_can_be_repeated(kind):
    model = quick(kind, edge_budget=4)
    before = model.get_params()
    assert model.fit(TABLE) is model
    assert model.get_params() == before
    first = model.dag_
    assert model.fit(TABLE, None).dag_ == first
    assert not [name for name in vars(clone(model)) if name.endswith("_")]


# ---------------------------------------------------------------- the input


@every_method
def test_pandas_input_is_not_changed_and_names_are_kept(kind):
    table = TABLE.copy()
    model = quick(kind, edge_budget=4).fit(table)
    pd.testing.assert_frame_equal(table, TABLE)
    assert model.dag_.names == model.pruned_dag_.names == tuple("abcdef")
    assert model.feature_names_in_.tolist() == list("abcdef")


def test_polars_input_is_not_changed_and_names_are_kept():
    table = pl.DataFrame({name: TABLE[name].to_numpy() for name in TABLE})
    before = table.clone()
    model = quick(ds.CDUCT, edge_budget=4).fit(table)
    assert table.equals(before)
    assert model.dag_ == quick(ds.CDUCT, edge_budget=4).fit(TABLE).dag_


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("score", ds.scores.CONTINUOUS)
def test_arrays_are_not_changed_even_if_they_may_not_be_written_to(score, order):
    x = np.array(TABLE, order=order)
    before = x.copy()
    x.setflags(write=False)
    model = make(ds.GreedySearch, score=score, edge_budget=4).fit(x)
    np.testing.assert_array_equal(x, before)
    assert model.dag_.names == ("x0", "x1", "x2", "x3", "x4", "x5")
    assert (model.dag_.adjacency == make(ds.GreedySearch, score=score, edge_budget=4).fit(TABLE).dag_.adjacency).all()


def test_lists_and_datasets_are_taken_too():
    reference = quick(ds.CDUCT, edge_budget=4).fit(TABLE.to_numpy()).dag_
    assert quick(ds.CDUCT, edge_budget=4).fit(TABLE.to_numpy().tolist()).dag_ == reference
    data = ds.as_dataset(TABLE)
    assert quick(ds.CDUCT, edge_budget=4).fit(data).dag_ == reference.with_names(TABLE.columns)


def test_knowledge_start_and_kinds_are_not_changed():
    knowledge = ds.Knowledge(required=[("a", "b")], forbidden=[("c", "d")], tiers=[["a"], ["b", "c"]])
    start, kinds = np.zeros((6, 6), dtype=int), {"a": "continuous"}
    start[4, 5] = 1
    before = copy.deepcopy((knowledge, start, kinds))
    quick(ds.CDUCT, edge_budget=5, knowledge=knowledge, start=start, kinds=kinds).fit(TABLE)
    assert (knowledge, kinds) == (before[0], before[2])
    np.testing.assert_array_equal(start, before[1])


# ---------------------------------------------------------------- what a fit leaves behind


SCORE_OF = {"cam": "bic-gam", "ges": "bic-linear", "pc": "bic-linear"}


@every_method
@pytest.mark.parametrize("making", [make, quick])
def test_learnt_attributes_fit_together(kind, making):
    model = making(kind, edge_budget=7).fit(TABLE)
    result = model.result_
    assert type(model.dag_) is type(model.pruned_dag_) is (ds.PDAG if kind in (ds.GES, ds.PC) else ds.DAG)
    assert model.n_features_in_ == 6
    member = model.dag_ if isinstance(model.dag_, ds.DAG) else model.dag_.to_dag()
    assert model.reward_ == result.reward == model.score_.reward(member)
    assert result.method == kind.method
    assert result.edges == model.dag_.directed_edges
    assert result.undirected_edges == model.dag_.undirected_edges
    assert result.pruned_edges == model.pruned_dag_.directed_edges
    assert result.pruned_undirected_edges == model.pruned_dag_.undirected_edges
    assert set(result.pruned_edges) <= set(result.edges)
    assert set(result.pruned_undirected_edges) <= set(result.undirected_edges)
    assert result.n_edges == model.dag_.n_edges == len(result.edges) + len(result.undirected_edges) > 0
    assert result.n_score_evaluations > 0
    assert 0 < result.seconds < 60
    assert result.status == "finished"
    assert result.seed == 0
    by_default = "evidence" if making is make else "bic-linear"
    assert result.settings["score"] == model.score_.name == SCORE_OF.get(kind.method, by_default)
    if kind is ds.OrderSearch:  # its score decides which edges there are
        assert model.evidence_ is None
        return
    by_significance = making is make or kind in (ds.CAM, ds.NOTEARS, ds.LiNGAM, ds.GES, ds.PC)
    assert model.evidence_.measure == ("p-value" if by_significance else "coefficient")
    both_ways = {pair[::-1] for pair in result.undirected_edges}
    assert set(model.evidence_.by_edge()) == {*result.edges, *result.undirected_edges, *both_ways}
    assert result.p_values == (model.evidence_.by_edge() if by_significance else {})
    assert kind.method not in SEARCHES or result.n_edges == result.settings["edge_budget"] == 7


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.PC], ids=name_of)
def test_the_record_is_frozen(kind):
    result = quick(kind, edge_budget=2).fit(TABLE).result_
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)
    assert repr(result).startswith("Result(method=")


@pytest.mark.parametrize("score", ds.scores.names())
@every_search
def test_reward_is_that_of_the_graph_on_a_fresh_score(kind, score):
    table = discrete_frame(100, 4) if score in ("bic-discrete", "bdeu") else normal_frame(60, 4)
    model = make(kind, score=score, edge_budget=4).fit(table)
    assert model.reward_ == pytest.approx(ds.scores.make(score, table).reward(model.dag_), rel=1e-12)


def test_simulations_are_counted_as_in_the_paper():
    model = quick(ds.CDUCT, edge_budget=4, sims_per_node=5).fit(TABLE)
    assert model.result_.n_simulations == 2 * 4 * 5 * 6
    assert model.result_.n_calibration_simulations == 5 * 6
    assert quick(ds.RandomSearch, edge_budget=4, sims_per_node=5).fit(TABLE).result_.n_simulations == 2 * 4 * 5 * 6
    assert quick(ds.RandomSampling, edge_budget=4).fit(TABLE).result_.n_simulations == 1


def test_settings_in_force_are_recorded_with_defaults_resolved():
    settings = make(ds.CDUCT).fit(TABLE).result_.settings
    assert (settings["score"], settings["models"]) == ("evidence", ["linear", "additive", "joint"])
    assert (settings["noise"], settings["min_effect"], settings["penalty"]) == ("any", DEFAULT_MIN_EFFECT, "parameters")
    assert (settings["horizon"], settings["n_restarts"], settings["refine"]) == (6, 1, True)
    assert (settings["rollout"], settings["tree_policy"]) == ("uniform", "ucb1")
    assert (settings["prune"], settings["alpha"], settings["max_parents"]) == ("none", None, None)
    settings = (
        make(ds.CDUCT, models=["linear"], noise="gaussian", min_effect=0, refine="off").fit(TABLE).result_.settings
    )
    assert (settings["models"], settings["noise"], settings["min_effect"]) == (["linear"], "gaussian", 0.0)
    assert settings["refine"] is False
    settings = make(ds.CDUCT, edge_budget=3, sims_per_node=1).fit(TABLE).result_.settings
    assert (settings["score"], settings["prune"], settings["alpha"]) == ("evidence", "cam", 0.001)


@pytest.mark.parametrize(
    ("rollout", "expected"),
    [
        ("uniform", {(5, None): 2500, (40, None): 4000, (40, 1): 20_000}),
        ("guided", {(5, None): 200, (40, None): 25, (40, 1): 20_000}),
    ],
)
def test_without_a_budget_wide_tables_get_fewer_simulations_by_default(rollout, expected):
    in_force = {}
    plain = {"score": "bic-linear", "n_restarts": 1, "refine": "off", "rollout": rollout, "random_state": 0}
    for n_nodes, edge_budget in expected:
        table = np.random.default_rng(0).normal(size=(5000, n_nodes))  # in which nothing is found
        model = ds.CDUCT(edge_budget=edge_budget, **plain).fit(table)
        in_force[n_nodes, edge_budget] = model.result_.n_calibration_simulations
        assert model.result_.settings["sims_per_node"] * n_nodes == pytest.approx(in_force[n_nodes, edge_budget])
    assert in_force == expected
    assert ds.CDUCT(sims_per_node=300, **plain).fit(table).result_.settings["sims_per_node"] == 300


def test_settings_in_force_of_regressions_are_recorded_with_defaults_resolved():
    settings = quick(ds.CDUCT).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["refine"]) == (30, 8, True)
    assert (settings["rollout"], settings["tree_policy"], settings["temperature"]) == ("guided", "puct", 0.1)
    assert (settings["penalty"], settings["prune"], settings["alpha"]) == ("extended", "none", None)
    assert not {"models", "noise"} & settings.keys()
    settings = quick(ds.CDUCT, edge_budget=3, horizon=2).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["refine"]) == (2, 1, False)
    assert (settings["rollout"], settings["tree_policy"]) == ("uniform", "ucb1")
    settings = quick(ds.CDUCT, rollout="uniform", edge_budget=None).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["tree_policy"]) == (6, 4, "ucb1")
    settings = quick(ds.CDUCT, edge_budget=3, horizon=2).fit(TABLE).result_.settings
    assert (settings["penalty"], settings["prune"], settings["alpha"]) == ("edges", "coefficients", None)
    settings = make(ds.CAM, alpha=0.01).fit(TABLE).result_.settings
    assert (settings["prune"], settings["alpha"], settings["neighbour_selection"]) == ("cam", 0.01, True)
    assert settings["max_parents"] == 5
