"""Ordered categories: where they are declared, what their codes are, and what the mixed score makes of them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import run, succeed

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.scores.coordinates import coordinates_of

GRADES = ["poor", "fair", "good", "best"]  # not the order of the alphabet


def answers(n=300, seed=0):
    """A number and answers that depend on it, of four grades."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.digitize(1.2 * x + rng.logistic(size=n), [-1.5, 0.0, 1.5])
    return x, y, np.array(GRADES)[y]


def frame(dtype):
    x, y, text = answers()
    return pd.DataFrame({"x": x, "q": pd.Categorical(text, GRADES, ordered=dtype == "ordered")}), y


# ---------------------------------------------------------------- tables


def test_an_ordered_categorical_keeps_the_order_of_its_categories():
    table, y = frame("ordered")
    data = ds.as_dataset(table)
    assert (data.kinds, data.ordered) == (("continuous", "discrete"), (False, True))
    assert data.labels == (None, tuple(GRADES))
    assert np.array_equal(data.values[:, 1], y)
    assert data.to_pandas()["q"].dtype == table["q"].dtype


def test_a_grade_that_nobody_gave_is_declared_but_has_no_code():
    table, _ = frame("ordered")
    fewer = ds.as_dataset(table[table["q"] != "fair"])
    assert fewer.labels[1] == ("poor", "good", "best")
    assert fewer.declared_levels[1] == 4


def test_other_categoricals_have_no_order_unless_it_is_said():
    table, y = frame("unordered")
    plain = ds.as_dataset(table)
    assert plain.ordered == (False, False)
    assert plain.labels[1] == tuple(sorted(GRADES))
    said = ds.as_dataset(table, kinds={"q": "ordered"})
    assert said.ordered == (False, True)
    assert np.array_equal(said.values[:, 1], y)


def test_an_order_can_be_unsaid():
    table, _ = frame("ordered")
    assert ds.as_dataset(table, kinds={"q": "discrete"}).ordered == (False, False)
    assert ds.as_dataset(ds.as_dataset(table), kinds={"q": "discrete"}).ordered == (False, False)
    assert ds.as_dataset(ds.as_dataset(table), kinds={"x": "continuous"}).ordered == (False, True)


def test_a_polars_enum_is_ordered_if_it_is_said():
    x, y, text = answers()
    table = pl.DataFrame({"x": x, "q": pl.Series(text.tolist(), dtype=pl.Enum(GRADES))})
    assert ds.as_dataset(table).ordered == (False, False)
    data = ds.as_dataset(table, kinds={"q": "ordered"})
    assert data.ordered == (False, True)
    assert np.array_equal(data.values[:, 1], y)


def test_whole_numbers_are_ordered_if_it_is_said():
    x, y, _ = answers()
    table = np.column_stack([x, y + 1])
    assert ds.as_dataset(table).ordered == (False, False)
    data = ds.as_dataset(table, kinds={"x1": "ordered"})
    assert (data.kinds[1], data.ordered[1]) == ("discrete", True)
    assert ds.as_dataset(ds.as_dataset(table), kinds={"x1": "ordered"}).ordered == (False, True)
    assert data.take(range(50)).ordered == data.ordered


def test_text_without_an_order_and_numbers_that_are_continuous_are_refused():
    x, _, text = answers()
    with pytest.raises(InputError, match="column 'q' holds text, whose order is not known; make it an ordered pandas"):
        ds.as_dataset(pd.DataFrame({"x": x, "q": text}), kinds={"q": "ordered"})
    data = ds.as_dataset(np.column_stack([x, x**2]))
    with pytest.raises(InputError, match="column 'x0' is continuous; only discrete columns can be ordered"):
        ds.Dataset(data.values, data.names, data.kinds, data.labels, ordered=(True, False))
    with pytest.raises(InputError, match="ordered must have 2 entries"):
        ds.Dataset(data.values, data.names, data.kinds, data.labels, ordered=(True,))


# ---------------------------------------------------------------- the score


def test_an_ordered_column_is_one_coordinate_that_only_its_order_determines():
    x, y, _ = answers()
    table = pd.DataFrame({"x": x, "q": y})
    here = coordinates_of(ds.as_dataset(table, kinds={"q": "ordered"}))
    there = coordinates_of(ds.as_dataset(table.assign(q=y**3), kinds={"q": "ordered"}))
    assert len(here.rows) == 2
    assert np.array_equal(here.rows, there.rows)
    assert here.rows[1].mean() == pytest.approx(0.0, abs=1e-12)
    assert here.rows[1].var() == pytest.approx(1.0)
    assert len(coordinates_of(ds.as_dataset(table)).rows) == 5


def test_knowing_the_order_makes_what_follows_it_more_probable():
    for seed in range(5):
        x, y, _ = answers(seed=seed)
        table = pd.DataFrame({"x": x, "q": y})
        plain, ordered = (
            ds.scores.make("mixed", ds.as_dataset(table, kinds={"q": kind}), noise="gaussian")
            for kind in ("discrete", "ordered")
        )
        for node, parents in ((1, (0,)), (0, (1,))):
            assert ordered.local(node, parents) > plain.local(node, parents)


def test_an_order_that_means_nothing_costs_little():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 400)
    table = pd.DataFrame({"x": np.array([0.0, 2.0, -2.0, 1.0])[y] + rng.normal(size=400), "q": y})
    plain, ordered = (
        ds.scores.make("mixed", ds.as_dataset(table, kinds={"q": kind})) for kind in ("discrete", "ordered")
    )
    assert ordered.local(1, (0,)) > plain.local(1, (0,)) - 3
    assert ordered.local(0, (1,)) > 0.8 * plain.local(0, (1,))


# ---------------------------------------------------------------- estimators and the command


def test_estimators_and_the_command_take_kinds_and_orders(tmp_path):
    x, y, _ = answers(100)
    pd.DataFrame({"x": x, "q": y}).to_csv(tmp_path / "t.csv", index=False)
    told = ds.GreedySearch(score="mixed", kinds={"q": "ordered"}, random_state=0).fit(pd.DataFrame({"x": x, "q": y}))
    options = ("--method", "greedy", "--score", "mixed", "--confidence", "none", "--json", "-")
    by_command = json.loads(succeed("discover", tmp_path / "t.csv", *options, "--ordered", "q"))
    assert by_command["reward"] == pytest.approx(told.reward_)
    plain = json.loads(succeed("discover", tmp_path / "t.csv", *options))
    assert plain["reward"] != by_command["reward"]
    refused = run("discover", tmp_path / "t.csv", "--ordered", "q", "--discrete", "q")
    assert refused.exit_code == 2
    assert "column 'q' is declared both --discrete and --ordered" in refused.output + refused.stderr
