"""The command with every method: listing them, running one or all, and the options that each takes."""

from __future__ import annotations

import inspect
import json
import sys

import numpy as np
import pandas as pd
import pytest
from common import STRONG_L1, discovered, discrete_frame, files_in, normal_frame, run, succeed

import dagsearch as ds
from dagsearch.baselines.notears import NotearsFit
from dagsearch.cli.options import OPTION_OF
from dagsearch.estimators import METHODS

pytestmark = pytest.mark.usefixtures("folder")

LIGHT = ("--iterations", 2, "--batch-size", 4, "--input-dimension", 8)
CROSS = "\u00d7"
FEW = ("--sims-per-node", 5, "--l1", STRONG_L1, *LIGHT)


@pytest.fixture
def folder(folder):
    """The folder with tables of six columns, for whose shape the networks of RL-BIC are made in other tests, too."""
    normal_frame().to_csv("six.csv", index=False)
    (folder / "truth.csv").write_text("cause,effect\na,b\nb,c\nc,d\nd,e\ne,f\n")
    return folder


class Hiding:
    """A finder of modules that does not find those of one package.

    None in their place in ``sys.modules`` is not enough: SciPy then takes the package to be loaded.
    """

    def __init__(self, finder, package):
        self.finder, self.package = finder, package

    def find_spec(self, name, path=None, target=None):
        return None if name.split(".")[0] == self.package else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)


def without(package, monkeypatch):
    """Let a package be absent."""
    for name in list(sys.modules):
        if name.split(".")[0] == package or name.startswith("dagsearch.baselines.rl_bic."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Hiding(finder, package) for finder in sys.meta_path])


def assert_refused(result, message, folder, before):
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert files_in(folder) == before


# ---------------------------------------------------------------- dagsearch methods


def test_every_method_is_listed_with_its_estimator_data_extra_and_summary():
    lines = succeed("methods").splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(METHODS)]] == list(METHODS)
    for line, kind in zip(lines[1:], METHODS.values(), strict=False):
        assert f"ds.{kind.__name__} " in line
        assert line.endswith(kind.summary)
        assert (" continuous or discrete " in line) is ("discrete" in kind.data_kinds)
        assert f" {kind.extra or '-'} " in line
    assert "is not installed" not in succeed("methods")


def test_every_option_is_listed_with_the_methods_that_take_it():
    lines = succeed("methods").splitlines()
    for_all = next(line for line in lines if line.startswith("Options of all methods:"))
    rows = {line.split()[0]: line.split(maxsplit=1)[1].split(", ") for line in lines[-len(METHODS) :]}
    assert list(rows) == list(METHODS)
    for method, kind in METHODS.items():
        taken = [option for name, option in OPTION_OF.items() if name in inspect.signature(kind).parameters]
        assert [option for option in taken if option not in for_all] == rows[method]
        assert set(taken) >= {"--prune", "--alpha", "--seed", "--jobs"}


@pytest.mark.parametrize("method", METHODS)
def test_one_method_is_described_with_its_options_and_defaults(method):
    text = succeed("methods", method)
    assert text.startswith(f"{method} (ds.{METHODS[method].__name__}): ")
    assert inspect.getdoc(METHODS[method]).splitlines()[0] in text
    for argument, parameter in inspect.signature(METHODS[method]).parameters.items():
        assert (f"{argument}={parameter.default!r}" in text) is (argument in OPTION_OF)
    assert ("Extra" in text) is (METHODS[method].extra is not None)


def test_an_unknown_method_suggests_the_nearest(folder):
    before = files_in(folder)
    assert_refused(run("methods", "notear"), "Did you mean 'notears'?", folder, before)
    assert_refused(run("discover", "six.csv", "--method", "alll"), "Did you mean 'all'?", folder, before)


@pytest.mark.parametrize(
    ("package", "extra", "methods"),
    [("jax", "rl", ["rl-bic"]), ("optax", "rl", ["rl-bic"]), ("causallearn", "baselines", ["pc"])],
)
def test_an_extra_that_is_not_installed_is_named_with_the_way_to_install_it(monkeypatch, package, extra, methods):
    without(package, monkeypatch)
    advice = f"install dagsearch with it, e.g. pip install '.[{extra}]' in its folder"
    assert f"Extra {extra} is not installed: {advice}" in succeed("methods")
    for method in methods:
        assert f"Extra {extra}: not installed: {advice}" in succeed("methods", method)


@pytest.mark.parametrize(
    ("method", "package", "extra"),
    [("pc", "causallearn", "baselines"), ("rl-bic", "jax", "rl")],
)
def test_a_method_whose_extra_is_missing_ends_with_one_message(folder, monkeypatch, method, package, extra):
    without(package, monkeypatch)
    before = files_in(folder)
    result = run("discover", "six.csv", "--method", method, "--json", "result.json", "--out", "results")
    assert_refused(result, f"pip install '.[{extra}]'", folder, before)


