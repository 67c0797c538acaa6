"""Graphs that ``dagsearch compare`` is given."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dagsearch.cli.files import some
from dagsearch.errors import InputError, as_place

if TYPE_CHECKING:
    from dagsearch.graph.focus import Focus
    from dagsearch.graph.reading import GraphFile


def graphs_of(found: Path, truth: Path) -> tuple[Any, Any]:
    """Two graphs from files, or the true ones of data sets; one without names as a matrix, which has a size.

    Raises
    ------
    InputError
        If they share no name, unless one has none and the other one lists as many nodes.
    """
    true, ours = _read(truth), _read(found)
    for path, side, other in ((found, ours, true), (truth, true, ours)):
        if not _fits(side, other):
            raise InputError(
                f"{as_place(path)}: its nodes must be those of the other graph, but they share no name: it has "
                f"{_nodes(side)}; the other one has {_nodes(other)}"
            )
    return _matchable(ours, true), _matchable(true, ours)


def _read(path: Path) -> GraphFile:
    from dagsearch import datasets  # noqa: PLC0415
    from dagsearch.graph.reading import GraphFile, read_graph_file  # noqa: PLC0415

    if path.suffix or os.path.exists(path):
        return read_graph_file(path)
    truth = datasets.load(str(path)).truth
    if truth is None:
        raise InputError(f"{as_place(path)}: the true graph of this data set is not known")
    return GraphFile(truth)


def _fits(side: GraphFile, other: GraphFile) -> bool:
    """Whether the nodes of a graph that has names can be those of another one."""
    if not side.has_names or not side.graph.names or not other.graph.names:
        return True
    if other.has_names:
        return bool(set(side.graph.names) & set(other.graph.names))
    # The order in which edges name nodes is no order.
    return side.has_order or set(side.graph.names) <= set(other.graph.names)


def _matchable(side: GraphFile, other: GraphFile) -> Any:
    """A graph as metrics take it: a matrix if its nodes are numbers, which names such as x0 may give."""
    from dagsearch.metrics.matching import spread  # noqa: PLC0415

    if side.has_names and (other.has_names or side.has_order):
        return side.graph
    return side.graph.adjacency if not side.has_names else spread(side.graph, other.graph.names)


def _nodes(side: GraphFile) -> str:
    if not side.has_names:
        return f"{side.graph.n_nodes} without names"
    return some(side.graph.names)


def labels_of(found: Path, truth: Path) -> tuple[str, str]:
    """What two graphs are called: their files, with folders where the names alone are the same."""
    return (found.name, truth.name) if found.name != truth.name else (str(found), str(truth))


def note_on_nodes(found: Any, truth: Any) -> None:
    """Say which nodes only one of the graphs has: lists of edges lack isolated ones, others may be different names."""
    from dagsearch.graph import as_graph  # noqa: PLC0415

    graphs = {"FOUND": as_graph(found), "TRUTH": as_graph(truth)}
    if not set(graphs["FOUND"].names) & set(graphs["TRUTH"].names):
        return  # matched by position
    for (name, graph), other in zip(graphs.items(), reversed(graphs.values()), strict=True):
        lacking = [node for node in other.names if node not in graph.names]
        if lacking and graph.names:
            click.echo(f"note: {name} lacks {some(lacking)}: taken as nodes without edges", err=True)


def judged_edges(found: Any, truth: Any, focus: Focus) -> list[str]:
    """The edges of both graphs near some variables, each with its verdict, below a line that counts them."""
    from dagsearch.graph import as_graph  # noqa: PLC0415
    from dagsearch.report.sketch import sketch  # noqa: PLC0415

    drawn = sketch(as_graph(found), truth=truth, focus=focus)
    edges = [
        (f"{stroke.cause} {'->' if stroke.directed else '--'} {stroke.effect}", stroke.kind) for stroke in drawn.strokes
    ]
    widest = max((len(edge) for edge, _ in edges), default=0)
    return ["", str(drawn.left_out), *(f"  {edge:<{widest}}  {verdict}" for edge, verdict in edges)]
