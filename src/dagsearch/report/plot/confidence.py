"""How sure edges are, as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dagsearch import checks
from dagsearch.confidence import Confidence
from dagsearch.diagnostics.families import require_fitted
from dagsearch.errors import InputError
from dagsearch.report.plot.canvas import axes_or_new, require_matplotlib
from dagsearch.report.plot.heat import heat_map, inches_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KINDS = {
    "edges": ("edge_probability", "cause", "effect", "probability of the edge"),
    "adjacency": ("adjacency_probability", "", "", "probability of an edge, either way"),
    "paths": ("path_probability", "cause", "effect", "probability of a directed path"),
}


def confidence(
    confidence_or_model: Any, *, kind: Literal["edges", "adjacency", "paths"] = "edges", ax: Axes | None = None
) -> Axes:
    """Draw the probabilities of edges or paths as a matrix: causes in rows, effects in columns.

    With up to 14 variables cells hold percentages, none for 0. With many, only some of the names are written.

    Parameters
    ----------
    confidence_or_model
        A `Confidence`, or a fitted estimator that has one.
    kind
        ``"edges"``: with their direction. ``"adjacency"``: in either direction. ``"paths"``: directed paths.
    ax
        The axes to draw into, which give some room to the colour bar; by default those of a new figure.

    Returns
    -------
    Axes
        What was drawn into.

    Raises
    ------
    InputError
        If the model was fitted without confidence.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    checks.one_of("kind", kind, tuple(_KINDS))
    found = confidence_of(confidence_or_model)
    probabilities, rows, columns, meaning = _KINDS[kind]
    values = np.array(getattr(found, probabilities), dtype=float)
    np.fill_diagonal(values, np.nan)
    ax = axes_or_new(ax, inches_of(*values.shape))
    heat_map(ax, values, (found.names, found.names), (rows, columns, meaning))
    return ax


def confidence_of(given: Any) -> Confidence:
    """A `Confidence`, or that of a fitted estimator; an error if it has none."""
    if isinstance(given, Confidence):
        return given
    found: Confidence | None = require_fitted(given).confidence_
    if found is None:
        raise InputError("the model was fitted without confidence: fit with confidence='posterior' or 'bootstrap'")
    return found
