"""``dagsearch paper``: what it runs, resumes, refuses and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from common import run, succeed
from experiment_tables import PretendEngine

from dagsearch.cli import paper as command
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.quick import quick

pytestmark = pytest.mark.usefixtures("folder")

FEW_RUNS = ("--only", "random-sampling", "--data", "Sachs", "--jobs", "1")


@pytest.fixture
def pretending(monkeypatch):
    """Runs that take no time; the engine knows what it was asked for."""
    engine = PretendEngine()
    monkeypatch.setattr(command, "_local_engine", lambda *_: engine)
    monkeypatch.setattr(command, "_alone", lambda given: given)
    monkeypatch.setattr(command.datasets, "download", lambda _name: None)
    return engine


def records(folder="results"):
    return [json.loads(line) for line in (Path(folder) / "records.jsonl").read_text().splitlines()]


def test_without_a_name_everything_is_listed_with_its_number_of_runs():
    output = succeed("paper")
    assert all(name in output for name in EXPERIMENTS)
    assert "table1   Construction and pruning, different variances (1,578 runs)" in output


def test_runs_are_recorded_and_shown_in_tables_and_on_a_page():
    output = succeed("paper", "table1", "--quick", *FEW_RUNS, "--seeds", 1)
    assert "1 runs, 1 records" in output
    (record,) = records("results-quick")
    assert (record["task"]["data"], record["task"]["method"], record["task"]["seed"]) == ("sachs", "random-sampling", 0)
    table = Path("results-quick/tables/table1.md").read_text()
    assert f"{record['reward']:.3f}" in table
    assert f"{record['reward']:.3f}" in Path("results-quick/report.html").read_text()


def test_the_same_command_goes_on_where_it_was_stopped():
    succeed("paper", "table1", "--quick", *FEW_RUNS, "--seeds", 1)
    first = records("results-quick")
    assert "1 runs, 2 records" in succeed("paper", "table1", "--quick", *FEW_RUNS)
    assert records("results-quick")[:1] == first
    assert "0 runs, 2 records" in succeed("paper", "table1", "--quick", *FEW_RUNS)


@pytest.mark.long
def test_table2_stands_for_both_of_its_parts_and_all_for_everything(pretending):
    succeed("paper", "table2", "--seeds", 1, "--tuning-seeds", 0)
    assert {task.data for task in pretending.asked} == {"asia", "child", "insurance", "er50-quadratic"}
    succeed("paper", "all", "--quick", "--only", "greedy")
    assert {task.score for task in pretending.asked} == {"bic-gp", "bic-discrete", "bic-quadratic"}


def test_limits_of_seeds_sets_and_methods(pretending):
    options = ("--only", "greedy", "--only", "cd-uct", "--data", "syntren", "--seeds", 2, "--sets", 3)
    succeed("paper", "table1", *options, "--tuning-seeds", 0)
    asked = [(task.method, task.data, task.seed) for task in pretending.asked]
    sets = [f"syntren-{k}" for k in (1, 2, 3)]
    assert sorted(asked) == sorted(
        [("greedy", name, 0) for name in sets] + [("cd-uct", name, seed) for name in sets for seed in (0, 42)]
    )


@pytest.mark.parametrize(
    ("options", "expected", "said"),
    [((), (8, 97), "by the rules of the paper's published runs"), (("--rules", "text"), (16, 337), "text describes")],
    ids=["runs", "text"],
)
def test_the_rules_are_those_of_the_papers_runs_unless_the_text_is_asked_for(pretending, options, expected, said):
    of_syntren = ("--only", "cd-uct", "--data", "syntren", "--seeds", 1, "--sets", 1, "--tuning-seeds", 0)
    succeed("paper", "table1", *of_syntren, *options)
    (task,) = pretending.asked
    given = dict(task.settings)
    assert (given["horizon"], given["sims_per_node"]) == expected
    assert said in Path("results/report.md").read_text()


def test_what_is_timed_runs_alone(pretending, monkeypatch):
    alone = PretendEngine()
    monkeypatch.setattr(command, "_alone", lambda _: alone)
    succeed("paper", "table3", "--seeds", 1, "--sets", 1, "--tuning-seeds", 0)
    assert not pretending.asked
    assert alone.asked
    assert all(task.own_cache for task in alone.asked)


def test_settings_of_the_prototype_can_be_set(pretending):
    only = ("--data", "syntren", "--only", "cd-uct", "--only", "greedy", "--seeds", 1, "--sets", 1)
    succeed("paper", "table1", *only, "--set", "sims-per-node=97", "--set", "horizon=8")
    asked = {
        (task.method, dict(task.settings).get("horizon"), dict(task.settings).get("sims_per_node"))
        for task in pretending.asked
    }
    assert asked == {("cd-uct", 8, 97), ("greedy", None, None)}
    assert len(pretending.asked) == 4 + 2
    assert "(sims_per_node=97, horizon=8)" in Path("results/tables/table1.md").read_text()


def test_report_runs_nothing(pretending):
    output = succeed("paper", "report")
    assert not pretending.asked
    assert "begin with results/report.html" in output
    assert not Path("results/records.jsonl").exists()


def test_ctrl_c_keeps_finished_runs_and_says_how_to_go_on(pretending):
    pretending.stop_after = 3
    result = run("paper", "table1", *FEW_RUNS)
    assert result.exit_code == 0
    assert "interrupted: 3 finished runs are kept, the same command goes on" in result.stderr
    assert len(records()) == 3
    pretending.stop_after = None
    assert "97 runs, 100 records" in succeed("paper", "table1", *FEW_RUNS)


def test_failed_runs_are_named_after_everything_else_is_written(pretending):
    pretending.fails = lambda task: task.seed == 42
    result = run("paper", "table1", *FEW_RUNS, "--seeds", 3)
    assert result.exit_code == 2
    assert "1 runs failed and will be tried again by the same command; first random-sampling on sachs" in result.stderr
    assert len(records()) == 2
    assert Path("results/tables/table1.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("table9",), "unknown table or figure 'table9': choose from table1"),
        (("report", "table1"), "report is of all experiments and runs nothing: give it alone, got report table1"),
        (("table1", "--only", "gobnilp"), "unknown method of table1 'gobnilp': choose from cd-uct"),
        (("table2", "--only", "rl"), "unknown method of table2a table2b 'rl'"),
        (("figure4", "--data", "Sachs"), "unknown data of figure4 'sachs': choose from density, samples"),
        (("table1", "--jobs", "0"), "--jobs must be a whole number of at least 1, got 0"),
        (("table1", "--out", "good.csv"), "--out must be a folder, good.csv is a file"),
        (("table1", "--cache", "good.csv"), "--cache must be a folder, good.csv is a file"),
        (("table1", "--cluster", "nowhere"), "--cluster: there is no Dask scheduler at 'nowhere'"),
        (("table1", "--set", "horizont=8"), "unknown setting of table1 'horizont'"),
        (("table1", "--set", "horizon"), "write a setting as 'name=value', got 'horizon'"),
        (("table1", "--seeds", "0"), "Invalid value for '--seeds'"),
    ],
)
def test_wrong_use_is_one_clear_message(arguments, message):
    result = run("paper", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert not Path("results").exists()


def test_a_method_that_is_not_installed_is_named_before_anything_is_run(pretending, monkeypatch):
    monkeypatch.setattr(command, "is_installed", lambda extra: extra != "rl")
    result = run("paper", "table1", "--data", "Sachs", "--seeds", 1)
    assert result.exit_code == 2
    assert "method rl-bic, unless others are chosen by --only, needs the extra 'rl'" in result.stderr
    assert "pip install '.[rl]'" in result.stderr
    assert not pretending.asked
    succeed("paper", "table1", "--data", "Sachs", "--seeds", 1, "--only", "greedy")


def test_data_that_cannot_be_had_are_named_before_anything_is_run(monkeypatch):
    monkeypatch.delenv("DAGSEARCH_DATA", raising=False)
    result = run("paper", "table1", "--quick", "--only", "random-sampling")
    assert result.exit_code == 2
    assert result.stderr.count("Error: ") == 1
    assert "data set 'syntren-1' is not bundled" in result.stderr
    assert not Path("results-quick").exists()


def test_a_damaged_store_is_named_and_left_alone():
    Path("results").mkdir()
    Path("results/records.jsonl").write_text("{}\n")
    result = run("paper", "report")
    assert result.exit_code == 2
    assert "records.jsonl, line 1: is not a record" in result.stderr
    assert Path("results/records.jsonl").read_text() == "{}\n"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_quick_versions_are_small_and_keep_the_layout(name):
    full, small = EXPERIMENTS[name], quick(EXPERIMENTS[name])
    assert (small.rows, small.columns, small.panels) == (full.rows, full.columns, full.panels)
    assert "not to be held against the paper" in small.title
    tasks = [task for study in small.studies for task in study.tasks()]
    assert 0 < len(tasks) <= 50
    assert {study.method for study in small.studies} == {study.method for study in full.studies}
    assert {study.block for study in small.studies} == {study.block for study in full.studies}
