"""A fitted estimator: its graph with all that is known of the edges, and a short table of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dagsearch._visible import clipped
from dagsearch.causal_effects import DirectEffect
from dagsearch.estimators import DagEstimator
from dagsearch.estimators.result import Graph, Result
from dagsearch.graph import CyclicGraph
from dagsearch.graph.marks import EdgeMark, Marks
from dagsearch.metrics import Comparison, classify
from dagsearch.report.directions import class_open_edges, marks_of
from dagsearch.report.notebook.cells import (
    Column,
    aside,
    bar,
    block,
    chain,
    code,
    lead,
    left_out,
    line,
    notes,
    sentence,
    table,
)
from dagsearch.report.notebook.compared import verdicts
from dagsearch.report.notebook.graph import cycle_of, size_of
from dagsearch.report.notebook.picture import is_drawn, not_drawn, picture
from dagsearch.report.page.markup import Child, Markup, joined
from dagsearch.report.page.words import NONE, counted, p_value, short_effect
from dagsearch.report.sketch import sketch

_MOST_ROWS = 12
_LONGEST_EFFECT = 40
_ALMOST_ONE = 1 - 1e-9
# Rows times edges: splines and straight lines of so many take less than a second.
_MOST_STEPS_ADDITIVE, _MOST_STEPS_LINEAR = 300_000, 3_000_000
_ENDS = {
    "time-limit": "stopped by the time limit, the best graph so far",
    "interrupted": "interrupted, the best graph so far",
    "cyclic": "ended with a cycle",
}


@dataclass(frozen=True)
class _Row:
    """What is known of an edge."""

    cause: str
    target: str
    mark: EdgeMark
    effect: DirectEffect | None
    verdict: str | None

    @property
    def importance(self) -> tuple[float, float]:
        """The likeliest and strongest come first."""
        return -(self.mark.adjacent or 0.0), -abs(self.mark.standardised or 0.0)


def fit_html(model: DagEstimator) -> str | None:
    """The graph after pruning; None if there is none yet."""
    if "result_" not in vars(model):
        return None
    graph, data = model.pruned_dag_, model.data_
    effects = _effects(model)
    marks = marks_of(graph, model.confidence_, class_open_edges(model), effects, model.result_.p_values)
    compared = None if data.truth is None or isinstance(graph, CyclicGraph) else classify(graph, data.truth)
    drawn = picture(sketch(graph, marks=_without_numbers(marks))) if is_drawn(graph.n_edges) else None
    return block(
        lead(type(model).__name__, f": {size_of(graph)}; learnt from {counted(data.n_samples, 'row')}"),
        cycle_of(graph),
        aside(sentence(how_it_went(model.result_))),
        line(f"Against the known graph: {verdicts(compared)}.") if compared else None,
        drawn or not_drawn(graph, "model.report('fit.html')", "model.pruned_dag_"),
        _edges(_rows(graph, marks, effects or (), compared)),
        aside("Effects are computed when ", code("model.effects_"), " is asked for.") if effects is None else None,
        notes(model.result_.notes),
    )


def how_it_went(result: Result) -> str:
    """Score, reward, time and seed."""
    reward = "reward undefined" if math.isnan(result.reward) else f"reward {result.reward:,.6g}"
    end = _ENDS.get(result.status, result.status)
    kept = len(result.pruned_edges) + len(result.pruned_undirected_edges)
    pruned = f"; {kept} of {counted(result.n_edges, 'edge')} kept by pruning" if kept < result.n_edges else ""
    score = result.settings.get("score")
    return f"{result.method}, score {score}, {reward}; {end} in {result.seconds:.2g} s; seed {result.seed}{pruned}"


def _without_numbers(marks: Marks) -> Marks:
    """Marks that still tell the sign: numbers beside the edges cover each other, and are in the table."""
    return {
        edge: mark._replace(
            coefficient=None, standardised=mark.coefficient if mark.standardised is None else mark.standardised
        )
        for edge, mark in marks.items()
    }


def _effects(model: DagEstimator) -> tuple[DirectEffect, ...] | None:
    """Effects along the edges; None if they are not known yet and would take long."""
    most = _MOST_STEPS_LINEAR if model.is_linear else _MOST_STEPS_ADDITIVE
    is_quick = model.data_.n_samples * model.pruned_dag_.n_edges <= most
    return model.effects_ if is_quick or model.knows_effects else None


def _rows(graph: Graph, marks: Marks, effects: Sequence[DirectEffect], compared: Comparison | None) -> list[_Row]:
    by_edge = {(each.cause, each.effect): each for each in effects}
    judged = {frozenset(each[:2]): each.verdict for each in compared.edges} if compared else {}
    rows = [
        _Row(*edge, marks.get(edge, EdgeMark()), by_edge.get(edge), judged.get(frozenset(edge)))
        for edge in [*graph.directed_edges, *graph.undirected_edges]
    ]
    return sorted(rows, key=lambda row: row.importance)


def _edges(edges: Sequence[_Row]) -> Markup | None:
    if not edges:
        return None
    cells = [_cells(edge) for edge in edges[:_MOST_ROWS]]
    # A column that says nothing of any edge is not there.
    kept = [place for place in range(len(_COLUMNS)) if any(row[place] is not None for row in cells)]
    filled = [[NONE if row[place] is None else row[place] for place in kept] for row in cells]
    return joined(
        table([_COLUMNS[place] for place in kept], filled),
        left_out(len(edges) - len(cells), "edge", code("model.result_.edges"), ", ", code("model.report('fit.html')")),
    )


def _cells(row: _Row) -> list[Child]:
    mark, effect = row.mark, row.effect
    directed = not mark.is_open
    return [
        chain([row.cause, row.target], directed),
        None if mark.adjacent is None else bar(mark.adjacent),
        direction(mark),
        None if effect is None else clipped(short_effect(effect), _LONGEST_EFFECT),
        None if mark.standardised is None else f"{mark.standardised:+.2f}",
        None if mark.p_value is None else p_value(mark.p_value),
        row.verdict,
    ]


def direction(mark: EdgeMark) -> Markup | None:
    """The share that the direction in which the edge is written has of its probability."""
    if not mark.adjacent or mark.forward is None or mark.backward is None:
        return None
    # Rounding makes a share of one of what is not certain.
    most = 1.0 if mark.forward == 1.0 else _ALMOST_ONE
    return bar(min(mark.forward / mark.adjacent, most), " →")


_COLUMNS = (
    Column("Edge", tip="Cause and effect; a line instead of an arrow: direction open"),
    Column("Edge there", "right", "Probability that the two are joined at all"),
    Column("Direction", "right", "Share of that for the direction in which the edge is written"),
    Column("Effect", "right", "Change of the effect per unit of the cause, the other causes fixed"),
    Column("in sd", "right", "The same in standard deviations of both"),
    Column("p-value", "right", "Of the test by which edges are pruned"),
    Column("Known graph", tip="Against the graph that the data came with"),
)
