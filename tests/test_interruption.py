"""What never looks at a clock is ended from outside, and nothing else is struck."""

import contextvars
import random
import signal
import sys
import threading
import time

import pytest

from dagsearch.interruption import OutOfTimeError, carried_out
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED, INTERRUPTED, TIME_LIMIT


@pytest.fixture
def often(monkeypatch):
    """Threads take turns often, so that ends come at any moment."""
    monkeypatch.setattr("dagsearch.interruption._SECONDS_BETWEEN_LOOKS", 0.0005)
    monkeypatch.setattr("dagsearch.interruption._SECONDS_UNTIL_RAISED_AGAIN", 0.0005)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def after(seconds, error=OutOfTimeError):
    end = time.monotonic() + seconds
    return lambda: error if time.monotonic() >= end else None


def forever():
    while True:
        sum(range(100))


def test_a_loop_that_never_looks_is_ended():
    started = time.monotonic()
    with pytest.raises(OutOfTimeError):
        carried_out(forever, after(0.1))
    assert time.monotonic() - started < 5.0


def test_work_that_is_over_in_time_is_not_ended_and_sees_the_variables_of_its_caller():
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(3)
    seen = []
    carried_out(lambda: seen.append(variable.get()), lambda: None)
    assert seen == [3]


def test_what_the_work_raises_is_raised_where_it_was_asked_for():
    def fail():
        raise ZeroDivisionError("own")

    with pytest.raises(ZeroDivisionError, match="own"):
        carried_out(fail, lambda: None)


def test_nothing_begins_when_time_is_over_already():
    with pytest.raises(OutOfTimeError):
        carried_out(lambda: pytest.fail("it began"), lambda: OutOfTimeError)


def test_work_that_catches_the_end_is_ended_again(monkeypatch):
    monkeypatch.setattr("dagsearch.interruption._SECONDS_UNTIL_RAISED_AGAIN", 0.05)
    caught = []

    def stubborn():
        while True:
            try:
                forever()
            except OutOfTimeError:
                caught.append(1)
                if len(caught) == 3:
                    raise

    with pytest.raises(OutOfTimeError):
        carried_out(stubborn, after(0.05))
    assert len(caught) == 3


@pytest.mark.long
@pytest.mark.usefixtures("often")
def test_nobody_else_is_struck_by_an_end_that_comes_at_the_last_moment():
    """Work that takes about as long as it may, many times; what follows it would hear of a late end."""
    draw = random.Random(0)
    outcomes = set()
    for _ in range(400):
        end = time.monotonic() + 0.004

        def work(end=end):
            while time.monotonic() < end:
                sum(range(50))

        monitor = Monitor(time_limit=0.004 + draw.uniform(-0.001, 0.001))
        with monitor.guard():
            monitor.carry_out(work)
        outcomes.add(monitor.status)
        for _ in range(100):
            sum(range(10))
    assert outcomes <= {FINISHED, TIME_LIMIT}
    time.sleep(0.05)
    assert threading.active_count() < 20


@pytest.mark.parametrize("limit", [None, 60.0])
def test_ctrl_c_ends_it_too_with_and_without_a_time_limit(limit):
    threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT)).start()
    monitor = Monitor(time_limit=limit)
    with monitor.guard():
        monitor.carry_out(forever)
    assert monitor.status == INTERRUPTED
