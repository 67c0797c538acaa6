"""The record of a fit: how it went, and its edges."""

from __future__ import annotations

from typing import Any

from dagsearch._visible import clipped
from dagsearch.estimators import Result
from dagsearch.report.notebook.cells import Column, aside, block, chain, code, lead, left_out, notes, sentence, table
from dagsearch.report.notebook.fit import how_it_went
from dagsearch.report.page.markup import Child, Markup, joined
from dagsearch.report.page.words import NONE, counted, p_value

_MOST_ROWS = 20
_LONGEST_SETTING = 80


def record_html(result: Result) -> str:
    """A line, the edges, notes and settings."""
    settings = [f"{name} = {_setting(value)}" for name, value in result.settings.items()]
    return block(
        lead("Result", f": {counted(result.n_edges, 'edge')}"),
        aside(sentence(how_it_went(result))),
        _edges(result),
        notes(result.notes),
        notes(settings, "Settings in force"),
    )


def _edges(result: Result) -> Markup | None:
    listed = [(edge, True) for edge in result.edges] + [(edge, False) for edge in result.undirected_edges]
    if not listed:
        return None
    kept = {frozenset(edge) for edge in [*result.pruned_edges, *result.pruned_undirected_edges]}
    was_pruned = result.settings.get("prune", "none") != "none"
    columns = [Column("Edge", tip="Cause and effect; a line instead of an arrow: direction open")]
    columns += [Column("After pruning")] if was_pruned else []
    columns += [Column("p-value", "right", "Of the test by which edges are pruned")] if result.p_values else []
    rows = []
    for edge, directed in listed[:_MOST_ROWS]:
        cells: list[Child] = [chain(edge, directed)]
        cells += ["kept" if frozenset(edge) in kept else "dropped"] if was_pruned else []
        cells += [p_value(result.p_values.get(edge))] if result.p_values else []
        rows.append(cells)
    return joined(table(columns, rows), left_out(len(listed) - len(rows), "edge", code("result.edges")))


def _setting(value: Any) -> str:
    return NONE if value is None else clipped(str(value), _LONGEST_SETTING)
