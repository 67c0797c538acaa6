"""How near a graph is to the truth: numbers, and a picture with a verdict on each edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

from dagsearch._visible import clipped
from dagsearch.metrics import Comparison, Metrics, Verdict
from dagsearch.report.notebook.cells import Column, aside, block, code, lead, line, named, table
from dagsearch.report.notebook.picture import is_drawn, picture
from dagsearch.report.page.markup import Markup, joined
from dagsearch.report.page.words import NONE, counted
from dagsearch.report.sketch import Sketch, Stroke

_LETTERS = {"tpr", "fdr", "shd", "f1", "sid"}
_TIPS = {
    "tpr": "right / true edges",
    "recall": "right / true edges",
    "fdr": "reversed or extra / found edges",
    "precision": "right / found edges",
    "shd": "edges that are extra, missing or reversed",
    "sid": "ordered pairs of variables whose causal effect would be computed wrongly",
    "ancestor_aid": "the same, adjusting for ancestors",
}
_COUNTED = ("n_edges", "n_true_edges", "n_right", "n_reversed", "n_extra", "n_missing")
_LONGEST_VALUE = 24
_MOST_COLUMNS = 24
_MOST_ROWS = 8


def metrics_html(metrics: Metrics) -> str:
    """Two lines of numbers: distances and shares, and counts of edges."""
    first = {name: value for name, value in metrics.items() if name not in _COUNTED}
    counts = {name: metrics[name] for name in _COUNTED if name in metrics}
    return block(*(_in_a_row(part) for part in (first, counts) if part))


def _in_a_row(metrics: Mapping[str, Any]) -> Markup:
    shown = list(metrics.items())[:_MOST_COLUMNS]
    columns = [Column(_title(str(name)), "right", _TIPS.get(name)) for name, _ in shown]
    return table(columns, [[_number(value) for _, value in shown]])


def _title(name: str) -> str:
    said = name.upper() if name in _LETTERS else name.removeprefix("n_").replace("_", " ").replace("aid", "AID")
    return clipped(said, _LONGEST_VALUE)


def _number(value: Any) -> str:
    if value is None:
        return NONE
    return f"{value:.3f}" if isinstance(value, float) else clipped(str(value), _LONGEST_VALUE)


def comparison_html(compared: Comparison) -> str:
    """The edges of both graphs in one picture, or where they differ most if that is too large."""
    shown = line("Neither graph has an edge.")
    if compared.edges:
        drawn = picture(_sketch(compared)) if is_drawn(len(compared.edges)) else None
        shown = drawn or _by_variable(compared)
    return block(
        lead("Comparison", f": {counted(len(compared.names), 'variable')}; {verdicts(compared)}"),
        shown,
    )


def verdicts(compared: Comparison) -> str:
    """How many edges have each verdict."""
    return ", ".join(f"{compared.count(verdict)} {verdict}" for verdict in get_args(Verdict))


def _sketch(compared: Comparison) -> Sketch:
    joined_names = {name for each in compared.edges for name in (each.cause, each.effect)}
    names = tuple(name for name in compared.names if name in joined_names)
    n_alone = len(compared.names) - len(names)
    left = f"not shown: {counted(n_alone, 'variable')} without an edge" if n_alone else None
    return Sketch(names, tuple(Stroke(*each) for each in compared.edges), None, left, left)


def _by_variable(compared: Comparison) -> Markup:
    """The variables with most edges that are not right."""
    counts = {name: Counter[Verdict]() for name in compared.names}
    for each in compared.edges:
        for name in (each.cause, each.effect):
            counts[name][each.verdict] += 1
    first = sorted(counts, key=lambda name: counts[name]["right"] - counts[name].total())[:_MOST_ROWS]
    return joined(
        aside("Not drawn here; ", code("comparison.edges"), " has all. Variables with most edges that are not right:"),
        table(
            [Column("Variable"), *(Column(verdict, "right") for verdict in get_args(Verdict))],
            [[named(name), *(str(counts[name][verdict]) for verdict in get_args(Verdict))] for name in first],
        ),
    )
