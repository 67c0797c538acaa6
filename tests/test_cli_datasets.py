"""``dagsearch datasets``: the list, descriptions and JSON."""

from __future__ import annotations

import json

import pytest
from common import run, succeed

import dagsearch as ds


@pytest.fixture(autouse=True)
def _nothing_local(monkeypatch):
    monkeypatch.delenv("DAGSEARCH_DATA", raising=False)


def line_of(name: str, text: str) -> str:
    (line,) = [line for line in text.splitlines() if line.split()[:1] == [name]]
    return line


def test_numbered_data_sets_share_a_line():
    text = succeed("datasets")
    assert len(text.splitlines()) < 35
    assert max(map(len, text.splitlines())) < 180
    sachs, family = line_of("sachs", text), line_of("gp10-e15-1..40", text)
    for part in ("853 x 11", "continuous", " 17 ", "bundled", "Sachs et al. 2005"):
        assert part in sachs
    for part in ("1000 x 10", "continuous", " 9..21 ", "to be downloaded", "Lachapelle"):
        assert part in family
    assert line_of("gp10-e45-1..40", text).split()[5] == "45"
    assert line_of("gp10-e30-n10000-1", text).split()[5] == "24"


def test_networks_that_can_be_sampled_are_listed():
    lines = succeed("datasets").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Networks"))
    assert [line.split()[:2] for line in lines[start + 1 :]] == [["asia", "8"], ["child", "20"], ["insurance", "27"]]


def test_a_family_that_is_partly_here_is_counted(data_folder, tmp_path, monkeypatch):
    (tmp_path / "syntren").mkdir()
    (tmp_path / "syntren" / "3").symlink_to(data_folder / "syntren" / "3")
    monkeypatch.setenv("DAGSEARCH_DATA", str(tmp_path))
    assert "9 to be downloaded, 1 on this machine" in line_of("syntren-1..10", succeed("datasets"))


def test_one_data_set_is_described_in_full():
    description = succeed("datasets", "sachs")
    for part in ("853 x 11", "17 true edges", "Science", "bundled with dagsearch"):
        assert part in description
    assert "bnlearn/processed/asia-1000.csv (to be downloaded)" in succeed("datasets", "asia")
    assert 'ds.datasets.network("asia")' in succeed("datasets", "asia")
    assert "network" not in succeed("datasets", "syntren-3")


def test_the_name_of_a_family_describes_its_members():
    assert succeed("datasets", "syntren-1..10").count("true edges") == 10


def test_json_holds_every_entry_in_full(tmp_path):
    record = json.loads(succeed("datasets", "--json", "-"))
    assert [entry["name"] for entry in record["datasets"]] == ds.datasets.names()
    assert [entry["name"] for entry in record["networks"]] == ds.datasets.network_names()
    assert all(entry["n_true_edges"] > 0 and entry["citation"] and entry["status"] for entry in record["datasets"])
    assert record["networks"][0]["n_levels"]["smoke"] == 2
    text = succeed("datasets", "--json", tmp_path / "list.json")
    assert "gp10-e15-1..40" in text
    assert json.loads((tmp_path / "list.json").read_text()) == record


def test_json_of_one_data_set_holds_that_one_and_its_network():
    record = json.loads(succeed("datasets", "child", "--json", "-"))
    assert [entry["name"] for entry in record["datasets"]] == ["child"]
    assert [entry["name"] for entry in record["networks"]] == ["child"]
    assert json.loads(succeed("datasets", "sachs", "--json", "-"))["networks"] == []


@pytest.mark.parametrize("arguments", [["sach"], ["sach", "--download"], ["sach", "--json", "-"]])
def test_unknown_names_are_answered_with_the_nearest(arguments):
    result = run("datasets", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Did you mean 'sachs'?" in result.stderr
