"""The command line as a process of its own: start-up, exit codes, streams, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from common import FEW, JSON_KEYS, discovered

pytestmark = pytest.mark.usefixtures("folder")


def start(*arguments, **options):
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "dagsearch.cli", *map(str, arguments)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **{**pipes, **options})


# ---------------------------------------------------------------- start-up


def modules_after(statement):
    """Names of the top-level modules in memory after a statement, in a fresh process."""
    program = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(result.stdout.split())


def test_importing_dagsearch_loads_no_heavy_package():
    heavy = {"numba", "pandas", "sklearn", "scipy", "networkx", "matplotlib", "rich"}
    assert not heavy & modules_after("import dagsearch")
    assert "pandas" in modules_after("import dagsearch; dagsearch.Dataset")


def test_help_loads_no_heavy_package_and_comes_at_once():
    heavy = {"numba", "pandas", "sklearn", "scipy", "networkx", "matplotlib"}
    call = "from dagsearch.cli import main\nmain(['discover', '--help'], standalone_mode=False)"
    assert not heavy & modules_after(call)
    seconds = []
    for _ in range(3):
        began = sum(os.times()[2:4])  # of children, however long others keep them waiting
        process = start("--help")
        output, _ = process.communicate(timeout=60)
        seconds.append(sum(os.times()[2:4]) - began)
        assert process.returncode == 0
        assert "discover" in output
    assert min(seconds) < 1.5


# ---------------------------------------------------------------- real processes


@pytest.mark.long
def test_a_real_process_ends_with_code_two_and_one_message():
    process = start("discover", "missing.csv", "--json", "-")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert output == ""
    assert errors == "Error: missing.csv: there is no such file\n"


def test_a_real_process_prints_json_alone():
    process = start("discover", "good.csv", *FEW, "--edges", 4, "--json", "-")
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert errors == ""
    assert json.loads(output)["edges"] == discovered("good.csv", *FEW, "--edges", 4)["edges"]


class Terminal:
    """A pseudo-terminal for standard error, so that a process shows its progress; what it shows is collected."""

    def __init__(self):
        self._master, self.slave = pytest.importorskip("pty").openpty()
        self.text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            try:
                self.text += os.read(self._master, 4096).decode(errors="replace")
            except OSError:
                return

    def wait_for(self, words, process, seconds=90):
        """Wait until some words are shown; the process must live as long."""
        end = time.perf_counter() + seconds
        while words not in self.text:
            assert process.poll() is None, self.text
            assert time.perf_counter() < end, self.text
            time.sleep(0.05)

    def close(self):
        os.close(self.slave)
        self._reader.join(timeout=10)
        os.close(self._master)


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.mark.long
@pytest.mark.parametrize("options", [["--edges", 30], []])
def test_an_interrupt_ends_the_search_with_its_best_graph(terminal, options):
    arguments = ["discover", "sachs", "--score", "bic-linear", "--sims-per-node", 3e5, *options, "--json", "-"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = start(*arguments, stderr=terminal.slave, env=environment)
    try:
        terminal.wait_for("sims/s", process)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, terminal.text
    record = json.loads(output)
    assert record["status"] == "interrupted"
    assert set(record) >= JSON_KEYS
    assert record["n_edges"] == len(record["edges"])
    assert not options or record["n_edges"] == 30
    assert "Traceback" not in terminal.text


@pytest.mark.long
def test_memory_does_not_grow_with_simulations_that_are_never_made():
    resource = pytest.importorskip("resource")

    def limit_memory():
        resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))

    arguments = ["discover", "sachs", "--score", "bic-linear", "--edges", 30, "--sims-per-node", 1e8]
    process = start(*arguments, "--time-limit", 1, "--json", "-", preexec_fn=limit_memory)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert json.loads(output)["status"] == "time-limit"
