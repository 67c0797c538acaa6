"""Figures by matplotlib: one panel per measure, a curve with a shaded 95% interval per method."""

from __future__ import annotations

import io
import math
from functools import lru_cache
from typing import Any, Literal

from dagsearch.errors import MissingExtraError
from dagsearch.experiments.output import text
from dagsearch.experiments.output.curves import INCREMENTAL, RATIO, RL_BIC_OF_THE_PAPER, Drawing
from dagsearch.experiments.output.summary import Curve

# Okabe and Ito's colours, which colour-blind readers can tell apart; markers tell curves apart in print.
_LOOKS = {
    "cd-uct": ("#0072B2", "o"),
    "rl-bic": ("#D55E00", "s"),
    "greedy": ("#009E73", "^"),
    "random-search": ("#E69F00", "D"),
    "random-sampling": ("#7A7A7A", "v"),
    INCREMENTAL: ("#0072B2", "o"),
    RATIO: ("#333333", "o"),
}
_OTHER_LOOK = ("#CC79A7", "s")
_LEVEL_COLOUR = "#D55E00"
_MARK_COLOUR = "#D55E00"
_MARKS_LABEL = "paper"
_STYLE = {
    # The salt makes the same curves give the same bytes.
    "svg.hashsalt": "dagsearch",
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "figure.constrained_layout.w_pad": 0.12,
    "figure.constrained_layout.h_pad": 0.1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.8,
    "axes.edgecolor": "#555555",
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
}
_ENDS = {"tpr": (0.0, 1.0), "fdr": (0.0, 1.0), "shd": (0.0, math.inf)}
_MARGIN = 0.03
_PANEL_INCHES = (4.2, 3.1)


@lru_cache(maxsize=32)
def render(of_panels: tuple[Drawing, ...], file_format: Literal["svg", "png"]) -> bytes:
    """The figure as the bytes of an SVG or PNG file.

    Parameters
    ----------
    of_panels
        What is to be drawn.
    file_format
        ``"svg"`` or ``"png"``.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("drawing figures", "plot") from error
    picture = io.BytesIO()
    # Without a date and the version of the library, files differ only if the curves do.
    metadata = {"Date": None} if file_format == "svg" else {"Software": None}
    with mpl.rc_context(_STYLE):
        _figure(of_panels).savefig(picture, format=file_format, dpi=150, metadata=metadata)
    return picture.getvalue()


def _figure(of_panels: tuple[Drawing, ...]) -> Any:
    """All panels, and one legend above them."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - draws without a display, and without global state

    n_columns = 3 if len(of_panels) > 4 else min(len(of_panels), 2)
    n_rows = -(-len(of_panels) // n_columns)
    size = (_PANEL_INCHES[0] * n_columns, _PANEL_INCHES[1] * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for axes, drawing in zip(grid, of_panels, strict=False):
        _draw_panel(axes, drawing)
    for axes in grid[len(of_panels) :]:
        axes.set_axis_off()
    _draw_legend(figure)
    return figure


def _draw_panel(axes: Any, drawing: Drawing) -> None:
    if not any(curve.points for curve in drawing.curves):
        _draw_absence(axes, drawing)
        return
    for curve in drawing.curves:
        _draw_curve(axes, curve)
    if drawing.level is not None:
        axes.axhline(drawing.level, color=_LEVEL_COLOUR, linestyle=(0, (5, 3)), label=RL_BIC_OF_THE_PAPER, zorder=1.5)
    if drawing.marks:
        axes.plot(*zip(*drawing.marks, strict=True), "x", color=_MARK_COLOUR, markersize=8, mew=2, label=_MARKS_LABEL)
    _draw_axes(axes, drawing)


def _draw_absence(axes: Any, drawing: Drawing) -> None:
    """Axes without numbers, since there are none of ours."""
    axes.set(xlabel=drawing.panel.x_label, ylabel=drawing.panel.y_label, xticks=[], yticks=[])
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color="#777777")


def _draw_curve(axes: Any, curve: Curve) -> None:
    if not curve.points:
        return
    colour, marker = _LOOKS.get(curve.label, _OTHER_LOOK)
    x, means = [point.x for point in curve.points], [point.mean for point in curve.points]
    widths = [point.half_width or 0.0 for point in curve.points]
    low = [mean - width for mean, width in zip(means, widths, strict=True)]
    high = [mean + width for mean, width in zip(means, widths, strict=True)]
    axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, means, color=colour, marker=marker, label=text.title(curve.label))


def _draw_axes(axes: Any, drawing: Drawing) -> None:
    panel = drawing.panel
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_plain)
    if not panel.log_y:
        axes.set_ylim(*_limits(drawing))
    else:
        # A lower end of an interval that is not positive has no place on such an axis.
        axes.set_yscale("log", nonpositive="clip")
        axes.yaxis.set_major_formatter(_plain)


def _limits(drawing: Drawing) -> tuple[float, float]:
    """Ends of the vertical axis: with very few runs intervals are so wide that the curves would be flat lines."""
    points = [point for curve in drawing.curves for point in curve.points]
    shown = [point.mean for point in points] + [y for _, y in drawing.marks]
    shown += [] if drawing.level is None else [drawing.level]
    span = max(shown) - min(shown) or abs(max(shown)) or 1.0
    room = 0.08 * span + min(max(point.half_width or 0.0 for point in points), 0.5 * span)
    low, high = min(shown) - room, max(shown) + room
    measure = drawing.panel.measure.removeprefix("pruned_")
    # Nothing is beyond the ends of a rate, or below no edges.
    least, most = _ENDS.get(measure, (-math.inf, math.inf))
    return max(low, least - _MARGIN * (high - low)), min(high, most + _MARGIN * (high - low))


def _plain(value: float, _: int) -> str:
    """A power of ten as people write it."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _draw_legend(figure: Any) -> None:
    """One legend for all panels, each label once."""
    entries = {
        label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if entries:
        figure.legend(
            entries.values(), entries.keys(), loc="outside upper center", ncols=min(len(entries), 5), frameon=False
        )
