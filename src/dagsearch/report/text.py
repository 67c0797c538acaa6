"""What a search found, as text for a terminal and as one JSON object."""

from __future__ import annotations

from typing import Any

from dagsearch._version import __version__
from dagsearch.data import Dataset
from dagsearch.estimators import DagEstimator
from dagsearch.graph import DAG
from dagsearch.metrics import compare

_EARLY = {
    "time-limit": "The time limit was reached: this is the best graph so far.",
    "interrupted": "Interrupted: this is the best graph so far.",
}
_METRICS = (("TPR", "tpr"), ("FDR", "fdr"), ("SHD", "shd"), ("precision", "precision"), ("F1", "f1"))


def as_json(model: DagEstimator, data: Dataset, data_name: str) -> dict[str, Any]:
    """Everything about a fit, in types that JSON has."""
    result = model.result_
    record: dict[str, Any] = {
        "method": result.method,
        "data": data_name,
        "names": list(data.names),
        "edges": [list(edge) for edge in result.edges],
        "pruned_edges": [list(edge) for edge in result.pruned_edges],
        "n_edges": result.n_edges,
        "n_pruned_edges": len(result.pruned_edges),
        "reward": result.reward,
        "score": result.settings["score"],
        "seconds": result.seconds,
        "seed": result.seed,
        "status": result.status,
        "n_simulations": result.n_simulations,
        "n_calibration_simulations": result.n_calibration_simulations,
        "n_score_evaluations": result.n_score_evaluations,
        "settings": result.settings,
        "notes": list(result.notes),
        "version": __version__,
    }
    if data.truth is not None:
        record["metrics"] = compare(model.dag_, data.truth)
        record["pruned_metrics"] = compare(model.pruned_dag_, data.truth)
    return record


def as_text(model: DagEstimator, data: Dataset, data_name: str) -> str:
    """The graph, its reward and, where the truth is known, the comparison."""
    result = model.result_
    pruned = result.settings["prune"] != "none"
    lines = [
        f"{result.method} on {data_name}: {data.n_samples} rows, {data.n_nodes} variables",
        *result.notes,
        "",
    ]
    if result.status in _EARLY:
        lines += [_EARLY[result.status], ""]
    lines += [f"Constructed graph, {result.n_edges} edges:", _indented(model.dag_), ""]
    if pruned:
        heading = f"After pruning ({result.settings['prune']}), {len(result.pruned_edges)} edges:"
        lines += [heading, _indented(model.pruned_dag_), ""]
    lines.append(f"reward {result.reward:.6f} ({result.settings['score']}), {_effort(model)}")
    if data.truth is not None:
        lines += ["", comparison_table(_compared(model, pruned), data.truth)]
    return "\n".join(lines)


def comparison_table(found: dict[str, DAG], truth: Any) -> str:
    """Metrics of graphs by their labels, one row each."""
    width = max(len(label) for label in (*found, "against the true graph"))
    header = "".join(f"{title:>11}" for title, _ in _METRICS)
    rows = [f"{'against the true graph':<{width}}{header}"]
    for label, graph in found.items():
        metrics = compare(graph, truth)
        cells = (f"{metrics[key]:>11d}" if key == "shd" else f"{metrics[key]:>11.3f}" for _, key in _METRICS)
        rows.append(f"{label:<{width}}{''.join(cells)}")
    return "\n".join(rows)


def _compared(model: DagEstimator, pruned: bool) -> dict[str, DAG]:
    graphs = {"constructed": model.dag_}
    return {**graphs, "pruned": model.pruned_dag_} if pruned else graphs


def _effort(model: DagEstimator) -> str:
    """Time, simulations, evaluations and seed in a few words."""
    result = model.result_
    parts = [f"{result.seconds:.1f} s"]
    if result.n_simulations:
        parts.append(f"{result.n_simulations:,} simulations")
    parts += [f"{result.n_score_evaluations:,} score evaluations", f"seed {result.seed}"]
    return ", ".join(parts)


def _indented(dag: DAG) -> str:
    return "\n".join(f"  {line}" for line in str(dag).splitlines())
