"""Records of experiments, which are text that a crash, a disk or somebody may have changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from hostile.case import REFUSED, RIGHT, Case, dagsearch
from hostile.spoilt import cut_off, damaged

FAMILY = "records"
_VALUES: tuple[Any, ...] = (None, True, -1, 10**400, 1.5, "x", "<script>alert(1)</script>", [], {}, [[]])


@cache
def whole() -> bytes:
    """A record, as a run leaves it."""
    from experiment_output import TABLE1, record, tasks

    return record(tasks(TABLE1, "Sachs", "cd-uct", 1)[0]).to_line().encode() + b"\n"


def cases() -> Iterator[Case]:
    """All of this family."""
    for what, content in {
        "none": b"",
        "one": whole(),
        "a line that was cut off at the end": whole() + whole()[:300],
    }.items():
        yield Case(FAMILY, f"right: {what}", partial(_reported, content), (RIGHT,))
    for what, content in (*cut_off(whole() * 3), *damaged(whole() * 3, "records", 30)):
        yield Case(FAMILY, what, partial(_reported, content), (RIGHT, REFUSED))
    stored = json.loads(whole())
    for name in stored:
        for value in _VALUES:
            content = json.dumps({**stored, name: value}).encode() + b"\n"
            yield Case(FAMILY, f"{name}: {value!r:.30}", partial(_reported, content), (RIGHT, REFUSED))
    for name in stored["task"]:
        for value in _VALUES:
            content = json.dumps({**stored, "task": {**stored["task"], name: value}}).encode() + b"\n"
            yield Case(FAMILY, f"task, {name}: {value!r:.30}", partial(_reported, content), (RIGHT, REFUSED))
    for number, content in enumerate(
        (
            b"\n\n",
            b"null\n",
            b"1\n",
            b"[]\n",
            b"{}\n",
            b"[" * 100_000 + b"\n",
            b"\xff\n",
            b"NaN\n",
            b'{"a": 1' + b"0" * 5_000 + b"}\n",
        )
    ):
        yield Case(
            FAMILY, f"no record {number}", partial(_reported, content), (RIGHT, REFUSED) if number == 0 else (REFUSED,)
        )


def _reported(content: bytes) -> None:
    """Make the page of all tables from records; nothing is run."""
    Path("out").mkdir()
    Path("out/records.jsonl").write_bytes(content)
    dagsearch("paper", "report", "--out", "out")
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert Path("out/records.jsonl").read_bytes().startswith(content[: content.rfind(b"\n") + 1])
