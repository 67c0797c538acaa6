"""The progress bar at several widths, and the clock that stands still while kernels are compiled."""

from __future__ import annotations

import io
import re
import time

import numba
import numpy as np
import pytest
from rich.console import Console

import dagsearch as ds
from dagsearch import compilation
from dagsearch.search import progress
from dagsearch.search.monitor import Monitor, OutOfTimeError, Progress

HALFWAY = Progress(0.25, 5, 20, 1_000_000, -1234.56789, 30.0)


def line(width, report, monkeypatch):
    """What the bar shows of a report on a terminal of that width."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    with progress.progress_bar("cd-uct") as show:
        show(report)
        # The last state is drawn when the bar is closed.
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_bar_tells_the_time_left_at_any_width(width, monkeypatch):
    text = line(width, HALFWAY, monkeypatch)
    assert "01:30 left" in text  # a quarter took 30 s
    assert "best -1234.57" in text
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)
    assert max(map(len, re.split(r"[\r\n]", plain))) <= width


def test_time_gone_is_called_so_where_the_time_left_is_not_known(monkeypatch):
    text = line(40, Progress(0.0, 5, None, 0, -1.0, 30.0), monkeypatch)
    assert "00:30 gone" in text
    assert "left" not in text


def test_a_wide_bar_has_both_times_and_the_rate(monkeypatch):
    text = line(120, HALFWAY, monkeypatch)
    assert "00:30 gone" in text
    assert "step 5/20" in text
    assert "33,333 sims/s" in text


def test_hours_are_told_apart_from_minutes():
    assert progress._clock(3661.0) == "1:01:01"
    assert progress._clock(59.6) == "01:00"


def slow_to_compile():
    """A new kernel, never compiled before, that takes a noticeable time to compile."""

    @numba.njit
    def kernel(x):
        return np.cumsum(x)[-1] + x.mean()

    return kernel


def test_the_clock_of_a_search_stands_still_while_kernels_are_compiled():
    monitor, started = Monitor(), time.perf_counter()
    before = compilation.seconds()
    slow_to_compile()(np.arange(3.0))
    compiled = compilation.seconds() - before
    assert compiled > 0.05
    least = time.perf_counter() - started - compiled
    seconds = monitor.seconds
    assert least - 1e-3 <= seconds <= time.perf_counter() - started - compiled + 1e-3


def test_the_clock_goes_on_otherwise():
    monitor = Monitor()
    time.sleep(0.1)
    assert monitor.seconds > 0.09


def test_compilation_does_not_count_against_the_time_limit(monkeypatch):
    now = 10.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    monitor = Monitor(time_limit=5.0)
    compilation._CLOCK.begin()
    now += 100.0
    compilation._CLOCK.end()
    now += 4.0
    monitor.check(lambda _: HALFWAY)
    now += 2.0
    with pytest.raises(OutOfTimeError):
        monitor.check(lambda _: HALFWAY)


def test_kernels_compiled_within_others_count_once(monkeypatch):
    times = iter([10.0, 12.0, 15.0])  # the clock looks when the outer one begins and ends, and when it is asked
    monkeypatch.setattr(compilation.time, "perf_counter", lambda: next(times))
    clock = compilation._Clock()
    clock.begin()
    clock.begin()
    assert clock.seconds == 2.0
    clock.end()
    clock.end()
    assert clock.seconds == 5.0


def test_listeners_hear_when_compilation_begins_and_ends():
    heard = []
    compilation.seconds()
    with compilation.listening(heard.append):
        slow_to_compile()(np.arange(3.0))
    slow_to_compile()(np.arange(3.0))
    assert heard[0] is True
    assert heard[-1] is False
    assert heard == [True, False] * (len(heard) // 2)
    assert not compilation._CLOCK.listeners


def test_the_time_of_a_fit_leaves_compilation_out(monkeypatch):
    compiled = iter([0.0, *[1000.0] * 10_000])
    monkeypatch.setattr(compilation, "seconds", lambda: next(compiled))
    model = ds.GreedySearch(score="bic-linear").fit(np.random.default_rng(0).normal(size=(50, 3)))
    assert model.result_.seconds < -900
