from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from dagsearch import datasets
from dagsearch.datasets.catalogue import ENTRIES
from dagsearch.errors import DataError, UnknownNameError
from dagsearch.graph import DAG

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
CHAIN_EDGES = [("x0", "x1"), ("x1", "x2")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder that the environment names."""
    monkeypatch.setenv("DAGSEARCH_DATA", str(tmp_path))
    return tmp_path


def save(path: Path, array) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, array)


def some_values():
    return np.random.default_rng(0).normal(size=(20, 3))


def test_names_cover_all_families_once():
    names = datasets.names()
    assert len(names) == len(set(names)) == 1 + 10 + 3 + 10 + 7 * 40 + 1
    assert {"sachs", "syntren-10", "insurance", "er50-quadratic", "er15-linear"} <= set(names)
    assert {"gp10-e45-40", "gp10-e30-n10000-1"} <= set(names)


def test_every_data_set_is_described():
    for name in datasets.names():
        info = datasets.describe(name)
        assert info.name == name
        assert info.n_samples >= 500
        assert info.n_nodes >= 8
        assert info.citation
        assert info.where


def test_sachs_is_bundled_with_its_truth(monkeypatch):
    monkeypatch.delenv("DAGSEARCH_DATA", raising=False)
    data, info = datasets.load("sachs"), datasets.describe("sachs")
    assert data.values.shape == (info.n_samples, info.n_nodes) == (853, 11)
    assert data.names[:3] == ("praf", "pmek", "plcg")
    assert data.values[0, :3].tolist() == [26.4, 13.2, 8.82]
    assert set(data.kinds) == {"continuous"}
    assert isinstance(data.truth, DAG)
    assert len(data.truth.edges) == info.n_true_edges == 17
    assert ("praf", "pmek") in data.truth.edges
    assert "Science 308" in data.citation


def test_bundled_sachs_equals_the_published_arrays():
    folder = Path(os.environ.get("DAGSEARCH_DATA", "")) / "sachs"
    if "DAGSEARCH_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("DAGSEARCH_DATA names no folder with sachs")
    data = datasets.load("sachs")
    assert np.array_equal(data.values, np.load(folder / "data.npy"))
    assert np.array_equal(data.truth.adjacency, np.load(folder / "DAG.npy"))


@pytest.mark.parametrize("name", ["syntren-3", "asia", "insurance", "er10-linear", "er50-quadratic", "gp10-e20-7"])
def test_published_files_agree_with_their_description(name):
    info = datasets.describe(name)
    if not (Path(os.environ.get("DAGSEARCH_DATA", "")) / info.where).is_file():
        pytest.skip(f"DAGSEARCH_DATA names no folder with {info.where}")
    data = datasets.load(name)
    assert data.values.shape == (info.n_samples, info.n_nodes)
    assert set(data.kinds) == {info.kind}
    assert info.n_true_edges == len(data.truth.edges)


def test_true_edges_of_all_published_graphs_are_known(data_folder):
    for name in datasets.names():
        truth_file = ENTRIES[name].truth_file
        if truth_file:
            graph = np.load(data_folder / truth_file)
            assert datasets.describe(name).n_true_edges == (np.abs(graph) > 1e-3).sum(), name


@pytest.mark.parametrize(
    ("name", "data_file", "truth_file"),
    [
        ("syntren-2", "syntren/2/data.npy", "syntren/2/DAG.npy"),
        (
            "gp10-e15-4",
            "gpgen/data_er_p10_e15_n1000_GP/data4.npy",
            "gpgen/data_er_p10_e15_n1000_GP/DAG4.npy",
        ),
        (
            "gp10-e30-n10000-1",
            "gpgen/data_er_p10_e30_n10000_GP/data1.npy",
            "gpgen/data_er_p10_e30_n10000_GP/DAG1.npy",
        ),
    ],
)
def test_arrays_with_causes_in_rows_are_taken_as_stored(folder, name, data_file, truth_file):
    values = some_values()
    save(folder / data_file, values)
    save(folder / truth_file, CHAIN.astype(float))
    data = datasets.load(name)
    assert np.array_equal(data.values, values)
    assert data.truth.edges == CHAIN_EDGES
    assert data.citation == datasets.describe(name).citation


@pytest.mark.parametrize(("name", "stem"), [("er50-quadratic", "50nodesqr"), ("er15-linear", "15nodeslr")])
def test_weights_with_effects_in_rows_are_turned_and_cut_off(folder, name, stem):
    weights = -0.7 * CHAIN.T + 1e-4 * np.triu(np.ones((3, 3)), 1)
    save(folder / f"synthetic/{stem}/gauss_same_noise/1/data.npy", some_values())
    save(folder / f"synthetic/{stem}/gauss_same_noise/1/DAG.npy", weights)
    assert datasets.load(name).truth.edges == CHAIN_EDGES


def save_asia(folder: Path, first_column) -> None:
    save(folder / "bnlearn/processed/asia-1000-gt.npy", CHAIN.astype(np.int32))
    rows = [f"{entry},{i % 2},0" for i, entry in enumerate(first_column)]
    (folder / "bnlearn/processed/asia-1000.csv").write_text("\n".join(["smoke,lung,other", *rows]))


def test_samples_of_networks_are_discrete_in_the_order_of_the_csv(folder):
    save_asia(folder, [0, 0, 1, 1, 0])
    data = datasets.load("asia")
    assert data.kinds == ("discrete",) * 3
    assert data.truth.edges == [("smoke", "lung"), ("lung", "other")]
    assert data.declared_levels == (2, 2, None)


def test_a_sample_with_more_levels_than_its_network_is_refused(folder):
    save_asia(folder, [0, 1, 2, 1, 0])
    with pytest.raises(DataError, match=r"'asia' does not fit its network: declared_levels of column 'smoke'.*got 2"):
        datasets.load("asia")


def test_without_the_variable_the_message_says_what_to_set(monkeypatch):
    monkeypatch.delenv("DAGSEARCH_DATA", raising=False)
    with pytest.raises(DataError, match=r"'syntren-1' is not bundled.*DAGSEARCH_DATA.*syntren/1/DAG\.npy"):
        datasets.load("syntren-1")


def test_an_absent_file_is_named_with_its_whole_path(folder):
    expected = folder / "syntren" / "1" / "DAG.npy"
    save(folder / "syntren/1/data.npy", some_values())
    with pytest.raises(DataError, match=r"'syntren-1' is not bundled.*DAGSEARCH_DATA") as caught:
        datasets.load("syntren-1")
    assert f"{expected} does not exist" in str(caught.value)


@pytest.mark.parametrize("ask", [datasets.load, datasets.describe])
def test_unknown_names_are_answered_with_the_known_ones_in_short(ask):
    message = r"unknown data set 'sach'.*syntren-1\.\.10.*Did you mean 'sachs'"
    with pytest.raises(UnknownNameError, match=message) as caught:
        ask("sach")
    assert len(str(caught.value)) < 500
