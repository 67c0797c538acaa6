"""What the causes of a variable leave unexplained."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dagsearch import checks, diagnostics
from dagsearch.diagnostics import VariableResiduals
from dagsearch.report.plot.canvas import (
    AS_TEXT,
    SMALL_SIZE,
    axes_or_new,
    frame,
    legend,
    line_key,
    name_ticks,
    note,
    require_matplotlib,
    shown,
)
from dagsearch.report.plot.looks import ACCENT, INK, OTHER, PALE, SOFT, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Shown = Any
"""`VariableResiduals`, of which what the kind of variable has is not None."""

_NORMAL = Line(OTHER, (4.0, 2.0))
_BARS: dict[str, Any] = {"facecolor": PALE, "edgecolor": "white", "linewidth": 0.5}
_LONGEST_LEVEL = 14
_BAR = 0.38


def residuals(
    model: Any,
    variable: str,
    *,
    kind: Literal["histogram", "quantiles", "fitted"] = "histogram",
    ax: Axes | None = None,
) -> Axes:
    """Draw the residuals of a variable, given its causes in the graph after pruning.

    Of a categorical variable: the share of rows with each level, and the probability that the causes give to it where
    it is seen, whatever the kind. See `dagsearch.diagnostics.residuals`.

    Parameters
    ----------
    model
        A fitted estimator.
    variable
        Its name.
    kind
        ``"histogram"``: beside a normal distribution. ``"quantiles"``: against those of a normal distribution.
        ``"fitted"``: against the prediction.
    ax
        The axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes
        What was drawn into.

    Raises
    ------
    InputError
        If the model is not fitted.
    UnknownNameError
        If there is no such variable.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    checks.one_of("kind", kind, tuple(_KINDS))
    (found,) = diagnostics.residuals(model, variables=(variable,))
    ax = axes_or_new(ax)
    if found.levels is not None:
        _shares(ax, found)
    else:
        _KINDS[kind](ax, found)
    said = f"{shown(found.name, 24)}; {found.n_rows:,} rows"
    if found.explained is not None and found.n_causes:
        said += f"; {found.explained:.0%} explained"
    look: dict[str, Any] = {"size": SMALL_SIZE, "color": SOFT, "loc": "left", **AS_TEXT}
    ax.set_title(said, **look)
    return ax


def _histogram(ax: Axes, found: _Shown) -> None:
    frame(ax, "residual, in standard deviations", "density")
    if found.edges is None or found.density is None:
        note(ax, _why_not(found))
        return
    ax.bar(found.edges[:-1], found.density, np.diff(found.edges), align="edge", **_BARS)
    grid = np.linspace(found.edges[0], found.edges[-1], 121)
    normal = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    ax.plot(grid, normal, color=_NORMAL.colour, linestyle=_NORMAL.style, linewidth=1.4)
    legend(ax, [(line_key(_NORMAL, 1.4), "normal")], loc="upper right")


def _quantiles(ax: Axes, found: _Shown) -> None:
    frame(ax, "quantiles of a normal distribution", "quantiles of the residuals")
    if found.normal_quantiles is None or found.residual_quantiles is None:
        note(ax, _why_not(found))
        return
    ends = [min(found.normal_quantiles[0], found.residual_quantiles[0])]
    ends += [max(found.normal_quantiles[-1], found.residual_quantiles[-1])]
    ax.plot(ends, ends, color=_NORMAL.colour, linestyle=_NORMAL.style, linewidth=1.2)
    ax.plot(found.normal_quantiles, found.residual_quantiles, "o", color=ACCENT, markersize=3.5)


def _fitted(ax: Axes, found: _Shown) -> None:
    frame(ax, "prediction", "residual")
    if found.fitted_values is None or not found.n_causes:
        note(ax, found.reason or "There are no causes to predict it from.")
        return
    ax.axhline(0.0, color=_NORMAL.colour, linestyle=_NORMAL.style, linewidth=1.2)
    ax.scatter(found.fitted_values, found.fitted_residuals, s=7.0, color=SOFT, alpha=0.55, linewidth=0)


def _shares(ax: Axes, found: _Shown) -> None:
    frame(ax, "level", "share, probability")
    ax.grid(visible=False, axis="x")
    places = np.arange(len(found.levels))
    observed = ax.bar(places - _BAR / 2, found.observed, _BAR, **_BARS)
    predicted = ax.bar(
        places + _BAR / 2, found.predicted, _BAR, facecolor="white", edgecolor=INK, hatch="////", linewidth=0.7
    )
    turned: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if len(places) > 4 else {}
    name_ticks(ax.xaxis, dict(enumerate(found.levels)), _LONGEST_LEVEL, **turned)
    ax.set_ylim(0, 1)
    legend(ax, [(observed, "share of rows"), (predicted, "predicted where seen")], loc="best")


def _why_not(found: VariableResiduals) -> str:
    return f"No picture: {found.reason or 'nothing is left unexplained'}."


_KINDS: dict[str, Callable[[Any, _Shown], None]] = {"histogram": _histogram, "quantiles": _quantiles, "fitted": _fitted}
