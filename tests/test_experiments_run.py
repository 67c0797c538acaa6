"""Single runs: what they record, and that shared local scores change the time and nothing else."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from experiment_tables import quick_task, without_times

from dagsearch import datasets, scores
from dagsearch.engines import Failure, attempt
from dagsearch.estimators import CDUCT
from dagsearch.experiments import local_scores
from dagsearch.experiments import run as run_module
from dagsearch.experiments.local_scores import SharedScores
from dagsearch.experiments.run import run
from dagsearch.experiments.task import Task, settings
from dagsearch.graph import DAG
from dagsearch.scores.gp import GPScore

GP_TASK = Task(
    "sachs", "cd-uct", "bic-gp", settings=settings(edge_budget=6, prune="none", sims_per_node=3), seed=42, n_rows=40
)
GREEDY_TASK = replace(GP_TASK, method="greedy", settings=settings(edge_budget=6, prune="none"))


@pytest.fixture(autouse=True)
def new_process():
    """Forget the scores of this process, as a new one would have none."""
    run_module._scores.cache_clear()


def fit_files(folder):
    return sorted(folder.rglob("*.npz"))


def count_fits(monkeypatch):
    keys = []
    fit = GPScore._fit
    monkeypatch.setattr(GPScore, "_fit", lambda score, key: keys.append(key) or fit(score, key))
    return keys


# ---------------------------------------------------------------- the record


def test_a_record_holds_what_the_estimator_found():
    task = quick_task(seed=42)
    record = run(task)
    data = datasets.load("sachs")
    score = scores.make("bic-linear", data)
    model = CDUCT(score=score, random_state=42, **dict(task.settings)).fit(data)
    assert record.task == task
    assert record.reward == pytest.approx(score.reward(model.dag_), rel=1e-12)
    assert record.metrics["n_edges"] == 12
    assert record.n_simulations == model.result_.n_simulations
    assert record.status == "finished"
    pairs = [edge.split(">") for edge in record.edges.split()]
    assert DAG.from_edges([(data.names[int(i)], data.names[int(j)]) for i, j in pairs], names=data.names) == model.dag_


def test_what_is_pruned_is_recorded_beside_what_was_constructed():
    task = quick_task(settings=settings(edge_budget=12, prune="coefficients", sims_per_node=2))
    record = run(task)
    assert record.pruned_metrics["n_edges"] == len(record.pruned_edges.split()) <= 12
    unpruned = run(quick_task())
    assert unpruned.pruned_metrics is None
    assert unpruned.pruned_edges is None


def test_the_true_number_of_edges_is_that_of_the_data_set():
    record = run(quick_task(method="greedy", settings=settings(edge_budget="true", prune="none")))
    assert record.metrics["n_edges"] == 17


def test_one_seed_repeats_and_two_differ():
    first, again, other = (run(quick_task(seed=seed)) for seed in (0, 0, 42))
    assert without_times(first) == without_times(again)
    assert first.edges != other.edges


def test_versions_say_what_is_not_installed(monkeypatch):
    run_module._versions.cache_clear()
    monkeypatch.setitem(run_module._COMPUTING_OF, "cd-uct", ("no-such-package",))
    assert "no-such-package not installed" in run(quick_task()).versions
    run_module._versions.cache_clear()


def test_an_exception_is_an_outcome_with_message_and_traceback():
    failure = attempt(run, quick_task(data="sacks"))
    assert isinstance(failure, Failure)
    assert failure.message.startswith("UnknownNameError: unknown data set 'sacks'")
    assert "Traceback" in failure.details


# ---------------------------------------------------------------- interruptions


@pytest.mark.parametrize("own_cache", [False, True])
def test_an_interrupted_fit_leaves_no_record(monkeypatch, own_cache):
    fitted = []
    fit = CDUCT.fit

    def interrupted(model, data):
        fitted.append(model)
        fit(model, data)
        model.result_ = replace(model.result_, status="interrupted")
        return model

    monkeypatch.setattr(CDUCT, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        attempt(run, quick_task(own_cache=own_cache))
    assert len(fitted) == 1


# ---------------------------------------------------------------- rows


def test_rows_are_drawn_without_replacement_by_the_seed():
    table, again, other = (SharedScores(None).table(replace(GP_TASK, seed=s)).data.values for s in (42, 42, 0))
    everything = datasets.load("sachs").values
    rows = [np.flatnonzero((everything == row).all(axis=1)) for row in table]
    assert len(table) == 40
    assert len(np.unique([row[0] for row in rows])) == 40
    assert np.array_equal(table, again)
    assert not np.array_equal(table, other)


def test_all_methods_of_a_seed_see_the_same_rows():
    shared = SharedScores(None)
    assert shared.table(GP_TASK) is shared.table(GREEDY_TASK)
    own = shared.table(replace(GREEDY_TASK, own_cache=True))
    assert np.array_equal(own.data.values, shared.table(GP_TASK).data.values)


def test_few_tables_are_kept():
    shared = SharedScores(None)
    for seed in range(5):
        shared.table(replace(GP_TASK, seed=seed))
    assert len(shared._tables) == local_scores._TABLES_KEPT


# ---------------------------------------------------------------- shared local scores


def test_the_second_run_on_a_table_evaluates_nothing_anew():
    alone = run(replace(GP_TASK, own_cache=True))
    first, second = run(GP_TASK), run(GP_TASK)
    assert alone.n_score_evaluations == first.n_score_evaluations > 0
    assert second.n_score_evaluations == 0
    assert without_times(first) == without_times(second)


def test_shared_scores_change_no_result(tmp_path):
    for folder in (None, tmp_path):
        run(GREEDY_TASK, folder)
        run(replace(GP_TASK, variances="equal"), folder)
        for variances in ("different", "equal"):
            task = replace(GP_TASK, variances=variances)
            alone, together = run(replace(task, own_cache=True), folder), run(task, folder)
            assert without_times(replace(alone, task=task)) == without_times(together)


def test_a_run_with_its_own_cache_neither_reads_nor_writes(tmp_path, monkeypatch):
    run(GP_TASK, tmp_path)
    before = fit_files(tmp_path)
    fits = count_fits(monkeypatch)
    record = run(replace(GP_TASK, own_cache=True), tmp_path)
    assert record.n_score_evaluations > 0
    assert fits
    assert fit_files(tmp_path) == before


def test_scores_of_both_variances_share_their_fits(monkeypatch):
    run(GP_TASK)
    fits = count_fits(monkeypatch)
    run(replace(GP_TASK, settings=settings(edge_budget=6, prune="none", sims_per_node=3)))
    table = run_module._scores(None).table(GP_TASK)
    equal = table.score(replace(GP_TASK, variances="equal"))
    assert equal.known_fits() == table.score(GP_TASK).known_fits() != {}
    assert fits == []


@pytest.mark.long
def test_another_process_finds_the_fits_in_files(tmp_path, monkeypatch):
    code = (
        "import sys; from pathlib import Path; from dagsearch.experiments.run import run\n"
        "from dagsearch.experiments.task import Task; import json\n"
        "print(run(Task.from_json(json.loads(sys.argv[1])), Path(sys.argv[2])).to_line())"
    )
    arguments = [sys.executable, "-c", code, json.dumps(GP_TASK.as_json()), str(tmp_path)]
    theirs = json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)
    assert len(fit_files(tmp_path)) == 1
    fits = count_fits(monkeypatch)
    ours = run(GP_TASK, tmp_path)
    assert (ours.reward, ours.edges) == (theirs["reward"], theirs["edges"])
    assert fits == []
    assert len(fit_files(tmp_path)) == 1


def test_each_run_writes_what_it_has_fitted_itself(tmp_path):
    run(GP_TASK, tmp_path)
    run_module._scores.cache_clear()
    run(GREEDY_TASK, tmp_path)
    one, other = (set(local_scores._read_fits(path)) for path in fit_files(tmp_path))
    assert one.isdisjoint(other)
    assert not list(tmp_path.rglob("*.tmp"))


def test_of_too_many_fits_those_of_few_parents_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(local_scores, "_MOST_WRITTEN", 12)
    run(GREEDY_TASK, tmp_path)
    (path,) = fit_files(tmp_path)
    assert sorted(map(len, local_scores._read_fits(path))) == [0] + [1] * 11


def corrupt(whole):
    """What may be left of a file."""
    yield b""
    yield whole[: len(whole) // 2]
    yield b"garbage" * 100
    yield b"\x93NUMPY\x01\x00" + whole


@pytest.mark.parametrize("which", range(4))
def test_a_corrupt_file_is_removed_and_its_fits_are_made_again(tmp_path, which):
    expected = run(GP_TASK, tmp_path)
    (path,) = fit_files(tmp_path)
    path.write_bytes(list(corrupt(path.read_bytes()))[which])
    run_module._scores.cache_clear()
    assert without_times(run(GP_TASK, tmp_path)) == without_times(expected)
    assert not path.exists()
    assert len(fit_files(tmp_path)) == 1


@pytest.mark.parametrize("broken", ["missing", "shorter", "array"])
def test_a_file_of_something_else_is_removed(tmp_path, broken):
    run(GP_TASK, tmp_path)
    (path,) = fit_files(tmp_path)
    with np.load(path) as stored:
        parts = dict(stored)
    with path.open("wb") as file:
        if broken == "array":
            np.save(file, parts["fits"])
        elif broken == "missing":
            np.savez(file, lengths=parts["lengths"], members=parts["members"])
        else:
            np.savez(file, lengths=parts["lengths"], members=parts["members"], fits=parts["fits"][:-1])
    run_module._scores.cache_clear()
    run(GP_TASK, tmp_path)
    assert not path.exists()


def test_a_table_made_anew_under_its_name_does_not_get_the_old_fits(tmp_path, monkeypatch):
    run(GP_TASK, tmp_path)
    other = datasets.load("sachs").take(np.arange(400))
    monkeypatch.setattr(datasets, "load", lambda _name: other)
    run_module._scores.cache_clear()
    expected = run(replace(GP_TASK, own_cache=True))
    assert run(GP_TASK, tmp_path).reward == expected.reward


def test_a_full_disk_costs_no_run(tmp_path, monkeypatch, caplog):
    def full(*_arguments, **_more):
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with caplog.at_level(logging.WARNING, "dagsearch"):
        assert run(GP_TASK, tmp_path).status == "finished"
    assert "No space left on device" in caplog.text
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_scores_that_are_quickly_evaluated_again_do_not_pile_up(monkeypatch):
    task = quick_task()
    table = local_scores.SharedScores(None).table(task)
    score = table.score(task)
    score.reward(np.zeros((11, 11), dtype=np.int8))
    table.exchange(task)
    assert table.score(task) is score
    monkeypatch.setattr(local_scores, "_MOST_KEPT", 5)
    table.exchange(task)
    assert table.score(task) is not score
