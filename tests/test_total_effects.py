"""Total effects against the truth of linear models, over whole classes, with intervals that hold, and in words."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from test_graph_queries import linear_model, members_of, random_dag, slope

import dagsearch as ds
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import DAG, PDAG, CyclicGraph


def sampled(rng, dag, n_rows, noise=1.0):
    """Rows of a linear model, and its total effects."""
    weights = dag.adjacency * rng.uniform(0.4, 1.2, dag.adjacency.shape) * rng.choice([-1, 1], dag.adjacency.shape)
    total = np.linalg.inv(np.eye(dag.n_nodes) - weights)
    values = noise * rng.normal(size=(n_rows, dag.n_nodes)) @ total
    return pd.DataFrame(values, columns=list(dag.names)), total


def with_covariance(rng, covariance, names, n_rows=400):
    """Rows whose covariance is exactly the one given."""
    rows = rng.normal(size=(n_rows, len(names)))
    rows -= rows.mean(axis=0)
    rows @= np.linalg.inv(np.linalg.cholesky(rows.T @ rows / n_rows)).T
    return pd.DataFrame(rows @ np.linalg.cholesky(covariance).T, columns=list(names))


@pytest.mark.parametrize("seed", range(8))
def test_total_effects_are_those_of_the_population_for_every_pair_and_kind_of_adjustment(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 6, 0.5)
    covariance, total = linear_model(rng, dag)
    table = with_covariance(rng, covariance, dag.names)
    for (i, cause), (j, effect) in product(enumerate(dag.names), repeat=2):
        for adjust in ("parents", "minimal", "optimal") if i != j else ():
            found = ds.effects(dag, cause, effect, table, n_bootstrap=0, fit="linear", adjust=adjust)
            assert found.estimate == pytest.approx(total[i, j], abs=1e-8)
            assert found.interval == (None if effect in dag.descendants(cause) else (0.0, 0.0))


def test_without_a_path_the_effect_is_zero_and_says_why():
    rng = np.random.default_rng(0)
    dag = DAG.from_edges([("a", "b"), ("b", "c")])
    table, _ = sampled(rng, dag, 200)
    found = ds.effects((dag, table), "c", "a")
    assert (found.estimate, found.standardised, found.interval, found.adjusts_for) == (0.0, 0.0, (0.0, 0.0), None)
    assert str(found) == "'c' is no cause of 'a' in this graph, neither directly nor by others: the effect is zero."


@pytest.mark.parametrize("seed", range(12))
def test_the_range_is_that_of_all_members_of_the_class(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 5, 0.5)
    covariance, _ = linear_model(rng, dag)
    table, pdag = with_covariance(rng, covariance, dag.names), dag.to_cpdag()
    members = members_of(pdag)
    for (i, cause), (j, effect) in product(enumerate(dag.names), repeat=2):
        if i == j:
            continue
        found = ds.effects(pdag, cause, effect, table, n_bootstrap=0, fit="linear")
        parents = {tuple(member.parents(cause)) for member in members}
        expected = sorted(
            0.0 if effect in known else slope(covariance, i, j, [dag.index(name) for name in known])
            for known in parents
        )
        if found.range is None:
            assert len(parents) == 1 or all(effect not in member.descendants(cause) for member in members)
            continue
        assert found.values == pytest.approx(expected, abs=1e-8)
        assert found.range == (found.values[0], found.values[-1])
        assert min(found.values) - 1e-8 <= found.estimate <= max(found.values) + 1e-8


def test_a_model_with_open_directions_has_a_range_and_one_without_has_none():
    rng = np.random.default_rng(1)
    table, _ = sampled(rng, DAG.from_edges([("a", "b")]), 500)
    model = ds.OrderSearch(score="bic-linear", random_state=0).fit(table)
    (cause, effect) = model.pruned_dag_.edges[0]
    found = ds.effects(model, cause, effect, random_state=0)
    assert found.range is not None
    assert 0.0 in found.range
    known = ds.OrderSearch(score="bic-linear", random_state=0, knowledge=ds.Knowledge(required=[("a", "b")])).fit(table)
    assert ds.effects(known, "a", "b", random_state=0).range is None


def test_a_partially_directed_graph_without_a_member_adjusts_for_its_directed_parents():
    square = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    pdag = PDAG.from_edges([("e", "a")], square)
    assert not pdag.has_member
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 5)), columns=list(pdag.names))
    found = ds.effects((pdag, table), "a", "b", random_state=0)
    assert found.adjusts_for == ("e",)


def test_one_seed_repeats_the_interval_and_two_differ():
    rng = np.random.default_rng(2)
    table, _ = sampled(rng, DAG.from_edges([("a", "b")]), 100)
    graph = DAG.from_edges([("a", "b")])
    first, again, other = (ds.effects((graph, table), "a", "b", random_state=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.interval != other.interval
    assert first.interval[0] < first.estimate < first.interval[1]
    wide = ds.effects((graph, table), "a", "b", level=0.99, random_state=0).interval
    assert wide[0] < first.interval[0] < first.interval[1] < wide[1]


def test_rows_where_something_on_the_way_was_set_are_left_out():
    rng = np.random.default_rng(3)
    a = rng.normal(size=600)
    b = 2.0 * a + 0.1 * rng.normal(size=600)
    b[:300] = rng.normal(size=300)
    c = b + 0.1 * rng.normal(size=600)
    was_set = np.zeros((600, 3), dtype=bool)
    was_set[:300, 1] = True
    data = ds.Dataset(np.column_stack([a, b, c]), ("a", "b", "c"), ("continuous",) * 3, (None,) * 3, was_set=was_set)
    graph = DAG.from_edges([("a", "b"), ("b", "c")])
    found = ds.effects((graph, data), "a", "c", random_state=0)
    assert found.estimate == pytest.approx(2.0, abs=0.05)
    assert found.n_rows == 300
    assert ds.effects((graph, data), "b", "c", random_state=0).n_rows == 600


def test_categorical_causes_have_contrasts_and_categorical_effects_risk_differences():
    rng = np.random.default_rng(4)
    dose = rng.choice(["high", "low", "none"], 900, p=[0.3, 0.5, 0.2])
    ill = np.where(rng.random(900) < np.where(dose == "none", 0.8, 0.3), "yes", "no")
    graph, table = DAG.from_edges([("dose", "ill")]), pd.DataFrame({"dose": dose, "ill": ill})
    found = ds.effects((graph, table), "dose", "ill", random_state=0)
    risk = {level: np.mean(ill[dose == level] == "yes") for level in ("high", "low", "none")}
    assert (found.estimate, found.reference, found.outcome) == (None, "low", "yes")
    expected = {"high": risk["high"] - risk["low"], "none": risk["none"] - risk["low"]}
    assert dict(found.contrasts) == pytest.approx(expected, rel=1e-9)
    low, high = found.contrast_intervals["none"]
    assert 0.0 < low < found.contrasts["none"] < high
    assert "none: +0.458; 95% interval +0.3" in str(found)


def test_the_words_tell_estimate_interval_adjustment_and_range():
    rng = np.random.default_rng(5)
    dag = DAG.from_edges([("z", "x"), ("z", "y"), ("x", "y")])
    table, _ = sampled(rng, dag, 400)
    text = str(ds.effects((dag, table), "x", "y", fit="linear", random_state=0))
    assert text.startswith("One unit more of x changes y by ")
    assert "; 95% interval " in text
    assert "Adjusts for z (linear regression, adjusted by parents; 400 rows)." in text
    open_text = str(ds.effects((dag.to_cpdag(), table), "x", "y", random_state=0))
    assert "The data leave directions open" in open_text


def test_a_result_can_be_written_as_json():
    import json

    rng = np.random.default_rng(6)
    table, _ = sampled(rng, DAG.from_edges([("a", "b")]), 100)
    told = json.loads(json.dumps(ds.effects((DAG.from_edges([("a", "b")]), table), "a", "b").to_dict()))
    assert told["cause"] == "a"
    assert len(told["interval"]) == 2


def test_wrong_questions_are_refused():
    rng = np.random.default_rng(7)
    dag = DAG.from_edges([("a", "b")])
    table, _ = sampled(rng, dag, 100)
    model = ds.OrderSearch(score="bic-linear", random_state=0)
    with pytest.raises(InputError, match=r"model must be fitted: call OrderSearch\(...\)\.fit\(data\) first"):
        ds.effects(model, "a", "b")
    model.fit(table)
    with pytest.raises(UnknownNameError, match="unknown node 'c'"):
        ds.effects(model, "a", "c")
    with pytest.raises(InputError, match="two different nodes, got 'a' for both"):
        ds.effects(model, "a", "a")
    with pytest.raises(InputError, match="data must be the table"):
        ds.effects(dag, "a", "b")
    with pytest.raises(InputError, match="there is none for 'b'"):
        ds.effects(dag, "a", "b", data=table.rename(columns={"b": "c"}))
    with pytest.raises(InputError, match="level must be a number above 0 and below 1, got 95"):
        ds.effects(model, "a", "b", level=95)
    with pytest.raises(UnknownNameError, match="unknown fit 'cubic'"):
        ds.effects(model, "a", "b", fit="cubic")
    with pytest.raises(InputError, match="without cycles"):
        ds.effects((CyclicGraph([[0, 1], [1, 0]], ["a", "b"]), table), "a", "b")


@pytest.mark.long
@pytest.mark.parametrize("fit", ["linear", "additive"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(fit):
    n_held, n_simulations = 0, 200
    dag = DAG.from_edges([("z", "x"), ("z", "y"), ("x", "m"), ("m", "y"), ("x", "y")])
    for seed in range(n_simulations):
        table, total = sampled(np.random.default_rng(seed), dag, 250)
        found = ds.effects((dag, table), "x", "y", fit=fit, random_state=seed)
        n_held += found.interval[0] <= total[dag.index("x"), dag.index("y")] <= found.interval[1]
    assert 0.90 <= n_held / n_simulations <= 0.99
