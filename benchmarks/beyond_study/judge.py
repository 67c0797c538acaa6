"""How graphs are judged, ours and those in the records of the paper's systems: by the same measures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import dagsearch as ds
from dagsearch.errors import CycleError

MEASURES = ("tpr", "fdr", "shd", "sid", "n_edges")
"""As `dagsearch.metrics.compare` names them."""


def judged(graph: ds.DAG | ds.PDAG, truth: ds.DAG, stand_in: ds.DAG | None = None) -> dict[str, float | None]:
    """`MEASURES` of a graph; the SID of its stand-in if it leaves directions open and is no class of DAGs."""
    values = ds.metrics.compare(graph, truth)
    sid = values["sid"] if values["sid"] is not None or stand_in is None else ds.metrics.sid(stand_in, truth)
    found = {**values, "sid": sid}
    return {name: None if found[name] is None else round(float(found[name]), 6) for name in MEASURES}


def graph_of(text: str, names: Sequence[str]) -> ds.DAG | ds.PDAG | None:
    """The graph whose edges a record holds; None if they form a cycle."""
    pairs = [re.fullmatch(r"(\d+)([>-])(\d+)", edge) for edge in text.split()]
    marks: dict[str, list[Any]] = {">": [], "-": []}
    for pair in pairs:
        assert pair is not None, f"no edges: {text!r}"
        marks[pair[2]].append((names[int(pair[1])], names[int(pair[3])]))
    if marks["-"]:
        return ds.PDAG.from_edges(marks[">"], marks["-"], names=names)
    try:
        return ds.DAG.from_edges(marks[">"], names=names)
    except CycleError:
        return None