# ---------------------------------------------------------------- all methods


@pytest.mark.long
def test_all_methods_give_a_row_each_as_text_and_as_json(folder):
    arguments = (
        "discover",
        "six.csv",
        "--method",
        "all",
        *FEW,
        "--edges",
        5,
        "--truth",
        "truth.csv",
        "--out",
        "results",
    )
    text = succeed(*arguments, "--json", "all.json")
    record = json.loads((folder / "all.json").read_text(), parse_constant=pytest.fail)
    lines = text.splitlines()
    assert lines[0] == "six.csv: 150 rows, 6 variables"
    assert "reward: evidence; metrics after pruning" in lines
    titles = next(k for k, line in enumerate(lines) if line.startswith("method"))
    assert lines[titles].split() == ["method", "edges", "reward", "pruned", "TPR", "FDR", "SHD", "s"]
    rows = [line.split() for line in lines[titles + 1 :] if line]
    assert [row[0] for row in rows] == list(METHODS)
    assert [each["method"] for each in record["methods"]] == list(METHODS)
    assert {len(row) for row in rows} == {8}
    assert record["names"] == list("abcdef")
    for row, each in zip(rows, record["methods"], strict=True):
        assert "error" not in each
        assert row[1] == str(each["n_edges"])
        assert row[2] == ("-" if each["method"] in ("ges", "pc") else f"{each['common_reward']:.4f}")
        assert row[3] == str(each["n_pruned_edges"])
        assert row[4] == f"{each['pruned_metrics']['tpr']:.3f}"
        assert row[6] == str(each["pruned_metrics"]["shd"])
        assert (folder / "results" / each["method"] / "graph.csv").exists()
    # Rewards are comparable: that of CAM's graph is by the same score as the others'.
    by_method = {each["method"]: each for each in record["methods"]}
    score = ds.scores.make("evidence", normal_frame())
    for method in ("cd-uct", "cam", "notears", "lingam"):
        graph = ds.DAG.from_edges([tuple(edge) for edge in by_method[method]["edges"]], names=list("abcdef"))
        assert by_method[method]["common_reward"] == pytest.approx(score.reward(graph), rel=1e-9)


def test_methods_that_cannot_run_have_their_reason_in_their_row(monkeypatch):
    discrete_frame(200, 6).to_csv("discrete.csv", index=False)
    without("causallearn", monkeypatch)
    result = run("discover", "discrete.csv", "--method", "all", *FEW, "--json", "-")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    errors = {each["method"]: each["error"] for each in record["methods"] if "error" in each}
    assert list(errors) == ["cam", "notears", "lingam", "pc", "rl-bic"]
    assert {errors[method] for method in ("cam", "notears", "lingam", "rl-bic")} == {"needs continuous columns"}
    assert "pip install '.[baselines]'" in errors["pc"]
    assert [each["method"] for each in record["methods"]] == list(METHODS)
    ges = next(each for each in record["methods"] if each["method"] == "ges")
    assert ges["common_reward"] == pytest.approx(ges["reward"], rel=1e-9)


def test_all_methods_are_told_what_is_known(monkeypatch):
    without("jax", monkeypatch)
    known = ("--require", "f->a", "--forbid", "a->b", "--tiers", "f;a,b")
    record = json.loads(succeed("discover", "six.csv", "--method", "all", *FEW, *known, "--json", "-"))
    found = {each["method"]: each for each in record["methods"]}
    assert list(found) == list(METHODS)
    assert "pip install '.[rl]'" in found.pop("rl-bic")["error"]
    for each in found.values():
        assert ["f", "a"] in each["edges"]
        assert not [edge for edge in each["edges"] if edge in (["a", "b"], ["a", "f"], ["b", "f"])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["six.csv", "--ci-level", 2], "--ci-level must be a number above 0 and below 1, got 2.0"),
        (["six.csv", "--iterations", 0], "--iterations must be a whole number of at least 1, got 0"),
        (["six.csv", "--l1", -1], "--l1 must be a number of at least 0, got -1.0"),
        (["six.csv", "--alpha", 0], "--alpha must be a number above 0 and at most 1, got 0.0"),
        (["six.csv", "--edges", 99], "--edges must be between 0 and 15 for 6 variables, got 99"),
        (["six.csv", "--score", "bic"], "unknown score 'bic'"),
        (["six.csv", "--forbid", "a->z"], "unknown node 'z'"),
        (["missing.csv"], "missing.csv: there is no such file"),
        (["constant.csv"], "column 'c' is constant"),
    ],
)
def test_what_is_wrong_for_all_ends_with_one_message_and_nothing_written(folder, arguments, message):
    normal_frame().assign(c=1.0).to_csv("constant.csv", index=False)
    before = files_in(folder)
    result = run("discover", "--method", "all", *LIGHT, "--json", "all.json", "--out", "results", *arguments)
    assert_refused(result, message, folder, before)


