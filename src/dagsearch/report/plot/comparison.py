"""A graph against the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dagsearch.diagnostics.families import require_fitted
from dagsearch.estimators import DagEstimator
from dagsearch.graph import as_graph
from dagsearch.report.plot.boards import on_board
from dagsearch.report.plot.canvas import require_matplotlib
from dagsearch.report.sketch import sketch

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def comparison(found: Any, truth: Any, *, ax: Axes | None = None) -> Axes:
    """Draw which edges of a graph are right, reversed or extra, and which are missing, by colour and dashes.

    Parameters
    ----------
    found
        A fitted estimator, whose graph after pruning is taken, or a graph as `dagsearch.metrics.compare` takes it.
    truth
        The true graph, in the same forms.
    ax
        The axes to draw into; by default those of a new figure of fitting size.

    Returns
    -------
    Axes
        What was drawn into; a unit is a pixel of the layout, y grows downwards.

    Raises
    ------
    InputError
        If the nodes of the two cannot be matched; a `CycleError` if one has a cycle, so that nothing can be compared.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    return on_board(sketch(as_graph(_graph_of(found)), truth=as_graph(_graph_of(truth))), None, ax)


def _graph_of(given: Any) -> Any:
    return require_fitted(given).pruned_dag_ if isinstance(given, DagEstimator) else given
