"""The benchmark of searches: networks from files, what is counted, goals, what is left to run, rivals, the report."""

from __future__ import annotations

import ast
import gzip
import itertools
import json
import math
import os
import subprocess
import sys
import time
import zipfile
from functools import partial
from importlib import resources
from pathlib import Path

import naive
import numpy as np
import pandas as pd
import pytest
import search
from made_up_runs import MadeUpEngine
from processes import ProcessEngine
from search_study import methods, rival, study, tables
from search_study.methods import Means
from search_study.networks import read_network
from search_study.parts import PARTS, Goal, Part, Problem
from search_study.run import arrowhead_f1, cpdag_distance, exceeded, run
from search_study.summary import frame_of, reached
from search_study.task import MEASURES, REFUSED, SearchRecord, SearchTask
from study_runs import resume
from study_runs.command_line import chosen
from study_runs.records import EXCEEDED

import dagsearch as ds
from dagsearch.errors import DataError, UnknownNameError
from dagsearch.experiments.store import LineStore

MEANS = Means(n_jobs=1)


def task(method="xges", problem="100-4", part="wide", seed=0):
    return SearchTask(part, problem, method, seed)


def made_up(of_task, seconds=1.5, gigabytes=0.2, **measures):
    values = {**dict.fromkeys(MEASURES, 0.5), "score_error": None, **measures}
    when = "2026-01-01T00:00:00+00:00"
    return SearchRecord(of_task, values, "0>1", "finished", seconds, 2 * seconds, gigabytes, 2, 2, when, "made up")


made_up_engine = partial(MadeUpEngine, partial(exceeded, MEANS), made_up)


@pytest.fixture
def store(tmp_path):
    return LineStore(tmp_path / "records.jsonl", SearchRecord.from_line)


def carry_out(tasks, store, engine):
    return resume.carry_out(tasks, store, engine, lambda *_: None, study.hopeless)


# ---------------------------------------------------------------- networks from files


