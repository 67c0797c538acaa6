"""Missing cells from the door to the graph: recognised, left to the scores, dropped, filled or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import discovered, run

import dagsearch as ds
from dagsearch.data import as_dataset, read_dataset
from dagsearch.data.missing import MISSING, imputed, without_gaps
from dagsearch.errors import DataError, UnknownNameError


def chain(n_samples=300, seed=0):
    """a -> b -> c, not Gaussian."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(-1.0, 1.0, (3, n_samples))
    b += 1.5 * a
    return pd.DataFrame({"a": a, "b": b, "c": c + b})


def gappy(share=0.1, **settings):
    table = chain(**settings)
    return table.mask(np.random.default_rng(1).random(table.shape) < share)


# ---------------------------------------------------------------- recognised


def test_entries_of_a_file_that_stand_for_nothing_are_missing(tmp_path):
    entries = ["", "NA", "NaN", "nan", "N/A", "null", "NULL", "<NA>", "#N/A", "  "]
    (tmp_path / "t.csv").write_text(
        "a,b\n" + "".join(f"{entry},{k}\n" for k, entry in enumerate(entries)) + "1,2\n2,3\n"
    )
    column = read_dataset(tmp_path / "t.csv", may_miss=True).values[:, 0]
    assert np.isnan(column).tolist() == [True] * len(entries) + [False, False]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [1.5, None, 2.0, 3.0], "b": ["x", "", "NA", "y"]}),
        pd.DataFrame({"a": pd.array([1.5, pd.NA, 2.0, 3.0], dtype="Float64"), "b": ["x", None, pd.NA, "y"]}),
        pd.DataFrame({"a": [1.5, np.nan, 2.0, 3.0], "b": pd.Categorical(["x", None, None, "y"])}),
        pl.DataFrame({"a": [1.5, None, 2.0, 3.0], "b": ["x", None, None, "y"]}),
    ],
    ids=["text", "pandas NA", "categories", "polars"],
)
def test_nulls_of_data_frames_are_missing(table):
    data = as_dataset(table, may_miss=True)
    assert np.isnan(data.values).tolist() == [[False, False], [True, True], [False, True], [False, False]]
    assert data.labels == (None, ("x", "y"))


