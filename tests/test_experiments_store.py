"""Records on the disk: what is written is read, and what a crash leaves behind costs one run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import fields, replace

import pytest
from experiment_tables import made_up, quick_task, quick_tasks

from dagsearch.errors import DataError
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.task import Record, Task, settings

FULL = Task("sachs", "cd-uct", "bic-gp", "equal", settings(edge_budget="true", horizon=8, alpha=0.05), 84, 100, True)
CHANGES = {
    "data": "asia",
    "method": "greedy",
    "score": "bic-linear",
    "variances": "different",
    "settings": settings(edge_budget="true", horizon=9, alpha=0.05),
    "seed": 42,
    "n_rows": None,
    "own_cache": False,
    "as_published": True,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "records.jsonl"


@pytest.fixture
def filled(path):
    """A file with three records."""
    store = RecordStore(path)
    for task in quick_tasks(3):
        store.append(made_up(task))
    return path


# ---------------------------------------------------------------- tasks and records


@pytest.mark.parametrize(
    "record",
    [
        made_up(FULL),
        made_up(quick_task(), reward=None, metrics=None),
        made_up(FULL, pruned_metrics={"tpr": 1 / 3, "fdr": 0.0, "shd": 1.0, "n_edges": 2.0}, pruned_edges=""),
    ],
)
def test_a_record_is_read_as_it_was_written(record):
    line = record.to_line()
    assert "\n" not in line
    assert Record.from_line(line) == record
    assert Record.from_line(line).task.key == record.task.key


@pytest.mark.parametrize("task", [FULL, replace(FULL, as_published=True)])
def test_a_task_is_read_as_it_was_written(task):
    assert Task.from_json(json.loads(json.dumps(task.as_json()))) == task


@pytest.mark.parametrize("field", CHANGES)
def test_the_key_differs_with_each_field(field):
    assert replace(FULL, **{field: CHANGES[field]}).key != FULL.key


def test_every_field_of_a_task_is_tried():
    assert set(CHANGES) == {field.name for field in fields(Task)}


def test_what_says_nothing_is_not_stated_so_that_earlier_records_stay_valid():
    assert "as_published" not in FULL.as_json()
    assert replace(FULL, as_published=True).as_json()["as_published"] is True


def test_the_key_does_not_depend_on_the_order_of_settings():
    assert replace(FULL, settings=settings(alpha=0.05, horizon=8, edge_budget="true")).key == FULL.key


def test_the_key_is_the_same_in_another_process():
    code = (
        "from dagsearch.experiments.task import Task, settings\n"
        "s = settings(edge_budget='true', horizon=8, alpha=0.05)\n"
        "print(Task('sachs', 'cd-uct', 'bic-gp', 'equal', s, 84, 100, True).key)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "123"}
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert printed.stdout.strip() == FULL.key


def test_keys_of_released_records_stay():
    # A change here would repeat every run of every store that exists.
    assert FULL.key == "7faf2f100a59ef7e"


@pytest.mark.parametrize(
    ("measure", "value"), [("reward", -1.5), ("seconds", 0.25), ("shd", 7.0), ("tpr", 0.5), ("pruned_shd", None)]
)
def test_a_measure_is_found_by_its_name(measure, value):
    assert made_up(FULL).value(measure) == value


# ---------------------------------------------------------------- the file


def test_a_store_without_a_file_is_empty_and_makes_none(path):
    assert len(RecordStore(path)) == 0
    assert not path.parent.exists()


def test_what_was_appended_is_found_again(filled):
    store = RecordStore(filled)
    assert list(store) == [made_up(task) for task in quick_tasks(3)]
    assert store.find(quick_task(seed=42)) == made_up(quick_task(seed=42))
    assert store.find(quick_task(seed=21)) is None


def test_missing_tasks_are_those_without_a_record_each_once_in_order(filled):
    new = [quick_task(seed=7), quick_task(seed=5)]
    assert RecordStore(filled).missing([new[0], *quick_tasks(3), new[1], new[0]]) == new


def test_a_record_is_on_the_disk_before_append_returns(path):
    store = RecordStore(path)
    for n_records, task in enumerate(quick_tasks(3), start=1):
        store.append(made_up(task))
        lines = path.read_bytes().split(b"\n")
        assert len(lines) == n_records + 1
        assert lines[-1] == b""


def test_append_waits_for_the_disk(path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda _handle: synced.append(path.read_bytes()))
    RecordStore(path).append(made_up(FULL))
    assert synced == [path.read_bytes()]
    assert synced[0].endswith(b"\n")


def test_reading_changes_nothing(filled):
    with filled.open("ab") as file:
        file.write(b'{"key": "cut o')
    before, time = filled.read_bytes(), filled.stat().st_mtime_ns
    assert len(RecordStore(filled)) == 3
    assert filled.read_bytes() == before
    assert filled.stat().st_mtime_ns == time


@pytest.mark.parametrize("n_bytes_lost", [1, 2, 40, 300])
def test_a_cut_off_line_is_ignored_and_its_run_repeated(filled, n_bytes_lost):
    whole = filled.read_bytes()
    filled.write_bytes(whole[:-n_bytes_lost])
    store = RecordStore(filled)
    assert store.missing(quick_tasks(3)) == [quick_task(seed=84)]
    store.append(made_up(quick_task(seed=84)))
    assert filled.read_bytes() == whole
    assert len(RecordStore(filled)) == 3


def test_a_file_of_one_cut_off_line_begins_anew(path):
    path.parent.mkdir()
    path.write_bytes(b'{"key"')
    store = RecordStore(path)
    assert len(store) == 0
    store.append(made_up(FULL))
    assert path.read_text() == made_up(FULL).to_line() + "\n"


def test_a_write_that_failed_halfway_is_made_good_by_the_next_one(filled):
    store = RecordStore(filled)
    whole = filled.read_bytes()
    with filled.open("ab") as file:
        file.write(b'{"key": "the disk was fu')
    store.append(made_up(FULL))
    assert filled.read_bytes() == whole + made_up(FULL).to_line().encode() + b"\n"


def test_records_of_another_process_outlive_a_cut_off_line_seen_before(filled):
    whole = filled.read_bytes()
    filled.write_bytes(whole[:-5])
    ours = RecordStore(filled)
    filled.write_bytes(whole)
    ours.append(made_up(FULL))
    assert filled.read_bytes() == whole + made_up(FULL).to_line().encode() + b"\n"


@pytest.mark.parametrize("garbage", [b"garbage", b"{}", b"[]", b"5", b"", b"\xff\xfe", b'{"key": "a", "task": 3}'])
def test_garbage_in_the_middle_is_an_error_that_names_file_and_line(filled, garbage):
    lines = filled.read_bytes().split(b"\n")
    filled.write_bytes(b"\n".join([lines[0], garbage, *lines[1:]]))
    with pytest.raises(DataError, match=r"records\.jsonl, line 2: is not a record"):
        RecordStore(filled)


def test_bytes_that_are_no_text_may_be_what_was_cut_off(filled):
    with filled.open("ab") as file:
        file.write(b"\x00\xff")
    assert len(RecordStore(filled)) == 3


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        RecordStore(tmp_path)


def test_of_two_records_of_a_task_the_first_one_counts(filled):
    with filled.open("a") as file:
        file.write(made_up(quick_task(), reward=5.0).to_line() + "\n")
    assert RecordStore(filled).find(quick_task()).reward == -1.5


def test_a_second_record_of_a_task_is_not_appended(filled):
    before = filled.read_bytes()
    store = RecordStore(filled)
    store.append(made_up(quick_task(), reward=5.0))
    assert filled.read_bytes() == before
    assert store.find(quick_task()).reward == -1.5
