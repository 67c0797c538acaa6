"""The command line: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import time
from importlib import metadata
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from common import FEW, JSON_KEYS, discovered, good_table, run, succeed

import dagsearch as ds
from dagsearch.cli import main
from dagsearch.estimators import SEARCHES

pytestmark = pytest.mark.usefixtures("folder")

METRICS = {"tpr", "fdr", "shd", "precision", "recall", "f1", "n_edges"}


# ---------------------------------------------------------------- discover


def test_json_on_standard_output_is_one_object_with_the_keys_of_the_contract():
    result = run("discover", "good.csv", *FEW, "--edges", 4, "--seed", 3, "--json", "-")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert set(record) >= JSON_KEYS
    assert "metrics" not in record
    assert (record["method"], record["score"], record["seed"]) == ("cd-uct", "evidence", 3)
    assert record["n_edges"] == len(record["edges"]) == 4
    assert all(len(edge) == 2 and set(edge) <= set("abcde") for edge in record["edges"])
    assert record["status"] == "finished"
    assert record["version"] == ds.__version__
    assert record["n_simulations"] == 2 * 4 * 5 * 5
    model = ds.CDUCT(sims_per_node=5, edge_budget=4, random_state=3).fit(good_table())
    assert record["edges"] == [list(edge) for edge in model.dag_.edges]
    assert record["pruned_edges"] == [list(edge) for edge in model.pruned_dag_.edges]
    assert record["reward"] == model.reward_


def test_a_known_truth_brings_metrics():
    record = discovered("sachs", "--score", "bic-linear", "--edges", 20, *FEW)
    truth = ds.datasets.load("sachs").truth
    assert set(record["metrics"]) >= METRICS
    found = ds.DAG.from_edges([tuple(edge) for edge in record["edges"]], names=truth.names)
    pruned = ds.DAG.from_edges([tuple(edge) for edge in record["pruned_edges"]], names=truth.names)
    assert record["metrics"] == ds.metrics.compare(found, truth)
    assert record["pruned_metrics"] == ds.metrics.compare(pruned, truth)
    assert record["n_edges"] == record["metrics"]["n_edges"] == 20


@pytest.mark.parametrize(
    ("options", "score", "shown", "pruning"),
    [
        ([], "evidence", "p-values", "cam, p < 0.001"),
        (["--penalty", "edges"], "bic-quadratic", "largest coefficients", "coefficients, |coefficient| > 0.3"),
    ],
)
def test_json_goes_to_a_file_and_text_to_standard_output(folder, options, score, shown, pruning):
    text = succeed("discover", "good.csv", *FEW, "--edges", 4, *options, "--json", "result.json")
    record = json.loads((folder / "result.json").read_text())
    assert set(record) >= JSON_KEYS
    assert "cd-uct on good.csv: 120 rows, 5 variables" in text
    assert f"score: {score}, since all columns are continuous" in text
    assert f"Constructed graph, 4 edges, {shown}:" in text
    assert f"After pruning ({pruning}), {record['n_pruned_edges']} edges:" in text
    assert f"reward {record['reward']:.6f} ({score})" in text
    assert "against the true graph" not in text


def test_text_without_a_budget_shows_the_graph_that_the_score_decided_for():
    text = succeed("discover", "good.csv", *FEW)
    record = discovered("good.csv", *FEW)
    assert record["pruned_edges"] == record["edges"]
    assert f"Constructed graph, {record['n_edges']} edges:\n" in text
    assert "After pruning" not in text


def test_text_compares_with_a_known_truth():
    text = succeed("discover", "sachs", "--method", "random-sampling", "--score", "bic-linear", "--edges", 15)
    assert "against the true graph" in text
    assert all(title in text for title in ("TPR", "FDR", "SHD", "constructed", "pruned"))


def test_out_writes_the_graph_in_four_formats(folder):
    pytest.importorskip("matplotlib")
    result = run("discover", "good.csv", *FEW, "--edges", 6, "--out", "deep/results", "--json", "-")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert "wrote" in result.stderr
    written = folder / "deep" / "results"
    stems = ["graph", "pruned"] if record["pruned_edges"] != record["edges"] else ["graph"]
    suffixes = (".csv", ".dot", ".graphml", ".svg")
    assert sorted(path.name for path in written.iterdir()) == [stem + s for stem in stems for s in suffixes]
    edges = pd.read_csv(written / "graph.csv")[["cause", "effect"]]
    assert edges.to_numpy().tolist() == record["edges"]
    assert (written / "graph.dot").read_text().startswith("digraph")
    assert ElementTree.parse(written / "graph.svg").getroot().tag.endswith("svg")
    compared = json.loads(succeed("compare", written / "graph.graphml", written / "graph.csv", "--json", "-"))
    assert compared["shd"] == 0


def test_out_writes_the_pruned_graph_where_it_differs(folder):
    rng = np.random.default_rng(1)
    pd.DataFrame(rng.normal(size=(500, 4)), columns=list("abcd")).to_csv("noise.csv", index=False)
    succeed("discover", "noise.csv", *FEW, "--score", "bic-linear", "--edges", 3, "--out", "results")
    assert (folder / "results" / "pruned.csv").read_text() == "cause,effect\n"
    assert len((folder / "results" / "graph.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".npy", ".parquet"])
def test_tables_are_read_in_every_format(suffix):
    table, path = good_table(), f"table{suffix}"
    if suffix == ".npy":
        np.save(path, table.to_numpy())
    elif suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    names = table.columns if suffix != ".npy" else [f"x{j}" for j in range(5)]
    record = discovered(path, *FEW, "--edges", 4)
    expected = ds.CDUCT(sims_per_node=5, edge_budget=4, random_state=0).fit(table).dag_.with_names(names)
    assert record["names"] == list(names)
    assert record["edges"] == [list(edge) for edge in expected.edges]


def test_a_file_with_the_truth_brings_metrics(folder):
    (folder / "truth.csv").write_text("cause,effect\na,b\nb,c\nd,e\n")
    record = discovered("good.csv", *FEW, "--edges", 3, "--truth", "truth.csv")
    assert record["metrics"]["n_true_edges"] == 3
    truth = ds.DAG.from_edges([("a", "b"), ("b", "c"), ("d", "e")], names=list("abcde"))
    found = ds.DAG.from_edges([tuple(edge) for edge in record["edges"]], names=list("abcde"))
    assert record["metrics"] == ds.metrics.compare(found, truth)
    # A matrix has no names of its own: its columns are those of the table.
    np.save("truth.npy", truth.adjacency)
    assert discovered("good.csv", *FEW, "--edges", 3, "--truth", "truth.npy")["metrics"] == record["metrics"]


def test_one_seed_gives_one_graph_whatever_jobs_is():
    options = ("good.csv", *FEW, "--score", "bic-gp", "--edges", 7)
    records = [discovered(*options, "--seed", 5, "--jobs", jobs) for jobs in (1, 2, -1, 1)]
    assert len({json.dumps([r["edges"], r["reward"], r["n_score_evaluations"]]) for r in records}) == 1


def test_two_seeds_differ():
    options = ("good.csv", "--method", "random-sampling", "--edges", 7)
    assert len({json.dumps(discovered(*options, "--seed", seed)["edges"]) for seed in range(4)}) > 1


def test_required_and_forbidden_edges_are_obeyed():
    options = ("--require", "e->a", "--require", "c -> b", "--forbid", "a->b", "--forbid", "d->e")
    record = discovered("good.csv", *FEW, "--edges", 7, *options)
    assert ["e", "a"] in record["edges"]
    assert ["c", "b"] in record["edges"]
    assert ["e", "a"] in record["pruned_edges"]
    assert ["a", "b"] not in record["edges"]
    assert ["d", "e"] not in record["edges"]


def test_kinds_can_be_declared():
    rng = np.random.default_rng(2)
    pd.DataFrame(rng.integers(0, 4, (150, 3)), columns=list("abc")).to_csv("few.csv", index=False)
    assert discovered("few.csv", *FEW)["score"] == "bic-discrete"
    assert discovered("few.csv", *FEW, "--continuous", "a, b,c")["score"] == "evidence"
    pd.DataFrame(rng.integers(0, 30, (150, 3)), columns=list("abc")).to_csv("many.csv", index=False)
    assert discovered("many.csv", *FEW)["score"] == "evidence"
    assert discovered("many.csv", *FEW, "--discrete", "a,b,c")["score"] == "bic-discrete"


@pytest.mark.parametrize("method", SEARCHES)
def test_every_search_runs_by_its_name(method):
    record = discovered("good.csv", "--method", method, *FEW, "--edges", 5)
    assert record["method"] == method
    assert record["n_edges"] == 5


def test_every_option_reaches_the_search():
    options = ("--variances", "equal", "--penalty", "parameters", "--horizon", 3, "--exploration", 0.5)
    options += ("--exploration-scale", "none", "--final-move", "highest-mean", "--restarts", 2)
    options += ("--max-parents", 2, "--prune", "none", "--time-limit", 100, "--score", "bic-linear")
    settings = discovered("good.csv", *FEW, "--edges", 5, *options)["settings"]
    expected = {"variances": "equal", "penalty": "parameters", "horizon": 3, "exploration": 0.5, "n_restarts": 2}
    expected |= {"exploration_scale": "none", "final_move": "highest-mean", "max_parents": 2, "prune": "none"}
    expected |= {"time_limit": 100.0, "score": "bic-linear", "edge_budget": 5, "sims_per_node": 5.0}
    assert {key: settings[key] for key in expected} == expected


def test_the_options_of_evidence_reach_the_search():
    options = ("--models", "joint, linear", "--noise", "shape", "--min-effect", 0.1, "--refine", "off")
    settings = discovered("good.csv", *FEW, *options)["settings"]
    expected = {"score": "evidence", "models": ["linear", "joint"], "noise": "shape", "min_effect": 0.1}
    assert {key: settings[key] for key in (*expected, "refine")} == {**expected, "refine": False}


# ---------------------------------------------------------------- time


def test_time_limit_ends_the_search_with_its_best_graph():
    started = time.perf_counter()
    record = discovered("sachs", "--score", "bic-linear", "--edges", 30, "--sims-per-node", 1e5, "--time-limit", 1)
    assert record["status"] == "time-limit"
    assert record["n_edges"] == 30
    assert 1 <= time.perf_counter() - started < 15


def test_text_says_that_the_time_limit_was_reached():
    text = succeed("discover", "good.csv", "--edges", 6, "--sims-per-node", 1e5, "--time-limit", 0.2)
    assert "The time limit was reached: this is the best graph so far." in text


# ---------------------------------------------------------------- the other commands


def test_compare_prints_metrics_as_text_and_as_json(folder):
    (folder / "found.csv").write_text("cause,effect\na,b\nc,b\n")
    (folder / "truth.json").write_text('{"edges": [["a", "b"], ["b", "c"]], "names": ["a", "b", "c"]}')
    record = json.loads(succeed("compare", "found.csv", "truth.json", "--json", "-"))
    assert set(record) >= METRICS
    assert (record["tpr"], record["fdr"], record["shd"], record["n_edges"]) == (0.5, 0.5, 1, 2)
    text = succeed("compare", "found.csv", "truth.json", "--json", "metrics.json")
    assert "tpr  0.5000" in text
    assert json.loads((folder / "metrics.json").read_text()) == record


def test_compare_takes_the_name_of_a_data_set_for_the_truth(folder):
    truth = ds.datasets.load("sachs").truth
    (folder / "found.json").write_text(json.dumps({"edges": truth.edges, "names": truth.names}))
    record = json.loads(succeed("compare", "found.json", "sachs", "--json", "-"))
    assert (record["tpr"], record["shd"], record["n_edges"]) == (1.0, 0, 17)


def test_the_json_of_discover_can_be_compared():
    succeed("discover", "sachs", *FEW, "--score", "bic-linear", "--edges", 17, "--json", "run.json")
    expected = discovered("sachs", *FEW, "--score", "bic-linear", "--edges", 17)["metrics"]
    assert json.loads(succeed("compare", "run.json", "sachs", "--json", "-")) == expected


def test_demo_shows_a_graph_and_its_comparison(monkeypatch):
    monkeypatch.setattr("dagsearch.scores.choose.AFFORDABLE_SECONDS", 0.0)  # linear models are enough for a test
    text = succeed("demo", "--seed", 1)
    assert "Sachs" in text
    assert "Constructed graph" in text
    assert "against the true graph" in text
    assert "seed 1" in text


def test_help_and_version_are_there_for_every_command():
    assert ds.__version__ in succeed("--version")
    for command in ([], ["discover"], ["compare"], ["methods"], ["datasets"], ["demo"]):
        assert "Usage:" in succeed(*command, "--help")


def test_the_command_is_installed_under_its_name():
    (script,) = metadata.entry_points(group="console_scripts", name="dagsearch")
    assert script.load() is main
