"""The benchmark against simulated truth: what is counted, what is left to run, and the tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import pytest
import truth
from made_up_runs import MadeUpEngine
from study_runs import resume
from study_runs.command_line import chosen
from study_runs.graphs import skeleton_f1
from truth_study import methods, study, tables
from truth_study.conditions import GRIDS, Kind
from truth_study.run import exceeded, judged, run
from truth_study.summary import frame_of, means
from truth_study.task import MEASURES, TruthRecord, TruthTask

import dagsearch as ds
from dagsearch.errors import UnknownNameError
from dagsearch.experiments.store import LineStore

LINEAR, BUMP = Kind("linear", "laplace"), Kind("bump", "gaussian")


def task(method="pc", kind=LINEAR, n_nodes=10, n_rows=100, seed=0):
    return TruthTask(kind, n_nodes, n_rows, seed, method)


def made_up(of_task, shd=3.0, **metrics):
    values = {**dict.fromkeys(MEASURES, 0.5), "shd": shd, **metrics}
    return TruthRecord(of_task, values, "0>1", "finished", "evidence", 1.5, "2026-01-01T00:00:00+00:00", "made up")


made_up_engine = partial(MadeUpEngine, exceeded, made_up)


@pytest.fixture
def store(tmp_path):
    return LineStore(tmp_path / "records.jsonl", TruthRecord.from_line)


def carry_out(tasks, store, engine):
    return resume.carry_out(tasks, store, engine, lambda *_: None, study.hopeless)


# ---------------------------------------------------------------- what is counted


def test_skeleton_f1_does_not_look_at_directions():
    true_edges = [("a", "b"), ("b", "c"), ("c", "d")]
    turned = ds.metrics.compare([("b", "a"), ("b", "c"), ("c", "d")], true_edges)
    assert skeleton_f1(turned) == 1.0
    assert turned["f1"] < 1.0
    one_extra = ds.metrics.compare([("b", "a"), ("a", "d")], true_edges)
    assert skeleton_f1(one_extra) == pytest.approx(2 * 1 / (2 + 3))


def test_skeleton_f1_of_two_empty_graphs_is_zero_like_f1():
    empty = ds.DAG.from_edges([], names=["a", "b"])
    assert skeleton_f1(ds.metrics.compare(empty, empty)) == ds.metrics.compare(empty, empty)["f1"] == 0.0


def test_what_is_not_defined_stays_none():
    open_edge = ds.PDAG.from_edges(undirected=[("a", "b")], names=["a", "b"])
    metrics = judged(open_edge, ds.DAG.from_edges([("a", "b")]))
    assert metrics["sid"] is None
    assert metrics["shd"] == 0


def test_one_seed_gives_all_kinds_the_same_graph_with_three_edges_per_two_variables():
    truths = {kind.table(10, 50, seed=1).truth for kind in GRIDS["kinds"]}
    assert len(truths) == 1
    assert truths.pop().n_edges == 15


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS.keys())
def test_kinds_have_different_names(grid):
    assert len({kind.name for kind in grid}) == len(grid)


def test_marks_of_causal_learn_are_turned():
    marks = pd.DataFrame([[0, -1, 0], [1, 0, -1], [0, -1, 0]]).to_numpy()
    assert methods._from_marks(marks).tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_a_run_is_judged_and_read_as_it_was_written():
    record = run(task("greedy", n_nodes=4), time_limit=60.0)
    assert record.metrics["shd"] >= 0
    assert TruthRecord.from_line(record.to_line()) == record


# ---------------------------------------------------------------- what is left to run


def test_what_has_a_record_is_not_run_again(store):
    tasks = study.tasks_of([LINEAR, BUMP], [10], [100], 2, ["pc", "boss"])
    carry_out(tasks[:3], store, made_up_engine())
    again = made_up_engine()
    carry_out(tasks, LineStore(store.path, TruthRecord.from_line), again)
    assert again.ran == tasks[3:]


def test_failures_are_tried_again_and_leave_no_record(store):
    assert len(carry_out([task()], store, made_up_engine(broken=("pc",)))) == 1
    assert len(store) == 0
    assert resume.left([task()], store, 10.0) == [task()]


def test_a_run_that_exceeded_the_limit_is_tried_again_only_with_more_time(store):
    carry_out([task()], store, made_up_engine(10.0, slow=("pc",)))
    assert resume.left([task()], store, 10.0) == resume.left([task()], store, 5.0) == []
    assert resume.left([task()], store, 20.0) == [task()]
    carry_out([task()], store, made_up_engine(20.0))
    assert frame_of(store)["status"].tolist() == ["finished"]


def test_a_method_is_given_up_on_tables_as_large_as_those_that_took_too_long_twice(store):
    tasks = study.tasks_of([LINEAR], [10, 20], [100, 500], 4, ["pc", "boss"])
    engine = made_up_engine(slow=("pc",))
    carry_out(tasks, store, engine)
    assert [each for each in engine.ran if each.method == "pc"] == [task(seed=0), task(seed=1)]
    assert sum(each.method == "boss" for each in engine.ran) == 16
    assert not study.hopeless(task(n_nodes=5), store, 10.0)


def test_exact_search_is_not_tried_beyond_ten_variables():
    tasks = study.tasks_of([LINEAR], [10, 20], [100], 1, ["exact", "pc"])
    assert [(each.method, each.n_nodes) for each in tasks] == [("exact", 10), ("pc", 10), ("pc", 20)]


# ---------------------------------------------------------------- methods


def test_an_unknown_method_is_named_with_those_there_are(capsys):
    with pytest.raises(UnknownNameError, match=r"unknown method 'bos': choose from cd-uct, .*Did you mean 'boss'\?"):
        chosen("method", ["pc", "bos"], methods.METHODS)
    assert truth.main(["--methods", "bos"]) == 2
    assert "unknown method 'bos'" in capsys.readouterr().err


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, capsys):
    absent = replace(methods.METHODS["xges"], modules=("no_such_module",))
    monkeypatch.setitem(methods.METHODS, "xges", absent)
    assert truth.installed(["pc", "xges"]) == ["pc"]
    assert capsys.readouterr().out.splitlines() == [
        "xges is left out, since its package is not installed: pip install --no-deps xges sortedcontainers"
    ]


# ---------------------------------------------------------------- tables


def test_means_are_of_what_is_defined_and_say_of_how_many():
    runs = frame_of([made_up(task(seed=0), 2.0, sid=None), made_up(task(seed=1), 4.0, sid=8.0)])
    row = means(runs).iloc[0]
    assert (row["shd"], row["shd_n"], row["sid"], row["sid_n"]) == (3.0, 2, 8.0, 1)
    assert "8.0 (1)" in tables.overview(runs)


def test_tables_that_a_method_was_not_judged_on_are_counted():
    records = [made_up(task("boss", seed=k)) for k in range(3)] + [made_up(task("pc"), 1.0), exceeded(task(seed=1), 9)]
    table = tables.overview(frame_of(records))
    lines = [[cell.strip() for cell in line.split("|")[1:4]] for line in table.splitlines()[2:]]
    assert lines == [["boss", "3/3", "3.0"], ["pc", "1/3", "1.0"]]  # the lower mean is of fewer tables


def test_groups_are_conditions(store):
    carry_out(study.tasks_of([LINEAR, BUMP], [10], [100, 500], 2, ["pc"]), store, made_up_engine())
    conditions = means(frame_of(store), ["kind", "n_nodes", "n_rows"])
    assert len(conditions) == 4
    assert set(conditions["judged"]) == {2}


def test_everything_is_written_also_where_nothing_was_judged(store, tmp_path):
    pytest.importorskip("matplotlib")
    carry_out([task("pc"), task("boss")], store, made_up_engine(slow=("pc",)))
    report = truth.write(store, tmp_path, "the command")
    assert "`the command`" in report
    assert "Versions: made up." in report
    written = {path.name for path in tmp_path.iterdir()}
    assert {"truth.md", "runs.csv", "conditions.csv", "truth.svg", "truth.png"} <= written
    assert len(pd.read_csv(tmp_path / "runs.csv")) == 2