@pytest.fixture(params=["folder", "folder of compressed files", "wheel"])
def networks(request, tmp_path):
    text = (resources.files("dagsearch.datasets") / "bundled" / "asia.bif").read_bytes()
    if request.param == "folder":
        (tmp_path / "asia.bif").write_bytes(text)
        return tmp_path
    if request.param == "folder of compressed files":
        (tmp_path / "asia.bif.gz").write_bytes(gzip.compress(text))
        return tmp_path
    with zipfile.ZipFile(tmp_path / "some-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("some/folder/asia.bif.gz", gzip.compress(text))
    return tmp_path / "some-1.0-py3-none-any.whl"


def test_a_network_is_read_from_a_folder_and_out_of_a_wheel(networks):
    network, bundled = read_network(networks, "asia"), ds.datasets.network("asia")
    assert network.dag == bundled.dag
    rows = [each.sample(1000, random_state=0).values for each in (network, bundled)]
    np.testing.assert_array_equal(*rows)


def test_a_network_that_is_not_there_is_named(networks):
    with pytest.raises(DataError, match=r"has neither alarm\.bif\.gz nor alarm\.bif"):
        read_network(networks, "alarm")


def test_what_is_neither_folder_nor_wheel_is_refused(tmp_path):
    with pytest.raises(DataError, match="nowhere: is neither a folder nor a wheel"):
        read_network(tmp_path / "nowhere", "asia")


# ---------------------------------------------------------------- what is counted


def test_distance_of_classes_counts_the_pairs_on_which_their_members_differ():
    groups = {}
    for dag in (naive.adjacency_of(edges, 4) for edges in naive.all_dags(4)):
        colliders = {
            (min(i, k), j, max(i, k))
            for i, j, k in itertools.permutations(range(4), 3)
            if dag[i, j] and dag[k, j] and not dag[i, k] and not dag[k, i]
        }
        groups.setdefault(((dag | dag.T).tobytes(), frozenset(colliders)), []).append(dag)
    # Of a pair its members tell: not adjacent, always one way, always the other, or either way.
    told = [np.stack(members).mean(axis=0) for members in groups.values()]
    classes = [ds.DAG(members[-1]).to_cpdag() for members in groups.values()]
    assert len(classes) == 185
    rng = np.random.default_rng(0)
    for one, other in rng.integers(0, len(classes), size=(300, 2)):
        n_different = sum(
            (told[one][i, j] > 0, told[one][j, i] > 0) != (told[other][i, j] > 0, told[other][j, i] > 0)
            for i, j in itertools.combinations(range(4), 2)
        )
        assert cpdag_distance(classes[one], classes[other]) == n_different


def test_arrowheads_are_those_of_directed_edges():
    collider = ds.DAG.from_edges([("a", "c"), ("b", "c"), ("c", "d")], names=list("abcd")).to_cpdag()
    chain = ds.DAG.from_edges([("a", "c"), ("c", "b"), ("c", "d")], names=list("abcd")).to_cpdag()
    assert arrowhead_f1(collider, collider) == 1.0
    assert arrowhead_f1(chain, collider) == 0.0
    reverse = ds.PDAG.from_edges([("a", "c"), ("c", "b")], names=list("abcd"))
    assert arrowhead_f1(reverse, collider) == pytest.approx(2 * 1 / (2 + 3))


@pytest.fixture
def tiny_part(monkeypatch):
    """A part with one small table, on which everything is fast."""

    def table(seed, _networks):
        return ds.datasets.simulate(4, 200, n_edges=3, standardise=True, random_state=seed)

    def refuse(_seed, _networks):
        raise DataError("columns 'a' and 'b' hold the same values")

    problems = (
        Problem("small", table, "bic-linear", Goal("truth", 1e-9), "parameters"),
        Problem("small-extended", table, "bic-linear", Goal("truth", 1e-9), "extended"),
        Problem("bad", refuse, "bic-linear", Goal("truth"), "parameters"),
    )
    monkeypatch.setitem(
        PARTS, "tiny", Part("Tiny", problems, ("GreedySearch", "xges"), 2, 60.0, ("reached", "seconds"))
    )


@pytest.mark.usefixtures("tiny_part")
def test_a_run_is_measured_and_read_as_it_was_written():
    begun = []
    record = run(MEANS, task("GreedySearch", "small", "tiny"), 60.0, lambda: begun.append(True))
    assert begun == [True]
    assert 0 < record.seconds < 10
    assert 0 <= record.cpu_seconds < 10
    assert 0.05 < record.gigabytes < 50
    data = PARTS["tiny"].problem("small").table(0, None)
    assert record.measures["true_reward"] == ds.scores.make("bic-linear", data, penalty="parameters").reward(data.truth)
    assert SearchRecord.from_line(record.to_line()) == record


@pytest.mark.usefixtures("tiny_part")
def test_rivals_get_our_penalty_per_edge():
    ordinary, extended = (PARTS["tiny"].problem(name) for name in ("small", "small-extended"))
    data = ordinary.table(0, None)
    assert ordinary.penalty_of_rivals(data) == 1.0
    assert extended.penalty_of_rivals(data) == pytest.approx(1 + 3 * math.log(4) / math.log(200))
    assert PARTS["networks"].problem("asia").penalty_of_rivals(ds.datasets.network("asia").sample(1000, 0)) == 1.0


@pytest.mark.usefixtures("tiny_part")
def test_a_table_that_is_refused_leaves_the_reason_and_is_tried_again(store):
    refused = run(MEANS, task("GreedySearch", "bad", "tiny"), 60.0)
    assert (refused.status, refused.measures) == (REFUSED, None)
    store.append(refused)
    assert resume.left([refused.task.wanted], store, 60.0) == [refused.task.wanted]
    assert "bad was refused: columns 'a' and 'b' hold the same values" in tables.report(frame_of(store), "x")
    store.append(made_up(refused.task.wanted))
    assert resume.left([refused.task.wanted], store, 60.0) == []
    assert frame_of(store)["status"].tolist() == ["finished"]


# ---------------------------------------------------------------- goals


@pytest.mark.parametrize(
    ("reward", "is_reached"), [(-2.164532, True), (-2.1645339, True), (-2.1645341, False), (-2.1, True)]
)
def test_an_optimum_is_reached_within_its_tolerance(reward, is_reached):
    record = made_up(task("CDUCT", "asia", "networks"), reward=reward)
    assert frame_of([record])["reached"].tolist() == [is_reached]


def test_all_limits_of_a_goal_count():
    goal, within = Goal(shd=16, seconds=10.0), {"shd": 16, "seconds": 10.0, "difference": math.nan}
    assert reached(goal, within)
    assert not reached(goal, {**within, "shd": 17})
    assert not reached(goal, {**within, "seconds": 10.1})


def test_a_goal_that_is_what_exact_search_finds_needs_a_run_of_it():
    found = made_up(task("CDUCT", "syntren-2", "syntren"), reward=-5.0)
    other = made_up(task("ExactSearch", "syntren-1", "syntren"), reward=-9.0)
    assert frame_of([found, other])["reached"].tolist() == [True, None]
    proven = made_up(task("ExactSearch", "syntren-2", "syntren"), reward=-4.9)
    runs = frame_of([found, other, proven])
    assert runs["method"].tolist() == ["ExactSearch", "CDUCT", "ExactSearch"]
    assert runs["reached"].tolist() == [True, False, True]
    assert runs["difference"].tolist() == pytest.approx([0.0, -0.1, 0.0])


# ---------------------------------------------------------------- what is left to run


def test_what_has_a_record_is_not_run_again(store):
    tasks = study.tasks_of("wide", ["boss", "xges"], 2)
    carry_out(tasks[:3], store, made_up_engine())
    again = made_up_engine()
    carry_out(tasks, LineStore(store.path, SearchRecord.from_line), again)
    assert again.ran == tasks[3:]


def test_failures_are_tried_again_and_leave_no_record(store):
    assert len(carry_out([task()], store, made_up_engine(broken=("xges",)))) == 1
    assert len(store) == 0


def test_what_repeats_itself_has_one_run_on_a_table_that_does_not_depend_on_the_seed():
    linear = study.tasks_of("linear", ["boss", "xges"], 3, ["er30-linear"])
    assert [(each.method, each.seed) for each in linear] == [("boss", 0), ("xges", 0), ("boss", 1), ("boss", 2)]
    wide = study.tasks_of("wide", ["xges"], 3, ["100-4"])
    assert [each.seed for each in wide] == [0, 1, 2]


def test_a_method_has_no_tasks_where_it_is_not_tried():
    assert study.tasks_of("networks", ["xges", "ExactSearch"], 1) == []
    assert {each.problem for each in study.tasks_of("wide", ["CDUCT"], 1)} == {
        "100-4",
        "100-4-extended",
        "100-10",
        "100-10-extended",
    }


@pytest.mark.parametrize(
    ("too_long", "tried"),
    [
        ("100-4", set()),
        ("100-10", {"100-4", "200-6", "500-4", "1000-4"}),
        ("200-6-extended", {"100-4", "100-10", "500-4", "1000-4"}),
        ("500-4", {"100-4", "100-10", "200-6"}),
    ],
)
def test_a_method_that_took_too_long_is_not_tried_on_problems_that_are_as_large_and_as_dense(store, too_long, tried):
    tasks = study.tasks_of("wide", ["boss", "xges"], 2)
    carry_out([task("boss", too_long)], store, made_up_engine(slow=("boss",)))
    engine = made_up_engine()
    carry_out(tasks, store, engine)
    expected = tried | {f"{name}-extended" for name in tried}
    assert {each.problem for each in engine.ran if each.method == "boss"} == expected
    assert {each.problem for each in engine.ran if each.method == "xges"} == {each.problem for each in tasks}
    assert not study.hopeless(task("boss", too_long), store, 20.0)  # with more time it may end


def test_problems_without_a_size_do_not_speak_for_others(store):
    carry_out([task("CDUCT", "syntren-1", "syntren")], store, made_up_engine(slow=("CDUCT",)))
    assert study.hopeless(task("CDUCT", "syntren-1", "syntren", seed=1), store, 10.0)
    assert not study.hopeless(task("CDUCT", "syntren-2", "syntren"), store, 10.0)


def sleep_beside_another_process(folder, _task, _time_limit, begun):
    begun()
    (folder / "pid").write_text(str(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"]).pid))
    time.sleep(100)


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_a_run_that_takes_too_long_is_ended_with_what_it_has_started(tmp_path):
    engine = ProcessEngine(1, 1.0, partial(sleep_beside_another_process, tmp_path), lambda each, limit: (each, limit))
    assert list(engine.run_all(["a task"])) == [("a task", 1.0)]
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(pid)


def is_alive(pid):
    """Whether a process runs: one that was killed may be listed until its new parent takes note."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---------------------------------------------------------------- rivals


def test_what_rivals_run_imports_nothing_of_ours():
    tree = ast.parse(Path(rival.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not {
        name for name in imported if name.split(".")[0] in ("dagsearch", "search_study", "study_runs", "truth_study")
    }


def test_marks_of_causal_learn_are_turned():
    marks = np.array([[0, -1, 0], [1, 0, -1], [0, -1, 0]])
    assert rival.from_marks(marks).astype(int).tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_a_rival_gets_the_table_and_says_when_it_begins():
    script = "import io, sys, json, numpy as np; x = np.load(io.BytesIO(sys.stdin.buffer.read())); print('begun');"
    script += "print(json.dumps({'shape': x.shape}))"
    begun = []
    answer = methods._answer([sys.executable, "-c", script], np.zeros((7, 3)), lambda: begun.append(True))
    assert answer == {"shape": [7, 3]}
    assert begun == [True]


def test_a_rival_that_was_killed_is_told():
    killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    with pytest.raises(RuntimeError, match="its process died, with exit code -9"):
        methods._answer(killed, np.zeros(3), lambda: None)


def test_what_went_wrong_with_a_rival_is_told():
    with pytest.raises(RuntimeError, match=r"^ValueError: no such thing$"):
        methods._answer([sys.executable, "-c", "raise ValueError('no such thing')"], np.zeros(10**6), print)


@pytest.mark.long
@pytest.mark.parametrize("problem", ["small", "small-extended"])
@pytest.mark.usefixtures("tiny_part")
def test_the_own_score_of_a_rival_is_ours(problem):
    pytest.importorskip("causallearn")
    record = run(Means(1, None, {"causal-learn": sys.executable}), task("boss", problem, "tiny"), 60.0)
    assert record.measures["score_error"] < 1e-6
    assert record.measures["reward"] >= record.measures["true_reward"] - 1e-9
    assert "causal-learn" in record.versions


def test_interpreters_are_given_for_all_packages_or_for_one():
    assert methods.pythons_of(["a"]) == {"causal-learn": "a", "xges": "a", "pgmpy": "a"}
    assert methods.pythons_of(["a", "pgmpy=b"])["pgmpy"] == "b"
    assert methods.pythons_of(["xges=b"]) == {"xges": "b"}
    with pytest.raises(UnknownNameError, match="unknown package of a rival 'torch'"):
        methods.pythons_of(["torch=b"])


def test_a_rival_without_an_interpreter_is_left_out(capsys):
    assert search.runnable(["CDUCT", "xges"], MEANS) == ["CDUCT"]
    assert capsys.readouterr().out == "xges is left out: no Python with xges is named by --rivals\n"


# ---------------------------------------------------------------- parts, report, command line


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS.keys())
def test_parts_name_methods_and_columns_that_there_are(part):
    assert set(part.methods) <= set(methods.METHODS)
    assert set(part.columns) <= set(tables.COLUMNS)
    names = [problem.name for problem in part.problems]
    assert len(set(names)) == len(names)


def test_wide_tables_have_the_degree_that_they_are_named_by():
    data = PARTS["wide"].problem("100-10").table(3, None)
    assert data.values.shape == (1000, 100)
    assert 2 * data.truth.n_edges / data.n_nodes == 10
    np.testing.assert_allclose(data.values.var(axis=0), 1.0)


def test_the_report_counts_goals_and_names_what_was_not_finished(store, tmp_path):
    pytest.importorskip("matplotlib")
    for seed, (seconds, score_error) in enumerate([(0.5, 1e-9), (0.7, 2e-9), (3.0, None)]):
        store.append(made_up(task(seed=seed), seconds, score_error=score_error))
    store.append(exceeded(MEANS, task("boss"), 600.0))
    store.append(made_up(task(problem="1000-4-extended")))
    store.append(made_up(task("CDUCT", "asia", "networks"), reward=-2.164532))
    report = search.write(store, tmp_path, "the command")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in report.splitlines() if line.startswith("|")]
    assert ["asia", "CDUCT", "reward -2.16453", "1/1", "1/1", "+0.000000", "1.50", "1.50", "3.00"] in lines
    goal = "≤ 1 s, ≤ 4 GB"
    assert ["100-4", "xges", goal, "3/3", "2/3", *["0.5000"] * 4, "0.70", "3.00", "1.40", "0.20"] in lines
    assert ["100-4", "boss", goal, "0/1", *["-"] * 5, "> 600", "-", "-", "-"] in lines
    assert "`the command`: 6 runs, 2 thread(s) on 2 core(s), 1 thread(s) on" in report
    assert "between a rival's own score and ours: xges 2.0e-09." in report
    written = {path.name for path in tmp_path.iterdir()}
    assert {"search.md", "runs.csv", "wide.svg", "wide.png"} <= written
    assert pd.read_csv(tmp_path / "runs.csv")["status"].tolist().count(EXCEEDED) == 1


def test_a_part_without_a_finished_run_has_no_figure(store, tmp_path):
    store.append(exceeded(MEANS, task(problem="100-4-extended"), 600.0))
    store.append(made_up(task()))  # with the ordinary penalty, which the figure is not of
    assert "wide.svg" not in search.write(store, tmp_path, "the command")
    assert not (tmp_path / "wide.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["netwoks"], "unknown part 'netwoks'"),
        (["wide", "--problems", "asia"], "unknown problem 'asia'"),
        (["--methods", "bos"], "unknown method 'bos'"),
        (["--rivals", "numpy=python"], "unknown package of a rival 'numpy'"),
    ],
)
def test_unknown_names_are_refused(arguments, message, capsys):
    assert search.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_parts_are_run_in_their_order():
    assert chosen("part", ["wide", "networks"], PARTS) == ["networks", "wide"]
    assert chosen("part", [], PARTS) == list(PARTS)


def test_records_are_json(store):
    store.append(made_up(task()))
    assert json.loads(store.path.read_text())["task"]["problem"] == "100-4"
