"""Estimators refuse wrong arguments by name, range and value."""

from __future__ import annotations

import inspect
import math
import re

import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, make, normal_frame

import dagsearch as ds
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.estimators import METHODS

TABLE = normal_frame()

WRONG_FOR_MOST = [
    ("edge_budget", 16, "edge_budget must be between 0 and 15 for 6 variables, got 16"),
    ("edge_budget", -1, "edge_budget must be a whole number of at least 0, or None, got -1"),
    ("edge_budget", 2.5, "edge_budget must be a whole number of at least 0, or None, got 2.5"),
    ("edge_budget", "3", "edge_budget must be a whole number of at least 0, or None, got '3'"),
    ("edge_budget", True, "edge_budget must be a whole number of at least 0, or None, got True"),
    ("max_parents", 0, "max_parents must be a whole number of at least 1, or None, got 0"),
    ("time_limit", 0, "time_limit must be a number above 0, or None, got 0"),
    ("time_limit", math.nan, "time_limit must be a number above 0, or None, got nan"),
    ("random_state", -1, "random_state must be a whole number of at least 0, got -1"),
    ("random_state", "one", "random_state must be a whole number of at least 0, got 'one'"),
    ("n_jobs", 0, "n_jobs must be a whole number of at least 1, got 0"),
    ("n_jobs", 1.5, "n_jobs must be a whole number of at least 1, got 1.5"),
    ("variances", "equals", "unknown variances 'equals': choose from different, equal. Did you mean 'equal'?"),
    ("penalty", "nodes", "unknown penalty 'nodes': choose from auto, edges, parameters, extended."),
    ("prune", "coeficients", "'coeficients': choose from auto, cam, coefficients, none. Did you mean 'coefficients'?"),
    ("alpha", 0, "alpha must be a number above 0 and at most 1, got 0"),
    ("alpha", 1.5, "alpha must be a number above 0 and at most 1, got 1.5"),
    ("alpha", math.nan, "alpha must be a number above 0 and at most 1, got nan"),
    ("alpha", "5%", "alpha must be a number above 0 and at most 1, got '5%'"),
    ("alpha", None, "alpha must be a number above 0 and at most 1, got None"),
    ("knowledge", {"required": []}, "knowledge must be a dagsearch.Knowledge or None, got {'required': []}"),
    ("score", "bic-quadratik", "unknown score 'bic-quadratik'"),
    ("score", 3, "score must be a name, a score made by dagsearch.scores.make, or an object with local"),
    ("kinds", {"z": "discrete"}, "unknown column 'z': choose from a, b, c, d, e, f."),
    ("kinds", {"a": "ordinal"}, "the kind of column 'a' must be 'continuous', 'discrete' or 'ordered', got 'ordinal'"),
    ("start", "abc", "got 'abc'"),
    ("start", [("a", "b"), ("b", "a")], "cycle, got a -> b -> a"),
    ("start", ds.DAG.from_edges([("p", "q")]), "start must be a DAG over the columns of the table"),
]
WRONG_FOR_SIMULATIONS = [
    ("sims_per_node", 0, "sims_per_node must be a number above 0 and at most 1e+09, or None, got 0"),
    ("sims_per_node", math.inf, "sims_per_node must be a number above 0 and at most 1e+09, or None, got inf"),
    ("sims_per_node", "many", "sims_per_node must be a number above 0 and at most 1e+09, or None, got 'many'"),
    ("horizon", 0, "horizon must be a whole number of at least 1, or None, got 0"),
    ("exploration", -1, "exploration must be a number of at least 0, got -1"),
    ("exploration", math.nan, "exploration must be a number of at least 0, got nan"),
    ("n_restarts", 0, "n_restarts must be a whole number of at least 1, or None, got 0"),
    ("final_move", "most-visit", "unknown final_move 'most-visit'"),
    ("exploration_scale", "mean", "unknown exploration_scale 'mean': choose from root-mean, none."),
    ("cycle_tracking", "naive", "unknown cycle_tracking 'naive': choose from incremental, traversal."),
]


@pytest.mark.parametrize(
    ("kind", "argument", "value", "message"),
    [
        (kind, *case)
        for kind in METHODS.values()
        for case in (*WRONG_FOR_MOST, *WRONG_FOR_SIMULATIONS)
        if case[0] in inspect.signature(kind).parameters
    ],
)
def test_a_wrong_argument_is_answered_with_its_name_its_range_and_its_value(kind, argument, value, message):
    model = make(kind, **{argument: value})
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        model.fit(TABLE)
    assert isinstance(caught.value, ValueError)
    assert not hasattr(model, "dag_")


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'bic-quadratic'\?"):
        make(ds.CDUCT, score="bic-quadratik").fit(TABLE)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'most-visits'\?"):
        make(ds.CDUCT, final_move="most-visit").fit(TABLE)


def test_required_edges_beyond_the_budget_are_refused():
    knowledge = ds.Knowledge(required=[("a", "b"), ("b", "c")])
    with pytest.raises(InputError, match="edge_budget must be between 2 and 15 for 6 variables, got 1"):
        make(ds.CDUCT, edge_budget=1, knowledge=knowledge).fit(TABLE)


def test_contradictory_knowledge_is_refused():
    for knowledge, message in (
        (ds.Knowledge(required=[("a", "z")]), "unknown node 'z'"),
        (ds.Knowledge(required=[("a", "b"), ("b", "a")]), "cycle"),
        (ds.Knowledge(required=[("a", "b")], forbidden=[("a", "b")]), "both requires and rules out the edge a -> b"),
        (ds.Knowledge(required=[("a", "b")], tiers=[["b"], ["a"]]), "both requires and rules out the edge a -> b"),
    ):
        with pytest.raises(InputError, match=message):
            make(ds.CDUCT, knowledge=knowledge).fit(TABLE)


