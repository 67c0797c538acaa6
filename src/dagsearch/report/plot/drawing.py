"""A graph in matplotlib's axes: a unit is a pixel of the layout, and y grows downwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.patches import Polygon
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from dagsearch.graph.marks import opacity_of, width_of
from dagsearch.report.layout import Box
from dagsearch.report.layout.arrows import arrow_along
from dagsearch.report.layout.framed import HEADING_SIZE, heading_baseline
from dagsearch.report.layout.result import Curve
from dagsearch.report.layout.text import label_of
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.plot.arrangement import AFTER_SAMPLE, APART, SAMPLE, Arrangement, Row
from dagsearch.report.plot.letters import Letters
from dagsearch.report.plot.looks import SOFT, Line, line_of
from dagsearch.report.plot.scaled import ScaledBox, ScaledLine, ScaledText
from dagsearch.report.sketch import Stroke
from dagsearch.report.svg.colours import BOX, BOX_BORDER, BOX_TEXT, TINTS
from dagsearch.report.svg.edges import OPACITY_BETWEEN
from dagsearch.report.svg.labels import LABEL_SIZE, labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What lies above what.
_FRAMES, _BETWEEN, _EDGES, _NAMES_OF_FRAMES, _BOXES, _TEXT = 0.5, 1.5, 2.0, 2.5, 3.0, 3.5

_PIXELS_PER_POINT = 1.6
_PLAIN_WIDTH, _MINOR_WIDTH = 1.8, 1.5
_LEAST_WIDTH = 0.35  # points; thinner lines vanish in print
_SHARE_OF_BOX = 0.94


def draw(ax: Axes, picture: Arrangement, letters: Letters) -> None:
    """Draw a picture into axes, which have nothing else to show then."""
    ax.set_axis_off()
    ax.set(xlim=(picture.left, picture.left + picture.width), ylim=(picture.top + picture.height, picture.top))
    ax.set_aspect("equal", adjustable="box")
    _Drawing(ax, picture, letters).draw()


class _Drawing:
    """A picture on its way into axes."""

    def __init__(self, ax: Axes, picture: Arrangement, letters: Letters) -> None:
        self._ax, self._picture, self._letters = ax, picture, letters

    def draw(self) -> None:
        """Draw everything."""
        for number, frame in enumerate(self._picture.layout.frames):
            self._frame(number, frame)
        self._edges()
        sketch, layout = self._picture.sketch, self._picture.layout
        for name, box in zip(sketch.names, layout.boxes, strict=True):
            self._node(name, box, in_focus=name in sketch.focus)
        y = -sum(row.height for row in self._picture.above) - APART
        for row in self._picture.above:
            self._row(row, y)
            y += row.height
        y = layout.height + APART
        for row in self._picture.below:
            self._row(row, y)
            y += row.height

    def _frame(self, number: int, frame: Box) -> None:
        tint = TINTS[number % len(TINTS)]
        self._box(frame, 12.0, 1.0, zorder=_FRAMES, facecolor=(tint, 0.07), edgecolor=(tint, 0.6))
        heading = self._picture.layout.groups[number].heading
        x, y = heading_baseline(frame)
        size = self._fitting(heading, HEADING_SIZE, frame.right - x - 4.0, bold=True)
        self._text(x, y, heading, size, bold=True, color=SOFT, va="baseline", zorder=_NAMES_OF_FRAMES)

    def _node(self, name: str, box: Box, in_focus: bool) -> None:
        look = {"facecolor": BOX, "edgecolor": BOX_TEXT if in_focus else BOX_BORDER, "zorder": _BOXES}
        self._box(box, 7.0, 2.5 if in_focus else 1.0, **look)
        label = label_of(name)
        size = self._fitting(label, FONT_SIZE, _SHARE_OF_BOX * box.width)
        self._text(*box.centre, label, size, color=BOX_TEXT, ha="center", va="center_baseline", zorder=_TEXT)

    def _edges(self) -> None:
        sketch, layout = self._picture.sketch, self._picture.layout
        for place, (stroke, route) in enumerate(zip(sketch.strokes, layout.routes, strict=True)):
            self._edge(stroke, route, place in layout.between)
        for place, label in labels(sketch, layout, self._letters.width).items():
            colour = line_of(sketch.strokes[place], self._picture.signed).colour
            # White around the letters keeps lines that run below them apart.
            look: dict[str, Any] = {"color": colour, "path_effects": [withStroke(linewidth=1.6, foreground="white")]}
            self._text(label.x, label.y, label.text, LABEL_SIZE, va="baseline", zorder=_NAMES_OF_FRAMES, **look)

    def _edge(self, stroke: Stroke, route: Curve, between: bool) -> None:
        line = line_of(stroke, self._picture.signed)
        width = _PLAIN_WIDTH
        opacity = OPACITY_BETWEEN if between else 1.0
        if stroke.probability is not None:
            opacity *= opacity_of(stroke.probability)
            width = width_of(stroke.probability) * _PIXELS_PER_POINT
        if stroke.minor:
            # Dots would be lost if they were fine and pale as well.
            width, opacity = _MINOR_WIDTH, 1.0
        arrow = arrow_along(route, width, stroke.directed)
        path = Path(arrow.line, [Path.MOVETO, *[Path.CURVE4] * (len(arrow.line) - 1)])
        look: dict[str, Any] = {"alpha": opacity, "zorder": _BETWEEN if between else _EDGES}
        self._line(path, width, line, **look)
        if arrow.head is not None:
            self._ax.add_patch(Polygon(arrow.head, closed=True, facecolor=line.colour, edgecolor="none", **look))

    def _row(self, row: Row, top: float) -> None:
        middle, base = self._picture.layout.width / 2, top + row.size
        starts = row.starts(middle, self._letters.width)
        for (text, line), start in zip(row.entries, starts, strict=True):
            x = start
            if line is not None:
                path = Path([(x, base - 0.35 * row.size), (x + SAMPLE, base - 0.35 * row.size)])
                self._line(path, _PLAIN_WIDTH, line)
                x += SAMPLE + AFTER_SAMPLE
            self._text(x, base, text, row.size, bold=row.bold, color=row.colour, va="baseline", zorder=_TEXT)

    def _line(self, path: Path, width: float, line: Line, **look: Any) -> None:
        drawn = ScaledLine(path, facecolor="none", edgecolor=line.colour, linestyle=line.style, capstyle="butt", **look)
        drawn.set_units(width, _LEAST_WIDTH)
        self._ax.add_patch(drawn)
        drawn.fit()

    def _box(self, box: Box, rounding: float, width: float, **look: Any) -> None:
        shape = f"round,pad=0,rounding_size={rounding:g}"
        drawn = ScaledBox((box.left, box.top), box.width, box.height, boxstyle=shape, **look)
        drawn.set_units(width, _LEAST_WIDTH)
        self._ax.add_patch(drawn)
        drawn.fit()

    def _text(self, x: float, y: float, text: str, size: float, bold: bool = False, **look: Any) -> None:
        font = self._letters.font(bold)
        drawn = ScaledText(x, y, text, size, fontproperties=font, clip_on=False, **look)
        self._ax.add_artist(drawn)
        drawn.fit()

    def _fitting(self, text: str, size: float, room: float, bold: bool = False) -> float:
        """The size of letters, less if the text would be wider than its room."""
        return size * min(1.0, room / max(self._letters.width(text, size, bold), 1e-9))
