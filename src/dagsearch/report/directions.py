"""Which directions the data leave open, and what is known of each edge of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dagsearch.causal_effects import DirectEffect
from dagsearch.confidence import Confidence
from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.errors import InputError
from dagsearch.estimators.directions import class_open_edges, open_edges
from dagsearch.estimators.result import Edges, Graph
from dagsearch.graph.marks import EdgeMark, Marks

__all__ = ["class_open_edges", "marks_of", "open_edges"]


def marks_of(
    graph: Graph,
    confidence: Confidence | None = None,
    open_edges: Iterable[Iterable[str]] | None = None,
    effects: Iterable[DirectEffect] | None = None,
    p_values: Mapping[tuple[str, str], float] | None = None,
) -> Marks:
    """How sure each edge of a graph is, and its effect; empty if nothing is known.

    Parameters
    ----------
    graph
        The graph.
    confidence
        Probabilities over the same variables, if they are known. The direction of an edge is then open unless it has
        more than 0.9 of the probability that there is an edge.
    open_edges
        Pairs whose direction is open in any case; None: nothing is known of directions.
    effects
        Direct effects along the edges, if they are known.
    p_values
        By (cause, effect), if they are known.

    Raises
    ------
    InputError
        If the graph has nodes that the probabilities are not about.
    """
    for name in graph.names:
        if confidence is not None and name not in confidence.names:
            raise InputError(f"confidence must be about the nodes of the graph, it knows no {name!r}")
    if confidence is None and open_edges is None and effects is None and not p_values:
        return {}
    by_class = None if open_edges is None else {frozenset(pair) for pair in open_edges}
    undirected = set(graph.undirected_edges)
    marks = {edge: _mark(edge, edge in undirected, confidence, by_class) for edge in _edges(graph)}
    for each in effects or ():
        edge = each.cause, each.effect
        if edge in marks:
            marks[edge] = marks[edge]._replace(coefficient=each.coefficient, standardised=each.standardised)
    return {edge: mark._replace(p_value=(p_values or {}).get(edge)) for edge, mark in marks.items()}


def _mark(
    edge: tuple[str, str], undirected: bool, confidence: Confidence | None, by_class: set[frozenset[str]] | None
) -> EdgeMark:
    in_class = by_class is not None and frozenset(edge) in by_class
    if confidence is None:
        return EdgeMark(is_open=undirected or in_class if undirected or by_class is not None else None)
    cause, effect = (confidence.names.index(name) for name in edge)
    adjacent = float(confidence.adjacency_probability[cause, effect])
    forward = float(confidence.edge_probability[cause, effect])
    backward = float(confidence.edge_probability[effect, cause])
    is_sure = forward > SURE_DIRECTION * adjacent
    return EdgeMark(undirected or in_class or not is_sure, adjacent, forward, backward)


def _edges(graph: Graph) -> Edges:
    return [*graph.directed_edges, *graph.undirected_edges]
