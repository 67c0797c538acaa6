"""Lines and colours of print: whatever colour tells, dashes, markers or hatches tell too."""

from __future__ import annotations

from typing import NamedTuple

from dagsearch.report.sketch import STYLES, Kind, Stroke
from dagsearch.report.svg.colours import NEGATIVE, POSITIVE, UNKNOWN

INK, SOFT, FAINT = "#1a232e", "#505d6b", "#e6ebf0"
ACCENT, OTHER, PALE = "#0b5fa5", "#b3400e", "#9dbfdd"

HEAT = ("#ffffff", "#c9dcef", "#7fb0da", "#2273b5", "#0b2f5c")
"""Of probabilities from 0 to 1; each is darker than the one before, in grey too."""

_Dashes = tuple[float, ...]
SOLID: _Dashes = ()
_LONG: _Dashes = (5.0, 1.8)
_SHORT: _Dashes = (1.6, 1.2)
_MIXED: _Dashes = (6.0, 1.8, 1.4, 1.8)
_SPARSE: _Dashes = (1.0, 3.0)


class Line(NamedTuple):
    """The look of a line; dashes are in units of its width."""

    colour: str
    dashes: _Dashes = SOLID

    @property
    def style(self) -> str | tuple[float, _Dashes]:
        """The dashes as matplotlib has them."""
        return (0.0, self.dashes) if self.dashes else "solid"


class Series(NamedTuple):
    """The look of one of several curves in a chart."""

    line: Line
    marker: str


PLAIN = Line(STYLES["plain"].colour)
LIKELY = Line(UNKNOWN, _SPARSE)
"""Of an edge that is likely, though the graph does not have it."""

BY_SIGN = {1: Line(POSITIVE), -1: Line(NEGATIVE, _LONG), None: Line(UNKNOWN, _MIXED)}
SIGNS_IN_WORDS = {1: "raises the effect", -1: "lowers the effect", None: "no single sign"}

BY_VERDICT: dict[Kind, Line] = {
    "right": Line(STYLES["right"].colour),
    "reversed": Line(STYLES["reversed"].colour, _LONG),
    "extra": Line(STYLES["extra"].colour, _SHORT),
    # Paler than this, thin lines vanish in print.
    "missing": Line(UNKNOWN, _MIXED),
}

SERIES = (
    Series(Line(ACCENT), "o"),
    Series(Line(OTHER, _LONG), "s"),
    Series(Line("#17713a", _SHORT), "^"),
    Series(Line("#7a3e9d", _MIXED), "D"),
    Series(Line("#6b5b00", (3.0, 3.0)), "v"),
    Series(Line(SOFT), "P"),
)
"""Of the curves of a chart, one after the other."""


def line_of(stroke: Stroke, signed: bool) -> Line:
    """The look of an edge: by its verdict, or by its sign if the sign of any edge is known."""
    if stroke.minor and stroke.kind == "plain":
        return LIKELY
    if stroke.kind != "plain":
        return BY_VERDICT[stroke.kind]
    return BY_SIGN[stroke.sign] if signed else PLAIN
