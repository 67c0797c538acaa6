"""Title and legend above a picture, the caption below it."""

from __future__ import annotations

from typing import NamedTuple

from dagsearch._visible import clipped, visible
from dagsearch.report.layout.text import broken, text_width
from dagsearch.report.sketch import Sketch
from dagsearch.report.svg.colours import BOX_TEXT, NEGATIVE, NOTE, POSITIVE
from dagsearch.report.svg.element import content, element, number

_TITLE_SIZE, _LEGEND_SIZE, _CAPTION_SIZE = 15.0, 12.0, 11.0
_LEAST_LINE = 420.0  # of text, below a narrow picture
_LONGEST_TITLE = 160
_BETWEEN = 16.0


class Line(NamedTuple):
    """A line of text in pieces of several colours."""

    pieces: tuple[tuple[str, str], ...]  # text and colour
    size: float
    bold: bool = False

    @property
    def height(self) -> float:
        """With the room to the next one."""
        return self.size * 1.5 + 2

    @property
    def width(self) -> float:
        """All pieces, with room between them."""
        factor = 1.08 if self.bold else 1.0
        texts = sum(text_width(text, self.size) * factor for text, _ in self.pieces)
        return texts + _BETWEEN * (len(self.pieces) - 1)

    def drawn(self, middle: float, base: float) -> str:
        """Return it as SVG, with its middle and its base line in some place."""
        x, drawn = middle - self.width / 2, []
        weight = "bold" if self.bold else None
        for text, colour in self.pieces:
            width = text_width(text, self.size) * (1.08 if self.bold else 1.0)
            place = {"x": number(x + width / 2), "y": number(base), "text_anchor": "middle"}
            look = {"font_size": self.size, "font_weight": weight, "fill": colour}
            drawn.append(element("text", {**place, **look}, [content(text)]))
            x += width + _BETWEEN
        return "".join(drawn)


def heading(sketch: Sketch, width: float, on_light: bool) -> tuple[list[Line], list[Line], float]:
    """Return the lines above a picture of some width, those below it, and the width that they need."""
    # Where nobody knows what is behind the picture, text is of a grey that both light and dark show.
    title = (clipped(visible(sketch.title or ""), _LONGEST_TITLE), BOX_TEXT if on_light else NOTE)
    entries = tuple((text, style.colour) for text, style in sketch.legend) or _signs(sketch)
    above = [Line((title,), _TITLE_SIZE, bold=True)] if sketch.title else []
    above += [Line(entries, _LEGEND_SIZE)] if entries else []
    lines = broken(sketch.caption or "", _CAPTION_SIZE, max(width, _LEAST_LINE))
    below = [Line(((line, NOTE),), _CAPTION_SIZE) for line in lines]
    return above, below, max((line.width for line in (*above, *below)), default=0.0)


def _signs(sketch: Sketch) -> tuple[tuple[str, str], ...]:
    """What the colours of signs mean, if there are any."""
    seen = {stroke.sign for stroke in sketch.strokes}
    meanings = ((1, "raises the effect", POSITIVE), (-1, "lowers the effect", NEGATIVE))
    return tuple((text, colour) for sign, text, colour in meanings if sign in seen)
