"""How the graph changes with the smallest effect that counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dagsearch import diagnostics
from dagsearch.diagnostics import MinEffectPath, PathEdge
from dagsearch.errors import InputError
from dagsearch.report.plot.canvas import (
    POINTS_PER_INCH,
    SMALL_SIZE,
    axes_or_new,
    frame,
    legend,
    name_ticks,
    require_matplotlib,
    room_of,
    shown,
)
from dagsearch.report.plot.looks import INK, OTHER, PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS_PER_ROW, _AIRY = 8.0, 1.6  # at least; what a new figure has beyond that
_INCHES = (4.8, 1.1)  # width, and height without rows
_MOST_ROWS = 60
_LONGEST_NAME = 14
_WIDTH = 0.94  # of a bar, where values are 1 apart


class _Bars(NamedTuple):
    """The look of the bars of one direction."""

    sign: int
    height: float
    look: dict[str, Any]
    meaning: str


_BARS = (
    _Bars(1, 0.66, {"facecolor": PALE, "edgecolor": "white"}, "as written"),
    _Bars(-1, 0.36, {"facecolor": "white", "edgecolor": OTHER, "hatch": "//////"}, "the other way"),
)


def min_effect_path(model_or_path: Any, *, ax: Axes | None = None) -> Axes:
    """Draw for which values of ``min_effect`` the graph has which edge; those that stay to the right are strong.

    Thin hatched bars point the other way. Where there is no room for all edges, those that stay longest are drawn.

    Parameters
    ----------
    model_or_path
        A fitted estimator, or what `dagsearch.diagnostics.min_effect_path` made of it.
    ax
        The axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes
        What was drawn into.

    Raises
    ------
    InputError
        If the method does not go by ``min_effect``, or no value gives an edge.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    path = model_or_path if isinstance(model_or_path, MinEffectPath) else diagnostics.min_effect_path(model_or_path)
    if path.reason or not path.edges:
        raise InputError(f"there is no path to draw: {path.reason or 'there is no edge for any value'}")
    n_rows = min(len(path.edges), _MOST_ROWS if ax is None else max(2, int(room_of(ax)[1] / _POINTS_PER_ROW)))
    ax = axes_or_new(ax, (_INCHES[0], _INCHES[1] + _AIRY * n_rows * _POINTS_PER_ROW / POINTS_PER_INCH))
    # The last row says how many edges have none.
    edges = path.edges if n_rows == len(path.edges) else path.edges[: n_rows - 1]
    frame(ax, "min_effect: least share explained", "")
    _draw_bars(ax, edges)
    _name_edges(ax, edges, len(path.edges) - len(edges))
    _name_values(ax, path)
    ax.set(xlim=(-0.5, len(path.values) - 0.5), ylim=(n_rows - 0.5, -0.5))
    return ax


def _draw_bars(ax: Axes, edges: Sequence[PathEdge]) -> None:
    """A bar where there is an edge; bars of neighbouring values touch each other."""
    keys = []
    for sign, height, look, meaning in _BARS:
        cells = [(row, k) for row, edge in enumerate(edges) for k, there in enumerate(edge.presence) if there == sign]
        if cells:
            rows, columns = zip(*cells, strict=True)
            keys.append((ax.barh(rows, _WIDTH, height, left=[k - _WIDTH / 2 for k in columns], **look), meaning))
    if len(keys) > 1:
        legend(ax, keys, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(keys))


def _name_edges(ax: Axes, edges: Sequence[PathEdge], n_more: int) -> None:
    names = [f"{shown(each.cause, _LONGEST_NAME)} → {shown(each.effect, _LONGEST_NAME)}" for each in edges]
    names += [f"and {n_more} more"] if n_more else []
    name_ticks(ax.yaxis, dict(enumerate(names)), 2 * _LONGEST_NAME + 3)


def _name_values(ax: Axes, path: MinEffectPath) -> None:
    """Write the values, and mark that of the fit."""
    ax.set_xticks(range(len(path.values)), [f"{value:g}" for value in path.values], fontsize=SMALL_SIZE)
    ax.tick_params(length=0)
    if path.own is not None:
        own = path.values.index(path.own)
        ax.axvline(own, color=INK, linewidth=0.9, linestyle=(0, (4, 2)), zorder=3)
        ax.get_xticklabels()[own].set_fontweight("bold")
