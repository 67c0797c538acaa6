"""How the graph changes with ``min_effect``, the share of the rest that an edge must explain.

From the graph of the fit, the search goes on at the next value from where it stands, upwards and downwards: a graph is
a better one than that it came from, though another search from scratch might find a better one still.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch._display import Displayed
from dagsearch.diagnostics.families import require_fitted
from dagsearch.diagnostics.record import Record
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator
from dagsearch.estimators.scored import ScoreSearch
from dagsearch.scores.evidence import EvidenceScore
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED, INTERRUPTED
from dagsearch.search.refine import Refinement

VALUES = (0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
"""What is tried beside the value of the fit."""
_FORWARD, _BACKWARD = 1, -1
_N_KICKS = 0  # the graph of the neighbouring value is near


@dataclass(frozen=True)
class PathEdge(Record):
    """A pair of variables that is adjacent for some value.

    Attributes
    ----------
    cause, effect
        Names, in the direction of the fit, or else that of the least value for which there is an edge.
    presence
        By value: 1 if the edge is there, -1 if it is reversed, 0 if there is none.
    """

    cause: str
    effect: str
    presence: tuple[int, ...]


@dataclass(frozen=True)
class MinEffectPath(Displayed, Record):
    """The graph for several values of ``min_effect``.

    Attributes
    ----------
    values
        Ascending.
    own
        That of the fit, one of them.
    edges
        Those that stay longest first.
    reason
        Why there is no such path; empty if there is one.
    """

    values: tuple[float, ...] = ()
    own: float | None = None
    edges: tuple[PathEdge, ...] = ()
    reason: str = ""


def min_effect_path(model: Any, values: tuple[float, ...] = VALUES, time_limit: float | None = None) -> MinEffectPath:
    """How the graph changes with ``min_effect``.

    Parameters
    ----------
    model
        A fitted estimator.
    values
        To try, each of at least 0 and below 1; that of the fit is added.
    time_limit
        Seconds after which there is no path: half of one would look as if edges ended where time did.

    Raises
    ------
    InputError
        If the model is not fitted, or a value is out of range.
    """
    model = require_fitted(model)
    for value in values:
        checks.real("values", value, 0.0)
        if not value < 1.0:
            raise InputError(f"values must be at least 0 and below 1, got {value!r}")
    reason = _reason_against(model)
    if reason:
        return MinEffectPath(reason=reason)
    assert isinstance(model, ScoreSearch)
    assert isinstance(model.score_, EvidenceScore)
    own = model.score_.min_effect
    ordered = tuple(sorted({own, *map(float, values)}))
    monitor = Monitor(time_limit)
    graphs = _graphs(model, ordered, ordered.index(own), monitor)
    if monitor.status == INTERRUPTED:
        raise KeyboardInterrupt
    if monitor.status != FINISHED:
        return MinEffectPath(reason=f"the searches for it take more than {time_limit:g} seconds")
    return MinEffectPath(ordered, own, _edges(model.data_.names, graphs, ordered.index(own)))


def _reason_against(model: DagEstimator) -> str:
    """Why the graph of a fit cannot be followed over values; empty if it can."""
    if not isinstance(model, ScoreSearch):
        return f"{model.method} does not go by min_effect"
    if model.edge_budget is not None:
        return "the number of edges was given"
    if model.result_.status != FINISHED:
        return f"the search itself ended early ({model.result_.status})"
    if not isinstance(model.score_, EvidenceScore):
        kept = "rows with missing cells or interventions" if not model.data_.all_rows_count else model.score_.name
        return f"the path is that of the scores evidence and mixed on complete rows, not of {kept}"
    return ""


def _graphs(model: ScoreSearch, values: tuple[float, ...], own: int, monitor: Monitor) -> list[NDArray[np.int8]]:
    """The graph for each value, if the monitor has not ended the searches."""
    graphs = {own: model.dag_.adjacency}
    for step, end in ((1, len(values)), (-1, -1)):
        for place in range(own + step, end, step):
            graphs[place] = _refined(model, values[place], graphs[place - step], monitor)
    return [graphs[place] for place in range(len(values))]


def _refined(model: ScoreSearch, min_effect: float, start: NDArray[np.int8], monitor: Monitor) -> NDArray[np.int8]:
    """What a search finds from a graph on."""
    known = model.score_
    assert isinstance(known, EvidenceScore)
    score = type(known)(model.data_, known.models, known.noise, min_effect, known.n_jobs)
    score.learn_fits(known.known_fits())
    search = Refinement(model.problem_on(model.data_, score), score, start, np.random.default_rng(0), monitor)
    if monitor.status == FINISHED:
        with monitor.guard(), score.session():
            search.run(n_kicks=_N_KICKS)
    known.learn_fits(score.known_fits())
    return search.best


def _edges(names: tuple[str, ...], graphs: list[NDArray[np.int8]], own: int) -> tuple[PathEdge, ...]:
    """What became of each edge."""
    found = []
    for i, j in np.argwhere(np.triu(sum(graph + graph.T for graph in graphs) > 0, 1)).tolist():
        presence = [_FORWARD if graph[i, j] else _BACKWARD if graph[j, i] else 0 for graph in graphs]
        first = presence[own] or next(filter(None, presence))
        pair = (names[i], names[j]) if first == _FORWARD else (names[j], names[i])
        found.append(PathEdge(*pair, tuple(first * each for each in presence)))
    found.sort(key=lambda edge: (-max(k for k, there in enumerate(edge.presence) if there), edge.cause, edge.effect))
    return tuple(found)
