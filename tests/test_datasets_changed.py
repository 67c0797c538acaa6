"""Files in the folder of data that are not the published ones: they are used, and whoever uses them is told."""

from __future__ import annotations

import json
import logging
import os
import shutil

import numpy as np
import pytest
from common import run, succeed
from experiment_tables import PretendEngine

import dagsearch as ds
from dagsearch.cli import paper as command
from dagsearch.datasets import files

DATA_FILE = "syntren/1/data.npy"
TRUTH_FILE = "syntren/1/DAG.npy"


@pytest.fixture
def own(data_folder, tmp_path, monkeypatch):
    """A copy of two data sets, in which files can be changed."""
    for name in ("1", "2"):
        shutil.copytree(data_folder / "syntren" / name, tmp_path / "own" / "syntren" / name)
    monkeypatch.setenv("DAGSEARCH_DATA", str(tmp_path / "own"))
    monkeypatch.setenv("DAGSEARCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "own"


def change(path):
    """Another number in the table, or one edge fewer; returns what is in the file now."""
    values = np.load(path)
    values[tuple(np.argwhere(values)[0])] = 0
    np.save(path, values)
    return values


def said_of_changes(text):
    return [line for line in text.splitlines() if "SHA-256" in line]


def test_published_files_are_used_without_a_word(own, caplog):  # noqa: ARG001
    with caplog.at_level(logging.INFO, "dagsearch.datasets"):
        data = ds.datasets.load("syntren-1")
    assert data.notes == ()
    assert not caplog.records
    assert ds.datasets.status("syntren-1") == "on this machine"


def test_a_changed_file_is_used_and_named_in_the_notes_of_the_table_and_of_each_fit(own, caplog):
    values = change(own / DATA_FILE)
    with caplog.at_level(logging.INFO, "dagsearch.datasets"):
        data = ds.datasets.load("syntren-1")
    np.testing.assert_array_equal(data.values, values)
    (note,) = data.notes
    assert note.startswith(
        f"data set syntren-1: {own / DATA_FILE}, in the folder that DAGSEARCH_DATA names, is not the"
    )
    assert [record.getMessage() for record in caplog.records] == [note]
    result = ds.RandomSampling(score="bic-linear", edge_budget=3, random_state=0).fit(data).result_
    assert note in result.notes
    assert ds.datasets.load("syntren-2").notes == ()


def test_a_changed_truth_counts_as_well_and_both_are_in_one_note(own):
    change(own / TRUTH_FILE)
    assert str(own / TRUTH_FILE) in ds.datasets.load("syntren-1").notes[0]
    change(own / DATA_FILE)
    (note,) = ds.datasets.load("syntren-1").notes
    assert f"{own / TRUTH_FILE} and {own / DATA_FILE}" in note
    assert "are not the published files (their SHA-256 sums differ)" in note


def test_the_list_of_data_sets_shows_where_one_was_changed(own):
    change(own / DATA_FILE)
    assert ds.datasets.status("syntren-1") == "changed on this machine"
    assert "1 changed on this machine, 1 on this machine, 8 to be downloaded" in succeed("datasets")
    assert f"{DATA_FILE} (changed on this machine)" in succeed("datasets", "syntren-1")
    (listed,) = json.loads(succeed("datasets", "syntren-1", "--json", "-"))["datasets"]
    assert listed["status"] == "changed on this machine"


@pytest.mark.usefixtures("folder")
def test_the_command_says_so_in_one_line_on_standard_error(own):
    change(own / DATA_FILE)
    options = ("--method", "random-sampling", "--score", "bic-linear", "--edges", "3", "--seed", "0", "--json", "-")
    for _ in range(2):
        result = run("discover", "syntren-1", *options)
        assert result.exit_code == 0
        (line,) = said_of_changes(result.stderr)
        assert str(own / DATA_FILE) in line
        assert line in json.loads(result.stdout)["notes"]
    assert not said_of_changes(run("discover", "syntren-2", *options).stderr)


@pytest.mark.usefixtures("folder")
def test_runs_of_the_paper_say_so_once_for_each_data_set(own, monkeypatch):
    engine = PretendEngine()
    monkeypatch.setattr(command, "_local_engine", lambda *_: engine)
    monkeypatch.setattr(command, "_alone", lambda given: given)
    options = ("--only", "greedy", "--data", "syntren", "--seeds", 1, "--sets", 2, "--tuning-seeds", 0)
    assert not said_of_changes(run("paper", "table1", *options).stderr)
    change(own / DATA_FILE)
    result = run("paper", "table1", *options, "--out", "others")
    assert {task.data for task in engine.asked} == {"syntren-1", "syntren-2"}
    (line,) = said_of_changes(result.stderr)
    assert line.startswith("data set syntren-1: ")


def test_a_file_is_summed_once_however_often_it_is_loaded_and_again_when_it_has_changed(own):
    files._sum_of_version.cache_clear()
    for _ in range(5):
        assert ds.datasets.load("syntren-1").notes == ()
    assert files._sum_of_version.cache_info().misses == 2
    size = (own / DATA_FILE).stat().st_size
    change(own / DATA_FILE)
    os.utime(own / DATA_FILE, ns=(0, 1))
    assert (own / DATA_FILE).stat().st_size == size
    assert len(ds.datasets.load("syntren-1").notes) == 1
    assert files._sum_of_version.cache_info().misses == 3


def test_files_that_cannot_be_read_are_told_of_as_before(own, monkeypatch):
    (own / DATA_FILE).write_bytes(b"no table at all")
    with pytest.raises(ds.DagsearchError, match=r"data\.npy"):
        ds.datasets.load("syntren-1")
    (own / DATA_FILE).unlink()
    monkeypatch.setenv("DAGSEARCH_URL", "http://127.0.0.1:1")
    with pytest.raises(ds.DagsearchError, match="does not exist"):
        ds.datasets.load("syntren-1")
    assert files.changed_files([DATA_FILE, TRUTH_FILE]) == []
