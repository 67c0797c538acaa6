"""What probabilities promised in simulations, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dagsearch.confidence import Confidence, calibration_study
from dagsearch.confidence.calibration import SYSTEMS, Kind, Reliability
from dagsearch.confidence.calibration_words import system_of
from dagsearch.errors import InputError
from dagsearch.estimators import DagEstimator
from dagsearch.report.plot.canvas import axes_or_new, frame, legend, line_key, require_matplotlib, series_key
from dagsearch.report.plot.confidence import confidence_of
from dagsearch.report.plot.looks import SERIES, SOFT, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_IN_WORDS = {"exact": "posterior, exact", "chains": "posterior, chains", "bootstrap": "bootstrap"}
_PERFECT = Line(SOFT, (4.0, 3.0))
_INCHES = (3.8, 3.6)
_AREAS = (8.0, 70.0)  # of marks: at least, and what those of most pairs have in addition


def calibration(
    method: Any = None,
    *,
    kind: Kind = "edges",
    n_rows: int | None = None,
    family: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often claims came true in the calibration study that dagsearch brings along; see docs/confidence.md.

    On the dashed line claims come true as often as they say; larger marks stand for more pairs of variables.

    Parameters
    ----------
    method
        An estimator that has confidence: what the study found for its way to probabilities and its score. Or a
        `Confidence`, whose score is not known, or ``"exact"``, ``"chains"`` or ``"bootstrap"``. None: all three.
    kind, n_rows, family
        As in `CalibrationStudy.reliability`, the last two not with an estimator; by default edges with their direction,
        tables of all sizes, and all kinds of tables that their score models rightly.
    ax
        The axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes
        What was drawn into.

    Raises
    ------
    InputError
        If an argument is wrong, or the study has nothing of the kind.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    curves = _curves(method, kind, n_rows, family)
    ax = axes_or_new(ax, _INCHES)
    frame(ax, "probability that was claimed", "share that was true")
    ax.plot([0, 1], [0, 1], color=_PERFECT.colour, linestyle=_PERFECT.style, linewidth=1.0)
    keys = []
    for system, curve in curves.items():
        series = SERIES[SYSTEMS.index(system)]
        look: dict[str, Any] = {"color": series.line.colour}
        ax.plot(curve.claimed, curve.observed, linestyle=series.line.style, linewidth=1.6, **look)
        least, more = _AREAS
        areas = least + more * np.sqrt(curve.count / curve.count.max())
        ax.scatter(curve.claimed, curve.observed, areas, marker=series.marker, linewidth=0, alpha=0.85, **look)
        keys.append((series_key(series), _IN_WORDS[system]))
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_aspect("equal")
    legend(ax, [*keys, (line_key(_PERFECT, 1.0), "as promised")], loc="lower right")
    return ax


def _curves(method: Any, kind: Kind, n_rows: int | None, family: str | None) -> dict[str, Reliability]:
    """By system of the study, what came of its claims."""
    study = calibration_study()
    if isinstance(method, DagEstimator):
        if n_rows is not None or family is not None:
            raise InputError("n_rows and family are not for an estimator, which tells them itself; leave them out")
        return {system_of(confidence_of(method).method): _of_fit(method, kind)}
    if isinstance(method, Confidence):
        method = system_of(method.method)
    systems: tuple[str, ...] = SYSTEMS if method is None else (method,)
    if method is None and family in study.families:
        # Not each kind of tables was given to each system.
        systems = tuple(dict.fromkeys(row.system for row in study.rows if row.family == family))
    return {system: study.reliability(system, kind, n_rows, family) for system in systems}


def _of_fit(model: DagEstimator, kind: Kind) -> Reliability:
    """What the study found for a way to probabilities and a score."""
    settings = model.result_.settings
    score = str(settings["score"])
    found = calibration_study().comparable(confidence_of(model).method, score, settings, kind)
    if found is None:
        raise InputError(f"the calibration study has no {confidence_of(model).method} of the score {score}")
    return found
