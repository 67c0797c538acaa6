"""Graphs beside the true one, as a table or, in a narrow terminal, as lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dagsearch.estimators.result import Graph
from dagsearch.graph import CyclicGraph
from dagsearch.metrics import classify

UNDEFINED = "\u00d7"  # as the paper marks the metrics of a graph that is not acyclic
METRICS = (("TPR", "tpr"), ("FDR", "fdr"), ("SHD", "shd"), ("precision", "precision"), ("F1", "f1"))

_HEADING = "against the true graph"


def comparison_table(found: Mapping[str, Graph], truth: Any) -> str:
    """Metrics of graphs by their labels, one row each."""
    width = max(len(label) for label in (*found, _HEADING))
    header = "".join(f"{title:>11}" for title, _ in METRICS)
    rows = [f"{_HEADING:<{width}}{header}"]
    for label, graph in found.items():
        rows.append(f"{label:<{width}}{''.join(f'{cell:>11}' for cell in metric_cells(graph, truth))}")
    return "\n".join(rows)


def comparison(found: Mapping[str, Graph], truth: Any, width: int | None) -> list[str]:
    """The table, or where it is too wide a line for each graph."""
    table = comparison_table(found, truth).split("\n")
    if width is None or len(table[0]) <= width:
        return table
    lines = [f"{_HEADING}:"]
    for label, graph in found.items():
        cells = zip(METRICS, metric_cells(graph, truth), strict=True)
        lines.append(f"  {label}: {', '.join(f'{title} {cell}' for (title, _), cell in cells)}")
    return lines


def metric_cells(graph: Graph, truth: Any) -> list[str]:
    """TPR, FDR, SHD, precision and F1 as text."""
    if isinstance(graph, CyclicGraph):
        return [UNDEFINED] * len(METRICS)
    metrics = classify(graph, truth).metrics()
    return [str(metrics[key]) if key == "shd" else f"{metrics[key]:.3f}" for _, key in METRICS]
