"""What a case is, and what cases share: a good table, the command, and what came of it without any trouble."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

RIGHT, REFUSED = "right", "refused"
SECONDS = 90.0
"""How long a case may take unless it says otherwise."""

NAMES = tuple("abcde")
FAST = ("--method", "greedy", "--score", "bic-linear")


@dataclass(frozen=True)
class Case:
    """Something that a user might do, on purpose or not.

    Attributes
    ----------
    family, name
        What it is called.
    act
        Does it, in an empty folder. It raises AssertionError where a result is wrong, SystemExit as the command does,
        and whatever dagsearch raises.
    expected
        `RIGHT`, `REFUSED` or both.
    words
        What a refusal must hold.
    prints
        Whether a refusal may come after something was printed.
    seconds
        How long it may take.
    """

    family: str
    name: str
    act: Callable[[], Any]
    expected: tuple[str, ...] = (RIGHT, REFUSED)
    words: str = ""
    prints: bool = False
    seconds: float = SECONDS


def good_table() -> pd.DataFrame:
    """Numbers that every format can hold as they are."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 5))
    x[:, 1] += x[:, 0]
    x[:, 2] += 0.8 * x[:, 1]
    x[:, 4] += x[:, 3]
    return pd.DataFrame(x.round(6), columns=list(NAMES))


def discrete_table() -> pd.DataFrame:
    """The same as signs and thirds."""
    values = good_table().to_numpy()
    return pd.DataFrame((values > -0.5).astype(int) + (values > 0.5), columns=list(NAMES))


def dagsearch(*arguments: str) -> None:
    """Carry out a command in this process; it raises SystemExit unless all went well."""
    from dagsearch.cli import main

    before = _files()
    try:
        main([str(argument) for argument in arguments], prog_name="dagsearch")
    except SystemExit as ended:
        if ended.code == 2:
            changed = {path for path, content in _files().items() if before.get(path) != content}
            assert not changed, f"refused, but these were written: {sorted(changed)}"
        if ended.code != 0:
            raise


def discovered(*arguments: str) -> dict[str, Any]:
    """What ``dagsearch discover`` writes as JSON, which is looked at."""
    dagsearch("discover", *arguments, "--json", "found.json")
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    require_result(found)
    return found


def require_result(found: dict[str, Any]) -> None:
    """What holds for every result: edges between known variables, without cycles, and a reward that is a number."""
    import networkx as nx

    assert isinstance(found["reward"], float | int | None), found["reward"]
    assert found["reward"] is None or np.isfinite(found["reward"]), found["reward"]
    edges = [tuple(edge) for edge in found["edges"]]
    n_undirected = len(found.get("undirected_edges", ()))
    assert len(edges) == len(set(edges)) == found["n_edges"] - n_undirected, edges
    if found["status"] != "cyclic":
        assert nx.is_directed_acyclic_graph(nx.DiGraph(edges)), edges


@cache
def clean_edges() -> frozenset[tuple[str, str]]:
    """The edges of the good table, as pairs of its own names; asked for once before any case begins."""
    import dagsearch as ds

    model = ds.GreedySearch(score="bic-linear", random_state=0).fit(good_table())
    return frozenset(model.dag_.edges)


def require_clean(edges: Any, names: tuple[str, ...] = NAMES) -> None:
    """Require the edges of the good table, whose columns are called ``names``."""
    own = dict(zip(names, NAMES, strict=True))
    found = {(own.get(cause, cause), own.get(effect, effect)) for cause, effect in edges}
    assert _without_direction(found) == _without_direction(clean_edges()), f"{found} rather than {set(clean_edges())}"


def same_as_clean(*arguments: str, names: tuple[str, ...] = NAMES) -> None:
    """Discover a table that holds the same as the good one."""
    require_clean(discovered(*arguments, *FAST)["edges"], names)


def any_result(*arguments: str) -> None:
    """Discover a table of which nothing is known but that a result must be one."""
    discovered(*arguments, *FAST)


def _without_direction(edges: Any) -> set[frozenset[str]]:
    """Linear Gaussian data do not tell directions."""
    return {frozenset(edge) for edge in edges}


def _files() -> dict[str, tuple[int, int]]:
    """Files below this folder, by size and time of change; a folder that is gone has none."""
    found = {}
    for folder, _, names in os.walk("."):
        for name in names:
            facts = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (facts.st_size, facts.st_mtime_ns)
    return found


def is_one_line(stderr: str) -> str | None:
    """What is wrong with the message of a refusal, or None."""
    lines = [line for line in stderr.splitlines() if line.strip() and not _ASIDE.match(line)]
    if lines and lines[0].endswith(" problems:"):  # all that is wrong with a table, a line for each
        lines = lines[:1] + [line for line in lines[1:] if not _ITEM.match(line)]
    if len(lines) != 1 or not lines[0].startswith("Error: "):
        return f"not one line that begins with Error: but {lines[:4]}"
    if len(lines[0]) > 1_500:
        return f"a line of {len(lines[0])} characters"
    if any(ord(character) < 32 or ord(character) == 127 for character in lines[0]):
        return f"control characters in {lines[0]!r}"
    return None


_ITEM = re.compile(r"  \S|(--fix|fix=True) mends ")
# What may come before the line: usage, as click tells it, the audit, notes, news.
_ASIDE = re.compile(r"Usage: |Try '|check: |note: |compil|dagsearch: |downloading ")
