"""What a search found as one JSON object; as text for a terminal it is in `dagsearch.report.terminal`."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from dagsearch._version import __version__
from dagsearch.confidence import Confidence
from dagsearch.data import Dataset
from dagsearch.estimators import Certificate, DagEstimator, ExactSearch
from dagsearch.estimators.result import Graph
from dagsearch.graph import CyclicGraph
from dagsearch.metrics import compare
from dagsearch.report.directions import open_edges
from dagsearch.report.terminal import as_text
from dagsearch.report.terminal.compared import comparison_table, metric_cells

__all__ = ["as_json", "as_text", "certificate_as_json", "comparison_table", "metric_cells", "open_edges"]


def as_json(
    model: DagEstimator, data: Dataset, data_name: str, certificate: Certificate | None = None
) -> dict[str, Any]:
    """Everything about a fit, in types that JSON has."""
    result = model.result_
    record: dict[str, Any] = {
        "method": result.method,
        "data": data_name,
        "names": list(data.names),
        "edges": [list(edge) for edge in result.edges],
        "pruned_edges": [list(edge) for edge in result.pruned_edges],
        "undirected_edges": [list(pair) for pair in result.undirected_edges],
        "pruned_undirected_edges": [list(pair) for pair in result.pruned_undirected_edges],
        **_evidence(model),
        "n_edges": result.n_edges,
        "n_pruned_edges": model.pruned_dag_.n_edges,
        "reward": None if math.isnan(result.reward) else result.reward,
        "score": result.settings["score"],
        "seconds": result.seconds,
        "seed": result.seed,
        "status": result.status,
        "n_simulations": result.n_simulations,
        "n_calibration_simulations": result.n_calibration_simulations,
        "n_score_evaluations": result.n_score_evaluations,
        "settings": result.settings,
        "notes": list(result.notes),
        "fixed": list(result.fixed),
        "version": __version__,
    }
    record["open_edges"] = [list(pair) for pair in open_edges(model)]
    record["effects"] = [effect.to_dict() for effect in model.effects_]
    if model.confidence_ is not None:
        record.update(_confidence_as_json(model.confidence_))
    if model.trace_ is not None:
        record["trace"] = model.trace_.to_dict()
    if certificate is not None:
        record["certificate"] = certificate_as_json(certificate)
    if isinstance(model, ExactSearch):
        record["equivalence_class"] = _edges_as_json(model.equivalence_class_)
        record["best_graphs"] = [{"reward": each.reward, **_edges_as_json(each.dag)} for each in model.best_graphs_]
    if data.truth is not None:
        record["metrics"] = _metrics(model.dag_, data.truth)
        record["pruned_metrics"] = _metrics(model.pruned_dag_, data.truth)
    return record


def _confidence_as_json(confidence: Confidence) -> dict[str, Any]:
    """Probabilities of all pairs, the likely graph, and what else is known of them."""
    told = confidence.to_dict()
    return {
        "confidence": told.pop("pairs"),
        "likely_graph": _edges_as_json(confidence.graph()),
        "confidence_details": told,
    }


def _metrics(graph: Graph, truth: Any) -> dict[str, float | int | None] | None:
    """Metrics of a graph; None if it is not acyclic."""
    return None if isinstance(graph, CyclicGraph) else compare(graph, truth)


def certificate_as_json(certificate: Certificate) -> dict[str, Any]:
    """A certificate in types that JSON has: what is not known is null."""
    record = {**asdict(certificate), "optimum": certificate.optimum, "gap": certificate.gap}
    record = {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in record.items()
    }
    return {**record, "ways": list(certificate.ways), "is_optimal": certificate.is_optimal}


def _edges_as_json(graph: Graph) -> dict[str, Any]:
    return {
        "edges": [list(edge) for edge in graph.directed_edges],
        "undirected_edges": [list(pair) for pair in graph.undirected_edges],
    }


def _evidence(model: DagEstimator) -> dict[str, list[list[Any]]]:
    """What pruning was decided by: [cause, effect, value] of each constructed edge."""
    if model.evidence_ is None:
        return {}
    key = "p_values" if model.evidence_.measure == "p-value" else "coefficients"
    return {key: [[*edge, value] for edge, value in model.evidence_.by_edge().items()]}
