"""The table of edges, which can be sorted and filtered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dagsearch.report.page.document import Section
from dagsearch.report.page.edges import EdgeRow
from dagsearch.report.page.markup import Markup, element, joined
from dagsearch.report.page.material import Material
from dagsearch.report.page.words import NONE, p_value, probability, size_of, unit_of


class _Cell(NamedTuple):
    """What a cell shows, and what it is sorted by."""

    text: str | Markup
    key: Any = None
    title: str | None = None


class _Column(NamedTuple):
    title: str
    is_number: bool
    meaning: str
    fill: Callable[[EdgeRow], _Cell]


def edges_section(material: Material) -> Section:
    """All edges of the fitted graph, other likely ones, and true ones that were not found."""
    rows, columns = material.shown.rows, _columns(material)
    if not rows:
        return Section("edges", "Edges", element("p", "There is no edge to list."))
    head = element("tr", [_heading(column) for column in columns])
    lines = [_line(number, row, columns) for number, row in enumerate(rows)]
    body = joined(
        element(
            "div",
            element(
                "label",
                "Show rows that hold ",
                element("input", type="search", id="edge-filter", autocomplete="off"),
            ),
            element("p", "", id="edge-count", class_="count", role="status"),
            class_="controls",
        ),
        element(
            "div",
            element(
                "table",
                element("caption", "Edges; a heading sorts by its column", class_="hidden"),
                element("thead", head),
                element("tbody", lines),
                id="edge-table",
                class_="sortable",
            ),
            class_="scroll tall",
            tabindex="0",
            role="region",
            aria_label="Table of edges",
        ),
    )
    return Section("edges", "Edges", body)


def _columns(material: Material) -> list[_Column]:
    has_confidence = material.model.confidence_ is not None
    return [
        _EDGE,
        *([_ADJACENT, _DIRECTION] if has_confidence else []),
        _EFFECT,
        _STANDARDISED,
        _PRUNING if material.model.result_.p_values else _P_VALUE,
        *([_KIND] if material.model.data_.truth is not None else []),
    ]


def _heading(column: _Column) -> Markup:
    button = element("button", column.title, type="button", title=column.meaning)
    kind = "number small-first" if column in (_PRUNING, _P_VALUE) else "number" if column.is_number else None
    return element("th", button, scope="col", aria_sort="none", class_=kind)


def _line(number: int, row: EdgeRow, columns: list[_Column]) -> Markup:
    first, *others = [column.fill(row) for column in columns]
    button = element("button", first.text, type="button", class_="link", data_edge=number)
    found = None if row.is_found else element("small", " not in the fitted graph")
    return element(
        "tr",
        element("th", button, found, scope="row", data_key=first.text, title=first.title),
        [
            element(
                "td",
                cell.text,
                class_="number" if column.is_number else None,
                data_key=cell.key,
                title=cell.title,
            )
            for cell, column in zip(others, columns[1:], strict=True)
        ],
        data_row=number,
    )


def _edge(row: EdgeRow) -> _Cell:
    return _Cell(row.in_words, title=row.in_full)


def _adjacent(row: EdgeRow) -> _Cell:
    return _Cell(_bar(row.mark.adjacent), row.mark.adjacent)


def _effect(row: EdgeRow) -> _Cell:
    unit = unit_of(row.effect)
    size = None if row.effect is None else row.effect.coefficient
    return _Cell(joined(size_of(row.effect), element("small", unit) if unit else None), size)


def _standardised(row: EdgeRow) -> _Cell:
    size = None if row.effect is None else row.effect.standardised
    return _Cell(NONE if size is None else f"{size:+.2f}", size)


def _significance(row: EdgeRow) -> _Cell:
    return _Cell(p_value(row.p_value), row.p_value)


def _verdict(row: EdgeRow) -> _Cell:
    kind = NONE if row.stroke.kind == "plain" else row.stroke.kind
    return _Cell(element("span", kind, class_=f"verdict {kind}"), kind)


def _direction(row: EdgeRow) -> _Cell:
    """The likelier direction, as an arrow in the order in which the edge is written, and its share."""
    mark = row.mark
    if not mark.adjacent or mark.forward is None or mark.backward is None:
        return _Cell(NONE)
    share = max(mark.forward, mark.backward) / mark.adjacent
    arrow = "→" if mark.forward >= mark.backward else "←"
    return _Cell(joined(_bar(share), f" {arrow}"), share)


def _bar(value: float | None) -> Markup:
    """A probability as number and bar."""
    if value is None:
        return Markup(NONE)
    width = f"{100 * min(max(value, 0.0), 1.0):.0f}"
    bar = element(
        "svg",
        Markup(f'<rect class="bar-room" width="100" height="6"/><rect class="bar" width="{width}" height="6"/>'),
        viewBox="0 0 100 6",
        class_="small-bar",
        aria_hidden="true",
        preserveAspectRatio="none",
    )
    return joined(probability(value), " ", bar)


_EDGE = _Column("Edge", False, "Cause and effect; a line instead of an arrow: direction open", _edge)
_ADJACENT = _Column("Edge there", True, "Probability that the two are joined at all", _adjacent)
_DIRECTION = _Column(
    "Direction", True, "The likelier direction, and its share of that; → as written, ← the other way", _direction
)
_EFFECT = _Column("Effect", True, "Change of the effect per unit of the cause, the other causes fixed", _effect)
_STANDARDISED = _Column("in sd", True, "The same in standard deviations of both", _standardised)
_PRUNING = _Column("p-value", True, "Of the test by which edges are pruned", _significance)
_P_VALUE = _Column(
    "p-value", True, "Of the cause beside the other causes, as if the edge had not been searched for", _significance
)
_KIND = _Column("Known graph", False, "Right, reversed, extra, or missing", _verdict)
