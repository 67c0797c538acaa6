"""Several processes at one file of records: nothing lost, nothing twice, and what a killed one was at is free again."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
from store_kills import NumberedRecord, NumberedTask, killed_at_random, numbers_in

from dagsearch.engines import Failure, LineStore, locks
from dagsearch.engines.locks import locks_of
from dagsearch.errors import DagsearchError

TASKS = [NumberedTask(number) for number in range(6)]

on_posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits are POSIX's")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.jsonl"


def store_at(path):
    return LineStore(path, NumberedRecord.from_line)


def process(code, *arguments):
    """A process that finds the modules of the tests."""
    search = os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": search},
        stdout=subprocess.PIPE,
        text=True,
    )


def all_records(tasks):
    return (NumberedRecord(task) for task in tasks)


# ---------------------------------------------------------------- appending

APPENDING = """
    import sys
    from pathlib import Path
    from store_kills import NumberedRecord, NumberedTask
    from dagsearch.engines import LineStore

    store = LineStore(Path(sys.argv[1]), NumberedRecord.from_line)
    for number in range(int(sys.argv[2]), 300, 2):
        store.append(NumberedRecord(NumberedTask(number)))
        store.append(NumberedRecord(NumberedTask(1000 + number // 2)))
"""


def test_processes_that_append_at_once_lose_nothing_and_nothing_is_there_twice(path):
    processes = [process(APPENDING, path, first) for first in (0, 1)]
    assert [each.wait(60) for each in processes] == [0, 0]
    assert sorted(numbers_in(path)) == [*range(300), *range(1000, 1150)]


def test_records_of_others_are_seen_before_one_is_appended(path):
    ours, theirs = store_at(path), store_at(path)
    theirs.append(NumberedRecord(TASKS[0]))
    assert ours.find(TASKS[0]) is None
    ours.append(NumberedRecord(TASKS[1]))
    assert ours.find(TASKS[0]) is not None
    theirs.append(NumberedRecord(TASKS[1]))
    assert numbers_in(path) == [0, 1]


@on_posix
def test_a_full_disk_is_one_message_and_costs_only_what_was_not_written(path):
    import resource

    store = store_at(path)
    store.append(NumberedRecord(TASKS[0]))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 2500, limits[1]))
    try:
        with pytest.raises(DagsearchError, match=r"records.jsonl: a record cannot be written \(File too large\)"):
            store.append(NumberedRecord(TASKS[1]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not path.read_bytes().endswith(b"\n")
    store.append(NumberedRecord(TASKS[2]))
    assert numbers_in(path) == [0, 2]
    assert store_at(path).missing(TASKS[:3]) == [TASKS[1]]


def test_a_store_that_somebody_has_emptied_is_filled_again(path):
    store = store_at(path)
    store.append(NumberedRecord(TASKS[0]))
    path.write_bytes(b"")
    store.append(NumberedRecord(TASKS[1]))
    assert numbers_in(path) == [1]


# ---------------------------------------------------------------- claims


def test_tasks_are_claimed_when_they_are_asked_for_and_others_leave_them_alone(path):
    ours, theirs = (store_at(path).shared(TASKS, all_records) for _ in range(2))
    assert [next(ours).task.number, next(theirs).task.number] == [0, 1]
    assert [next(ours).task.number, next(theirs).task.number] == [2, 3]
    for outcomes in (ours, theirs):
        outcomes.close()
    again = store_at(path).shared(TASKS, all_records)
    assert next(again).task.number == 0
    again.close()


CLAIMING = """
    import sys, time
    from pathlib import Path
    from store_kills import NumberedRecord, NumberedTask
    from dagsearch.engines import LineStore

    def run_all(tasks):
        for task in tasks:
            print(task.number, flush=True)
            sys.stdin.readline() if len(sys.argv) > 2 else time.sleep(600)
            yield NumberedRecord(task)

    store = LineStore(Path(sys.argv[1]), NumberedRecord.from_line)
    store.append_all(store.shared([NumberedTask(0), NumberedTask(1)], run_all), 2, lambda *_: None)
"""


@on_posix
def test_what_a_killed_process_was_at_is_run_by_another(path):
    other = process(CLAIMING, path)
    assert other.stdout.readline() == "0\n"
    store, ran = store_at(path), []
    outcomes = store.shared(TASKS[:2], lambda tasks: (ran.append(task) or NumberedRecord(task) for task in tasks))
    store.append(next(outcomes))
    assert ran == [TASKS[1]]
    other.kill()
    other.wait()
    assert next(outcomes).task == TASKS[0]
    outcomes.close()


def test_records_of_tasks_that_another_process_has_claimed_are_waited_for(path):
    code = CLAIMING.replace("sys.stdin.readline() if len(sys.argv) > 2 else time.sleep(600)", "time.sleep(1)")
    other = process(code, path)
    assert other.stdout.readline() == "0\n"
    store = store_at(path)
    found = []
    for outcome in store.shared(TASKS[:2], all_records):
        store.append(outcome)
        found.append(outcome.task.number)
    assert found == [1, 0]
    assert other.wait(60) == 0
    assert numbers_in(path) == [1, 0]


def test_a_task_that_fails_is_not_tried_again_and_free_for_others(path):
    store = store_at(path)
    outcomes = list(store.shared(TASKS[:2], lambda tasks: (Failure(task, "no", "") for task in tasks)))
    assert [outcome.task for outcome in outcomes] == TASKS[:2]
    again = store_at(path).shared(TASKS[:2], all_records)
    assert next(again).task == TASKS[0]
    again.close()


def test_an_engine_is_ended_with_whoever_asked_it(path):
    ended = []

    def run_all(tasks):
        try:
            yield from all_records(tasks)
        finally:
            ended.append(True)

    outcomes = store_at(path).shared(TASKS, run_all)
    next(outcomes)
    outcomes.close()
    assert ended == [True]


# ---------------------------------------------------------------- locks


def test_a_lock_is_held_by_one_thread_of_one_process(tmp_path):
    path = tmp_path / "a.lock"
    assert locks_of(path) is locks_of(tmp_path / "." / "a.lock")
    assert locks_of(path).take(5)
    assert not locks_of(path).take(5)
    code = f"""
        from pathlib import Path
        from dagsearch.engines.locks import locks_of
        print(locks_of(Path({str(path)!r})).take(5), locks_of(Path({str(path)!r})).take(6))
    """
    assert process(code).communicate()[0].split() == ["False", "True"]
    locks_of(path).release(5)
    assert process(code).communicate()[0].split() == ["True", "True"]


def test_a_lock_that_is_not_released_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "_SECONDS_TO_WAIT", 0.05)
    held = locks_of(tmp_path / "a.lock")
    assert held.take(0)
    with pytest.raises(DagsearchError, match=r"a\.lock: another process has locked it"), held.holding(0):
        pass


def test_where_files_cannot_be_locked_one_process_works_and_it_is_said_once(path, monkeypatch, caplog):
    def fail(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(locks, "_lock", fail)
    store = store_at(path)
    store.append_all(store.shared(TASKS, all_records), len(TASKS), lambda *_: None)
    assert numbers_in(path) == list(range(6))
    assert len(caplog.messages) == 1
    assert "cannot be locked (Operation not supported)" in caplog.messages[0]


# ---------------------------------------------------------------- kill -9


ORPHANED = """
    import os, sys, time
    from store_kills import NumberedTask
    from dagsearch.engines import LocalEngine

    def work(task):
        print(os.getpid(), flush=True)
        time.sleep(600)

    list(LocalEngine(work, 2).run_all([NumberedTask(0), NumberedTask(1)]))
"""


@on_posix
def test_processes_of_a_killed_one_end_soon():
    parent = process(ORPHANED)
    for _ in range(2):
        parent.stdout.readline()
    parent.kill()
    # All of them write to this pipe. It takes a second or two where nothing else runs.
    assert parent.communicate(timeout=20)[0] == ""


@pytest.mark.long
@on_posix
def test_processes_killed_at_random_moments_lose_nothing_and_repeat_nothing(tmp_path):
    assert list(killed_at_random(tmp_path, n_kills=4, n_tasks=1_200, seed=3))
