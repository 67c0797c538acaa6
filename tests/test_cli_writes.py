"""Results that cannot be written: one line and exit code 2, before the search if it can be known, nothing else lost."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dagsearch.cli import main
from dagsearch.cli.files import Deliveries
from dagsearch.errors import InputError

LONG = "x" * 300
GREEDY = ["discover", "good.csv", "--method", "greedy", "--score", "bic-linear"]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")


def never(*_, **__):
    raise AssertionError("it searches")


def refused(result):
    """The one line of a command that ended with exit code 2."""
    assert result.exit_code == 2, result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith(("check:", "note:"))]
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize(
    "places",
    [
        ["--json", LONG],
        ["--json", f"{LONG}/a.json"],
        ["--json", "good.csv/a.json"],
        ["--out", LONG],
        ["--out", "good.csv/below"],
        ["--report", f"{LONG}.html"],
        ["--report", "none/a.html"],
    ],
)
def test_places_that_cannot_be_written_to_are_known_before_the_search(folder, monkeypatch, places):
    monkeypatch.setattr("dagsearch.estimators.base.DagEstimator.fit", never)
    assert refused(CliRunner().invoke(main, [*GREEDY, *places])).startswith(f"Error: {places[0]} must be a f")
    assert os.listdir(folder) == ["good.csv"]


@pytest.mark.parametrize(
    "command",
    [
        ["simulate", "--out", LONG],
        ["paper", "table1", "--quick", "--out", LONG],
        ["check", "good.csv", "--json", LONG],
        ["compare", "sachs", "sachs", "--json", LONG],
        ["datasets", "--json", LONG],
        ["demo", "--report", f"{LONG}.html"],
        ["discover", f"{LONG}.csv"],
        ["check", f"{LONG}.csv"],
        ["compare", f"{LONG}.csv", "sachs"],
        ["discover", "good.csv", "--truth", f"{LONG}.csv"],
        ["discover", "good.csv", "--knowledge", f"{LONG}.json"],
        ["simulate", "--graph", LONG, "--out", "made"],
        ["simulate", "--network", LONG, "--out", "made"],
    ],
)
def test_every_command_has_one_line_for_a_name_of_300_characters(folder, command):
    assert refused(CliRunner().invoke(main, command)).startswith("Error: ")
    assert os.listdir(folder) == ["good.csv"]


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps a folder that is worked in")
@pytest.mark.parametrize("places", [["--json", "a.json"], ["--out", "a"], ["--report", "a.html"]])
def test_a_deleted_working_folder_is_known_before_the_search(tmp_path, monkeypatch, places):
    monkeypatch.setattr("dagsearch.estimators.base.DagEstimator.fit", never)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    line = refused(CliRunner().invoke(main, ["discover", "sachs", "--method", "greedy", *places]))
    assert line.endswith("No such file or directory")


@on_linux
@pytest.mark.usefixtures("folder")
def test_where_one_place_fails_the_others_get_their_part():
    result = CliRunner().invoke(main, [*GREEDY, "--json", "/dev/full", "--out", "graphs", "--report", "a.html"])
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "Error: --json must be a file that can be written, got /dev/full: No space left on device"
    )
    assert "Constructed graph" in result.stdout
    assert os.path.exists("a.html")
    assert os.path.exists("graphs/graph.csv")


def test_all_that_was_refused_is_in_one_message_and_interrupts_pass():
    deliveries = Deliveries()
    for message in ("first", "second"):
        with deliveries.one():
            raise InputError(message)
    with pytest.raises(InputError, match=r"^first; second$"), deliveries:
        pass
    with pytest.raises(KeyboardInterrupt), Deliveries() as deliveries, deliveries.one():
        raise KeyboardInterrupt
    with pytest.raises(BrokenPipeError), Deliveries() as deliveries, deliveries.one():
        raise BrokenPipeError


def run(arguments, redirection, cwd):
    command = f"{sys.executable} -m dagsearch.cli {arguments} {redirection}"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=cwd)


@on_linux
@pytest.mark.parametrize(
    ("arguments", "redirection", "said"),
    [
        ("datasets", "> /dev/full", "Error: output cannot be written: No space left on device\n"),
        ("--help", "> /dev/full", "Error: output cannot be written: No space left on device\n"),
        ("datasets", "> /dev/full 2> /dev/full", ""),
    ],
)
def test_a_full_disk_behind_standard_output_is_one_line(folder, arguments, redirection, said):
    done = run(arguments, redirection, folder)
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.long
@on_linux
def test_a_broken_pipe_ends_quietly_and_files_are_written_all_the_same(folder):
    arguments = f"{' '.join(GREEDY)} --confidence none --json a.json"
    done = run(arguments, "| true; exit ${PIPESTATUS[0]}", folder)
    assert done.stderr == ""
    assert done.returncode == 1  # as click has it
    assert json.loads((folder / "a.json").read_text())["method"] == "greedy"
