"""Simulated experiments: what is set in which rows, what follows from it, and what stays as it was."""

import json

import numpy as np
import pandas as pd
import pytest
from common import run, succeed

import dagsearch as ds
from dagsearch.data import read_dataset
from dagsearch.data.interventions import entries_of, settings_from
from dagsearch.datasets import simulate
from dagsearch.errors import InputError, UnknownNameError

CHAIN = ds.DAG.from_edges([("a", "b"), ("b", "c")])


def chain(mechanism="linear", n_samples=6000, **settings):
    """a -> b -> c, and b is set in half of the rows."""
    settings = {"interventions": ["b"], "intervention_share": 0.5, "random_state": 0, **settings}
    return simulate(graph=CHAIN, n_samples=n_samples, mechanism=mechanism, **settings)


def correlations(data, rows):
    return np.corrcoef(data.values[rows].T)


# ---------------------------------------------------------------- what stays


def test_tables_without_experiments_are_what_they_were():
    first = simulate(3, 4, n_edges=2, random_state=0)
    assert first.was_set is None
    np.testing.assert_allclose(first.values[0], [3.314111276489, -0.665022967091, 1.193222558798], rtol=1e-9)
    discrete = simulate(3, 8, n_edges=2, mechanism="discrete", random_state=0)
    assert discrete.values[:3].tolist() == [[2, 2, 1], [0, 1, 1], [0, 2, 0]]


@pytest.mark.parametrize("mechanism", ["linear", "discrete"])
def test_rows_in_which_nothing_was_set_stay_what_they_are_without_experiments(mechanism):
    plain = simulate(6, 200, mechanism=mechanism, random_state=3)
    data = simulate(6, 200, mechanism=mechanism, random_state=3, interventions=3)
    untouched = ~data.was_set.any(axis=1)
    assert data.truth == plain.truth
    np.testing.assert_allclose(data.values[untouched], plain.values[untouched], rtol=1e-12)
    assert not np.array_equal(data.values[~untouched], plain.values[~untouched])


# ---------------------------------------------------------------- what is set


def test_each_variable_is_set_in_its_share_of_the_rows_and_none_beside_another():
    data = simulate(10, 1000, interventions=5, random_state=0)
    assert sorted(data.was_set.sum(axis=0)) == [0] * 5 + [100] * 5
    assert data.was_set.sum(axis=1).max() == 1
    assert (~data.was_set.any(axis=1)).sum() == 500


def test_seeds_choose_other_variables_and_rows_and_repeat_their_own():
    first, again, other = (simulate(10, 100, interventions=3, random_state=seed) for seed in (0, 0, 2))
    assert np.array_equal(first.was_set, again.was_set)
    assert np.array_equal(first.values, again.values)
    assert first.targets != other.targets


@pytest.mark.parametrize("mechanism", ["linear", "gp", "network", "interaction"])
def test_what_is_set_does_not_depend_on_its_causes_but_its_effects_do(mechanism):
    data = chain(mechanism, n_samples=2000)
    rows = data.was_set[:, 1]
    a, b, c = data.values[rows].T
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.1
    assert abs(np.corrcoef(np.abs(a), b)[0, 1]) < 0.1
    # Some function of b, of low degree at least in part, says something about c.
    fitted = np.polyval(np.polyfit(b, c, 5), b)
    assert np.corrcoef(fitted, c)[0, 1] > 0.2


def test_effects_of_what_was_set_are_those_of_nature():
    data = chain()
    rows = data.was_set[:, 1]
    slopes = [np.polyfit(*data.values[chosen][:, [1, 2]].T, 1)[0] for chosen in (rows, ~rows)]
    assert slopes[0] == pytest.approx(slopes[1], abs=0.05)
    assert abs(correlations(data, ~rows)[0, 1]) > 0.4
    assert abs(correlations(data, rows)[0, 2]) < 0.05


def test_what_is_set_has_the_scale_of_the_variable():
    values, rows = (data := chain()).values[:, 1], data.was_set[:, 1]
    assert values[rows].std() == pytest.approx(values[~rows].std(), rel=0.05)
    assert values[rows].mean() == pytest.approx(values[~rows].mean(), abs=0.1)


def test_levels_are_set_with_equal_probability_whatever_the_causes_and_effects_follow():
    data = chain("discrete", n_levels=3, concentration=0.3)
    rows = data.was_set[:, 1]
    table = pd.DataFrame(data.values[rows], columns=data.names)
    given_cause = pd.crosstab(table["a"], table["b"], normalize="index").to_numpy()
    np.testing.assert_allclose(given_cause[data.to_pandas()["a"].value_counts(sort=False) > 300], 1 / 3, atol=0.08)
    nature = pd.DataFrame(data.values[~rows], columns=data.names)
    effects = [pd.crosstab(part["b"], part["c"], normalize="index") for part in (table, nature)]
    common = nature["b"].value_counts().loc[lambda counts: counts > 200].index
    np.testing.assert_allclose(effects[0].loc[common], effects[1].loc[common], atol=0.08)


def test_networks_are_sampled_with_experiments_too():
    network = ds.datasets.network("asia")
    data = network.sample(400, 0, interventions=["smoke"], intervention_share=0.25)
    assert data.targets == [("smoke",)]
    assert data.was_set.sum() == 100


def test_a_generator_goes_on_as_ever_after_a_sample_without_experiments():
    used, fresh = np.random.default_rng(0), np.random.default_rng(0)
    ds.datasets.network("asia").sample(10, used)
    assert used.spawn(1)[0].random() == fresh.spawn(1)[0].random()


