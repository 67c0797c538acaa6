"""Kills processes that work at one store of records, at random moments, and checks what they leave.

    python tests/store_kills.py --kills 100

Each round starts two processes of two jobs each on the same file. One or both are killed by ``kill -9`` at a random
moment; in some rounds the file must not grow any further, as on a full disk. Afterwards every record that was there
before must still be there, no task may have two, and no task that had one may have been run again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from dagsearch.engines import Failure, LineStore, LocalEngine
from dagsearch.errors import DagsearchError

PADDING = "x" * 6000  # a record is longer than what a file system writes at once
TOO_LONG = 300  # seconds in which what is left is finished


@dataclass(frozen=True)
class NumberedTask:
    number: int

    @property
    def key(self):
        return f"task-{self.number}"


@dataclass(frozen=True)
class NumberedRecord:
    task: NumberedTask

    def to_line(self):
        return json.dumps({"number": self.task.number, "padding": PADDING})

    @classmethod
    def from_line(cls, line):
        stored = json.loads(line)
        if stored["padding"] != PADDING:
            raise ValueError("torn")
        return cls(NumberedTask(stored["number"]))


class Work:
    """Notes that a task is run, and takes a moment."""

    def __init__(self, log):
        self.log = log

    def __call__(self, task):
        with open(self.log, "ab", buffering=0) as file:
            file.write(f"{task.number}\n".encode())
        time.sleep(random.Random(task.number).uniform(0.01, 0.1))
        return NumberedRecord(task)


def numbers_in(path):
    """What each line of a log or of records says; a line that was cut off does not count."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line)["number"] if line.startswith(b"{") else int(line) for line in lines]


def work_at(folder, n_tasks, n_jobs, room):
    """What each process does: all tasks, with only so many bytes of room for records."""
    path, work = folder / "records.jsonl", Work(folder / "runs.log")
    store = LineStore(path, NumberedRecord.from_line)
    if room is not None:
        import resource

        n_bytes = (path.stat().st_size if path.exists() else 0) + room
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))
    outcomes = store.shared([NumberedTask(number) for number in range(n_tasks)], LocalEngine(work, n_jobs).run_all)
    try:
        failures = store.append_all(outcomes, n_tasks, lambda *_: None)
    except DagsearchError as error:
        sys.exit(2 if room is not None and "File too large" in str(error) else 3)
    assert not [failure for failure in failures if isinstance(failure, Failure)]


def started(folder, n_tasks, room=None):
    options = ["--tasks", str(n_tasks)] + ([] if room is None else ["--room", str(room)])
    command = [sys.executable, __file__, "--work-at", str(folder), *options]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def killed_at_random(folder, n_kills, n_tasks, seed=0):
    """Kill so many processes, and check after each round; yields what happened in it.

    At the end all is finished, and every task has one record. There must be more tasks than are finished before.
    """
    rng, n_killed = random.Random(seed), 0
    records, log = folder / "records.jsonl", folder / "runs.log"
    while n_killed < n_kills:
        before, n_runs = set(numbers_in(records)), len(numbers_in(log))
        assert len(before) < n_tasks, f"all tasks are finished after {n_killed} kills: there must be more of them"
        room = rng.randrange(30_000) if rng.random() < 0.25 else None
        processes = [started(folder, n_tasks, room) for _ in range(2)]
        time.sleep(rng.uniform(0.3, 6.0))
        doomed = processes if rng.random() < 0.5 else processes[:1]
        for process in doomed:
            n_killed += process.poll() is None
            process.send_signal(signal.SIGKILL)
        for process in processes[len(doomed) :]:  # goes on alone for a while
            time.sleep(rng.uniform(0.0, 2.0))
            process.send_signal(signal.SIGKILL)
        assert {process.wait() for process in processes} <= {-signal.SIGKILL, 0, 2}
        time.sleep(3.0)  # children notice
        check(records, before, numbers_in(log)[n_runs:])
        yield f"{n_killed} killed, {len(numbers_in(records))} records, {'full disk' if room is not None else ''}"
    before, n_runs = set(numbers_in(records)), len(numbers_in(log))
    last = [started(folder, n_tasks) for _ in range(2)]
    assert [process.wait(TOO_LONG) for process in last] == [0, 0]
    check(records, before, numbers_in(log)[n_runs:])
    assert sorted(numbers_in(records)) == list(range(n_tasks))
    assert max(Counter(numbers_in(log)[n_runs:]).values(), default=1) == 1  # two at once, none twice
    assert records.read_bytes().endswith(b"\n")


def check(records, before, run):
    found = numbers_in(records)
    assert len(found) == len(set(found)), "a task has two records"
    assert before <= set(found), "a record was lost"
    assert not before & set(run), "a finished task was run again"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("store-kills"))
    parser.add_argument("--work-at", type=Path)
    parser.add_argument("--room", type=int)
    options = parser.parse_args()
    if options.work_at is not None:
        work_at(options.work_at, options.tasks, 2, options.room)
        return
    options.folder.mkdir()
    for line in killed_at_random(options.folder, options.kills, options.tasks, options.seed):
        print(line, flush=True)  # noqa: T201
    n_runs = len(numbers_in(options.folder / "runs.log"))
    print(f"{options.tasks} tasks, each with one record, after {n_runs} runs")  # noqa: T201


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    main()
