"""The picture of a graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dagsearch import checks
from dagsearch.causal_effects import DirectEffect
from dagsearch.confidence import Confidence
from dagsearch.diagnostics.families import require_fitted
from dagsearch.errors import InputError
from dagsearch.estimators import DagEstimator
from dagsearch.estimators.result import Graph
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.focus import focus_of
from dagsearch.report.directions import class_open_edges, marks_of
from dagsearch.report.likely import other_likely
from dagsearch.report.plot.boards import on_board
from dagsearch.report.plot.canvas import require_matplotlib
from dagsearch.report.sketch import Sketch, sketch

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def graph(
    model_or_graph: Any,
    *,
    truth: Any = None,
    confidence: Confidence | None = None,
    effects: Iterable[DirectEffect] | None = None,
    threshold: float | None = None,
    title: str | None = None,
    focus: str | Iterable[str] | None = None,
    focus_distance: int = 1,
    ax: Axes | None = None,
) -> Axes:
    """Draw a graph: causes above effects, open directions without arrowheads.

    Dashes tell the sign of an effect, or the verdict where the truth is known; thick lines are likely edges. Letters
    grow and shrink with the axes.

    Parameters
    ----------
    model_or_graph
        A fitted estimator, whose graph after pruning is drawn, with its confidence and effects; or a DAG, PDAG or
        CyclicGraph.
    truth
        The true graph, in any form that `dagsearch.metrics.compare` takes: edges are then right, reversed, extra or
        missing; not for a graph with a cycle.
    confidence
        How sure edges are; by default that of the model, if it has any.
    effects
        Direct effects along the edges, written beside up to 30 of them; by default those of the model.
    threshold
        Edges that are less probable are not drawn, and pairs that are as probable though the graph does not join them
        are dotted; None: the edges of the graph, whatever their probability.
    title
        Text above the picture.
    focus, focus_distance
        As in `dagsearch.report.draw`: only what is near some variables.
    ax
        The axes to draw into; by default those of a new figure of fitting size.

    Returns
    -------
    Axes
        What was drawn into; a unit is a pixel of the layout, y grows downwards.

    Raises
    ------
    InputError
        If there is no such graph, or a threshold without probabilities.
    UnknownNameError
        If the focus is on a variable that the graph does not have.
    MissingExtraError
        If matplotlib is not installed.
    """
    require_matplotlib(ax)
    known = _known(model_or_graph)
    confidence = known.confidence if confidence is None else confidence
    marks = marks_of(known.graph, confidence, known.open_edges, known.effects if effects is None else effects)
    drawn = sketch(known.graph, truth=truth, marks=marks, focus=focus_of(focus, focus_distance))
    if threshold is not None:
        checks.real("threshold", threshold, 0.0, 1.0)
        if confidence is None:
            raise InputError("threshold is of the probability of edges, which needs confidence=; got none")
        drawn = _likely(drawn, known.graph, confidence, threshold)
    return on_board(drawn, title, ax)


class _Known(NamedTuple):
    """A graph, and what its fit says of it."""

    graph: Graph
    confidence: Confidence | None = None
    open_edges: Iterable[Iterable[str]] | None = None
    effects: Iterable[DirectEffect] | None = None


def _known(model_or_graph: Any) -> _Known:
    if isinstance(model_or_graph, DAG | PDAG | CyclicGraph):
        return _Known(model_or_graph)
    if not isinstance(model_or_graph, DagEstimator):
        raise InputError(f"a fitted estimator, DAG, PDAG or CyclicGraph can be drawn, got {model_or_graph!r}")
    model = require_fitted(model_or_graph)
    return _Known(model.pruned_dag_, model.confidence_, class_open_edges(model), model.effects_)


def _likely(drawn: Sketch, graph: Graph, confidence: Confidence, threshold: float) -> Sketch:
    """Without unlikely edges, and with likely pairs that the graph does not join."""
    kept = [each for each in drawn.strokes if each.probability is None or each.probability >= threshold]
    return replace(drawn, strokes=(*kept, *other_likely(confidence, graph, drawn.names, threshold)))