def test_a_score_that_some_methods_do_not_take_judges_the_others(monkeypatch):
    without("jax", monkeypatch)
    record = json.loads(succeed("discover", "six.csv", "--method", "all", *FEW, "--score", "bic-gp", "--json", "-"))
    scores = {each["method"]: each.get("score") for each in record["methods"]}
    assert scores["cd-uct"] == scores["notears"] == scores["lingam"] == "bic-gp"
    assert (scores["cam"], scores["ges"], scores["pc"]) == ("bic-gam", "bic-linear", "bic-linear")


def test_members_of_a_class_that_differ_in_the_common_reward_have_none(monkeypatch):
    without("jax", monkeypatch)
    arguments = ("discover", "six.csv", "--method", "all", *FEW, "--score", "bic-linear", "--json", "-")
    for options, has_reward in (((), True), (("--variances", "equal"), False)):
        records = {each["method"]: each for each in json.loads(succeed(*arguments, *options))["methods"]}
        assert (records["ges"]["common_reward"] is not None) is has_reward


# ---------------------------------------------------------------- one method


@pytest.mark.parametrize(
    ("method", "options", "settings"),
    [
        ("notears", ["--l1", 0.05, "--threshold", 0.2, "--repair"], {"l1": 0.05, "threshold": 0.2, "repair": True}),
        ("lingam", ["--max-iter", 50], {"variant": "ica", "max_iter": 50}),
        ("lingam", ["--variant", "direct"], {"variant": "direct"}),
        ("pc", ["--ci-test", "fisherz", "--ci-level", 0.01], {"ci_test": "fisherz", "ci_level": 0.01}),
        ("cam", ["--no-selection", "--max-parents", 2], {"neighbour_selection": False, "max_parents": 2}),
        ("ges", ["--score", "bic-linear", "--prune", "none"], {"score": "bic-linear", "prune": "none"}),
        pytest.param(
            "rl-bic",
            [*LIGHT, "--learning-rate", 0.01, "--score", "bic-linear"],
            {"n_iterations": 2, "batch_size": 4, "input_dimension": 8, "learning_rate": 0.01, "score": "bic-linear"},
            marks=pytest.mark.long,
        ),
    ],
)
def test_every_option_reaches_its_method(method, options, settings):
    result = run("discover", "six.csv", "--method", method, *options, "--seed", 3, "--alpha", 0.01, "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    record = json.loads(result.stdout)
    assert {name: record["settings"][name] for name in settings} == settings
    assert (record["method"], record["seed"]) == (method, 3)
    assert record["settings"]["alpha"] in (0.01, None)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("notears", ["--l1", -1], "--l1 must be a number of at least 0, got -1.0"),
        ("notears", ["--threshold", "nan"], "--threshold must be a number of at least 0, got nan"),
        ("notears", ["--require", "a->b", "--forbid", "a->b"], "knowledge both requires and rules out the edge a -> b"),
        ("lingam", ["--max-iter", 0], "--max-iter must be a whole number of at least 1, got 0"),
        ("lingam", ["--variant", "dircet"], "Did you mean 'direct'?"),
        ("lingam", ["--forbid", "a->z"], "unknown node 'z'"),
        ("ges", ["--require", "a->b", "--require", "b->a"], "the edges must not form a cycle"),
        ("ges", ["--score", "bic-gp"], "choose from auto, bic-linear, bic-discrete, bdeu"),
        ("pc", ["--score", "evidence"], "the same for all DAGs of an equivalence class, which evidence tells apart"),
        ("pc", ["--ci-test", "fisher"], "Did you mean 'fisherz'?"),
        ("pc", ["--ci-test", "gsq"], "'a'"),
        ("pc", ["--ci-level", 2], "--ci-level must be a number above 0 and below 1, got 2.0"),
        ("pc", ["--ci-level", 1], "--ci-level must be a number above 0 and below 1, got 1.0"),
        ("rl-bic", ["--iterations", 0], "--iterations must be a whole number of at least 1, got 0"),
        ("rl-bic", ["--batch-size", 0], "--batch-size must be a whole number of at least 1, got 0"),
        ("rl-bic", ["--input-dimension", 0], "--input-dimension must be a whole number of at least 1, got 0"),
        ("rl-bic", ["--learning-rate", 0], "--learning-rate must be a number above 0, got 0.0"),
    ],
)
def test_a_wrong_value_is_answered_with_the_name_of_the_option(folder, method, options, message):
    before = files_in(folder)
    result = run("discover", "six.csv", "--method", method, *options, "--json", "result.json", "--out", "results")
    assert_refused(result, message, folder, before)


