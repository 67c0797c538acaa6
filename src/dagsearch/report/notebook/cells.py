"""The pieces of what a notebook shows: text, tables and bars.

Notebooks are light or dark, and some take away styles, programs or SVG among HTML. So text and lines have the
notebook's own colour or a grey that both show, styles stand at their elements, and nothing has an id: what is shown
twice is there twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from dagsearch._visible import clipped, visible
from dagsearch.report.page.markup import Child, Markup, element, joined
from dagsearch.report.page.words import counted, probability
from dagsearch.report.svg.colours import POSITIVE

_LINE = "rgba(128,128,128,.45)"
_ROOM = "rgba(128,128,128,.25)"
_LONGEST_NAME = 40
_LONGEST_TIP = 200
_LONGEST_SENTENCE = 600
_MOST_NOTES = 20
_BAR_WIDTH = 56

Align = Literal["left", "right", "center"]


class Column(NamedTuple):
    """A column of a table."""

    title: Child
    align: Align = "left"
    tip: str | None = None
    wraps: bool = False


def block(*children: Child) -> str:
    """All of it, as a notebook takes it."""
    style = "max-width:100%;overflow-x:auto;line-height:1.4;text-align:left"
    return str(element("div", *children, class_="dagsearch", style=style))


def lead(kind: str, *said: Child) -> Markup:
    """The first line: what it is, and the most important of it."""
    return element("div", element("strong", kind), *said, style="margin:2px 0 4px")


def line(*said: Child) -> Markup:
    """A line of text."""
    return element("div", *said, style="margin:2px 0;overflow-wrap:anywhere")


def aside(*said: Child) -> Markup:
    """A line that matters less."""
    return element("div", *said, style="margin:2px 0;opacity:.75;font-size:90%;overflow-wrap:anywhere")


def sentence(text: str) -> str:
    """A sentence that others wrote, cut where it is very long."""
    return clipped(visible(text), _LONGEST_SENTENCE)


def named(name: str, longest: int = _LONGEST_NAME) -> Markup:
    """A name, cut where it is long; its direction of writing does not turn what stands beside it."""
    seen = visible(name)
    short = clipped(seen, longest)
    return element("bdi", short, title=None if short == seen else clipped(seen, _LONGEST_TIP))


def chain(names: Sequence[str], directed: bool = True) -> Markup:
    """Names with arrows between them, or with lines where the direction is open."""
    between = " → " if directed else " — "
    return joined([joined(between if place else None, named(name)) for place, name in enumerate(names)])


def code(text: str) -> Markup:
    """Something to type."""
    return element("code", text)


def table(columns: Sequence[Column], rows: Iterable[Sequence[Child]]) -> Markup:
    """A table; the first cell of each row is its heading."""
    rule = f"border-bottom:1px solid {_LINE}"
    head = [
        element("th", each.title, scope="col", title=each.tip, style=f"{_style_of(each)};font-weight:600;{rule}")
        for each in columns
    ]
    lines = [
        element("tr", [_cell(place, cell, columns[place]) for place, cell in enumerate(row)], style="background:none")
        for row in rows
    ]
    style = "border-collapse:collapse;border:none;margin:4px 0 4px 0"
    return element("table", element("thead", element("tr", head)), element("tbody", lines), style=style)


def _cell(place: int, content: Child, column: Column) -> Markup:
    if place == 0:
        return element("th", content, scope="row", style=f"{_style_of(column)};font-weight:normal")
    return element("td", content, style=_style_of(column))


def _style_of(column: Column) -> str:
    space = "white-space:normal;overflow-wrap:anywhere" if column.wraps else "white-space:nowrap"
    return f"text-align:{column.align};padding:2px 8px;{space}"


def bar(value: float, sign: str = "") -> Markup:
    """A probability as number and bar, with a sign between them."""
    width = round(_BAR_WIDTH * min(max(value, 0.0), 1.0))
    place = "display:inline-block;vertical-align:middle;height:6px"
    room = f"{place};width:{_BAR_WIDTH}px;margin-left:6px;background:{_ROOM};text-align:left;line-height:0"
    inside = element("span", style=f"{place};width:{width}px;background:{POSITIVE}")
    return joined(probability(value), sign, element("span", inside, style=room))


def left_out(n_more: int, what: str, *instead: Child) -> Markup | None:
    """How many more of something there are, and how to see them."""
    return aside(f"and {counted(n_more, what)} more: ", *instead) if n_more > 0 else None


def notes(said: Sequence[str], title: str = "Notes") -> Markup | None:
    """Notes, folded away."""
    if not said:
        return None
    shown = [element("li", sentence(note)) for note in said[:_MOST_NOTES]]
    n_more = len(said) - len(shown)
    more = element("li", f"and {n_more} more") if n_more > 0 else None
    return element(
        "details",
        element("summary", f"{title} ({len(said)})", style="cursor:pointer"),
        element("ul", shown, more, style="margin:2px 0 2px 20px;padding:0;overflow-wrap:anywhere"),
        style="margin:4px 0",
    )