def test_entries_can_be_named_that_stand_for_nothing(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n-999,?\n3,y\n4,x\n")
    data = read_dataset(tmp_path / "t.csv", may_miss=True, na=["-999", "?"])
    assert np.isnan(data.values).tolist() == [[False, False], [True, True], [False, False], [False, False]]
    np.save(tmp_path / "t.npy", np.array([[1.0, 2.0], [-999.0, 3.0], [4.0, 5.0], [6.0, 7.0]]))
    assert np.isnan(read_dataset(tmp_path / "t.npy", may_miss=True, na=["-999"]).values).sum() == 1


def test_a_table_is_refused_by_those_who_cannot_do_with_gaps():
    with pytest.raises(DataError, match=r"cells are missing: \d+ in column 'a'"):
        as_dataset(gappy())
    with pytest.raises(DataError, match="cells are missing"):
        ds.prune(ds.DAG.from_edges([("a", "b")], names=["a", "b", "c"]), gappy())


def test_columns_without_a_value_are_all_named():
    table = chain().assign(d=np.nan, e=None)
    with pytest.raises(DataError, match="all cells are missing in 'd', 'e'"):
        ds.discover(table)


def test_a_table_with_gaps_comes_back_as_it_was():
    table = pd.DataFrame({"a": [1.5, None, 2.0, 3.0], "b": ["x", None, "y", "y"]})
    back = as_dataset(table, may_miss=True).to_pandas()
    assert back.isna().to_numpy().tolist() == table.isna().to_numpy().tolist()
    assert back["b"].dropna().tolist() == ["x", "y", "y"]


# ---------------------------------------------------------------- handled


def test_a_complete_table_is_left_alone_whatever_is_asked():
    data = as_dataset(chain())
    for missing in MISSING:
        assert without_gaps(data, missing) == (data, ())


def test_rows_are_dropped_and_their_number_is_said():
    data = as_dataset(gappy(), may_miss=True)
    kept, notes = without_gaps(data, "drop")
    n_incomplete = int(np.isnan(data.values).any(axis=1).sum())
    assert kept.n_samples == 300 - n_incomplete
    assert kept.is_complete
    assert notes == (f"missing cells: {n_incomplete} of 300 rows were left out",)


def test_too_few_complete_rows_are_said():
    table = chain(30)
    table.iloc[:29, 0] = np.nan
    with pytest.raises(DataError, match="only 1 of 30 rows have no missing cell"):
        ds.GreedySearch(missing="drop").fit(table)


def test_cells_are_filled_by_what_the_others_tell():
    table = chain(400)
    table["word"] = np.where(table["b"] > 0.0, "high", "low")
    gaps = np.zeros(table.shape, dtype=bool)
    gaps[:60, 1] = gaps[60:120, 3] = True
    data = as_dataset(table.mask(gaps), may_miss=True)
    filled = imputed(data, np.random.default_rng(0))
    whole = as_dataset(table)
    assert filled.is_complete
    assert (filled.values[~gaps] == whole.values[~gaps]).all()
    assert np.corrcoef(filled.values[:60, 1], whole.values[:60, 1])[0, 1] > 0.7
    assert (filled.values[60:120, 3] == whole.values[60:120, 3]).mean() > 0.8
    assert (imputed(data, np.random.default_rng(0)).values == filled.values).all()
    assert (imputed(data, np.random.default_rng(1)).values != filled.values).any()


def test_an_unknown_way_is_refused():
    with pytest.raises(UnknownNameError, match="unknown missing 'ignore': choose from local, drop, impute, refuse"):
        ds.CDUCT(missing="ignore").fit(chain())


@pytest.mark.parametrize("missing", ["local", "drop", "impute"])
def test_the_graph_is_found_although_cells_are_missing(missing):
    model = ds.discover(gappy(), missing=missing, random_state=0)
    assert model.dag_.edges == [("a", "b"), ("b", "c")]
    assert any(note.startswith("missing cells: ") for note in model.result_.notes)


def test_local_scores_know_more_than_complete_rows():
    table = gappy(0.4, n_samples=200)
    assert ds.discover(table, random_state=0).dag_.edges == [("a", "b"), ("b", "c")]
    assert len(table.dropna()) < 60


def test_filled_cells_are_drawn_anew_for_each_replicate():
    model = ds.GreedySearch(
        missing="impute", score="bic-linear", confidence="bootstrap", n_replicates=5, random_state=0
    ).fit(gappy())
    assert model.confidence_.details["n_replicates"] == 5
    again = ds.bootstrap(ds.GreedySearch(missing="impute", score="bic-linear"), gappy(), n=5, random_state=0)
    other = ds.bootstrap(ds.GreedySearch(missing="impute", score="bic-linear"), gappy(), n=5, random_state=1)
    assert again.adjacency_probability[0, 1] == other.adjacency_probability[0, 1] == 1.0


def test_confidence_goes_by_local_scores_too():
    sure = ds.posterior(gappy(), random_state=0)
    assert sure.edge_probability[0, 1] > 0.95
    assert any("each local score or test goes by the rows" in note for note in sure.notes)
    resampled = ds.bootstrap(ds.OrderSearch(score="bic-linear"), gappy(), n=5, random_state=0)
    assert resampled.adjacency_probability[0, 1] == 1.0


def test_specifications_need_complete_rows():
    with pytest.raises(DataError, match="specifications need complete rows"):
        ds.posterior(gappy(), specifications="auto")


def test_tests_of_edges_need_complete_rows():
    with pytest.raises(ds.DagsearchError, match="prune='cam': tests of edges need complete rows"):
        ds.GreedySearch(prune="cam", score="bic-linear").fit(gappy())
    model = ds.GreedySearch(edge_budget=2, score="bic-linear").fit(gappy())
    assert any(note.startswith("not pruned: tests of edges need complete rows") for note in model.result_.notes)


# ---------------------------------------------------------------- command line


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "gaps.csv"
    gappy().to_csv(path, index=False, na_rep="?")
    return str(path)


def test_the_command_line_takes_marks_of_missing_cells_and_what_to_do(file):
    found = discovered(file, "--na", "?", "--method", "greedy", "--score", "bic-linear")
    assert found["n_edges"] == 2
    assert any("each local score" in note for note in found["notes"])
    dropped = discovered(file, "--na", "?", "--missing", "drop", "--method", "greedy", "--score", "bic-linear")
    assert any("rows were left out" in note for note in dropped["notes"])
    refused = run("discover", file, "--na", "?", "--missing", "refuse")
    assert refused.exit_code == 2
    assert "cells are missing" in refused.stderr


def test_a_method_that_needs_complete_rows_names_others(file):
    refused = run("discover", file, "--na", "?", "--method", "lingam")
    assert refused.exit_code == 2
    assert "Error: cells are missing: " in refused.stderr
    assert "lingam needs complete rows: set --missing drop or --missing impute" in refused.stderr
    assert "cd-uct" in refused.stderr
