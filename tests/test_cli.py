"""The command line: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from importlib import metadata
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from common import FEW, discovered, good_table, run, succeed

import dagsearch as ds
from dagsearch.cli import main
from dagsearch.estimators import METHODS, SEARCHES

pytestmark = pytest.mark.usefixtures("folder")

JSON_KEYS = {"method", "edges", "pruned_edges", "n_edges", "reward", "score", "seconds", "seed"}
JSON_KEYS |= {"n_simulations", "n_score_evaluations", "version"}
METRICS = {"tpr", "fdr", "shd", "precision", "recall", "f1", "n_edges"}


def start(*arguments, **options):
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "dagsearch.cli", *map(str, arguments)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **{**pipes, **options})


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


# ---------------------------------------------------------------- CAM, and what the data say of each edge


@pytest.mark.parametrize("options", [[], ["--no-selection"]])
def test_cam_runs_by_its_name_with_and_without_selection(options):
    record = discovered("good.csv", "--method", "cam", *options)
    model = ds.CAM(neighbour_selection=not options, random_state=0).fit(good_table())
    assert record["method"] == "cam"
    assert record["score"] == "bic-gam"
    assert record["settings"]["neighbour_selection"] is not bool(options)
    assert record["edges"] == [list(edge) for edge in model.dag_.edges]
    assert record["pruned_edges"] == [list(edge) for edge in model.pruned_dag_.edges]
    assert ["b", "c"] in record["pruned_edges"]
    assert not options or record["n_edges"] == 10


@pytest.mark.parametrize("method", ["cam", "greedy"])
def test_alpha_decides_which_edges_stay(method):
    options = () if method == "cam" else ("--score", "bic-gp", "--edges", 8)
    kept = []
    for alpha in (1e-12, 0.001, 0.5):
        record = discovered("good.csv", "--method", method, *options, "--alpha", alpha)
        assert (record["settings"]["prune"], record["settings"]["alpha"]) == ("cam", alpha)
        kept.append([[cause, effect] for cause, effect, p in record["p_values"] if p < alpha])
        assert record["pruned_edges"] == kept[-1]
        assert record["n_pruned_edges"] == len(kept[-1])
    assert len(kept[0]) < len(kept[2])


def test_json_holds_the_p_value_of_each_constructed_edge():
    record = discovered("good.csv", "--method", "cam")
    model = ds.CAM(random_state=0).fit(good_table())
    assert "coefficients" not in record
    assert record["p_values"] == [[*edge, p] for edge, p in model.result_.p_values.items()]
    assert sorted([cause, effect] for cause, effect, _ in record["p_values"]) == sorted(record["edges"])


def test_json_holds_the_largest_coefficient_of_each_edge_of_a_linear_score():
    record = discovered("good.csv", *FEW, "--score", "bic-linear", "--edges", 6)
    assert "p_values" not in record
    assert sorted([cause, effect] for cause, effect, _ in record["coefficients"]) == sorted(record["edges"])
    assert [[cause, effect] for cause, effect, size in record["coefficients"] if size > 0.3] == record["pruned_edges"]


@pytest.mark.parametrize("options", [["--score", "bic-linear", "--prune", "none"], ["--continuous", ""]])
def test_json_without_pruning_holds_neither(options):
    rng = np.random.default_rng(3)
    pd.DataFrame(rng.integers(0, 3, (150, 3)), columns=list("abc")).to_csv("few.csv", index=False)
    record = discovered("few.csv", *FEW, *options)
    assert record["settings"]["prune"] == "none"
    assert not {"p_values", "coefficients"} & set(record)
    assert record["pruned_edges"] == record["edges"]


def test_text_shows_the_p_value_behind_each_cause():
    record = discovered("good.csv", "--method", "cam")
    text = succeed("discover", "good.csv", "--method", "cam")
    constructed, pruned = text.split("\n\n")[1:3]
    assert constructed.startswith(f"Constructed graph, {record['n_edges']} edges, p-values:")
    assert pruned.startswith(f"After pruning (cam, p < 0.001), {record['n_pruned_edges']} edges:")
    for cause, effect, p in record["p_values"]:
        entry = f"{cause} ({p:.2g})"
        assert entry in line_of(constructed, effect)
        assert (entry in line_of(pruned, effect)) is (p < 0.001)
    assert text.count("(") - 2 == record["n_edges"] + record["n_pruned_edges"]


def line_of(text, effect):
    """The line that lists the causes of a variable."""
    (line,) = [line for line in text.splitlines() if line.split("<-")[0].strip() == effect]
    return line


def test_text_says_less_than_the_smallest_number_for_a_p_value_that_is_zero():
    text = succeed("discover", "sachs", "--method", "cam")
    assert "pakts473 (< 1e-300)" in line_of(text.split("\n\n")[1], "p44/42")


def test_options_that_a_method_does_not_take_are_noted_and_ignored():
    plain = discovered("good.csv", "--method", "cam")
    result = run("discover", "good.csv", "--method", "cam", "--edges", 3, *FEW, "--score", "bic-gp", "--json", "-")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "note: cam takes no --edges, which is ignored",
        "note: cam takes no --score, which is ignored",
        "note: cam takes no --sims-per-node, which is ignored",
    ]
    assert json.loads(result.stdout)["edges"] == plain["edges"]
    result = run("discover", "good.csv", "--method", "greedy", "--no-selection", "--json", "-")
    assert result.stderr == "note: greedy takes no --no-selection, which is ignored\n"


@pytest.mark.parametrize("method", [method for method in METHODS if method != "rl-bic"])  # which would take hours
def test_nothing_is_noted_when_nothing_was_given(method):
    result = run("discover", "good.csv", "--method", method, "--json", "-")
    assert result.exit_code == 0
    assert result.stderr == ""


def test_too_few_rows_to_test_all_causes_are_said_in_the_text():
    good_table()[:5].to_csv("short.csv", index=False)
    text = succeed("discover", "short.csv", *FEW, "--score", "bic-gp", "--edges", 4)
    assert "not pruned: 5 rows can test at most 3 causes of a variable together, 4 are possible" in text
    assert "After pruning" not in text


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


# ---------------------------------------------------------------- start-up


def modules_after(statement):
    """Names of the top-level modules in memory after a statement, in a fresh process."""
    program = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(result.stdout.split())


def test_importing_dagsearch_loads_no_heavy_package():
    heavy = {"numba", "pandas", "sklearn", "scipy", "networkx", "matplotlib", "rich"}
    assert not heavy & modules_after("import dagsearch")
    assert "pandas" in modules_after("import dagsearch; dagsearch.Dataset")


def test_help_loads_no_heavy_package_and_comes_at_once():
    heavy = {"numba", "pandas", "sklearn", "scipy", "networkx", "matplotlib"}
    call = "from dagsearch.cli import main\nmain(['discover', '--help'], standalone_mode=False)"
    assert not heavy & modules_after(call)
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        process = start("--help")
        output, _ = process.communicate(timeout=30)
        seconds.append(time.perf_counter() - started)
        assert process.returncode == 0
        assert "discover" in output
    assert min(seconds) < 1.5


# ---------------------------------------------------------------- real processes


def test_a_real_process_ends_with_code_two_and_one_message():
    process = start("discover", "missing.csv", "--json", "-")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert output == ""
    assert errors == "Error: missing.csv: there is no such file\n"


def test_a_real_process_prints_json_alone():
    process = start("discover", "good.csv", *FEW, "--edges", 4, "--json", "-")
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert errors == ""
    assert json.loads(output)["edges"] == discovered("good.csv", *FEW, "--edges", 4)["edges"]


class Terminal:
    """A pseudo-terminal for standard error, so that a process shows its progress; what it shows is collected."""

    def __init__(self):
        self._master, self.slave = pytest.importorskip("pty").openpty()
        self.text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            try:
                self.text += os.read(self._master, 4096).decode(errors="replace")
            except OSError:
                return

    def wait_for(self, words, process, seconds=90):
        """Wait until some words are shown; the process must live as long."""
        end = time.perf_counter() + seconds
        while words not in self.text:
            assert process.poll() is None, self.text
            assert time.perf_counter() < end, self.text
            time.sleep(0.05)

    def close(self):
        os.close(self.slave)
        self._reader.join(timeout=10)
        os.close(self._master)


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.mark.parametrize("options", [["--edges", 30], []])
def test_an_interrupt_ends_the_search_with_its_best_graph(terminal, options):
    arguments = ["discover", "sachs", "--score", "bic-linear", "--sims-per-node", 3e5, *options, "--json", "-"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = start(*arguments, stderr=terminal.slave, env=environment)
    try:
        terminal.wait_for("sims/s", process)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, terminal.text
    record = json.loads(output)
    assert record["status"] == "interrupted"
    assert set(record) >= JSON_KEYS
    assert record["n_edges"] == len(record["edges"])
    assert not options or record["n_edges"] == 30
    assert "Traceback" not in terminal.text


@pytest.mark.long
def test_memory_does_not_grow_with_simulations_that_are_never_made():
    resource = pytest.importorskip("resource")

    def limit_memory():
        resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))

    arguments = ["discover", "sachs", "--score", "bic-linear", "--edges", 30, "--sims-per-node", 1e8]
    process = start(*arguments, "--time-limit", 1, "--json", "-", preexec_fn=limit_memory)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert json.loads(output)["status"] == "time-limit"
