"""What a search found, as text for a terminal and as one JSON object."""

from __future__ import annotations

import math
import re
from dataclasses import asdict
from typing import Any

from dagsearch._version import __version__
from dagsearch.confidence import Confidence
from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.data import Dataset
from dagsearch.estimators import Certificate, DagEstimator, ExactSearch
from dagsearch.estimators.result import Graph
from dagsearch.graph import DAG, CyclicGraph
from dagsearch.metrics import classify, compare
from dagsearch.report.directions import open_edges

_EARLY = {
    "time-limit": "The time limit was reached: this is the best graph so far.",
    "interrupted": "Interrupted: this is the best graph so far.",
}
_NOT_ACYCLIC = "NOT ACYCLIC: this graph is no answer to the question of what causes what."
_UNDEFINED = "\u00d7"  # as the paper marks the metrics of a graph that is not acyclic
_METRICS = (("TPR", "tpr"), ("FDR", "fdr"), ("SHD", "shd"), ("precision", "precision"), ("F1", "f1"))


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
    if model.confidence_ is not None:
        record.update(_confidence_as_json(model.confidence_))
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


def as_text(model: DagEstimator, data: Dataset, data_name: str, certificate: Certificate | None = None) -> str:
    """The graph, its reward and, where the truth is known, the comparison."""
    result = model.result_
    pruned = model.evidence_ is not None
    lines = [
        f"{result.method} on {data_name}: {data.n_samples} rows, {data.n_nodes} variables",
        *map(_in_words_of_the_command, result.notes),
        "",
    ]
    if result.status in _EARLY:
        lines += [_EARLY[result.status], ""]
    if isinstance(model.dag_, CyclicGraph):
        lines += [_NOT_ACYCLIC, ""]
    lines += [f"Constructed graph, {result.n_edges} edges{_what_is_shown(model)}:", _listed(model.dag_, model), ""]
    if pruned:
        heading = f"After pruning ({_rule(model)}), {model.pruned_dag_.n_edges} edges:"
        lines += [heading, _listed(model.pruned_dag_, model), ""]
    lines += _on_directions(model)
    if model.confidence_ is not None:
        lines += ["How sure, by " + str(model.confidence_), ""]
    lines.append(f"{_reward(model)}, {_effort(model)}")
    if certificate is not None:
        lines.append(str(certificate))
    if isinstance(model, ExactSearch) and model.n_best > 1 and model.best_graphs_:
        lines += ["", *_ranking(model)]
    if data.truth is not None:
        lines += ["", comparison_table(_compared(model, pruned), data.truth)]
    return "\n".join(lines)


def _in_words_of_the_command(note: str) -> str:
    """A note that names values of ``confidence``, naming its option instead."""
    return re.sub(r"confidence='(\w+)'", r"--confidence \1", note)


def _on_directions(model: DagEstimator) -> list[str]:
    """How many directions the data decide, if a graph is shown that decides more."""
    n_open = len(open_edges(model))
    if n_open == 0 or not isinstance(model.dag_, DAG):
        return []
    n_edges = model.dag_.n_edges
    n_decided = f"{n_edges - n_open} of {n_edges} directions"
    if model.confidence_ is not None:
        share = f"more than {SURE_DIRECTION:.0%} of the probability of the edge"
        said = f"Sure are {n_decided}, with {share}: edges with a ? may point the other way."
    else:
        said = f"The data decide {n_decided} by this score: edges with a ? may as well point the other way."
    return [said, ""]


def _ranking(model: ExactSearch) -> list[str]:
    """The best graphs in order, and how each differs from the first."""
    n_found = f"{len(model.best_graphs_)} best graphs" if len(model.best_graphs_) > 1 else "best graph"
    lines = [f"The {n_found}, by their difference from the first:"]
    first = set(model.best_graphs_[0].dag.edges)
    for number, each in enumerate(model.best_graphs_, start=1):
        edges = set(each.dag.edges)
        changes = [f"+{cause}->{effect}" for cause, effect in sorted(edges - first)]
        changes += [f"-{cause}->{effect}" for cause, effect in sorted(first - edges)]
        lines.append(f"{number:>4}  {each.reward:.6f}  {len(edges):>3} edges  {' '.join(changes)}".rstrip())
    return lines


