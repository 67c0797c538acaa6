"""The graph for several values of ``min_effect``."""

from __future__ import annotations

from dagsearch.diagnostics import MinEffectPath, PathEdge
from dagsearch.report.notebook.cells import Column, aside, block, chain, code, lead, left_out, line, sentence, table
from dagsearch.report.page.markup import Child, element, joined
from dagsearch.report.page.words import counted

_MOST_ROWS = 20
_SIGNS = {1: "●", -1: "↔", 0: ""}


def path_html(path: MinEffectPath) -> str:
    """A column for each value, a row for each edge."""
    if path.reason:
        return block(lead("Path over min_effect"), line(sentence(path.reason)))
    rows = [_cells(each) for each in path.edges[:_MOST_ROWS]]
    columns = [Column("Edge"), *(Column(_title(value, value == path.own), "center") for value in path.values)]
    return block(
        lead("Path over min_effect", f": {counted(len(path.edges), 'edge')} for {len(path.values)} values"),
        aside("● there, ↔ reversed; in brackets: the value of the fit"),
        table(columns, rows),
        left_out(len(path.edges) - len(rows), "edge", code("path.edges")),
    )


def _title(value: float, is_own: bool) -> str:
    return f"[{value:g}]" if is_own else f"{value:g}"


def _cells(edge: PathEdge) -> list[Child]:
    return [chain([edge.cause, edge.effect]), *(joined(element("span", _SIGNS[each])) for each in edge.presence)]
