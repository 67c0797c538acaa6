"""Carries out cases, each in a process of its own with limits, and says what came of them."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hostile.case import REFUSED, RIGHT, Case, clean_edges, is_one_line

MOST_BYTES = 8 * 2**30
"""Of address space, most of which compiled libraries only reserve."""
_WRONG = 90  # an exit code that nothing else has
_POLL = 0.002


@dataclass(frozen=True)
class Verdict:
    """What came of a case; ``fault`` is empty where it was as it must be."""

    case: Case
    outcome: str  # right, refused, traceback, hang, memory, wrong, message
    fault: str
    seconds: float

    @property
    def is_good(self) -> bool:
        """Whether it was as it must be."""
        return not self.fault


@dataclass(frozen=True)
class _Started:
    case: Case
    folder: Path
    at: float


def carried_out(
    cases: Iterable[Case], n_jobs: int, told: Callable[[Verdict], None] = lambda _verdict: None
) -> list[Verdict]:
    """Carry out cases, so many at a time, and return the verdicts in their order."""
    _prepare()
    waiting, order = list(reversed(list(cases))), []
    running: dict[int, _Started] = {}
    verdicts: dict[tuple[str, str], Verdict] = {}
    while waiting or running:
        while waiting and len(running) < n_jobs:
            case = waiting.pop()
            order.append((case.family, case.name))
            pid, started = _start(case)
            running[pid] = started
        for pid, status, is_late in _ended(running):
            started = running.pop(pid)
            verdict = _judged(started, status, is_late)
            verdicts[started.case.family, started.case.name] = verdict
            shutil.rmtree(started.folder, ignore_errors=True)
            told(verdict)
        time.sleep(_POLL)
    return [verdicts[key] for key in order]


def _prepare() -> None:
    """Import and compile what most cases need, once for all of them."""
    import dagsearch.cli.completion
    import dagsearch.cli.paper
    import dagsearch.report.page  # noqa: F401

    clean_edges()


def _start(case: Case) -> tuple[int, _Started]:
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    (folder / "work").mkdir()
    pid = os.fork()
    if pid == 0:
        _be(case, folder)
    return pid, _Started(case, folder, time.monotonic())


def _be(case: Case, folder: Path) -> None:
    """Carry out a case, in a process that ends here."""
    code = 1
    try:
        os.setsid()
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(folder / "work")
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = _code_of(case)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _code_of(case: Case) -> int:
    from dagsearch.errors import DagsearchError

    try:
        case.act()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except AssertionError as error:
        sys.stderr.write(f"WRONG: {error!s:.500}" + "\n")
        return _WRONG
    except DagsearchError as error:
        sys.stderr.write(f"Error: {error}" + "\n")
        return 2
    return 0


def _ended(running: dict[int, _Started]) -> Iterator[tuple[int, int, bool]]:
    for pid, started in list(running.items()):
        is_late = time.monotonic() - started.at > started.case.seconds
        if is_late:
            os.killpg(pid, signal.SIGKILL)
        found, status = os.waitpid(pid, 0 if is_late else os.WNOHANG)
        if found:
            _kill_descendants(pid)
            yield pid, status, is_late


def _kill_descendants(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _judged(started: _Started, status: int, is_late: bool) -> Verdict:
    case, seconds = started.case, time.monotonic() - started.at
    stdout, stderr = ((started.folder / name).read_text("utf-8", "replace") for name in ("stdout", "stderr"))
    code = os.waitstatus_to_exitcode(status)
    outcome, fault = _outcome(code, is_late, stdout, stderr, case)
    return Verdict(case, outcome, fault, seconds)


def _outcome(code: int, is_late: bool, stdout: str, stderr: str, case: Case) -> tuple[str, str]:
    """What it was, and what is wrong about it."""
    broken = _breakdown(code, is_late, stderr, case)
    if broken is not None:
        return broken
    if code == 0:
        return RIGHT, "" if RIGHT in case.expected else "it must be refused"
    fault = is_one_line(stderr) or ("standard output has something" if stdout and not case.prints else "")
    if fault:
        return "message", fault
    if REFUSED not in case.expected:
        return "wrong", f"it must not be refused: {_last_line(stderr)}"
    return REFUSED, "" if case.words in stderr else f"{case.words!r} is not in {_last_line(stderr)!r}"


def _breakdown(code: int, is_late: bool, stderr: str, case: Case) -> tuple[str, str] | None:
    """What must never be."""
    last = _last_line(stderr)
    for is_so, outcome, fault in (
        (is_late, "hang", f"longer than {case.seconds:g} s"),
        ("MemoryError" in stderr or "Cannot allocate memory" in stderr or code == -signal.SIGKILL, "memory", last),
        ("Traceback (most recent call last)" in stderr, "traceback", last),
        (code == _WRONG, "wrong", last),
        (code not in (0, 2), "traceback", f"exit code {code}: {last}"),
    ):
        if is_so:
            return outcome, fault
    return None


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
