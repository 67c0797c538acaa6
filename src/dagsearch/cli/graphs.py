"""Graphs that ``dagsearch compare`` is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

_MOST_NAMED = 8


def graph_of(path: Path) -> Any:
    """A graph from a file, or the true one of a data set; a matrix without names as a matrix, which has a size."""
    from dagsearch import datasets  # noqa: PLC0415
    from dagsearch.graph import read_graph  # noqa: PLC0415

    if not path.suffix and not path.exists():
        return datasets.load(str(path)).truth
    graph = read_graph(path)
    return graph.adjacency if path.suffix.lower() == ".npy" else graph


def note_on_nodes(found: Any, truth: Any) -> None:
    """Say which nodes only one of the graphs has: lists of edges lack isolated ones, others may be different names."""
    from dagsearch.graph import as_graph  # noqa: PLC0415

    graphs = {"FOUND": as_graph(found), "TRUTH": as_graph(truth)}
    if not set(graphs["FOUND"].names) & set(graphs["TRUTH"].names):
        return  # matched by position
    for (name, graph), other in zip(graphs.items(), reversed(graphs.values()), strict=True):
        lacking = [node for node in other.names if node not in graph.names]
        if lacking and graph.names:
            more = f" and {len(lacking) - _MOST_NAMED} more" if len(lacking) > _MOST_NAMED else ""
            click.echo(
                f"note: {name} lacks {', '.join(lacking[:_MOST_NAMED])}{more}: taken as nodes without edges", err=True
            )
