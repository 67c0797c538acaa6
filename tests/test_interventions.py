"""What was set by experiments: read from columns, entries and tables, and learnt from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from common import discovered, run

import dagsearch as ds
from dagsearch.data import as_dataset
from dagsearch.errors import DataError, InputError, UnknownNameError


def pair(n_samples=400, n_set=80, seed=0):
    """a -> b, linear and Gaussian, with b set in the first rows; and the entries of a column that says so."""
    rng = np.random.default_rng(seed)
    a, noise, set_to = rng.normal(size=(3, n_samples))
    is_set = np.arange(n_samples) < n_set
    table = pd.DataFrame(
        {"a": a, "b": np.where(is_set, set_to, 0.8 * a + 0.6 * noise), "c": rng.normal(size=n_samples)}
    )
    return table, np.where(is_set, "b", "").tolist()


def test_a_column_says_what_was_set_and_is_no_variable():
    table, entries = pair()
    data = as_dataset(table.assign(what=entries), interventions="what")
    assert data.names == ("a", "b", "c")
    assert data.was_set.sum(axis=0).tolist() == [0, 80, 0]


def test_all_forms_mean_the_same():
    table, entries = pair()
    names = [[name] if name else [] for name in entries]
    as_table = pd.DataFrame({"b": [bool(name) for name in entries]})
    matrix = np.column_stack([np.zeros(400), as_table["b"], np.zeros(400)]).astype(int)
    expected = as_dataset(table, interventions=entries).was_set
    for form in (names, as_table, matrix, pd.Series(entries), [name or None for name in entries]):
        assert (as_dataset(table, interventions=form).was_set == expected).all()


def test_several_variables_may_be_set_in_one_row():
    table, _ = pair(10, 0)
    data = as_dataset(table, interventions=["a;b", " b ; c", "", None, float("nan"), "NA", "a", "", "", ""])
    assert data.was_set.sum(axis=0).tolist() == [2, 2, 1]
    assert data.was_set[1].tolist() == [False, True, True]


def test_what_was_set_goes_with_its_rows():
    table, entries = pair()
    data = as_dataset(table, interventions=entries)
    assert data.take([0, 100, 1]).was_set[:, 1].tolist() == [True, False, True]
    assert data.take([100, 101, 102]).was_set is None


@pytest.mark.parametrize(
    ("interventions", "error", "message"),
    [
        ("what", UnknownNameError, "unknown interventions: column 'what': choose from a, b, c"),
        (["d"] + [""] * 9, UnknownNameError, "unknown interventions: row 1: variable 'd'"),
        (["a"] * 9, InputError, "one row for each of the 10 rows, got 9"),
        (["a"] * 10, DataError, "column 'a' was set in every row"),
        (5, InputError, "must be a column, entries of rows, or a boolean table, got 5"),
        (pd.DataFrame({"d": [True] * 10}), UnknownNameError, "unknown interventions: variable 'd'"),
        (pd.DataFrame({"a": [2] * 10}), DataError, "column 'a' must hold True and False alone"),
        (np.zeros((10, 2), dtype=bool), InputError, "a column for each of the 3 variables, got 2"),
    ],
)
def test_what_cannot_be_meant_is_refused(interventions, error, message):
    table, _ = pair(10, 0)
    with pytest.raises(error, match=message):
        as_dataset(table, interventions=interventions)


def test_a_variable_without_a_row_of_its_own_is_named():
    table, entries = pair()
    table.loc[80:, "b"] = np.nan
    with pytest.raises(DataError, match="column 'b' has 0 rows in which it was seen and not set"):
        ds.discover(table, interventions=entries)


@pytest.mark.parametrize("score", ["bic-linear", "evidence"])
def test_directions_are_learnt_from_experiments(score):
    table, entries = pair()
    model = ds.discover(table.assign(what=entries), interventions="what", score=score, random_state=0)
    assert model.dag_.edges == [("a", "b")]
    assert any(note.startswith("set by experiments: 'b' in 80 rows") for note in model.result_.notes)
    if model.confidence_ is not None:
        assert model.confidence_.edge_probability[0, 1] > 0.95


def test_replicates_keep_what_was_set():
    table, entries = pair()
    estimator = ds.OrderSearch(score="bic-linear", interventions="what")
    sure = ds.bootstrap(estimator, table.assign(what=entries), n=10, random_state=0)
    assert sure.edge_probability[0, 1] == 1.0
    assert estimator.interventions == "what"


def test_the_command_line_reads_the_column(tmp_path):
    table, entries = pair()
    table.assign(what=entries).to_csv(tmp_path / "t.csv", index=False)
    found = discovered(str(tmp_path / "t.csv"), "--interventions", "what", "--score", "bic-linear")
    assert found["edges"] == [["a", "b"]]
    refused = run("discover", str(tmp_path / "t.csv"), "--interventions", "which")
    assert refused.exit_code == 2
    assert "unknown interventions: column 'which'" in refused.stderr
