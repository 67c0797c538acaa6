"""A sketch in axes that were given, or in a figure of fitting size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.plot.arrangement import Arrangement, arranged
from dagsearch.report.plot.canvas import AS_TEXT, POINTS_PER_INCH, axes_or_new, room_of, shown
from dagsearch.report.sketch import Sketch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dagsearch.report.plot.letters import Letters

_PAGE = (7.0 * POINTS_PER_INCH, 9.0 * POINTS_PER_INCH)
_LETTERS, _LEAST_LETTERS = 8.5, 6.0  # points in a figure that is made; the latter where it would not fit a page
_MARGIN, _TITLE = 0.1, 0.3  # inches
_LONGEST_TITLE = 160
_WIDER_THAN_AXES = 1.15  # what a title may be: there is some room beside them


def on_board(sketch: Sketch, title: str | None, ax: Axes | None) -> Axes:
    """Draw a sketch into axes, or into those of a new figure."""
    # Both need matplotlib, which is looked for first.
    from dagsearch.report.plot.drawing import draw  # noqa: PLC0415
    from dagsearch.report.plot.letters import Letters  # noqa: PLC0415

    letters = Letters.of_user()
    picture = arranged(sketch, letters.width, _PAGE if ax is None else room_of(ax))
    ax = axes_or_new(ax, _inches(picture, title))
    draw(ax, picture, letters)
    if title:
        _write_title(ax, title, letters)
    return ax


def _write_title(ax: Axes, title: str, letters: Letters) -> None:
    written = ax.set_title("", size="medium", **AS_TEXT)
    room = _WIDER_THAN_AXES * room_of(ax)[0]
    written.set_text(letters.cut(shown(title, _LONGEST_TITLE), float(written.get_fontsize()), room))


def _inches(picture: Arrangement, title: str | None) -> tuple[float, float]:
    """The size of a figure in which letters can be read: that of a page at most, unless letters would be too small."""
    scale = min(_LETTERS / FONT_SIZE, max(picture.scale(_PAGE), _LEAST_LETTERS / FONT_SIZE))
    width, height = (scale * length / POINTS_PER_INCH + _MARGIN for length in (picture.width, picture.height))
    return width, height + (_TITLE if title else 0.0)