def _reward(model: DagEstimator) -> str:
    """The reward and the score that gave it."""
    result = model.result_
    value = f"{result.reward:.6f}" if not math.isnan(result.reward) else _UNDEFINED
    return f"reward {value} ({result.settings['score']})"


def comparison_table(found: dict[str, Graph], truth: Any) -> str:
    """Metrics of graphs by their labels, one row each."""
    width = max(len(label) for label in (*found, "against the true graph"))
    header = "".join(f"{title:>11}" for title, _ in _METRICS)
    rows = [f"{'against the true graph':<{width}}{header}"]
    for label, graph in found.items():
        rows.append(f"{label:<{width}}{''.join(f'{cell:>11}' for cell in metric_cells(graph, truth))}")
    return "\n".join(rows)


def metric_cells(graph: Graph, truth: Any) -> list[str]:
    """TPR, FDR, SHD, precision and F1 as text."""
    if isinstance(graph, CyclicGraph):
        return [_UNDEFINED] * len(_METRICS)
    metrics = classify(graph, truth).metrics()
    return [str(metrics[key]) if key == "shd" else f"{metrics[key]:.3f}" for _, key in _METRICS]


def _compared(model: DagEstimator, pruned: bool) -> dict[str, Graph]:
    graphs: dict[str, Graph] = {"constructed": model.dag_}
    return {**graphs, "pruned": model.pruned_dag_} if pruned else graphs


def _effort(model: DagEstimator) -> str:
    """Time, simulations, evaluations and seed in a few words."""
    result = model.result_
    parts = [f"{result.seconds:.1f} s"]
    if result.n_simulations:
        parts.append(f"{result.n_simulations:,} simulations")
    parts += [f"{result.n_score_evaluations:,} score evaluations", f"seed {result.seed}"]
    return ", ".join(parts)


def _evidence(model: DagEstimator) -> dict[str, list[list[Any]]]:
    """What pruning was decided by: [cause, effect, value] of each constructed edge."""
    if model.evidence_ is None:
        return {}
    key = "p_values" if model.evidence_.measure == "p-value" else "coefficients"
    return {key: [[*edge, value] for edge, value in model.evidence_.by_edge().items()]}


def _rule(model: DagEstimator) -> str:
    """The pruning method and the limit below or above which an edge stays."""
    method, evidence = model.result_.settings["prune"], model.evidence_
    if evidence is None:
        return str(method)
    return f"{method}, {'p <' if evidence.measure == 'p-value' else '|coefficient| >'} {evidence.limit:g}"


def _what_is_shown(model: DagEstimator) -> str:
    """What the numbers behind causes are."""
    if model.evidence_ is None:
        return ""
    return ", p-values" if model.evidence_.measure == "p-value" else ", largest coefficients"


def _number(value: float) -> str:
    """A p-value or coefficient in few characters."""
    return f"{value:.2g}" if value > 0.0 else "< 1e-300"


def _listed(dag: Graph, model: DagEstimator) -> str:
    """Each variable with its causes, and what the data say of them where that is known; then undirected edges.

    Undirected edges have a number for each direction, the one that is written first.
    """
    known = {} if model.evidence_ is None else model.evidence_.by_edge()
    is_open = {frozenset(pair) for pair in open_edges(model)}

    def cause(name: str, effect: str) -> str:
        value = known.get((name, effect))
        marked = f"{name}?" if frozenset((name, effect)) in is_open else name
        return marked if value is None else f"{marked} ({_number(value)})"

    lines = []
    for effect in dag.names:
        causes = ", ".join(cause(name, effect) for name in dag.parents(effect))
        lines.append(f"  {effect} <- {causes}" if causes else f"  {effect}")
    for first, second in dag.undirected_edges:
        values = [known[pair] for pair in ((first, second), (second, first)) if pair in known]
        lines.append(f"  {first} -- {second}" + (f" ({', '.join(map(_number, values))})" if values else ""))
    return "\n".join(lines)
