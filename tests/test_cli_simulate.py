"""The command simulate: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import gzip
import json
import re
from typing import get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest
from common import files_in, run, succeed

import dagsearch as ds
from dagsearch.data import read_dataset
from dagsearch.datasets.mechanisms import MECHANISMS
from dagsearch.graph.export import from_file, to_graphml

pytestmark = pytest.mark.usefixtures("folder")

FILES = {"data.csv", "truth.csv", "truth.dot", "truth.graphml", "truth.svg"}
SMALL = ("--nodes", 5, "--rows", 60)
BIF = """network unknown { }
variable rain { type discrete [ 2 ] { no, yes }; }
variable wet { type discrete [ 2 ] { no, yes }; }
probability ( rain ) { table 0.7, 0.3; }
probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }
"""


def simulated(*arguments):
    """The JSON object that the command prints."""
    return json.loads(succeed("simulate", *SMALL, *arguments, "--out", "made", "--json", "-"))


def written(folder="made"):
    """The table and the graph that the command wrote."""
    return read_dataset(f"{folder}/data.csv"), from_file(f"{folder}/truth.graphml")


def test_data_and_truth_are_those_of_python(folder):
    options = ("--edges", 6, "--mechanism", "gp", "--noise", "laplace", "--graph", "scale-free", "--seed", 4)
    succeed("simulate", *SMALL, *options, "--out", "made")
    wanted = ds.datasets.simulate(5, 60, n_edges=6, mechanism="gp", noise="laplace", graph="scale-free", random_state=4)
    table, truth = written()
    np.testing.assert_array_equal(table.values, wanted.values)
    assert table.names == wanted.names
    assert truth == wanted.truth
    assert {path.name for path in (folder / "made").iterdir()} == FILES


def test_noise_that_depends_on_causes_and_errors_of_measurement_are_those_of_python():
    options = ("--mechanism", "interaction", "--scale-dependence", 0.5, "--measurement-error", 0.2)
    text = succeed("simulate", *SMALL, *options, "--out", "made")
    settings = {"mechanism": "interaction", "scale_dependence": 0.5, "measurement_error": 0.2, "random_state": 0}
    np.testing.assert_array_equal(written()[0].values, ds.datasets.simulate(5, 60, **settings).values)
    assert "times exp(0.5 g) with g a random function of the parents, measured with errors of 20%" in text


def test_the_help_names_all_mechanisms():
    listed = succeed("simulate", "--help")
    allowed = get_args(get_type_hints(ds.datasets.simulate)["mechanism"])
    assert set(allowed) == {*MECHANISMS, "discrete", "mixed"}
    assert all(re.search(rf"\b{mechanism}\b", listed) for mechanism in allowed)


def test_a_seed_repeats_byte_by_byte_and_another_does_not(folder):
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        succeed("simulate", *SMALL, "--seed", seed, "--out", name)
    for name in ("data.csv", "truth.csv"):
        one, again, other = ((folder / made / name).read_bytes() for made in ("one", "again", "other"))
        assert one == again != other


def test_the_text_says_what_was_made_and_warns_of_telling_variances():
    text = succeed("simulate", *SMALL, "--edges", 7, "--out", "made")
    assert text.startswith("60 rows, 5 variables, 7 edges\nsimulated by dagsearch")
    assert "linear functions (weights of size 0.5 to 2) and gaussian noise" in text
    table, truth = written()
    assert f"varsortability {ds.metrics.varsortability(table, truth):.3f}: variance grows along causal paths" in text
    assert "consider --standardise" in text
    assert f"R2-sortability {ds.metrics.r2_sortability(table, truth):.3f}: " in text


def test_standardised_data_bring_no_warning():
    text = succeed("simulate", *SMALL, "--standardise", "--out", "made")
    assert "varsortability 0.500: variances say nothing about the causal order" in text
    assert "consider" not in text
    np.testing.assert_allclose(written()[0].values.std(axis=0), 1)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.8, "variance grows along causal paths; sorting by it alone"),
        (0.2, "variance shrinks along causal paths; sorting by it alone"),
        (0.75, "variances alone do not give the causal order away"),
        (0.25, "variances alone do not give the causal order away"),
    ],
)
def test_the_words_follow_varsortability(monkeypatch, value, words):
    monkeypatch.setattr("dagsearch.metrics.varsortability", lambda _: value)
    assert f"varsortability {value:.3f}: {words}" in succeed("simulate", *SMALL, "--out", "made")


def test_json_describes_the_data():
    record = simulated("--edges", 4, "--seed", 9)
    table, truth = written()
    assert (record["n_samples"], record["n_nodes"], record["n_edges"], record["seed"]) == (60, 5, 4, 9)
    assert record["names"] == list(table.names)
    assert record["edges"] == [list(edge) for edge in truth.edges]
    assert record["varsortability"] == ds.metrics.varsortability(table, truth)
    assert record["kinds"] == ["continuous"] * 5
    assert "with seed 9" in record["description"]
    assert record["version"] == ds.__version__


def test_json_goes_to_a_file_and_text_to_standard_output(folder):
    text = succeed("simulate", *SMALL, "--out", "made", "--json", "made.json")
    assert json.loads((folder / "made.json").read_text())["n_nodes"] == 5
    assert "60 rows, 5 variables" in text


def test_without_edges_there_is_nothing_to_sort():
    record = simulated("--edges", 0)
    assert (record["varsortability"], record["r2_sortability"]) == (None, None)
    assert "sortability" not in succeed("simulate", *SMALL, "--edges", 0, "--out", "made")


@pytest.mark.parametrize("mechanism", ["linear", "discrete"])
def test_discover_takes_what_was_written(mechanism):
    succeed("simulate", *SMALL, "--mechanism", mechanism, "--out", "made")
    command = ("discover", "made/data.csv", "--truth", "made/truth.csv", "--method", "greedy", "--json", "-")
    record = json.loads(succeed(*command))
    assert record["metrics"]["n_true_edges"] == 10
    assert set(record["names"]) == {"X1", "X2", "X3", "X4", "X5"}


def test_a_folder_that_is_there_is_written_over(folder):
    succeed("simulate", *SMALL, "--out", "made")
    (folder / "made" / "notes.txt").write_text("mine")
    succeed("simulate", "--nodes", 3, "--rows", 10, "--out", "made")
    assert written()[0].values.shape == (10, 3)
    assert {path.name for path in (folder / "made").iterdir()} == FILES | {"notes.txt"}


@pytest.mark.parametrize("graph", ["truth.csv", "truth.graphml", "truth.json", "truth.npy"])
def test_a_graph_can_come_from_a_file(folder, graph):
    truth = ds.DAG.from_edges([("b", "a"), ("a", "c")], names=["a", "b", "c"])
    (folder / "truth.csv").write_text("cause,effect\nb,a\na,c\n")
    (folder / "truth.json").write_text(json.dumps({"names": ["a", "b", "c"], "edges": truth.edges}))
    (folder / "truth.graphml").write_text(to_graphml(truth))
    np.save(folder / "truth.npy", truth.adjacency)
    succeed("simulate", "--rows", 20, "--graph", graph, "--out", "made")
    table, found = written()
    assert table.n_nodes == 3
    if graph != "truth.npy":
        assert set(found.edges) == set(truth.edges)


def test_a_graph_can_be_that_of_a_data_set():
    succeed("simulate", "--rows", 20, "--graph", "sachs", "--out", "made")
    assert written()[1] == ds.datasets.load("sachs").truth


# ---------------------------------------------------------------- networks


def test_a_bundled_network_is_sampled():
    text = succeed("simulate", "--network", "asia", "--rows", 300, "--seed", 2, "--out", "made")
    wanted = ds.datasets.network("asia").sample(300, 2)
    assert pd.read_csv("made/data.csv").to_numpy().tolist() == wanted.to_pandas().to_numpy().tolist()
    assert written()[1] == wanted.truth
    assert text.startswith("300 rows, 8 variables, 8 edges\nsampled by dagsearch")
    assert "with seed 2: network asia; Lauritzen and Spiegelhalter 1988" in text
    assert "sortability" not in text


@pytest.mark.parametrize("name", ["wet.bif", "wet.bif.gz"])
def test_a_network_can_come_from_a_file(folder, name):
    (folder / name).write_bytes(gzip.compress(BIF.encode()) if name.endswith("gz") else BIF.encode())
    record = json.loads(succeed("simulate", "--network", name, "--out", "made", "--json", "-"))
    assert record["edges"] == [["rain", "wet"]]
    assert record["n_samples"] == 1000
    assert record["description"].endswith(f"network {name}")


# ---------------------------------------------------------------- wrong input

WRONG = [
    (["--nodes", 1], "--nodes must be a whole number of at least 2, got 1"),
    (["--rows", 2], "--rows must be a whole number of at least 3, got 2"),
    (["--edges", 50], "--edges must be between 0 and 45 for 10 variables, got 50"),
    (["--edges", "many"], "'--edges': 'many' is not a valid integer"),
    (["--seed", -1], "--seed must be"),
    (["--mechanism", "liner"], "Did you mean 'linear'?"),
    (["--noise", "gausian"], "Did you mean 'gaussian'?"),
    (["--graph", "sach"], "--graph must be erdos-renyi, scale-free, a graph file or the name of a data set"),
    (["--graph", "missing.csv"], "missing.csv: there is no such file"),
    (["--graph", "good.csv"], "its header must name the columns cause and effect"),
    (["--graph", "sachs", "--nodes", 5], "--nodes must be 11, as in the given graph, got 5"),
    (["--graph", "sachs", "--edges", 5], "--edges must be 17, as in the given graph, got 5"),
    (["--mechanism", "discrete", "--noise", "gaussian"], "--noise does not apply to --mechanism discrete"),
    (["--mechanism", "discrete", "--standardise"], "--standardise does not apply to --mechanism discrete"),
    (["--mechanism", "discrete", "--rescale"], "--rescale does not apply to --mechanism discrete"),
    (["--mechanism", "discrete", "--scale-dependence", 0], "--scale-dependence does not apply to --mechanism discrete"),
    (["--mechanism", "discrete", "--measurement-error", 0], "--measurement-error does not apply to --mechanism"),
    (["--mechanism", "interactions"], "Did you mean 'interaction'?"),
    (["--scale-dependence", -1], "--scale-dependence must be a number of at least 0, got -1.0"),
    (["--scale-dependence", "nan"], "--scale-dependence must be a number of at least 0, got nan"),
    (["--measurement-error", 1], "--measurement-error must be a number of at least 0 and below 1, got 1.0"),
    (["--measurement-error", "much"], "'--measurement-error': 'much' is not a valid float"),
    (["--network", "asai"], "Did you mean 'asia'?"),
    (["--network", "missing.bif"], "missing.bif: cannot be read"),
    (["--network", "good.csv.gz"], "good.csv.gz: cannot be read"),
    (["--network", "asia", "--rows", 1], "--rows must be a whole number of at least 3, got 1"),
    (["--network", "asia", "--noise", "gaussian"], "--noise does not apply to --network"),
    (["--network", "asia", "--nodes", 8], "--nodes does not apply to --network"),
    (["--network", "asia", "--edges", 8], "--edges does not apply to --network"),
    (["--network", "asia", "--graph", "sachs"], "--graph does not apply to --network"),
    (["--network", "asia", "--mechanism", "linear"], "--mechanism does not apply to --network"),
    (["--network", "asia", "--standardise"], "--standardise does not apply to --network"),
    (["--network", "asia", "--measurement-error", 0.1], "--measurement-error does not apply to --network"),
    (["--network", "asia", "--scale-dependence", 0.1], "--scale-dependence does not apply to --network"),
    (["--nodes", 100, "--edges", 4950], "rescale the functions"),
    (["--out", "good.csv"], "--out must be a folder, good.csv is a file"),
    (["--json", "missing/made.json"], "--json must be a file in a folder that can be written to"),
    (["--colour", "red"], "No such option"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_ends_with_one_message_and_nothing_written(folder, arguments, message):
    before = files_in(folder)
    result = run("simulate", "--out", "made", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert files_in(folder) == before
    assert not (folder / "made").exists()


def test_a_folder_must_be_named():
    result = run("simulate")
    assert result.exit_code == 2
    assert "Missing option '--out'" in result.stderr


def test_an_error_while_writing_leaves_the_folder_as_it_was(folder, monkeypatch):
    succeed("simulate", *SMALL, "--out", "made")
    before = files_in(folder)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dagsearch.report.files.to_graphml", full)
    for out in ("made", "new"):
        result = run("simulate", *SMALL, "--seed", 1, "--out", out)
        assert result.exit_code == 2
        assert f"--out must be a folder that can be written to, got {out}: No space left on device" in result.stderr
        assert files_in(folder) == before
    assert not (folder / "new").exists()
