"""Faults while a command runs: it is killed or interrupted, disks are full, readers go away. Nothing is half-written."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd

from hostile.case import FAST, REFUSED, RIGHT, Case, dagsearch, good_table
from hostile.process import COMMAND, environment, require_found, run

FAMILY = "faults"
_OUTPUTS = ("--json", "found.json", "--out", "out", "--report", "page.html")
_TO_START = 3.0  # seconds in which a command has started and searches
_COMMANDS = {
    "discover": ("discover", "table.csv", *FAST),
    "discover as JSON": ("discover", "table.csv", *FAST, "--json", "-"),
    "check": ("check", "table.csv"),
    "compare": ("compare", "sachs", "sachs"),
    "datasets": ("datasets",),
    "methods": ("methods",),
    "help": ("discover", "--help"),
    "paper": ("paper", "--help"),
}


def cases() -> Iterator[Case]:
    """All of this family."""
    draw = random.Random(0)
    for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"):
        for number in range(12 if name in ("SIGKILL", "SIGINT") else 4):
            seconds = draw.uniform(0.0, _TO_START)
            act = partial(_signalled, getattr(signal, name), seconds)
            yield Case(FAMILY, f"{name} {number} after {seconds:.2f} s", act, (RIGHT,), seconds=150.0)
    for what, command in _COMMANDS.items():
        yield Case(FAMILY, f"{what} to a full disk", partial(_redirected, command, "> /dev/full"), (REFUSED,))
        yield Case(FAMILY, f"{what} to nobody", partial(_redirected, command, "| true"), (RIGHT,))
        yield Case(
            FAMILY, f"{what} to somebody in a hurry", partial(_redirected, command, "| head -c 1 > /dev/null"), (RIGHT,)
        )
        yield Case(
            FAMILY,
            f"{what}, nowhere to complain",
            partial(_redirected, command, "> /dev/full 2> /dev/full || true"),
            (RIGHT,),
        )
    for n_bytes in (0, 1, 100, 5_000):
        for option in ("--json", "--out", "--report", "--checkpoint"):
            act = partial(_without_room, n_bytes, option)
            yield Case(FAMILY, f"{n_bytes} bytes of room for {option}", act, (RIGHT, REFUSED), prints=True)
        yield Case(
            FAMILY,
            f"{n_bytes} bytes of room for a simulation",
            partial(_simulated, n_bytes),
            (RIGHT, REFUSED),
            prints=True,
        )
    for option in ("--json", "--report", "--checkpoint"):
        act = partial(_to_a_pipe, option)
        yield Case(
            FAMILY, f"{option} to a pipe that nobody reads from", act, (REFUSED,), "pipe", prints=True, seconds=60.0
        )
    for what, spoil in _SPOILT_PLACES.items():
        yield Case(FAMILY, f"a graph's file is {what}", partial(_in_a_spoilt_place, spoil), (REFUSED,), "graph.csv")
    yield Case(FAMILY, "two at once to the same files", _two_at_once, (RIGHT,), seconds=150.0)
    for megabytes in (1_500, 2_000, 3_000):
        act = partial(_with_memory, megabytes)
        yield Case(FAMILY, f"{megabytes} megabytes of address space", act, (RIGHT, REFUSED), prints=True, seconds=150.0)


def _signalled(number: signal.Signals, seconds: float) -> None:
    """Send a signal to a search that would last longer, and look at what it leaves."""
    good_table().to_csv("table.csv", index=False)
    arguments = [
        "discover",
        "table.csv",
        "--method",
        "cd-uct",
        "--score",
        "bic-linear",
        "--sims-per-node",
        "20000",
        *_OUTPUTS,
    ]
    process = subprocess.Popen(
        [*COMMAND, *arguments], env=environment({}), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    time.sleep(seconds)
    process.send_signal(number)
    try:
        said = process.communicate(timeout=30)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("it went on for half a minute") from None
    _require_whole_or_absent()
    has_begun = seconds > _TO_START / 2
    # Python itself ends with a traceback where Ctrl-C comes while it starts.
    if number == signal.SIGINT and has_begun and "dagsearch/" in said:
        assert "Traceback" not in said, said[-500:]


def _require_whole_or_absent() -> None:
    readers = {
        ".json": json.loads,
        ".svg": ElementTree.fromstring,
        ".graphml": ElementTree.fromstring,
        ".html": _whole_page,
    }
    for path in [Path("found.json"), Path("page.html"), *Path("out").glob("graph.*")]:
        if path.exists() and path.suffix in readers:
            readers[path.suffix](path.read_text(encoding="utf-8"))


def _whole_page(text: str) -> None:
    assert text.rstrip().endswith("</html>")


def _to_a_pipe(option: str) -> None:
    good_table().to_csv("table.csv", index=False)
    os.mkfifo("pipe.html")
    dagsearch("discover", "table.csv", *FAST, option, "pipe.html")


_SPOILT_PLACES = {
    "a folder": partial(os.mkdir, "out/graph.csv"),
    "a link to nowhere": partial(os.symlink, "none/file", "out/graph.csv"),
    "a link to itself": partial(os.symlink, "graph.csv", "out/graph.csv"),
}


def _in_a_spoilt_place(spoil: Callable[[], object]) -> None:
    """It is known before the search, and no other file is written."""
    good_table().to_csv("table.csv", index=False)
    os.mkdir("out")
    spoil()
    dagsearch("discover", "table.csv", *FAST, "--out", "out")


def _redirected(command: tuple[str, ...], redirection: str) -> None:
    good_table().to_csv("table.csv", index=False)
    line = " ".join([sys.executable, "-m", "dagsearch.cli", *command, redirection])
    done = subprocess.run(["bash", "-c", line], env=environment({}), check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


def _limited(n_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


def _run_without_room(arguments: list[str], n_bytes: int) -> int:
    """Exit code of the command where no file may grow any larger; streams go to a pipe, or it would be theirs, too."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        env=environment({}),
        preexec_fn=partial(_limited, n_bytes),
        check=False,
        capture_output=True,
    )
    sys.stderr.write(done.stderr.decode())
    return done.returncode


def _without_room(n_bytes: int, option: str) -> None:
    good_table().to_csv("table.csv", index=False)
    places = {"--json": "found.json", "--out": "out", "--report": "page.html", "--checkpoint": "checkpoint"}
    code = _run_without_room(["discover", "table.csv", *FAST, option, places[option]], n_bytes)
    _require_whole_or_absent()
    left = [path for path in Path().rglob("*") if path.name.startswith(".writing")]
    assert not left, left
    if code:
        raise SystemExit(code)


def _simulated(n_bytes: int) -> None:
    code = _run_without_room(["simulate", "--nodes", "5", "--rows", "500", "--out", "made"], n_bytes)
    data = Path("made/data.csv")
    assert not data.exists() or len(pd.read_csv(data)) == 500
    if code:
        raise SystemExit(code)


def _two_at_once() -> None:
    good_table().to_csv("table.csv", index=False)
    arguments = ["discover", "table.csv", *FAST, *_OUTPUTS]
    both = [subprocess.Popen([*COMMAND, *arguments], env=environment({}), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(50) for process in both] == [0, 0]
    _require_whole_or_absent()
    require_found("found.json")


def _with_memory(megabytes: int) -> None:
    good_table().to_csv("table.csv", index=False)
    limit = megabytes * 2**20
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    run(
        ["discover", "table.csv", *FAST, "--json", "found.json"],
        one_thread,
        lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    require_found("found.json")
    assert not os.path.exists("core")
