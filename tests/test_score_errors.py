"""What scores refuse: names, options, tables, graphs, and a user's own score that returns no number."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, normal_table

import dagsearch as ds
from dagsearch.errors import CycleError, DataError, InputError, UnknownNameError

NAMES = ["evidence", "bic-linear", "bic-quadratic", "bic-gp", "bic-gam", "mixed", "bic-discrete", "bdeu"]


def test_names_lists_all_eight_scores():
    assert ds.scores.names() == NAMES


@pytest.mark.parametrize(
    ("given", "suggestion"),
    [
        ("bic-linaer", "bic-linear"),
        ("quadratic", "bic-quadratic"),
        ("BDEU", "bdeu"),
        ("bic_gp", "bic-gp"),
        ("gam", "bic-gam"),
        ("evidense", "evidence"),
    ],
)
def test_an_unknown_score_is_answered_with_the_nearest_name(given, suggestion):
    with pytest.raises(UnknownNameError, match=rf"unknown score '{given}'.*Did you mean '{suggestion}'\?"):
        ds.scores.make(given, normal_table(20, 3))


@pytest.mark.parametrize("name", [None, "", "nosuch", 3])
def test_a_hopeless_score_name_is_answered_with_all_names(name):
    with pytest.raises(UnknownNameError, match=f"choose from {', '.join(NAMES)}"):
        ds.scores.make(name, normal_table(20, 3))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bic-linear", {"variances": "same"}, "unknown variances 'same': choose from different, equal"),
        ("bic-linear", {"penalty": "edge"}, "unknown penalty 'edge'.*Did you mean 'edges'"),
        ("bic-discrete", {"variances": "equal"}, "variances='equal' is for .*; bic-discrete does not take it"),
        ("bdeu", {"variances": "equal"}, "variances='equal' is for bic-linear, .*; bdeu does not take it"),
        ("bdeu", {"penalty": "edges"}, "penalty='edges' is for bic-linear, .*; bdeu does not take it"),
        ("bdeu", {"sample_size": 0}, "sample_size must be a positive number, got 0"),
        ("bdeu", {"sample_size": math.nan}, "sample_size must be a positive number, got nan"),
    ],
)
def test_wrong_options_are_named(name, options, message):
    with pytest.raises(InputError, match=message):
        ds.scores.make(name, discrete_frame(), **options)


@pytest.mark.parametrize("name", ds.scores.CONTINUOUS)
def test_a_continuous_score_refuses_text_and_constant_columns_by_name(name):
    table = pd.DataFrame(normal_table(30, 3), columns=["a", "b", "c"])
    with pytest.raises(DataError, match="column 'b' holds text"):
        ds.scores.make(name, table.assign(b=["low", "high"] * 15))
    with pytest.raises(DataError, match="column 'c' is constant"):
        ds.scores.make(name, table.assign(c=4.0))


@pytest.mark.parametrize("name", ds.scores.DISCRETE)
def test_a_discrete_score_refuses_a_column_without_repetitions_by_name(name):
    table = discrete_frame(300).assign(height=np.random.default_rng(0).normal(size=300))
    with pytest.raises(DataError, match="column 'height' has 300 levels in 300 rows"):
        ds.scores.make(name, table)


def test_a_graph_that_does_not_fit_is_refused():
    score = ds.scores.make("bic-linear", normal_table(30, 3))
    with pytest.raises(InputError, match="the graph has 4 nodes, the data have 3 variables"):
        score.reward(np.zeros((4, 4), dtype=int))
    with pytest.raises(CycleError):
        score.reward([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    with pytest.raises(InputError, match="undirected"):
        score.reward(ds.DAG.from_edges([("a", "b")], names=list("abc")).to_cpdag())


def test_equal_variances_have_no_local_scores():
    score = ds.scores.make("bic-linear", normal_table(30, 3), variances="equal")
    with pytest.raises(InputError, match="variances='equal'"):
        score.local(0, [1])


def test_quadratic_regression_of_very_many_variables_is_refused_before_memory_runs_out():
    x = np.random.default_rng(0).normal(size=(5, 400))
    with pytest.raises(InputError, match=r"bic-quadratic takes at most \d+ variables, got 400.*bic-linear"):
        ds.scores.make("bic-quadratic", x)


def test_the_score_of_another_table_is_refused():
    score = ds.scores.make("bic-linear", normal_table(30, 3))
    with pytest.raises(InputError, match="the score was made for 3 variables, the data have 4"):
        ds.scores.adapt(score, 4)
    with pytest.raises(InputError, match=r"score must be a name.*got 3\.5"):
        ds.scores.adapt(3.5, 4)


@pytest.mark.parametrize("value", ["high", None, math.nan, math.inf])
def test_a_users_own_score_must_return_numbers(value):
    class Own:
        def local(self, _node, _parents):
            return value

    class OwnReward:
        def reward(self, _adjacency):
            return value

    for own, call in ((Own(), "local"), (OwnReward(), "reward")):
        with pytest.raises(InputError, match=rf"your score's {call}\(.*must return a .*number"):
            ds.scores.adapt(own, 2).reward(np.zeros((2, 2), dtype=int))
