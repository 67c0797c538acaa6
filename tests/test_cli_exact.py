"""The command with exact search and certificates: text, JSON, the options of both, and wrong ones."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest
from common import FEW, discrete_frame, files_in, good_table, run, succeed

import dagsearch as ds
from dagsearch.baselines.notears import NotearsFit
from dagsearch.cli import all_methods
from dagsearch.estimators import METHODS

pytestmark = pytest.mark.usefixtures("folder")

CERTIFICATE_KEYS = {
    "reward",
    "best_reward",
    "bound",
    "optimum",
    "gap",
    "is_optimal",
    "among",
    "is_among",
    "ways",
    "status",
}
CERTIFICATE_KEYS |= {"seconds"}
GRAPH_KEYS = {"reward", "edges", "undirected_edges"}
TINY = 1e-6
FEW_METHODS = ("greedy", "random-sampling", "lingam", "ges", "exact")


def record_of(*arguments):
    """What `discover` writes to standard output, which is one JSON object with finite numbers."""
    return json.loads(succeed("discover", *arguments, "--json", "-"), parse_constant=pytest.fail)


def exact(**settings):
    return ds.ExactSearch(random_state=0, **settings).fit(good_table())


def lists(edges):
    return [list(edge) for edge in edges]


def table_below(text):
    """Rows of a table of all methods by method, and the lines below it."""
    lines = text.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("method ")) + 1
    last = lines.index("", first) if "" in lines[first:] else len(lines)
    titles = lines[first - 1].split()
    return {line.split()[0]: dict(zip(titles, line.split(), strict=False)) for line in lines[first:last]}, lines[last:]


@pytest.fixture
def few_methods(monkeypatch):
    """Methods that are soon ready: a search, one whose graphs are no optimum, one whose results are classes, exact."""
    monkeypatch.setattr(all_methods, "METHODS", {name: METHODS[name] for name in FEW_METHODS})


# ---------------------------------------------------------------- exact search


def test_text_says_that_the_graph_is_proven_optimal():
    text = succeed("discover", "good.csv", "--method", "exact")
    model = exact()
    assert text.startswith("exact on good.csv: 120 rows, 5 variables\n")
    assert f"Constructed graph, {model.dag_.n_edges} edges" in text
    assert f"reward {model.reward_:.6f} (evidence)" in text
    assert re.search(r"^proven optimal among all DAGs \(dynamic programming, \d+\.\d s\)$", text, re.MULTILINE)
    assert "best graph" not in text


def test_json_has_the_certificate_the_class_and_the_best_graphs():
    record, model = record_of("good.csv", "--method", "exact"), exact()
    proof = record["certificate"]
    assert set(proof) == CERTIFICATE_KEYS
    assert proof["reward"] == proof["best_reward"] == proof["bound"] == proof["optimum"]
    assert proof["reward"] == pytest.approx(record["reward"], abs=1e-12)
    assert (proof["gap"], proof["is_optimal"], proof["status"]) == (0.0, True, "finished")
    assert (proof["among"], proof["ways"]) == ("all DAGs", ["dynamic programming"])
    assert record["edges"] == lists(model.dag_.edges)
    assert record["equivalence_class"] == {
        "edges": lists(model.equivalence_class_.directed_edges),
        "undirected_edges": lists(model.equivalence_class_.undirected_edges),
    }
    assert record["equivalence_class"]["undirected_edges"]
    assert [(each["edges"], set(each)) for each in record["best_graphs"]] == [(record["edges"], GRAPH_KEYS)]
    assert (record["settings"]["budget"], record["settings"]["solver"]) == ("exactly", "auto")


def test_the_best_graphs_are_listed_by_their_difference_from_the_first(folder):
    text = succeed("discover", "good.csv", "--method", "exact", "--best", 3, "--json", "result.json")
    listed = json.loads((folder / "result.json").read_text(), parse_constant=pytest.fail)["best_graphs"]
    model = exact(n_best=3)
    assert [each["edges"] for each in listed] == [lists(each.dag.edges) for each in model.best_graphs_]
    assert [each["reward"] for each in listed] == [each.reward for each in model.best_graphs_]
    lines = text.split("\n\nnext: ")[0].splitlines()
    start = lines.index("The 3 best graphs, by their difference from the first:") + 1
    first = {f"{cause}->{effect}" for cause, effect in listed[0]["edges"]}
    assert len(lines[start:]) == 3
    for number, (line, each) in enumerate(zip(lines[start:], listed, strict=True), start=1):
        edges = {f"{cause}->{effect}" for cause, effect in each["edges"]}
        words = line.split()
        assert words[:4] == [str(number), f"{each['reward']:.6f}", str(len(edges)), "edges"]
        assert set(words[4:]) == {f"+{edge}" for edge in edges - first} | {f"-{edge}" for edge in first - edges}


def test_the_budget_is_exact_or_an_upper_limit():
    penalised = ("good.csv", "--method", "exact", "--penalty", "parameters", "--edges", 6)
    exactly, at_most = record_of(*penalised), record_of(*penalised, "--budget", "at-most")
    assert exactly["n_edges"] == 6 > at_most["n_edges"]
    assert exactly["reward"] < at_most["reward"]
    assert exactly["certificate"]["among"] == "DAGs with exactly 6 edges"
    assert at_most["certificate"]["among"] == "DAGs with at most 6 edges"
    assert at_most["settings"]["budget"] == "at-most"
    assert record_of("good.csv", "--method", "exact", "--edges", 3, "--budget", "at-most")["n_edges"] <= 3


def test_restrictions_are_named():
    arguments = ("good.csv", "--method", "exact", "--solver", "highs", "--max-parents", 1, "--require", "e->a")
    record = record_of(*arguments)
    assert ["e", "a"] in record["edges"]
    assert record["certificate"]["among"] == "DAGs with at most 1 causes per variable that fit what is known"
    assert record["certificate"]["ways"] in ([], ["cutting planes (HiGHS)"])
    assert record["settings"]["solver"] == "highs"


@pytest.mark.parametrize("edges", [[], ["--edges", 4]])
def test_a_time_limit_leaves_a_bound_and_no_list(edges):
    arguments = ("good.csv", "--method", "exact", "--best", 3, "--time-limit", TINY, *edges)
    record, text = record_of(*arguments), succeed("discover", *arguments)
    proof = record["certificate"]
    assert (record["status"], proof["status"], proof["is_optimal"]) == ("time-limit", "time-limit", False)
    assert (proof["optimum"], record["best_graphs"]) == (None, [])
    assert proof["gap"] == pytest.approx(proof["bound"] - proof["best_reward"])
    assert record["n_edges"] == 4 or not edges
    assert f"no reward is above {proof['bound']:.6f} among " in text
    assert "proven" not in text
    assert "best graphs" not in text


def test_constant_columns_are_noted_and_a_budget_that_they_leave_no_room_for_is_refused(folder):
    discrete_frame().assign(k=1).to_csv("constant.csv", index=False)
    assert "set aside, as they hold one value only and get no edges: 'k'" in succeed(
        "discover", "constant.csv", "--method", "exact"
    )
    result = run("discover", "constant.csv", "--method", "exact", "--edges", 11, "--out", "results")
    assert result.exit_code == 2
    assert "Error: --edges must be between 0 and 10" in result.stderr
    assert not (folder / "results").exists()


# ---------------------------------------------------------------- --certify


def test_certify_reports_the_gap_of_any_method():
    text = succeed("discover", "good.csv", "--method", "lingam", "--certify")
    proof = record_of("good.csv", "--method", "lingam", "--certify")["certificate"]
    assert set(proof) == CERTIFICATE_KEYS
    assert proof["gap"] == proof["optimum"] - proof["reward"] > 0.0
    assert proof["optimum"] == pytest.approx(exact().reward_, abs=1e-9)
    assert not proof["is_optimal"]
    assert f"\noptimum {proof['optimum']:.6f} among all DAGs, gap {proof['gap']:.6f} (dynamic programming, " in text
    assert "certificate" not in record_of("good.csv", "--method", "lingam")
    greedy = record_of("good.csv", "--method", "greedy", "--edges", 3, "--certify")
    assert greedy["certificate"]["among"] == "DAGs with exactly 3 edges"
    assert "best_graphs" not in greedy


def test_certify_takes_the_solver_and_the_time_limit():
    result = run(
        "discover",
        "good.csv",
        "--method",
        "lingam",
        "--certify",
        "--solver",
        "highs",
        "--time-limit",
        60,
        "--json",
        "-",
    )
    assert json.loads(result.stdout)["certificate"]["ways"] == ["cutting planes (HiGHS)"]
    assert "ignored" not in result.stderr
    assert (
        "lingam takes no --solver, which is ignored"
        in run("discover", "good.csv", "--method", "lingam", "--solver", "highs").stderr
    )
    early = record_of("good.csv", "--method", "lingam", "--certify", "--time-limit", TINY)
    assert early["status"] == early["certificate"]["status"] == "time-limit"


def test_a_graph_with_cycles_has_an_optimum_but_no_gap(monkeypatch):
    weights = np.zeros((5, 5))
    weights[0, 1] = weights[1, 2] = weights[2, 0] = 0.9
    fit = NotearsFit(weights, weights, 1e-9, 5, True)
    monkeypatch.setattr("dagsearch.estimators.notears.notears", lambda *_, **__: fit)
    proof = record_of("good.csv", "--method", "notears", "--certify")["certificate"]
    assert (proof["reward"], proof["gap"], proof["is_optimal"]) == (None, None, False)
    assert proof["optimum"] == pytest.approx(exact().reward_, abs=1e-9)
    text = succeed("discover", "good.csv", "--method", "notears", "--certify")
    assert f"\noptimum {proof['optimum']:.6f} among all DAGs (" in text
    assert "nan" not in text


# ---------------------------------------------------------------- all methods


@pytest.mark.usefixtures("few_methods")
def test_all_methods_have_a_gap_and_that_of_exact_search_is_zero(folder):
    arguments = ("discover", "good.csv", "--method", "all", *FEW, "--edges", 3)
    text = succeed(*arguments, "--certify", "--json", "all.json")
    record = json.loads((folder / "all.json").read_text(), parse_constant=pytest.fail)
    rows, below = table_below(text)
    assert list(rows) == [each["method"] for each in record["methods"]] == list(FEW_METHODS)
    assert list(rows["exact"]) == ["method", "edges", "reward", "gap", "pruned", "s"]
    for each in record["methods"]:
        proof, row = each["certificate"], rows[each["method"]]
        assert set(proof) == CERTIFICATE_KEYS
        assert proof["reward"] == each["common_reward"]
        assert row["gap"] == ("-" if proof["gap"] is None else f"{proof['gap']:.4f}")
    by_method = {each["method"]: each["certificate"] for each in record["methods"]}
    assert by_method["exact"]["gap"] == pytest.approx(0.0, abs=1e-12)
    assert by_method["exact"]["is_optimal"]
    assert by_method["ges"]["gap"] is None  # by another score, members of its class differ
    assert min(by_method[method]["gap"] for method in ("random-sampling", "lingam")) > 0.01
    budgeted = "DAGs with exactly 3 edges"
    assert [proof["among"] for proof in by_method.values()] == [budgeted, budgeted, "all DAGs", "all DAGs", budgeted]
    optima = {proof["among"]: proof["optimum"] for proof in by_method.values()}
    assert below == ["", *(f"optimum {optimum:.6f} among {among}" for among, optimum in optima.items())]
    assert optima[budgeted] == pytest.approx(exact(edge_budget=3).reward_, abs=1e-9)
    by_highs = record_of(*arguments[1:], "--certify", "--solver", "highs")
    assert by_highs["methods"][0]["certificate"]["ways"] == ["cutting planes (HiGHS)"]
    plain, nothing = table_below(succeed(*arguments))
    assert "gap" not in plain["exact"]
    assert nothing == []


@pytest.mark.usefixtures("few_methods")
def test_all_methods_with_a_time_limit_state_what_is_known():
    arguments = ("discover", "good.csv", "--method", "all", *FEW, "--edges", 4, "--certify", "--time-limit", TINY)
    record = json.loads(succeed(*arguments, "--json", "-"), parse_constant=pytest.fail)
    assert not any(each["certificate"]["is_optimal"] for each in record["methods"])
    gaps = [each["certificate"]["gap"] for each in record["methods"]]
    assert all(gap is None or gap > 0.0 for gap in gaps)
    _, below = table_below(succeed(*arguments))
    assert len(below) > 1
    assert all(line.startswith("no reward is above ") for line in below[1:])


@pytest.mark.usefixtures("few_methods")
def test_exact_search_among_all_methods_ends_after_a_minute_unless_told_otherwise():
    for given, in_force in (([], 60.0), (["--time-limit", 100], 100.0)):
        record = record_of("good.csv", "--method", "all", *FEW, *given)
        exact_row = next(each for each in record["methods"] if each["method"] == "exact")
        assert exact_row["settings"]["time_limit"] == in_force


# ---------------------------------------------------------------- wrong use


@pytest.mark.parametrize("method", ["exact", "all"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--solver", "cplex"], "unknown solver 'cplex': choose from auto, dynamic, highs, scip."),
        (["--budget", "few"], "unknown budget 'few': choose from exactly, at-most."),
        (["--best", 0], "--best must be a whole number of at least 1, got 0"),
    ],
)
def test_wrong_values_end_with_one_line_before_any_work(folder, method, options, message):
    before = files_in(folder)
    result = run("discover", "good.csv", "--method", method, *options, "--json", "a.json", "--out", "results")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")
    assert files_in(folder) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--solver", "cplex"], "unknown solver 'cplex'"),
        (["--solver", "scip"], "pip install '.[exact]'"),
        (["--time-limit", 0], "--time-limit must be a number above 0"),
    ],
)
def test_wrong_settings_of_a_proof_are_refused_before_the_search(monkeypatch, options, message):
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    monkeypatch.setattr(ds.LiNGAM, "fit", lambda *_: pytest.fail("the search has begun"))
    result = run("discover", "good.csv", "--method", "lingam", "--certify", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_exact_search_is_listed_and_described():
    row = next(line for line in succeed("methods").splitlines() if line.startswith("exact "))
    assert row.split()[1] == "ds.ExactSearch"
    assert row.endswith("the best graph by a score, with a proof")
    text = succeed("methods", "exact")
    for option in ("--budget", "--best", "--solver", "--edges", "--max-parents", "--time-limit"):
        assert re.search(rf"^  {option} ", text, re.MULTILINE)
