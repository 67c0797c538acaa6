"""When a search found better graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from dagsearch import checks
from dagsearch.diagnostics.families import require_fitted
from dagsearch.errors import InputError
from dagsearch.report.plot.canvas import axes_or_new, frame, legend, require_matplotlib, series_key
from dagsearch.report.plot.looks import SERIES
from dagsearch.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def rewards(
    model_or_trace: Any, *, against: Literal["simulations", "seconds"] = "simulations", ax: Axes | None = None
) -> Axes:
    """Draw the best reward so far: each step up is a better graph than all before it.

    Parameters
    ----------
    model_or_trace
        An estimator that was fitted with ``trace=True``, or its ``trace_``.
    against
        ``"simulations"`` or ``"seconds"``; compiling does not count.
    ax
        The axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes
        What was drawn into.

    Raises
    ------
    InputError
        If there is no trace, or nothing was recorded, or the method makes no simulations.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    checks.one_of("against", against, ("simulations", "seconds"))
    points = _improvements(model_or_trace)
    if against == "simulations" and not any(point.n_simulations for point in points):
        raise InputError("this method makes no simulations: draw it against='seconds'")
    ax = axes_or_new(ax)
    frame(ax, against, "best reward so far")
    phases = list(dict.fromkeys(point.phase for point in points))
    looks = {phase: SERIES[k % len(SERIES)] for k, phase in enumerate(phases)}
    for before, point in pairwise(points):
        x = [_at(each, against) for each in (before, point, point)]
        line = looks[point.phase].line
        y = [before.reward, before.reward, point.reward]
        ax.plot(x, y, color=line.colour, linestyle=line.style, linewidth=1.6)
    for phase, series in looks.items():
        own = [point for point in points if point.phase == phase]
        x, y = [_at(point, against) for point in own], [point.reward for point in own]
        ax.plot(x, y, linestyle="none", color=series.line.colour, marker=series.marker, markersize=3.5)
    legend(ax, [(series_key(series), phase) for phase, series in looks.items()], loc="lower right")
    return ax


def _at(point: Improvement, against: str) -> float:
    return point.n_simulations if against == "simulations" else point.seconds


def _improvements(given: Any) -> tuple[Improvement, ...]:
    trace = given if isinstance(given, Trace) else require_fitted(given).trace_
    if trace is None:
        raise InputError("the model was fitted without a trace: fit with trace=True")
    if not trace.improvements:
        raise InputError(f"the trace has no rewards: {'; '.join(trace.notes) or 'no graph was recorded'}")
    found: tuple[Improvement, ...] = trace.improvements
    return found