@pytest.mark.parametrize(
    "X", [None, 3, [1.0, 2.0], np.zeros((2, 2, 2)), TABLE[["a"]], TABLE[:2], TABLE.assign(a=np.nan)]
)
def test_a_table_that_cannot_be_used_is_refused(X):
    with pytest.raises(ds.DataError):
        make(ds.CDUCT).fit(X)


def test_equal_variances_of_discrete_columns_are_refused():
    with pytest.raises(InputError, match=r"variances='equal' is for bic-linear, .*; bic-discrete does not take it"):
        make(ds.CDUCT, variances="equal").fit(discrete_frame())


def test_kinds_must_be_a_mapping():
    with pytest.raises(InputError, match="kinds"):
        make(ds.CDUCT, kinds=["a"]).fit(TABLE)


def test_a_start_graph_that_knowledge_rules_out_is_refused():
    knowledge = ds.Knowledge(forbidden=[("a", "b")])
    with pytest.raises(InputError, match="a -> b"):
        make(ds.CDUCT, start=[("a", "b")], knowledge=knowledge).fit(TABLE)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_parents": 1},
        {"knowledge": ds.Knowledge(forbidden=[(0, j) for j in range(1, 6)] + [(j, 0) for j in range(1, 6)])},
    ],
)
def test_a_budget_that_cannot_be_met_is_refused_or_noted(limits):
    try:
        model = make(ds.CDUCT, score="bic-linear", edge_budget=15, **limits).fit(TABLE)
    except InputError:
        return
    assert model.dag_.n_edges == 15 or any("edge_budget" in note for note in model.result_.notes)


# ---------------------------------------------------------------- what is no argument of the kind at all

HUGE = 10**400  # no float holds it
NO_NAMES = ["abc", 5, ["a", "b", None], [["a"], ["b"], ["c"]]]


@pytest.mark.parametrize("names", NO_NAMES, ids=repr)
def test_names_that_are_no_list_of_names_are_refused(names):
    x = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(InputError, match="names must be a list of texts, one per column, got"):
        ds.data.as_dataset(x, names=names)
    with pytest.raises(InputError, match="names must be a list of texts, one per column, got"):
        ds.Dataset(x, names, ("continuous",) * 3, (None,) * 3)


def test_names_in_any_list_become_texts_in_a_tuple():
    x = np.random.default_rng(0).normal(size=(20, 3))
    assert ds.data.as_dataset(x, names=[1, 2, 3]).names == ("1", "2", "3")
    for names in (["a", "b", "c"], np.array(["a", "b", "c"])):
        for data in (ds.data.as_dataset(x, names=names), ds.Dataset(x, names, ("continuous",) * 3, (None,) * 3)):
            assert data.names == ("a", "b", "c")
            assert all(type(name) is str for name in data.names)
    with pytest.raises(InputError, match="names must be a list of texts, one per column, got 1 among them"):
        ds.Dataset(x, (1, 2, 3), ("continuous",) * 3, (None,) * 3)


@pytest.mark.parametrize("name", [[], ["sachs"], {}, None, 5, np.array(["sachs"])], ids=repr)
@pytest.mark.parametrize("ask", [ds.datasets.load, ds.datasets.status, ds.datasets.describe, ds.datasets.download])
def test_what_is_no_name_of_a_data_set_is_refused_as_an_unknown_one(ask, name):
    with pytest.raises(UnknownNameError, match=r"unknown data set .*: choose from sachs"):
        ask(name)


@pytest.mark.parametrize("rollout", ["uniform", "guided"])
@pytest.mark.parametrize("name", ["exploration", "temperature"])
def test_numbers_too_large_for_compiled_code_are_floats_there(name, rollout):
    settings = {"score": "bic-linear", "sims_per_node": 2, "random_state": 0, "rollout": rollout}
    whole = ds.CDUCT(**settings, **{name: 10**30}).fit(TABLE)
    assert whole.dag_ == ds.CDUCT(**settings, **{name: 1e30}).fit(TABLE).dag_


def test_numbers_that_no_float_holds_are_refused():
    for arguments, name in (({"weights": HUGE}, "weights"), ({"noise_scale": (1.0, HUGE)}, "noise_scale")):
        with pytest.raises(InputError, match=f"{name} must be a number above 0 or a pair"):
            ds.datasets.simulate(4, 50, **arguments)
    with pytest.raises(InputError, match="n_jobs must be a whole number from 1 to 1,024, got 1000000000"):
        ds.scores.make("bic-gp", TABLE, n_jobs=10**9)


@pytest.mark.parametrize(
    "wrong", [{"required": None}, {"tiers": [0, 1]}, {"tiers": "ab"}, {"forbid_within": 0}], ids=str
)
def test_knowledge_that_is_no_list_is_refused(wrong):
    ((name, _),) = wrong.items()
    with pytest.raises(InputError, match=f"{name} must be a list of"):
        ds.Knowledge(**wrong)


def test_complex_numbers_are_refused_in_whatever_they_come():
    x = np.random.default_rng(0).normal(size=(20, 3)) * (1 + 1j)
    for table in (x, x.astype(object), x.tolist(), pd.DataFrame(x), {"a": x[:, 0], "b": x.real[:, 1]}):
        with pytest.raises(ds.DagsearchError, match="of type complex"):
            ds.GreedySearch(score="bic-linear").fit(table)
