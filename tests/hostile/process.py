"""The command as a process of its own, for what cannot be tried in one that has started already."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hostile.case import FAST, good_table, require_clean, require_result

COMMAND = (sys.executable, "-m", "dagsearch.cli")
NOT_SET = None


def environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    """This process's environment with some variables changed, or left out where they are None."""
    changed = {**os.environ, **{name: value for name, value in changes.items() if value is not None}}
    return {name: value for name, value in changed.items() if name not in changes or changes[name] is not None}


def run(
    arguments: Sequence[str],
    changes: Mapping[str, str | None] | None = None,
    prepare: Callable[[], object] | None = None,
    **more: object,
) -> None:
    """Run the command; SystemExit has its exit code unless that is 0."""
    done = subprocess.run(
        [*COMMAND, *arguments], env=environment(changes or {}), preexec_fn=prepare, check=False, **more
    )
    if done.returncode:
        raise SystemExit(done.returncode)


def discover(
    changes: Mapping[str, str | None] | None = None, prepare: Callable[[], object] | None = None, **more: object
) -> None:
    """Discover the good table in a process, and require the edges that it has otherwise."""
    good_table().to_csv("table.csv", index=False)
    place = str(Path("found.json").absolute())
    table = str(Path("table.csv").absolute())
    run(["discover", table, *FAST, "--json", place], changes, prepare, **more)
    require_found(place)


def require_found(place: str) -> None:
    """Require a whole result about the good table in a file."""
    found = json.loads(Path(place).read_text(encoding="utf-8"))
    require_result(found)
    require_clean(found["edges"])
