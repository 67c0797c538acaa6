"""No input makes dagsearch fail in another way than by one line, hang, take all memory, or err in silence."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from hostile.case import REFUSED, RIGHT, Case
from hostile.families import FAMILIES, cases_of
from hostile.run import _outcome

pytestmark = pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="each case is a process that is forked")

QUICK = ("files", "tables", "frames", "names", "options", "arguments", "knowledge", "graphs", "networks", "records")
EVERY = {"arguments": "3", "options": "2"}
_FOLDER = Path(__file__).parents[1]


def figures(*arguments):
    """What the harness prints; the test fails with it unless all cases were as they must be."""
    done = subprocess.run(
        [sys.executable, "-m", "hostile", *arguments], cwd=_FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_sample_of_hostile_inputs_is_answered_as_it_must_be():
    said = figures(*QUICK, "--every", "100")
    assert int(said.splitlines()[-1].split()[1]) > 40


@pytest.mark.long
@pytest.mark.parametrize("family", QUICK)
def test_hostile_inputs_are_answered_as_they_must_be(family):
    """All of them, but for the two families that are half of all: `python -m hostile` carries out every case."""
    assert family in figures(family, "--every", EVERY.get(family, "1"))


@pytest.mark.long
@pytest.mark.parametrize("family", sorted(set(FAMILIES) - set(QUICK)))
def test_unusual_surroundings_and_faults_change_nothing(family):
    """Every second case: each is a process that has to start."""
    assert family in figures(family, "--every", "2")


def test_there_are_more_than_a_thousand_cases_of_which_no_two_are_called_the_same():
    names = [(case.family, case.name) for family in FAMILIES for case in cases_of(family)]
    assert len(names) == len(set(names)) > 1_000
    assert {family for family, _ in names} == set(FAMILIES)


# ---------------------------------------------------------------- the harness itself


FAULTY = """
import sys, time
sys.path.insert(0, {folder!r})
from hostile.case import REFUSED, RIGHT, Case
from hostile import run
from hostile.run import carried_out

run.MOST_BYTES = 3 * 2**30

def say(text, code):
    print(text, file=sys.stderr)
    raise SystemExit(code)

def grow():
    held = []
    while True:
        held.append(bytearray(1 << 28))

cases = [
    Case("own", "right", lambda: None, (RIGHT,)),
    Case("own", "refused", lambda: say("Error: no", 2), (REFUSED,)),
    Case("own", "hang", lambda: time.sleep(60), seconds=0.5),
    Case("own", "traceback", lambda: 1 / 0),
    Case("own", "memory", grow),
    Case("own", "wrong", lambda: [].index("x") if False else (_ for _ in ()).throw(AssertionError("other edges"))),
    Case("own", "accepted", lambda: None, (REFUSED,)),
    Case("own", "not accepted", lambda: say("Error: no", 2), (RIGHT,)),
    Case("own", "two lines", lambda: say("Error: no\\nand no", 2)),
    Case("own", "other words", lambda: say("Error: no", 2), (REFUSED,), "because"),
    Case("own", "exit code", lambda: say("Error: no", 1)),
]
for verdict in carried_out(cases, 2):
    print(verdict.case.name, "|", verdict.outcome, "|", verdict.is_good)
"""


@pytest.mark.long
def test_the_harness_tells_every_fault():
    code = FAULTY.format(folder=str(_FOLDER))
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = {name: tuple(rest) for name, *rest in (line.split(" | ") for line in done.stdout.splitlines())}
    assert found == {
        "right": ("right", "True"),
        "refused": ("refused", "True"),
        "hang": ("hang", "False"),
        "traceback": ("traceback", "False"),
        "memory": ("memory", "False"),
        "wrong": ("wrong", "False"),
        "accepted": ("right", "False"),
        "not accepted": ("wrong", "False"),
        "two lines": ("message", "False"),
        "other words": ("refused", "False"),
        "exit code": ("traceback", "False"),
    }
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("stderr", "stdout", "outcome"),
    [
        ("Error: no\n", "", REFUSED),
        ("check: a hint\nnote: a note\nError: no\n", "", REFUSED),
        ("Error: t.csv: the table has 2 problems:\n  column 'a': x\n  column 'b': y\n", "", REFUSED),
        ("Error: no\n", "{}", "message"),
        ("Error: \x1b[2J\n", "", "message"),
        (f"Error: {'x' * 2_000}\n", "", "message"),
        ("no\n", "", "message"),
        ("", "", "message"),
    ],
)
def test_a_refusal_is_one_line_that_a_terminal_can_show(stderr, stdout, outcome):
    case = Case("own", "refused", lambda: None, (RIGHT, REFUSED))
    assert _outcome(2, False, stdout, stderr, case)[0] == outcome
