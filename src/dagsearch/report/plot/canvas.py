"""Axes to draw into, and what all charts share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from dagsearch._visible import clipped, shortened, visible
from dagsearch.errors import InputError, MissingExtraError
from dagsearch.report.plot.looks import FAINT, SOFT, Line, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

CHART_INCHES = (4.4, 3.2)
"""Of a figure with one chart."""
POINTS_PER_INCH = 72.0

AS_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}
"""How names are written: a dollar sign is a dollar sign."""

# By the user's own font size, which is 10 points unless they changed it.
LABEL_SIZE, SMALL_SIZE = "small", "x-small"
_LONGEST_LABEL, _LONGEST_ENTRY = 34, 24
_POINTS_PER_LETTER = 5.5  # of a label

# What stands for control characters elsewhere.
_WITHOUT_GLYPH = dict.fromkeys([*range(0x2400, 0x2421), ord("\N{SYMBOL FOR DELETE}")], "\N{REPLACEMENT CHARACTER}")


def require_matplotlib(ax: Axes | None) -> None:
    """Raise `MissingExtraError` without matplotlib, and `InputError` if what is to be drawn into are no axes."""
    try:
        from matplotlib.axes import Axes  # noqa: PLC0415 - whoever does not draw needs no matplotlib
    except ImportError as error:
        raise MissingExtraError("drawing plots", "plot") from error
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be the matplotlib Axes to draw into, or None, got {ax!r}")


def axes_or_new(ax: Axes | None, inches: tuple[float, float] = CHART_INCHES) -> Axes:
    """The axes that were given, or those of a new figure of some size, which notebooks show."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt  # noqa: PLC0415 - it has state, which axes that are given do without

    _, made = plt.subplots(figsize=inches, layout="constrained")
    return cast("Axes", made)


def room_of(ax: Axes) -> tuple[float, float]:
    """Width and height of axes in points."""
    extent = ax.get_window_extent()
    points_per_pixel = POINTS_PER_INCH / ax.figure.dpi
    return points_per_pixel * extent.width, points_per_pixel * extent.height


def legible(text: str) -> str:
    """Text without signs that matplotlib's own fonts lack, and would warn of."""
    return text.translate(_WITHOUT_GLYPH)


def shown(text: str, most: int = _LONGEST_LABEL) -> str:
    """A name on one line, cut where it is long."""
    return legible(clipped(visible(text), most))


def frame(ax: Axes, x_label: str, y_label: str) -> None:
    """Write what the axes of a chart are, and leave out what says nothing."""
    longest_x, longest_y = (min(int(room / _POINTS_PER_LETTER), _LONGEST_LABEL) for room in room_of(ax))
    ax.set_xlabel(shown(x_label, max(longest_x, 1)), size=LABEL_SIZE, **AS_TEXT)
    ax.set_ylabel(shown(y_label, max(longest_y, 1)), size=LABEL_SIZE, **AS_TEXT)
    ax.tick_params(labelsize=SMALL_SIZE)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)


def _told_apart(names: Sequence[str], most: int) -> list[str]:
    """Names as they are shown; where their beginnings are the same, with their ends as well."""
    labels = [shown(name, most) for name in names]
    if len(set(labels)) == len(set(names)):
        return labels
    return [legible(shortened(visible(name), most)) for name in names]


def name_ticks(axis: Any, names: Mapping[int, str], most: int, **look: Any) -> None:
    """Write names along an axis, given by their places."""
    labels = _told_apart(list(names.values()), most)
    axis.set_ticks(list(names), labels, **{"fontsize": SMALL_SIZE, **AS_TEXT, **look})


def note(ax: Axes, text: str) -> None:
    """Write text in place of a picture."""
    ax.set(xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set(visible=True, color=FAINT)
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": SOFT, "size": LABEL_SIZE, "wrap": True, **AS_TEXT}
    ax.text(0.5, 0.5, shown(text, 160), transform=ax.transAxes, **look)


def line_key(line: Line, width: float = 1.6, marker: str | None = None) -> Line2D:
    """A sample of a line for a legend."""
    from matplotlib.lines import Line2D  # noqa: PLC0415 - whoever does not draw needs no matplotlib

    return Line2D([], [], color=line.colour, linestyle=line.style, linewidth=width, marker=marker, markersize=4)


def series_key(series: Series) -> Line2D:
    """A sample of one of several curves for a legend."""
    return line_key(series.line, marker=series.marker)


def legend(ax: Axes, entries: Sequence[tuple[Any, str]], **place: Any) -> None:
    """Say what lines are; texts are names, whatever characters they have."""
    # A label that begins with an underscore would be left out: labels get their texts afterwards.
    drawn = ax.legend(
        [sample for sample, _ in entries],
        ["."] * len(entries),
        fontsize=SMALL_SIZE,
        framealpha=0.85,
        edgecolor=FAINT,
        handlelength=2.6,
        **place,
    )
    for written, (_, text) in zip(drawn.get_texts(), entries, strict=True):
        written.set(text=shown(text, _LONGEST_ENTRY), **AS_TEXT)