def test_the_citation_tells_of_experiments():
    assert "2 variables set by experiments in 10% of the rows each" in simulate(4, interventions=2).citation
    assert "experiments" not in simulate(4).citation


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interventions": 11}, "interventions must be at most 10, all variables, got 11"),
        ({"interventions": -1}, "interventions must be a whole number of at least 0, got -1"),
        ({"interventions": True}, "interventions must be a whole number"),
        ({"interventions": "X1"}, "interventions must be a number of variables, or a list of names, got 'X1'"),
        ({"interventions": 2.5}, "interventions must be a number of variables"),
        ({"interventions": ["X1", "X1"]}, "name each variable once, got X1, X1"),
        ({"interventions": 5, "intervention_share": 0.3}, "intervention_share must be from 0.01 to 0.2 for 5 var"),
        ({"interventions": 1, "intervention_share": 0.001}, "intervention_share must be from 0.01 to 1 for 1 var"),
        ({"interventions": 1, "intervention_share": 1.0}, "intervention_share must be"),
        ({"intervention_share": 0.2}, "intervention_share does not apply without interventions, got 0.2"),
    ],
    ids=str,
)
def test_wrong_experiments_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        simulate(10, 100, random_state=0, **settings)


def test_a_variable_that_is_not_there_is_named():
    with pytest.raises(UnknownNameError, match="interventions: variable 'Y'"):
        simulate(3, 100, interventions=["Y"])


# ---------------------------------------------------------------- files


def test_entries_of_rows_are_read_as_they_were_written():
    was_set = np.random.default_rng(0).random((30, 3)) < 0.4
    assert np.array_equal(settings_from(entries_of(was_set, list("abc")), list("abc"), 30), was_set)


@pytest.mark.parametrize("name", ["a;b", "NA", " a"])
def test_a_name_that_would_be_read_as_another_is_not_written(name):
    with pytest.raises(InputError, match="needs a name"):
        entries_of(np.ones((3, 1), dtype=bool), [name])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("mechanism", ["linear", "discrete"])
def test_the_command_writes_a_column_that_discover_reads(mechanism):
    made = ("simulate", "--nodes", 5, "--rows", 200, "--mechanism", mechanism, "--interventions", 2)
    record = json.loads(succeed(*made, "--out", "made", "--json", "-"))
    assert record["intervention_column"] == "intervention"
    data = read_dataset("made/data.csv", interventions="intervention")
    expected = simulate(5, 200, mechanism=mechanism, interventions=2, random_state=0)
    assert np.array_equal(data.was_set, expected.was_set)
    assert data.to_pandas().astype(object).equals(expected.to_pandas().astype(object))
    assert record["n_set"] == {name: 20 for (name,) in expected.targets[::-1]}
    found = succeed("discover", "made/data.csv", "--interventions", "intervention", "--method", "greedy", "--seed", 0)
    assert all(f"'{name}' in 20 rows" in found for name in record["n_set"])


@pytest.mark.usefixtures("folder")
def test_the_command_takes_names_and_networks_and_finds_a_free_name_for_the_column():
    with open("graph.csv", "w", encoding="utf-8") as file:
        file.write("cause,effect\nintervention,b\n")
    said = succeed(
        "simulate", "--graph", "graph.csv", "--interventions", "b", "--intervention-share", 0.2, "--out", "x"
    )
    assert "set: b in 200 rows; column 'intervention_2' says where" in said
    assert read_dataset("x/data.csv", interventions="intervention_2").names == ("intervention", "b")
    succeed("simulate", "--network", "asia", "--rows", 50, "--interventions", "smoke, lung", "--out", "y")
    assert sorted(read_dataset("y/data.csv", interventions="intervention").targets) == [("lung",), ("smoke",)]


@pytest.mark.usefixtures("folder")
def test_the_command_speaks_of_its_own_options():
    refused = run("simulate", "--interventions", "Z", "--out", "made")
    assert refused.exit_code == 2
    assert "unknown interventions: variable 'Z'" in refused.output
    refused = run("simulate", "--interventions", 5, "--intervention-share", 0.5, "--out", "made")
    assert "--intervention-share must be from" in refused.output
    assert "n_set" not in succeed("simulate", "--out", "plain")


@pytest.mark.usefixtures("folder")
def test_discover_shows_directions_that_experiments_decide_and_leaves_others_open():
    succeed("simulate", "--graph", _graph_file(), "--rows", 800, "--interventions", "b", "--out", "made")
    options = ("--score", "bic-linear", "--method", "order", "--confidence", "none")
    found = succeed("discover", "made/data.csv", "--interventions", "intervention", *options)
    assert "b <- a (" in found
    assert "c <- b (" in found
    assert "?" in found.split("d <-")[-1].splitlines()[0] or "?" in found.split("e <-")[-1].splitlines()[0]
    record = json.loads(
        succeed("discover", "made/data.csv", "--interventions", "intervention", *options, "--json", "-")
    )
    assert [sorted(pair) for pair in record["open_edges"]] == [["d", "e"]]


def _graph_file():
    pd.DataFrame([("a", "b"), ("b", "c"), ("d", "e")], columns=["cause", "effect"]).to_csv("graph.csv", index=False)
    return "graph.csv"


def test_numbers_and_categories_can_be_set_in_mixed_tables():
    data = simulate(6, 400, mechanism="mixed", random_state=1, interventions=6)
    assert data.was_set.sum(axis=0).tolist() == [40] * 6
    assert data.is_complete
    for node, labels in enumerate(data.labels):
        if labels is not None:
            assert set(data.values[:, node]) <= set(range(len(labels)))
