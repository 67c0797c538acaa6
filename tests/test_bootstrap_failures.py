"""The bootstrap when things go wrong: redraws, failures, Ctrl-C, time limits, stores, wrong arguments."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pytest
from bootstrap_runs import ByMeans, assert_same, linear_frame, rows_by_hand, uniform_table
from sklearn.base import BaseEstimator

import dagsearch as ds
from dagsearch.confidence import replicates


def rare_level_frame():
    """A level that many replicates lose."""
    rng = np.random.default_rng(2)
    return pd.DataFrame({"a": rng.choice(["x", "y"], 30), "b": ["rare"] + ["common"] * 29, "c": rng.normal(size=30)})


class NeedsLevels(BaseEstimator):
    """Refuses a column that is constant, as many methods do."""

    def fit(self, X):
        for name in X.columns:
            if X[name].nunique() < 2:
                raise ds.DataError(f"column {name!r} is constant")
        self.dag_ = np.zeros((X.shape[1],) * 2, dtype=int)


def refusals_by_hand(seed, number):
    """How many of the draws of a replicate lose the rare level, up to the first that does not or the fourth."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(number + 1)[number])
    for n_redraws in range(4):
        rows = rng.integers(0, 30, 30)
        rng.integers(2**31)
        if 0 in rows:
            return n_redraws
    return 4


def test_replicates_that_lose_a_level_are_drawn_anew_and_those_that_still_fail_are_counted():
    expected = [refusals_by_hand(1, number) for number in range(200)]
    n_redrawn, n_failed = sum(0 < n < 4 for n in expected), expected.count(4)
    assert n_redrawn > 20
    assert n_failed > 0
    found = ds.bootstrap(NeedsLevels(), rare_level_frame(), n=200, random_state=1)
    assert found.details["n_redrawn"] == n_redrawn
    assert found.details["n_failed"] == n_failed
    assert found.details["n_replicates"] == 200 - n_failed
    said = "the first: DataError: column 'b' is constant"
    assert found.notes == (
        f"{n_redrawn} of 200 replicates were drawn anew, since the method refused them; {said}",
        f"{n_failed} of 200 replicates failed and do not count; {said}",
    )


def test_a_method_of_ours_that_refuses_a_constant_column_is_given_other_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40), "spike": [5.5] + [0.0] * 39})
    found = ds.bootstrap(ds.GreedySearch(score="bic-linear"), frame, n=30, random_state=0)
    assert found.details["n_redrawn"] > 0
    assert "column 'spike' is constant" in found.notes[0]


def test_replicates_keep_the_kinds_and_declared_levels_of_the_whole_table(monkeypatch):
    seen = []
    taken = replicates.taken

    def noted(table, rows):
        seen.append(taken(table, rows))
        return seen[-1]

    monkeypatch.setattr(replicates, "taken", noted)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 12, 60), "b": pd.Categorical(rng.choice(["u", "v"], 60), ["u", "v", "w"])}
    )
    model = ds.GreedySearch(score="bic-discrete", kinds={"a": "discrete"}, levels="declared")
    ds.bootstrap(model, frame, n=5, random_state=0)
    assert {table.kinds for table in seen} == {("discrete", "discrete")}
    assert {table.declared_levels for table in seen} == {(None, 3)}


class Breaks(BaseEstimator):
    def __init__(self, often=True, random_state=None):
        self.often = often
        self.random_state = random_state

    def fit(self, X):
        if self.often or X[:, 0].mean() > 0.5:
            raise RuntimeError("out of order")
        self.dag_ = np.zeros((3, 3), dtype=int)


def test_any_other_error_is_counted_without_another_draw_and_if_all_fail_raised():
    found = ds.bootstrap(Breaks(often=False), uniform_table(), n=20, random_state=0)
    n_bad = sum(uniform_table()[rows_by_hand(0, k, 40, "rows"), 0].mean() > 0.5 for k in range(20))
    assert 0 < n_bad < 20
    assert found.details["n_failed"] == n_bad
    assert found.notes == (f"{n_bad} of 20 replicates failed and do not count; the first: RuntimeError: out of order",)
    with pytest.raises(ds.DagsearchError, match=r"all 6 replicates .* failed; the first: RuntimeError: out of order"):
        ds.bootstrap(Breaks(), uniform_table(), n=6, random_state=0)


class StopsAfter(BaseEstimator):
    """Presses Ctrl-C, or dawdles, at its third fit."""

    n_fits = 0

    def __init__(self, how="interrupt"):
        self.how = how

    def fit(self, X):
        type(self).n_fits += 1
        if self.n_fits == 3 and self.how == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)
        if self.n_fits == 3 and self.how == "dawdle":
            time.sleep(1.1)
        self.dag_ = np.array([[0, int(X[:, 0].mean() > 0.5), 0], [0, 0, 0], [0, 0, 0]])


@pytest.fixture
def no_fits_yet(monkeypatch):
    monkeypatch.setattr(StopsAfter, "n_fits", 0)


