"""Solvers that cannot be interrupted: what they answer, and that nothing of them goes on when nobody waits."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint

from dagsearch.errors import DagsearchError
from dagsearch.search.exact import background
from dagsearch.search.exact.background import OUT_OF_TIME, Program, solved

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def market_split(n_rows, n_columns, seed=0):
    """Whole numbers that must add up exactly, which takes branch and bound very long."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 100, (n_rows, n_columns)).astype(float)
    right = np.floor(matrix.sum(axis=1) / 2)
    arguments = {
        "c": rng.normal(size=n_columns),
        "integrality": np.ones(n_columns),
        "bounds": Bounds(0.0, 1.0),
        "constraints": [LinearConstraint(matrix, right, right)],
    }
    return Program("milp", arguments, {"mip_rel_gap": 0.0})


LONG = market_split(5, 45)


def children():
    """Numbers of the processes that this one has started to solve something."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"optimize" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (OSError, ValueError):  # it has just ended
            continue
    return found


@pytest.mark.long
def test_a_process_answers_what_a_thread_does():
    program = market_split(1, 15)
    in_thread = background._in_thread(program, 60.0, lambda: None)
    apart = background._in_process(program, 60.0, lambda: None)
    assert in_thread.status == apart.status == 0
    assert apart.fun == in_thread.fun
    np.testing.assert_array_equal(apart.x, in_thread.x)


@pytest.mark.long
def test_a_linear_program_has_its_duals_in_a_process_too():
    program = Program("linprog", {"c": [1.0, 2.0], "A_eq": [[1.0, 1.0]], "b_eq": [1.0], "method": "highs"}, {})
    in_thread, apart = (solve(program, 60.0, lambda: None) for solve in (background._in_thread, background._in_process))
    assert apart.fun == in_thread.fun == 1.0
    np.testing.assert_array_equal(apart.eqlin.marginals, in_thread.eqlin.marginals)


@pytest.mark.long
@on_linux
def test_what_takes_longer_than_a_thread_may_is_begun_anew_in_a_process():
    seen = []
    assert solved(LONG, 3.0, lambda: seen.extend(children())).status == OUT_OF_TIME
    assert len(set(seen)) == 1


@pytest.mark.long
def test_the_time_limit_is_that_of_both_together():
    started = time.monotonic()
    assert solved(LONG, 2.0, lambda: None).status == OUT_OF_TIME
    assert 1.5 < time.monotonic() - started < 20.0  # a new process imports SciPy


@on_linux
@pytest.mark.parametrize("after", [0.3, 3.0])
def test_when_somebody_ends_the_search_no_thread_and_no_process_goes_on(after):
    before = threading.active_count()
    end = time.monotonic() + after

    def look():
        if time.monotonic() > end:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(LONG, math.inf, look)
    assert not children()
    deadline = time.monotonic() + 15.0
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= before


@on_linux
def test_a_process_that_is_killed_is_an_error_that_says_so():
    def kill():
        for number in children():
            os.kill(number, signal.SIGKILL)

    with pytest.raises(DagsearchError, match=r"HiGHS ended without an answer \(exit code -9\)"):
        solved(LONG, 60.0, kill)
