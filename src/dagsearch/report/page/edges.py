"""The edges that a page shows: those of the fitted graph, other likely ones, and true ones that were not found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dagsearch._visible import visible
from dagsearch.causal_effects import DirectEffect
from dagsearch.confidence import Confidence
from dagsearch.diagnostics import Relation
from dagsearch.estimators import DagEstimator
from dagsearch.estimators.result import Graph
from dagsearch.graph.marks import UNMARKED, EdgeMark
from dagsearch.report.directions import class_open_edges, marks_of
from dagsearch.report.likely import other_likely
from dagsearch.report.page.words import edge
from dagsearch.report.sketch import Sketch, Stroke, sketch

_MOST_OTHERS = 200


@dataclass(frozen=True)
class EdgeRow:
    """What a page knows of an edge.

    Attributes
    ----------
    stroke
        How it is drawn.
    is_found
        Whether the fitted graph has it.
    mark
        How sure it is.
    effect, relation
        What goes along it, if the fitted graph has it.
    """

    stroke: Stroke
    is_found: bool
    mark: EdgeMark
    effect: DirectEffect | None = None
    relation: Relation | None = None

    @property
    def cause(self) -> str:
        """Where it starts."""
        return self.stroke.cause

    @property
    def target(self) -> str:
        """Where it ends."""
        return self.stroke.effect

    @property
    def is_missing(self) -> bool:
        """Whether only the true graph has it."""
        return self.stroke.kind == "missing"

    @property
    def in_words(self) -> str:
        """The edge as one reads it."""
        return edge(self.cause, self.target, self.stroke.directed)

    @property
    def in_full(self) -> str | None:
        """The same with names that the words shorten; None if there are none."""
        whole = f"{self.cause} {'→' if self.stroke.directed else '—'} {self.target}"
        return None if visible(whole) == self.in_words else whole

    @property
    def strength(self) -> float | None:
        """Size of the effect in standard deviations, if it is one number."""
        return None if self.effect is None or self.effect.standardised is None else abs(self.effect.standardised)

    @property
    def p_value(self) -> float | None:
        """Of the test by which edges are pruned, or else of the cause beside the other ones."""
        if self.mark.p_value is not None or self.relation is None:
            return self.mark.p_value
        return self.relation.p_value


@dataclass(frozen=True)
class ShownGraph:
    """A graph as a page shows it: ``rows`` go with the strokes of the sketch, one by one."""

    sketch: Sketch
    rows: tuple[EdgeRow, ...]

    @property
    def found(self) -> list[EdgeRow]:
        """The edges of the fitted graph."""
        return [row for row in self.rows if row.is_found]

    def with_relations(self, find: Callable[[str, str], Relation]) -> ShownGraph:
        """The same with the relation along each edge of the fitted graph, which is found by cause and effect."""
        rows = (replace(row, relation=find(row.cause, row.target)) if row.is_found else row for row in self.rows)
        return replace(self, rows=tuple(rows))


def shown_graph(model: DagEstimator) -> ShownGraph:
    """The graph of a fit after pruning, and what else is worth showing in the same picture."""
    graph: Graph = model.pruned_dag_
    marks = marks_of(graph, model.confidence_, class_open_edges(model), model.effects_, model.result_.p_values)
    drawn = sketch(graph, truth=model.data_.truth, marks=marks)
    effects = {(each.cause, each.effect): each for each in model.effects_}
    rows = [_row(stroke, marks, effects) for stroke in drawn.strokes]
    rows += _other_likely(model.confidence_, graph, drawn.names)
    rows.sort(key=_importance)
    return ShownGraph(_with_strokes(drawn, rows), tuple(rows))


def _importance(row: EdgeRow) -> tuple[bool, bool, float, float]:
    """Edges of the fitted graph first, those only of the truth last; the likeliest and strongest of each."""
    return row.is_missing, not row.is_found, -(row.mark.adjacent or 0.0), -(row.strength or 0.0)


def _with_strokes(drawn: Sketch, rows: Sequence[EdgeRow]) -> Sketch:
    # Numbers beside the edges are in the table and in the details; here they would cover each other.
    strokes = tuple(row.stroke._replace(label=None) for row in rows)
    return Sketch(drawn.names, strokes, None, None)


def _row(
    stroke: Stroke, marks: Mapping[tuple[str, str], EdgeMark], effects: Mapping[tuple[str, str], DirectEffect]
) -> EdgeRow:
    pair = stroke.cause, stroke.effect
    is_found = stroke.kind != "missing"
    mark = marks.get(pair, UNMARKED) if is_found else UNMARKED
    return EdgeRow(stroke._replace(minor=not is_found), is_found, mark, effects.get(pair) if is_found else None)


def _other_likely(confidence: Confidence | None, graph: Graph, names: Sequence[str]) -> list[EdgeRow]:
    """Pairs that may be adjacent though the fitted graph does not join them, the likeliest first."""
    if confidence is None:
        return []
    return [_likely(confidence, stroke) for stroke in other_likely(confidence, graph, names)[:_MOST_OTHERS]]


def _likely(confidence: Confidence, stroke: Stroke) -> EdgeRow:
    i, j = confidence.names.index(stroke.cause), confidence.names.index(stroke.effect)
    forward, backward = (float(confidence.edge_probability[pair]) for pair in ((i, j), (j, i)))
    return EdgeRow(stroke, False, EdgeMark(not stroke.directed, stroke.probability, forward, backward))
