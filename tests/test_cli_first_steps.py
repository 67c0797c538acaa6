"""What newcomers meet: the command alone, completion by the shell, the announcement of compilation, ranges of data."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest
from common import run, succeed

from dagsearch import compilation
from dagsearch.cli import main, messages
from dagsearch.parameters import METHODS, SCORES

# The fixture that keeps it out of other tests replaces it in its module.
ANNOUNCED = messages.compilation_announced


def test_the_command_alone_shows_three_commands_that_exist():
    text = succeed()
    shown = [line.split()[1] for line in text.splitlines() if line.startswith("  dagsearch ")]
    assert len(shown) == 3
    assert set(shown) <= set(main.commands)
    assert "dagsearch --help" in text
    assert max(map(len, text.splitlines())) <= 100


def test_help_lists_every_command():
    text = succeed("--help")
    assert all(f"  {name} " in text for name in main.commands)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell):
    text = succeed("completion", shell)
    assert "_DAGSEARCH_COMPLETE" in text
    assert f"{shell}_complete" in text


def test_completion_of_an_unknown_shell_is_refused():
    result = run("completion", "tcl")
    assert result.exit_code == 2
    assert "'tcl' is not one of 'bash', 'zsh', 'fish'" in result.stderr


def completed(*words):
    """What bash is offered for the last of some words."""
    environment = {**os.environ, "_DAGSEARCH_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["dagsearch", *words])}
    environment["COMP_CWORD"] = str(len(words))
    done = subprocess.run(
        [sys.executable, "-c", "from dagsearch.cli import main; main(prog_name='dagsearch')"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_commands_methods_and_scores_are_completed():
    assert completed("disc") == ["discover"]
    assert completed("discover", "x.csv", "--method", "") == ["auto", *METHODS, "all"]
    assert completed("discover", "x.csv", "--score", "bic-") == [name for name in SCORES if name.startswith("bic-")]
    assert "--edge-budget" in completed("discover", "--ed")


def test_data_are_completed_by_files_and_by_names():
    assert "syntren-10" in completed("discover", "syntren-1")
    assert completed("discover", "") == [""]


def test_compilation_is_announced_once():
    said = []

    @click.command()
    def compiles():
        with ANNOUNCED():
            for _ in range(2):
                compilation._CLOCK.begin()
                compilation._CLOCK.end()

    result = click.testing.CliRunner().invoke(compiles)
    said = [line for line in result.output.splitlines() if line.startswith("compiling")]
    assert said == ["compiling the search, once for this installation ..."]
    assert not compilation._CLOCK.listeners


def test_a_range_of_data_sets_stands_for_its_members():
    described = succeed("datasets", "gp10-e15-2..4")
    heads = [block.splitlines()[0].partition(":")[0] for block in described.split("\n\n")]
    assert heads == ["gp10-e15-2", "gp10-e15-3", "gp10-e15-4"]
    assert succeed("datasets", "syntren-3..3") == succeed("datasets", "syntren-3")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gp10-e15-39..42", "unknown data set 'gp10-e15-41'"),
        ("gp10-e15-3..1", "a range of data sets must go upwards, such as gp10-e15-1..3"),
        ("nosuch-1..2", "unknown data set 'nosuch-1'"),
        ("gp10-e15-1..9999999", "unknown data set 'gp10-e15-1..9999999'"),
    ],
)
def test_ranges_of_data_sets_that_are_not_there_are_refused(name, message):
    result = run("datasets", name, "--download")
    assert result.exit_code == 2
    assert message in result.stderr
