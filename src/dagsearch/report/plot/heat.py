"""Probabilities as a table of shaded cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.report.plot.canvas import AS_TEXT, LABEL_SIZE, SMALL_SIZE, name_ticks, room_of, shown
from dagsearch.report.plot.looks import HEAT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_WITH_NUMBERS = 14  # rows or columns; in more of them numbers would be too small
_SIZE_OF_NUMBERS, _SIZE_IN_WIDE_CELLS = 0.4, 0.62  # of the shorter side of a cell
_LARGEST_NUMBERS = 8.5  # in points
_MOST_VECTORS = 60  # rows or columns; more cells would make a file heavy
_DARK = 0.55  # from which probability on letters are white
_LONGEST_NAME = 16
_POINTS_PER_NAME, _POINTS_PER_LETTER = 8.5, 5.0
_SIDES = (0.3, 3.0, 8.0)  # inches: of a cell, and the least and the most of all cells
_AROUND = (1.7, 1.1)  # inches, of names and colour bar
_NO_CELL = "#c3ccd6"


def inches_of(n_rows: int, n_columns: int) -> tuple[float, float]:
    """The size of a figure for so many rows and columns."""
    each, least, most = _SIDES
    width, height = (min(max(each * n, least), most) for n in (n_columns, n_rows))
    return width + _AROUND[0], height + _AROUND[1]


def heat_map(
    ax: Axes, values: NDArray[np.float64], names: tuple[Sequence[str], Sequence[str]], titles: tuple[str, str, str]
) -> None:
    """Draw a table of probabilities.

    Parameters
    ----------
    ax
        The axes.
    values
        (n_rows, n_columns) from 0 to 1; NaN: there is no such cell.
    names
        Of rows and of columns.
    titles
        Of the rows, of the columns, and of the colours.
    """
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 - whoever does not draw needs none
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415

    colours = LinearSegmentedColormap.from_list("dagsearch", HEAT)
    sides = [np.arange(length + 1) - 0.5 for length in values.shape[::-1]]
    look: dict[str, Any] = {"edgecolors": "white", "linewidth": 0.4, "rasterized": max(values.shape) > _MOST_VECTORS}
    shades = ax.pcolormesh(*sides, np.ma.masked_invalid(values), cmap=colours, vmin=0.0, vmax=1.0, **look)
    # Behind cells that there are not.
    ax.patch.set(facecolor="white", hatch="////", edgecolor=_NO_CELL, linewidth=0.0)
    ax.set(xlim=(-0.5, values.shape[1] - 0.5), ylim=(values.shape[0] - 0.5, -0.5))
    bar = ax.figure.colorbar(shades, ax=ax, fraction=0.06, pad=0.03, aspect=25, format=PercentFormatter(1.0, 0))
    bar.set_label(titles[2], size=LABEL_SIZE, **AS_TEXT)
    bar.ax.tick_params(labelsize=SMALL_SIZE)
    bar.outline.set_visible(False)
    # Of the room that the bar leaves.
    _name_sides(ax, names, titles)
    if max(values.shape) <= _MOST_WITH_NUMBERS:
        _write_numbers(ax, values)


def _name_sides(ax: Axes, names: tuple[Sequence[str], Sequence[str]], titles: tuple[str, str, str]) -> None:
    """Names at the left and above; where they would cover each other only some of them."""
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_ylabel(shown(titles[0]), size=LABEL_SIZE, **AS_TEXT)
    ax.set_xlabel(shown(titles[1]), size=LABEL_SIZE, **AS_TEXT)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set(visible=True, color=_NO_CELL, linewidth=0.6)
    width, height = room_of(ax)
    _name_some(ax.yaxis, names[0], height, {})
    longest = max(len(shown(name, _LONGEST_NAME)) for name in names[1])
    side_by_side = longest * _POINTS_PER_LETTER * len(names[1]) < width
    _name_some(ax.xaxis, names[1], width, {} if side_by_side else {"rotation": 90})


def _name_some(axis: Any, names: Sequence[str], room: float, look: dict[str, Any]) -> None:
    """Write every name along a side that has room for so many points, or every second one, and so on."""
    step = math.ceil(len(names) * _POINTS_PER_NAME / max(room, _POINTS_PER_NAME))
    name_ticks(axis, dict(list(enumerate(names))[::step]), _LONGEST_NAME, **look)


def _write_numbers(ax: Axes, values: NDArray[np.float64]) -> None:
    """Percentages in the cells, nothing for 0."""
    from dagsearch.report.plot.scaled import ScaledText  # noqa: PLC0415 - it needs matplotlib

    width, height = room_of(ax)
    wider = width / values.shape[1] / max(height / values.shape[0], 1.0)  # than high, each cell
    size = min(_SIZE_OF_NUMBERS * max(wider, 1.0), _SIZE_IN_WIDE_CELLS)
    for (row, column), value in np.ndenumerate(values):
        if value > 0.0:
            colour = "white" if value > _DARK else INK
            look: dict[str, Any] = {"color": colour, "ha": "center", "va": "center_baseline", "clip_on": False}
            ax.add_artist(ScaledText(column, row, percentage(value), size, _LARGEST_NUMBERS, **look))


def percentage(share: float) -> str:
    """A probability in few characters; what is not certain is not written as such."""
    if 0.0 < share <= 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1.0 else f"{100 * share:.0f}"
