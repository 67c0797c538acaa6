"""Direct effects: their size, sign and units, against least squares of others, and what happens in hard tables."""

import pickle

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import dagsearch as ds
from dagsearch.causal_effects import direct_effects
from dagsearch.causal_effects.design import natural_spline
from dagsearch.graph import DAG, PDAG, CyclicGraph


def chain(n_rows=500, seed=0):
    """z -> x -> y and z -> y, in very different units."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n_rows)
    x = 50.0 + 10.0 * (0.6 * z + rng.normal(size=n_rows))
    y = 1e-3 * (-0.8 * x + 4.0 * z + 5.0 * rng.normal(size=n_rows))
    return pd.DataFrame({"x": x, "y": y, "z": z})


TRIANGLE = DAG.from_edges([("z", "x"), ("x", "y"), ("z", "y")], names=["x", "y", "z"])


def by_edge(graph, table, **chosen):
    data = table if isinstance(table, ds.Dataset) else ds.as_dataset(table, may_miss=True)
    return {(each.cause, each.effect): each for each in direct_effects(graph, data, **chosen)}


def test_a_negative_influence_has_a_negative_effect():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    table = pd.DataFrame({"x": x, "y": -0.8 * x + 0.5 * rng.normal(size=400)})
    for additive in (False, True):
        effect = by_edge(DAG.from_edges([("x", "y")]), table, additive=additive)["x", "y"]
        assert effect.coefficient == pytest.approx(-0.8, abs=0.08)
        assert effect.standardised == pytest.approx(np.corrcoef(x, table["y"])[0, 1], abs=0.02)


def test_coefficients_are_those_of_statsmodels_in_the_original_units_and_standardised():
    table = chain()
    found = by_edge(TRIANGLE, table, additive=False)
    assert list(found) == [("x", "y"), ("z", "x"), ("z", "y")]
    raw = sm.OLS(table["y"], sm.add_constant(table[["x", "z"]])).fit().params
    scaled = (table - table.mean()) / table.std()
    standard = sm.OLS(scaled["y"], scaled[["x", "z"]]).fit().params
    for cause in ("x", "z"):
        assert found[cause, "y"].coefficient == pytest.approx(raw[cause], rel=1e-9)
        assert found[cause, "y"].standardised == pytest.approx(standard[cause], rel=1e-9)
        assert found[cause, "y"].kind == "slope"
    assert found["x", "y"].adjusts_for == ("z",)


def test_the_average_slope_of_a_curve_is_its_mean_derivative():
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 4000))
    y = np.exp(0.5 * x) - 0.7 * z + 0.2 * rng.normal(size=4000)
    found = by_edge(DAG.from_edges([("x", "y"), ("z", "y")]), pd.DataFrame({"x": x, "y": y, "z": z}))
    assert found["x", "y"].kind == "average slope"
    assert found["x", "y"].coefficient == pytest.approx(np.mean(0.5 * np.exp(0.5 * x)), abs=0.02)
    assert found["z", "y"].coefficient == pytest.approx(-0.7, abs=0.02)
    assert found["x", "y"].rising > 0.99
    assert (found["z", "y"].kind, found["z", "y"].rising) == ("slope", None)  # a straight line needs no spline


def test_a_parabola_has_no_slope_on_average_and_says_that_it_bends():
    rng = np.random.default_rng(2)
    x = rng.normal(size=2000)
    found = by_edge(DAG.from_edges([("x", "y")]), pd.DataFrame({"x": x, "y": x**2 + 0.1 * rng.normal(size=2000)}))
    assert abs(found["x", "y"].standardised) < 0.1
    assert 0.3 < found["x", "y"].rising < 0.7


def test_the_slopes_of_a_spline_are_derivatives_and_it_is_straight_outside():
    knots, x, h = np.array([-1.0, -0.2, 0.5, 1.0]), np.linspace(-3, 3, 101), 1e-6
    columns, slopes = natural_spline(x, knots)
    above, below = natural_spline(x + h, knots)[0], natural_spline(x - h, knots)[0]
    assert np.allclose(slopes, (above - below) / (2 * h), atol=1e-5)
    outside = natural_spline(np.array([1.5, 2.5, 3.5]), knots)[1]
    assert np.allclose(outside, outside[0])
    assert np.linalg.matrix_rank(np.hstack([np.ones((101, 1)), columns])) == 4


def test_levels_of_a_cause_are_compared_with_one_of_them():
    rng = np.random.default_rng(3)
    group, smokes = rng.choice(["low", "mid", "top"], 600, p=[0.2, 0.5, 0.3]), rng.choice(["no", "yes"], 600)
    y = 2.0 * (group == "top") - 1.0 * (group == "low") + 1.5 * (smokes == "yes") + 0.3 * rng.normal(size=600)
    table = pd.DataFrame({"group": group, "smokes": smokes, "y": y})
    found = by_edge(DAG.from_edges([("group", "y"), ("smokes", "y")]), table)
    many, two = found["group", "y"], found["smokes", "y"]
    columns = np.column_stack([np.ones(600), group == "low", group == "top", smokes == "yes"]).astype(float)
    expected = sm.OLS(y, columns).fit().params
    assert (many.reference, many.coefficient, many.kind) == ("mid", None, "difference")
    assert dict(many.contrasts) == pytest.approx({"low": expected[1], "top": expected[2]}, rel=1e-9)
    assert (two.reference, dict(two.contrasts)) == ("no", {"yes": two.coefficient})
    assert two.coefficient == pytest.approx(expected[3], rel=1e-9)


def test_the_effect_on_a_categorical_variable_is_a_change_of_probability():
    rng = np.random.default_rng(4)
    x = rng.normal(size=5000)
    ill = np.where(rng.random(5000) < 1 / (1 + np.exp(-x)), "yes", "no")
    stage = np.where(ill == "no", "none", np.where(rng.random(5000) < 0.5, "early", "late"))
    table = pd.DataFrame({"x": x, "ill": ill, "stage": stage})
    found = by_edge(DAG.from_edges([("x", "ill"), ("ill", "stage")]), table)
    logit = sm.Logit((ill == "yes").astype(float), sm.add_constant(x)).fit(disp=0)
    assert found["x", "ill"].outcome == "yes"
    assert found["x", "ill"].coefficient == pytest.approx(logit.get_margeff().margeff[0], abs=0.01)
    contrasts = found["ill", "stage"].contrasts
    assert contrasts["yes -> none"] == pytest.approx(-1.0, abs=1e-9)
    assert sum(contrasts.values()) == pytest.approx(0.0, abs=1e-9)
    assert contrasts["yes -> late"] == pytest.approx(np.mean(stage[ill == "yes"] == "late"), rel=1e-9)


def test_rows_with_gaps_in_the_family_and_rows_where_the_effect_was_set_are_left_out():
    table = chain()
    table.loc[:99, "z"] = np.nan
    full = by_edge(TRIANGLE, table, additive=False)
    complete = sm.OLS(table["y"][100:], sm.add_constant(table[["x", "z"]][100:])).fit().params
    assert full["x", "y"].coefficient == pytest.approx(complete["x"], rel=1e-9)
    assert full["x", "y"].n_rows == 400
    table = chain()
    was_set = np.zeros(table.shape, dtype=bool)
    was_set[:200, 1] = True
    table.loc[:199, "y"] = 7.0
    data = ds.Dataset(table.to_numpy(), tuple(table), ("continuous",) * 3, (None,) * 3, was_set=was_set)
    found = by_edge(TRIANGLE, data, additive=False)
    left = sm.OLS(table["y"][200:], sm.add_constant(table[["x", "z"]][200:])).fit().params
    assert found["x", "y"].coefficient == pytest.approx(left["x"], rel=1e-9)
    assert found["z", "x"].n_rows == 500


@pytest.mark.parametrize("additive", [False, True])
def test_what_the_data_do_not_determine_has_a_reason_instead_of_a_number(additive):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 2))
    table = pd.DataFrame({"a": x[:, 0], "twin": -3.0 * x[:, 0] + 1.0, "b": x[:, 1], "same": 4.0, "y": x.sum(axis=1)})
    graph = DAG.from_edges([("a", "y"), ("twin", "y"), ("b", "y"), ("same", "y"), ("b", "same")], names=tuple(table))
    found = by_edge(graph, table, additive=additive)
    assert found["a", "y"].coefficient is found["twin", "y"].coefficient is None
    assert found["a", "y"].reason == "'a' cannot be told apart from the other causes"
    assert found["b", "y"].coefficient == pytest.approx(1.0, abs=1e-6)
    assert found["same", "y"].reason == "'same' does not vary in these rows"
    assert found["b", "same"].reason == "'same' does not vary in these rows"


def test_few_rows_give_a_reason_and_huge_numbers_no_overflow():
    few = pd.DataFrame(np.random.default_rng(0).normal(size=(4, 6)), columns=list("abcdey"))
    star = DAG.from_edges([(name, "y") for name in "abcde"], names=tuple("abcdey"))
    assert all(each.reason == "4 rows are too few for 5 causes" for each in by_edge(star, few).values())
    rng = np.random.default_rng(6)
    x = rng.normal(size=200)
    huge = pd.DataFrame({"x": 1e200 * x, "y": 1e-50 * (2.0 * x + 0.1 * rng.normal(size=200))})
    effect = by_edge(DAG.from_edges([("x", "y")]), huge)["x", "y"]
    assert effect.standardised == pytest.approx(1.0, abs=0.01)


def test_undirected_edges_have_an_effect_in_each_direction():
    table = chain()
    pdag = PDAG.from_edges([("z", "y")], [("x", "y")], names=["x", "y", "z"])
    found = by_edge(pdag, table, additive=False)
    assert list(found) == [("z", "y"), ("x", "y"), ("y", "x")]
    assert [each.is_open for each in found.values()] == [False, True, True]
    raw = sm.OLS(table["y"], sm.add_constant(table[["x", "z"]])).fit().params
    assert found["x", "y"].coefficient == pytest.approx(raw["x"], rel=1e-9)
    assert found["y", "x"].coefficient == pytest.approx(np.polyfit(table["y"], table["x"], 1)[0], rel=1e-9)
    cyclic = CyclicGraph([[0, 1, 0], [1, 0, 0], [0, 0, 0]], ["x", "y", "z"])
    assert len(by_edge(cyclic, table)) == 2


# ---------------------------------------------------------------- of a fitted model


def test_a_fitted_model_has_the_effects_of_its_pruned_graph_also_after_pickling():
    table = chain()
    model = ds.OrderSearch(score="bic-linear", random_state=0).fit(table)
    assert [(each.cause, each.effect) for each in model.effects_] == model.pruned_dag_.edges
    assert model.effects_ is model.effects_
    assert model.data_.names == ("x", "y", "z")
    restored = pickle.loads(pickle.dumps(model))
    assert restored.effects_ == model.effects_
    assert all(each.kind == "slope" for each in model.effects_)
    assert not hasattr(clone(model), "effects_")
    with pytest.raises(NotFittedError, match="OrderSearch is not fitted yet"):
        _ = clone(model).effects_


def test_another_fit_forgets_the_effects_of_the_first_one():
    model = ds.OrderSearch(score="bic-linear", random_state=0).fit(chain())
    before = model.effects_
    model.fit(chain(seed=1))
    assert model.effects_ != before


def test_open_directions_are_open_in_the_effects():
    table = chain()[["x", "z"]]
    assert [each.is_open for each in ds.OrderSearch(score="bic-linear", random_state=0).fit(table).effects_] == [True]
    ges = ds.GES(score="bic-linear").fit(table)
    assert [(each.cause, each.effect) for each in ges.effects_] == [("x", "z"), ("z", "x")]