@pytest.mark.parametrize(
    ("method", "ignored"),
    [
        ("notears", ["--ci-level", "--edges", "--max-parents"]),
        ("lingam", ["--edges", "--horizon"]),
        ("ges", ["--l1", "--variances"]),
        ("pc", ["--repair", "--horizon"]),
    ],
)
def test_options_that_a_method_does_not_take_are_noted(method, ignored):
    values = {
        "--ci-level": 0.1,
        "--edges": 3,
        "--max-parents": 2,
        "--horizon": 3,
        "--l1": 0.2,
        "--variances": "equal",
    }
    options = [part for option in ignored for part in (option, values.get(option)) if part is not None]
    result = run("discover", "six.csv", "--method", method, *options, "--json", "-")
    assert result.exit_code == 0
    notes = [f"note: {method} takes no {option}, which is ignored" for option in ignored]
    assert sorted(result.stderr.splitlines()) == sorted(notes)
    assert json.loads(result.stdout)["edges"] == discovered("six.csv", "--method", method)["edges"]


@pytest.mark.parametrize("method", ["notears", "lingam", "ges", "pc"])
def test_text_and_files_show_what_was_found(folder, method):
    text = succeed("discover", "six.csv", "--method", method, "--truth", "truth.csv", "--out", "results")
    model = METHODS[method](random_state=0).fit(normal_frame())
    assert f"{method} on six.csv: 150 rows, 6 variables" in text
    assert f"Constructed graph, {model.dag_.n_edges} edges, p-values:" in text
    assert f"After pruning (cam, p < 0.001), {model.pruned_dag_.n_edges} edges:" in text
    for first, second in model.dag_.undirected_edges:
        there, back = (model.result_.p_values[pair] for pair in ((first, second), (second, first)))
        assert f"  {first} -- {second} ({there:.2g}, {back:.2g})" in text
    written = ds.graph.export.from_file(folder / "results" / "graph.graphml")
    assert set(written.directed_edges) == set(model.dag_.directed_edges)
    assert len(written.undirected_edges) == len(model.dag_.undirected_edges)


# ---------------------------------------------------------------- cycles


@pytest.fixture
def with_a_cycle(monkeypatch):
    """NOTEARS ends in a -> b -> c -> a."""
    weights = np.zeros((6, 6))
    weights[0, 1], weights[1, 2], weights[2, 0] = 0.9, 0.8, -0.4

    def notears(*_, **__):
        return NotearsFit(weights, weights, 1e-9, 5, True)

    monkeypatch.setattr("dagsearch.estimators.notears.notears", notears)


@pytest.mark.usefixtures("with_a_cycle")
@pytest.mark.parametrize("truth", [[], ["--truth", "truth.csv"]])
def test_a_graph_with_a_cycle_is_printed_and_written_to_files(folder, truth):
    arguments = ("discover", "six.csv", "--method", "notears", *truth, "--out", "results", "--json", "result.json")
    text = succeed(*arguments)
    assert "NOT ACYCLIC" in text
    assert "--repair" in text
    crosses = [line.split() for line in text.splitlines() if line.startswith("constructed ")]
    assert crosses == ([["constructed", *[CROSS] * 5]] if truth else [])
    names = sorted(path.name for path in (folder / "results").iterdir())
    assert names == ["graph.csv", "graph.dot", "graph.graphml", "graph.svg"]
    assert len(pd.read_csv(folder / "results" / "graph.csv")) == 3
    record = json.loads((folder / "result.json").read_text(), parse_constant=pytest.fail)
    assert (record["reward"], record["status"]) == (None, "cyclic")
    assert record.get("metrics") is None
    repaired = discovered("six.csv", "--method", "notears", "--repair")
    assert repaired["edges"] == [["a", "b"], ["b", "c"]]


@pytest.mark.usefixtures("with_a_cycle")
def test_a_cyclic_row_among_all_methods_is_marked(monkeypatch):
    without("jax", monkeypatch)
    text = succeed("discover", "six.csv", "--method", "all", *FEW, "--truth", "truth.csv")
    row = next(line for line in text.splitlines() if line.startswith("notears")).split()
    assert row[1:7] == ["3", "-", "3", CROSS, CROSS, CROSS]
    assert row[-1] == "cyclic"


def test_ctrl_c_in_a_method_keeps_what_the_others_found_and_ends_the_table(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dagsearch.estimators.lingam.lingam", interrupted)
    record = json.loads(succeed("discover", "good.csv", "--method", "all", *FEW, "--json", "-"))
    assert [row["method"] for row in record["methods"]][-2:] == ["notears", "lingam"]
    assert record["methods"][-1]["status"] == "interrupted"