@pytest.mark.usefixtures("no_fits_yet")
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others")
def test_ctrl_c_keeps_what_is_finished_and_the_store_goes_on_from_there(tmp_path):
    table, path = uniform_table(), tmp_path / "runs" / "replicates.jsonl"
    cut = ds.bootstrap(StopsAfter(), table, n=10, random_state=4, store=path)
    assert cut.details["n_replicates"] == 3
    assert cut.details["status"] == "interrupted"
    assert cut.notes == ("3 replicates of the 10 asked for: interrupted",)
    assert len(path.read_text().splitlines()) == 3
    whole = ds.bootstrap(StopsAfter(), table, n=10, random_state=4, store=str(path))
    assert StopsAfter.n_fits == 10
    assert len(path.read_text().splitlines()) == 10
    assert_same(whole, ds.bootstrap(StopsAfter(), table, n=10, random_state=4))
    assert StopsAfter.n_fits == 20
    assert_same(ds.bootstrap(StopsAfter(), table, n=10, random_state=4, store=path), whole)
    assert StopsAfter.n_fits == 20


@pytest.mark.usefixtures("no_fits_yet")
def test_the_time_limit_keeps_what_is_finished():
    found = ds.bootstrap(StopsAfter("dawdle"), uniform_table(), n=1000, random_state=4, time_limit=1.0)
    assert found.details["n_replicates"] == 3
    assert found.notes == ("3 replicates of the 1000 asked for: the time limit was over",)


INTERRUPTED = """
    import sys, time
    import numpy as np
    import dagsearch as ds

    ds.bootstrap  # imports the module
    sys.modules["dagsearch.confidence.bootstrap"]._SECONDS_ALONE = 0.0

    class Slow:
        def fit(self, X):
            time.sleep(0.5)
            self.dag_ = np.zeros((2, 2), dtype=int)

    print("begun", flush=True)
    found = ds.bootstrap(Slow(), np.random.default_rng(0).random((20, 2)), n=1000, random_state=0, n_jobs=2)
    print(found.details["n_replicates"], found.details["status"], found.notes)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no groups of processes")
def test_ctrl_c_ends_processes_and_keeps_what_they_have_finished():
    program = textwrap.dedent(INTERRUPTED)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True, **pipes)
    assert process.stdout.readline() == "begun\n"
    time.sleep(20)
    os.killpg(process.pid, signal.SIGINT)
    printed, errors = process.communicate(timeout=30)
    assert errors == ""
    n_found = int(printed.split()[0])
    assert 0 < n_found < 100
    assert printed.split(maxsplit=1)[1].startswith(f"interrupted ('{n_found} replicates of the 1000 asked for")


def test_a_store_holds_several_bootstraps_and_never_mistakes_one_for_another(tmp_path):
    table = uniform_table()
    first = ds.bootstrap(ByMeans(), table, n=4, random_state=0, store=tmp_path)
    for change in ({"how": "subsample"}, {"random_state": 1}, {"data": uniform_table(seed=1)}):
        arguments = {"data": table, "n": 4, "random_state": 0, **change}
        kept = ds.bootstrap(ByMeans(), store=tmp_path, **arguments)
        assert_same(kept, ds.bootstrap(ByMeans(), **arguments))
        assert not np.array_equal(kept.samples, first.samples)
    settings = [ds.GreedySearch(score="bic-linear"), ds.GreedySearch(score="bic-linear", edge_budget=1)]
    for model in settings:
        kept = ds.bootstrap(model, table, n=4, random_state=0, store=tmp_path)
        assert_same(kept, ds.bootstrap(model, table, n=4, random_state=0))
    assert len((tmp_path / "bootstrap.jsonl").read_text().splitlines()) == 24


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n must be a whole number of at least 1, got 0"),
        ({"how": "columns"}, "unknown how 'columns': choose from rows, subsample"),
        ({"estimator": ds.GES}, "estimator must be an object with fit"),
        ({"estimator": "ges"}, "estimator must be an object with fit"),
        ({"time_limit": 0}, "time_limit must be a number above 0"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"engine": 3}, "engine must be the address of a Dask cluster or None, got 3"),
        ({"store": "x.jsonl"}, "store needs a random_state"),
        ({"store": 3}, "store must be a folder, a file or None, got 3"),
        ({"estimator": ds.GreedySearch(score="bik")}, "unknown score 'bik'"),
        ({"data": [[1.0, np.inf], [2.0, 3.0], [4.0, 5.0]]}, "row 1 holds inf"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_fitted(arguments, message):
    with pytest.raises(ds.InputError, match=message):
        ds.bootstrap(**{"estimator": ByMeans(), "data": uniform_table(), **arguments})


def test_a_score_that_was_made_of_the_whole_table_is_refused():
    score = ds.scores.make("bic-linear", linear_frame())
    with pytest.raises(ds.InputError, match=r"score must be a name for a bootstrap, got .* knows no replicate"):
        ds.bootstrap(ds.GreedySearch(score=score), linear_frame())
