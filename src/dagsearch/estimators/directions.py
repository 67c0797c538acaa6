"""Which directions a fit leaves open, as far as that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.estimators.result import Edges
from dagsearch.graph import DAG, PDAG

if TYPE_CHECKING:
    from dagsearch.estimators.base import DagEstimator


def class_open_edges(model: DagEstimator) -> Edges | None:
    """Edges that are open by the equivalence class alone; None if the score or the method tells no class.

    Experiments decide what the class of observations leaves open. What is known beforehand may decide more, so that
    nothing is said with it.
    """
    if isinstance(model.dag_, PDAG):
        return model.dag_.undirected_edges
    graph = class_of(model, model.dag_) if isinstance(model.dag_, DAG) else None
    return None if graph is None else graph.undirected_edges


def class_of(model: DagEstimator, dag: DAG) -> PDAG | None:
    """The graphs that a model's score cannot tell from a DAG; None if nothing is known of them."""
    targets = model.score_.class_targets
    if targets is None or getattr(model, "knowledge", None) is not None:
        return None
    return dag.to_cpdag(targets)


def open_edges(model: DagEstimator) -> Edges:
    """Edges of the constructed graph whose direction the data leave open, as far as that is known.

    Those are the ones that a method leaves undirected, that another graph of the equivalence class turns if the score
    is the same for all its members, and those whose direction is not sure if it is known how sure it is.
    """
    graph, sure = model.dag_, model.confidence_
    by_class = {frozenset(pair) for pair in class_open_edges(model) or graph.undirected_edges}

    def is_open(edge: tuple[str, str]) -> bool:
        if frozenset(edge) in by_class or sure is None:
            return frozenset(edge) in by_class
        i, j = (sure.names.index(name) for name in edge)
        return not sure.edge_probability[i, j] > SURE_DIRECTION * sure.adjacency_probability[i, j]

    return [edge for edge in [*graph.directed_edges, *graph.undirected_edges] if is_open(edge)]
