"""A picture of a graph before it is drawn: the layout, and the rows of text above and below it, in pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dagsearch._visible import clipped, visible
from dagsearch.report.layout import GraphLayout, layout_of
from dagsearch.report.layout.spacing import COMPACT, ROOMY, Spacing
from dagsearch.report.layout.text import broken
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.plot.looks import BY_SIGN, BY_VERDICT, INK, LIKELY, SIGNS_IN_WORDS, SOFT, Line
from dagsearch.report.sketch import Sketch

Measure = Callable[[str, float], float]

_TITLE_SIZE, _KEY_SIZE, _CAPTION_SIZE = 15.0, 12.0, 11.0
_LEAST_WIDTH = 330.0  # of rows of text, beside a narrow graph
_LONGEST_TITLE = 160
_MARGIN = 8.0
APART = 6.0
"""Between the graph and the rows above and below it."""
SAMPLE, AFTER_SAMPLE = 26.0, 5.0
"""Length of the line before an entry of the key, and the room after it."""
_BETWEEN = 16.0  # entries
_COMFORTABLE = 8.0  # size of letters in points from which on more room is worth more than larger letters


class Entry(NamedTuple):
    """Text in a row, after a sample of the line that it is about if it is about one."""

    text: str
    line: Line | None = None


class Row(NamedTuple):
    """Entries side by side in letters of one size."""

    entries: tuple[Entry, ...]
    size: float
    colour: str = SOFT
    bold: bool = False

    @property
    def height(self) -> float:
        """With the room to the next one."""
        return 1.5 * self.size + 2.0

    def widths(self, measure: Measure) -> list[float]:
        """Of the entries."""
        factor = 1.12 if self.bold else 1.0
        before = SAMPLE + AFTER_SAMPLE
        return [measure(each.text, self.size) * factor + (before if each.line else 0.0) for each in self.entries]

    def width(self, measure: Measure) -> float:
        """Of all, with room between them."""
        return sum(self.widths(measure)) + _BETWEEN * (len(self.entries) - 1)

    def starts(self, middle: float, measure: Measure) -> list[float]:
        """Where each entry begins if the row has its middle in some place."""
        starts, x = [], middle - self.width(measure) / 2
        for width in self.widths(measure):
            starts.append(x)
            x += width + _BETWEEN
        return starts


class Arrangement(NamedTuple):
    """What is drawn where.

    Attributes
    ----------
    sketch, layout
        The graph; places are those of the layout.
    above, below
        Rows of text.
    left, top, width, height
        Of all, margins included.
    """

    sketch: Sketch
    layout: GraphLayout
    above: tuple[Row, ...]
    below: tuple[Row, ...]
    left: float
    top: float
    width: float
    height: float

    def scale(self, room: tuple[float, float]) -> float:
        """Points per pixel if it is to fit into a room of some width and height in points."""
        return min(room[0] / self.width, room[1] / self.height)

    @property
    def signed(self) -> bool:
        """Whether lines tell signs."""
        return _tells_signs(self.sketch)


def arranged(sketch: Sketch, measure: Measure, room: tuple[float, float]) -> Arrangement:
    """Arrange a graph for a room of some width and height in points: closer together where letters would be small."""
    found = _with(sketch, measure, ROOMY)
    if found.scale(room) * FONT_SIZE >= _COMFORTABLE:
        return found
    closer = _with(sketch, measure, COMPACT)
    return max(found, closer, key=lambda each: each.scale(room))


def _with(sketch: Sketch, measure: Measure, spacing: Spacing) -> Arrangement:
    layout = layout_of(sketch, spacing, measure)
    captioned = sketch.grouped(bool(layout.between)) if layout.frames else sketch
    widest = max(layout.width, _LEAST_WIDTH)
    above = (*_title(sketch, widest, measure), *_key(sketch, widest, measure))
    below = tuple(
        Row((Entry(line),), _CAPTION_SIZE) for line in broken(captioned.caption or "", _CAPTION_SIZE, widest, measure)
    )
    width = max([layout.width, *(row.width(measure) for row in (*above, *below))]) + 2 * _MARGIN
    heights = [sum(row.height for row in rows) + (APART if rows else 0.0) for rows in (above, below)]
    return Arrangement(
        sketch,
        layout,
        above,
        below,
        left=(layout.width - width) / 2,
        top=-heights[0] - _MARGIN,
        width=width,
        height=layout.height + sum(heights) + 2 * _MARGIN,
    )


def _title(sketch: Sketch, widest: float, measure: Measure) -> list[Row]:
    lines = broken(clipped(visible(sketch.title or ""), _LONGEST_TITLE), _TITLE_SIZE, widest, measure)
    return [Row((Entry(line),), _TITLE_SIZE, INK, bold=True) for line in lines]


def _key(sketch: Sketch, widest: float, measure: Measure) -> list[Row]:
    """The entries in rows that are not too wide."""
    rows: list[Row] = []
    for entry in [*_verdicts(sketch), *_signs(sketch), *_likely(sketch)]:
        longer = Row((*(rows[-1].entries if rows else ()), entry), _KEY_SIZE, INK)
        if rows and longer.width(measure) <= widest:
            rows[-1] = longer
        else:
            rows.append(Row((entry,), _KEY_SIZE, INK))
    return rows


def _verdicts(sketch: Sketch) -> Sequence[Entry]:
    counts = Counter(stroke.kind for stroke in sketch.strokes)
    return [Entry(f"{counts[kind]} {kind}", line) for kind, line in BY_VERDICT.items() if counts[kind]]


def _signs(sketch: Sketch) -> Sequence[Entry]:
    seen = {stroke.sign for stroke in sketch.strokes if stroke.kind == "plain" and not stroke.minor}
    said = [Entry(SIGNS_IN_WORDS[sign], line) for sign, line in BY_SIGN.items() if sign in seen]
    return said if _tells_signs(sketch) else []


def _tells_signs(sketch: Sketch) -> bool:
    """Whether half of the edges have a sign; else, as with categories, nearly all lines would be broken for no use."""
    signs = [stroke.sign for stroke in sketch.strokes if stroke.kind == "plain" and not stroke.minor]
    return 2 * sum(sign is not None for sign in signs) >= max(len(signs), 1)


def _likely(sketch: Sketch) -> Sequence[Entry]:
    others = any(stroke.minor and stroke.kind == "plain" for stroke in sketch.strokes)
    return [Entry("not in the graph", LIKELY)] if others else []
