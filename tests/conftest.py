"""Fixtures that several test files use."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import common
import pytest
from experiment_output import TABLE1, record, tasks
from hypothesis import settings
from samples import DEFAULT_CASES, ORDER_SEARCHES, SLOW_TO_COMPILE

from dagsearch.blas import one_blas_thread
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.store import RecordStore

# A case may take long because the machine has other work, which is no failure. Whether a change passes does not hang on
# luck either: the same cases every time; ``--hypothesis-profile random`` tries others.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None)
settings.load_profile("repeatable")

TESTS = Path(__file__).parent

# Few tests that take long, or the first to need kernels that do: one process should not be left with them in the end.
FIRST = (
    "test_search.py",
    "test_plot.py",
    "test_scores.py",
    "test_wrong_arguments.py",
    "test_guided.py",
    "test_estimators_settings.py",
    "test_near_collinear.py",
    "test_page.py",
    "test_large_graphs.py",
    "test_exact_background.py",
)

# Each of their cases would compile what it needs, if others had not before.
LAST = ("test_hostile.py",)

# Whose long tests kill processes, or go by the clock, or use all cores themselves.
ALONE = {
    "test_bootstrap_failures.py",
    "test_checkpoint.py",
    "test_cli_processes.py",
    "test_experiments_engines.py",
    "test_hostile.py",
    "test_store_shared.py",
    "test_time_limits.py",
}


def pytest_collection_modifyitems(items):
    """Mark cases that run with the long tests, and the long tests that nothing may run beside; long files first."""
    items.sort(key=lambda item: (item.path.name not in FIRST, item.path.name in LAST))
    n_seen = Counter()
    for item in items:
        file, test = item.path.relative_to(TESTS).as_posix(), getattr(item, "originalname", item.name)
        n_seen[file, test] += 1
        is_slow = file in ORDER_SEARCHES and SLOW_TO_COMPILE in item.name
        if is_slow or n_seen[file, test] > DEFAULT_CASES.get(file, {}).get(test, math.inf):
            item.add_marker("long")
        if item.path.name in ALONE and item.get_closest_marker("long"):
            item.add_marker("alone")
    collected = {file for file, _ in n_seen}
    gone = [(file, test) for file in collected & set(DEFAULT_CASES) for test in DEFAULT_CASES[file]]
    gone = [each for each in gone if each not in n_seen]
    # A test may also be asked for by its name, and then others of its file are not collected.
    if gone and len(n_seen) > len(DEFAULT_CASES):
        raise pytest.UsageError(f"tests/samples.py names tests that are not there: {gone}")


@pytest.fixture(autouse=True)
def _no_internet(monkeypatch, tmp_path_factory):
    """Downloads are tested with a server of their own; nothing else may depend on one, or on what a user has cached."""
    monkeypatch.setenv("DAGSEARCH_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("DAGSEARCH_CACHE", str(tmp_path_factory.getbasetemp() / "no-cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch):
    """Text is not broken into lines, although processes that run tests are told of a terminal's width."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _no_word_of_compilation(monkeypatch):
    """What commands say must not depend on what is compiled already; `test_cli_first_steps` has the announcement."""
    monkeypatch.setattr("dagsearch.cli.messages.compilation_announced", nullcontext)


@pytest.fixture
def data_folder(monkeypatch):
    """The folder of data sets that are not bundled; the test is skipped where there is none."""
    if not common.DATA.is_dir():
        pytest.skip("there is no folder of data sets")
    monkeypatch.setenv("DAGSEARCH_DATA", str(common.DATA))
    return common.DATA


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own for each test of the command, which is also where it runs, with one good table."""
    monkeypatch.chdir(tmp_path)
    common.good_table().to_csv("good.csv", index=False)
    return tmp_path


@pytest.fixture
def one_thread():
    """One BLAS thread, as in fits: on a busy machine several wait for each other longer than small matrices take."""
    with one_blas_thread():
        yield


@pytest.fixture
def store_of(tmp_path):
    """Makes a store of records."""

    def make(*records):
        path = tmp_path / "records" / "records.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(each.to_line() + "\n" for each in records), encoding="utf-8")
        return RecordStore(path)

    return make


@pytest.fixture
def partial_store(store_of):
    """A store with some of everything: agreement, difference, one run, a cycle."""
    uct = tasks(TABLE1, "Sachs", "cd-uct", 3)
    first, *others = tasks(TABLE1, "SynTReN", "notears")
    timed = tasks(EXPERIMENTS["table3"], "Sachs", "cd-uct")
    return store_of(
        *(record(task, reward=43.83 + k / 100, pruned_shd=5.0 + k / 100) for k, task in enumerate(uct)),
        record(tasks(TABLE1, "Sachs", "rl-bic", 1)[0], reward=39.0),
        record(tasks(TABLE1, "Sachs", "greedy")[0], reward=37.8671, shd=39.0, pruned_shd=14.0),
        record(first, reward=None, shd=None, pruned_shd=None),
        *map(record, others),
        *(record(task, seconds=6.8 + k / 100) for k, task in enumerate(timed)),
    )
