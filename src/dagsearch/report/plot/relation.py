"""The relation along an edge, given the other causes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import diagnostics
from dagsearch.diagnostics import Relation
from dagsearch.report.plot.canvas import (
    AS_TEXT,
    CHART_INCHES,
    SMALL_SIZE,
    axes_or_new,
    frame,
    legend,
    name_ticks,
    note,
    require_matplotlib,
    series_key,
    shown,
)
from dagsearch.report.plot.heat import heat_map, inches_of
from dagsearch.report.plot.looks import ACCENT, FAINT, SERIES, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Shown = Any
"""A `Relation`, of which what its kind has is not None."""

_MARGIN = 0.04  # of the range of an axis
_MOST_OTHERS = 3
_ROOM_OF_LEVELS = 40  # characters of all levels together that fit side by side
_LONGEST_LEVEL = 14


def relation(model: Any, cause: str, effect: str, *, ax: Axes | None = None) -> Axes:
    """Draw the relation along an edge of the graph after pruning, given the other causes of the effect.

    Of numbers: rows as dots, and the fitted curve with its 95% band. Of a number by a category: boxes of the rows, and
    means with 95% intervals. Of a category: probabilities of its levels. See `dagsearch.diagnostics.relation`.

    Parameters
    ----------
    model
        A fitted estimator.
    cause, effect
        Names; of an undirected edge in either order.
    ax
        The axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes
        What was drawn into.

    Raises
    ------
    InputError
        If the model is not fitted, or the graph has no such edge.
    UnknownNameError
        If one of the variables is not in the graph.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    found = diagnostics.relation(model, cause, effect)
    ax = axes_or_new(ax, _inches(found))
    if found.reason:
        note(ax, f"No picture: {found.reason}.")
    else:
        _BY_KIND[found.kind](ax, found)
    look: dict[str, Any] = {"size": SMALL_SIZE, "color": SOFT, "loc": "left", **AS_TEXT}
    ax.set_title(_conditions(found), **look)
    return ax


def _inches(found: Relation) -> tuple[float, float]:
    if found.shares is None:
        return CHART_INCHES
    n_rows, n_columns = found.shares.shape
    return inches_of(n_rows, n_columns)


def _conditions(found: Relation) -> str:
    """What is held fixed, and how many rows there are."""
    others = found.adjusts_for
    named = ", ".join(shown(name, 12) for name in others[:_MOST_OTHERS])
    more = f" and {len(others) - _MOST_OTHERS} more" if len(others) > _MOST_OTHERS else ""
    n_rare = found.n_more_levels + found.n_more_effect_levels
    said = [f"given {named}{more}"] if others else []
    said += [f"{found.n_rows:,} rows"]
    said += [f"{n_rare} rarer levels not shown"] if n_rare else []
    return "; ".join(said)


def _curve(ax: Axes, found: _Shown) -> None:
    frame(ax, found.cause, found.effect)
    ax.scatter(found.x, found.y, s=7.0, color=SOFT, alpha=0.5, linewidth=0)
    ax.fill_between(found.grid, found.lower, found.upper, color=ACCENT, alpha=0.22, linewidth=0)
    ax.plot(found.grid, found.fit, color=ACCENT, linewidth=1.8)
    # A few rows far out would press all others together.
    inside = (found.x >= found.grid[0]) & (found.x <= found.grid[-1])
    ax.set_xlim(*_range(found.grid))
    ax.set_ylim(*_range(np.concatenate([found.y[inside], found.lower, found.upper])))


def _range(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = _MARGIN * (high - low or abs(high) or 1.0)
    return low - room, high + room


def _boxes(ax: Axes, found: _Shown) -> None:
    frame(ax, found.cause, found.effect)
    ax.grid(visible=False, axis="x")
    keys = ("whislo", "q1", "med", "q3", "whishi")
    boxes = [dict(zip(keys, quantiles, strict=True)) for quantiles in found.quantiles.tolist()]
    places = range(len(boxes))
    line: dict[str, Any] = {"color": SOFT, "linewidth": 0.9}
    ax.bxp(
        boxes,
        positions=places,
        widths=0.55,
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": FAINT, "edgecolor": SOFT, "linewidth": 0.9},
        medianprops={**line, "linewidth": 1.4},
        whiskerprops=line,
        capprops=line,
    )
    half = [found.means - found.lower, found.upper - found.means]
    ax.errorbar(places, found.means, yerr=half, fmt="o", color=ACCENT, markersize=4, linewidth=1.6, capsize=2, zorder=3)
    ax.set_xlim(-0.6, len(boxes) - 0.4)
    _name_levels(ax, found.levels)


def _name_levels(ax: Axes, levels: tuple[str, ...]) -> None:
    """Side by side if they fit, and turned otherwise."""
    fit = sum(len(shown(level, _LONGEST_LEVEL)) + 2 for level in levels) <= _ROOM_OF_LEVELS
    turned: dict[str, Any] = {} if fit else {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    name_ticks(ax.xaxis, dict(enumerate(levels)), _LONGEST_LEVEL, **turned)


def _probabilities(ax: Axes, found: _Shown) -> None:
    frame(ax, found.cause, f"P({shown(found.effect, 18)})")
    bands = zip(found.curves, found.lower, found.upper, found.bin_shares.T, strict=True)
    keys = []
    for k, (curve, lower, upper, shares) in enumerate(bands):
        series = SERIES[k % len(SERIES)]
        look: dict[str, Any] = {"color": series.line.colour}
        ax.fill_between(found.grid, lower.clip(0, 1), upper.clip(0, 1), alpha=0.14, linewidth=0, **look)
        ax.plot(found.grid, curve.clip(0, 1), linestyle=series.line.style, linewidth=1.7, **look)
        ax.plot(found.bin_x, shares, linestyle="none", marker=series.marker, markersize=3.5, **look)
        keys.append((series_key(series), found.effect_levels[k]))
    ax.set(xlim=_range(found.grid), ylim=(-0.02, 1.02))
    legend(ax, keys, loc="best")


def _table(ax: Axes, found: _Shown) -> None:
    names = (found.levels, found.effect_levels)
    heat_map(ax, found.shares.clip(0, 1), names, (found.cause, found.effect, "probability, given the row"))


_BY_KIND: dict[str, Callable[[Any, _Shown], None]] = {
    "curve": _curve,
    "boxes": _boxes,
    "probabilities": _probabilities,
    "table": _table,
}
