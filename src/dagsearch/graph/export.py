"""Graphs as text, and graphs read back from files.

Edge lists (CSV) have no place for isolated nodes; GraphML, JSON with names and .npy keep them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import ParseError

import numpy as np

from dagsearch.errors import DataError, InputError
from dagsearch.graph.convert import as_graph
from dagsearch.graph.cyclic import CyclicGraph
from dagsearch.graph.dag import DAG
from dagsearch.graph.dot import to_dot
from dagsearch.graph.marks import UNMARKED, Marks
from dagsearch.graph.pdag import PDAG

__all__ = ["from_file", "to_dot", "to_edge_csv", "to_graphml"]

_COLUMNS_OF_MARKS = ("open", "adjacent", "forward", "backward", "coefficient", "standardised", "p_value")


def to_graphml(graph: DAG | PDAG | CyclicGraph, marks: Marks | None = None) -> str:
    """Return a graph as GraphML.

    Parameters
    ----------
    graph
        A DAG, a PDAG or a CyclicGraph. Each edge of a PDAG is written once, with its type, directed or undirected. So
        are the types of a CyclicGraph, lest edges both ways are read as an undirected one.
    marks
        How sure edges are and their effects, if that is known: attributes open (true or false), adjacent, forward,
        backward, coefficient, standardised and p_value. The graph that is read back is the same with and without them.
    """
    import networkx as nx  # noqa: PLC0415

    plain = nx.DiGraph()
    plain.add_nodes_from(graph.names)
    plain.add_edges_from(graph.directed_edges)
    if not isinstance(graph, DAG):
        nx.set_edge_attributes(plain, "directed", name="type")
        plain.add_edges_from(graph.undirected_edges, type="undirected")
    nx.set_edge_attributes(plain, {edge: mark.known() for edge, mark in (marks or {}).items()})
    return "\n".join(nx.generate_graphml(plain)) + "\n"


def to_edge_csv(graph: DAG | PDAG | CyclicGraph, marks: Marks | None = None) -> str:
    """Return the edges as CSV with the columns cause and effect, and for a PDAG also type.

    Parameters
    ----------
    graph
        A DAG, a PDAG or a CyclicGraph; its isolated nodes do not appear.
    marks
        How sure edges are and their effects; what is known has further columns: open (yes or no), adjacent, forward,
        backward, coefficient, standardised and p_value. The graph that is read back is the same with and without them.
    """
    rows = [_row(*edge, "directed", marks) for edge in graph.directed_edges]
    rows += [_row(*edge, "undirected", marks) for edge in graph.undirected_edges]
    columns = ["cause", "effect", *(["type"] if isinstance(graph, PDAG) else [])]
    columns += [name for name in _COLUMNS_OF_MARKS if any(name in row for row in rows)]
    text = io.StringIO()
    table = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def _row(cause: str, effect: str, kind: str, marks: Marks | None) -> dict[str, str]:
    """What a table of edges says of one of them."""
    mark = (marks or {}).get((cause, effect), UNMARKED)
    cells = mark.known_as_text()
    if mark.is_open is not None:
        cells["open"] = "yes" if mark.is_open else "no"
    return {"cause": cause, "effect": effect, "type": kind, **cells}


def from_file(path: str | Path) -> DAG | PDAG:
    """Read a graph from a file; the suffix says how.

    Parameters
    ----------
    path
        ``.csv``: edges, with a header that names the columns cause, effect and optionally type (directed or
        undirected). ``.graphml``. ``.npy``: an adjacency matrix. ``.json``: a list of pairs, or an object
        with ``edges`` and optionally ``undirected_edges`` and ``names`` (or ``nodes``).

    Raises
    ------
    DataError
        Where the file is missing, unreadable, of another kind, or does not hold a graph.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"cannot read a graph from {path}: its suffix must be one of {', '.join(_READERS)}")
    try:
        return reader(path)
    except FileNotFoundError as error:
        raise DataError(f"cannot read a graph from {path}: there is no such file") from error
    except (OSError, EOFError, ValueError, TypeError, ParseError, csv.Error) as error:
        raise DataError(f"cannot read a graph from {path}: {error}") from error


def _read_csv(path: Path) -> DAG | PDAG:
    """Read an edge list with a header."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file, skipinitialspace=True)
        columns = list(table.fieldnames or [])
        if not {"cause", "effect"} <= set(columns):
            raise InputError(f"its header must name the columns cause and effect, got {', '.join(columns)}")
        edges = [(row["cause"], row["effect"], row.get("type", "directed")) for row in table]
    if any(None in edge or "" in edge for edge in edges):
        raise InputError("every row must have a cause and an effect")
    return _from_typed_edges(edges, names=None, mixed="type" in columns)


def _read_graphml(path: Path) -> DAG | PDAG:
    """Read GraphML; the attribute type tells undirected edges, and so do edges both ways."""
    import networkx as nx  # noqa: PLC0415

    try:
        graph = nx.read_graphml(path)
    except nx.NetworkXException as error:
        raise InputError(str(error)) from error
    types = nx.get_edge_attributes(graph, "type")
    if not types:
        return as_graph(graph)
    return _from_typed_edges([(*edge, types.get(edge, "directed")) for edge in graph.edges], list(graph), mixed=True)


def _from_typed_edges(edges: list[tuple[str, str, str]], names: list[str] | None, *, mixed: bool) -> DAG | PDAG:
    """Build a PDAG from edges with a type where the file can hold both types, otherwise a DAG."""
    unknown = {kind for _, _, kind in edges} - {"directed", "undirected"}
    if unknown:
        raise InputError(f"an edge's type must be directed or undirected, got {', '.join(sorted(unknown))}")
    if not mixed:
        return DAG.from_edges([(cause, effect) for cause, effect, _ in edges], names)
    arrows = [(cause, effect) for cause, effect, kind in edges if kind == "directed"]
    lines = [(first, second) for first, second, kind in edges if kind == "undirected"]
    return PDAG.from_edges(arrows, lines, names)


def _read_json(path: Path) -> DAG | PDAG:
    """Read a list of pairs, or an object with edges and optionally names."""
    content = json.loads(path.read_text(encoding="utf-8-sig"))
    if isinstance(content, list):
        return DAG.from_edges(content)
    if not isinstance(content, dict) or "edges" not in content:
        raise InputError('it must hold a list of pairs or an object with the key "edges"')
    names = content.get("names", content.get("nodes"))
    if "undirected_edges" in content:
        return PDAG.from_edges(content["edges"], content["undirected_edges"], names)
    return DAG.from_edges(content["edges"], names)


def _read_npy(path: Path) -> DAG | PDAG:
    """Read an adjacency matrix."""
    return as_graph(np.load(path, allow_pickle=False))


_READERS: dict[str, Callable[[Path], DAG | PDAG]] = {
    ".csv": _read_csv,
    ".graphml": _read_graphml,
    ".npy": _read_npy,
    ".json": _read_json,
}
