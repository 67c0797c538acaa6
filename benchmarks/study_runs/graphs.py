"""A graph that was found: one of its measures, and its text in a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def skeleton_f1(metrics: Mapping[str, Any]) -> float:
    """F1 of the adjacencies, whatever their directions, from what `dagsearch.metrics.compare` counted."""
    n_adjacent_in_both = metrics["n_right"] + metrics["n_reversed"]
    return 2 * n_adjacent_in_both / max(metrics["n_edges"] + metrics["n_true_edges"], 1)


def edges_in_text(graph: Any) -> str:
    """Edges of a graph by the positions of its nodes: ``"cause>effect"``, or ``"one-other"`` for an undirected one."""
    position = {name: k for k, name in enumerate(graph.names)}
    directed = [f"{position[cause]}>{position[effect]}" for cause, effect in graph.directed_edges]
    undirected = [f"{position[one]}-{position[other]}" for one, other in graph.undirected_edges]
    return " ".join(directed + undirected)
