"""Graphs read back from files: all that we write, and what is simple in other programs' formats.

Edge lists have no place for isolated nodes; all other formats keep them.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from dagsearch import contents
from dagsearch._npy import array_from_npy
from dagsearch.errors import DataError, InputError, as_named, as_place, in_brief
from dagsearch.graph.convert import as_graph
from dagsearch.graph.dag import DAG
from dagsearch.graph.dot_reading import parse_dot
from dagsearch.graph.pdag import PDAG
from dagsearch.graph.stand_ins import exact_names

TypedEdge = tuple[str, str, str]
"""Cause, effect, and "directed" or "undirected"."""

_LONGEST = 1_000  # of a message


class GraphFile(NamedTuple):
    """A graph from a file, and how far the file tells which node is which."""

    graph: DAG | PDAG
    has_names: bool = True  # rather than positions alone
    has_order: bool = True  # nodes are listed, so that their order means something; not only the ends of edges


def read_graph(path: str | Path) -> DAG | PDAG:
    """Read a graph from a file; the suffix says how.

    Parameters
    ----------
    path
        - ``.csv``, ``.tsv``: edges, with a header that names the columns cause, effect and optionally type (directed
          or undirected), whatever others there are; or a matrix of zeros and ones with the names as header, and maybe
          once more as first column.
        - ``.graphml``.
        - ``.dot``, ``.gv``: nodes and edges; edges with ``dir=none`` are undirected. Files of ours draw edges whose
          direction is open in this way, too.
        - ``.json``: a list of pairs, or an object with ``edges`` and optionally ``undirected_edges`` and ``names`` (or
          ``nodes``), such as the result of ``dagsearch discover --json``: that is the constructed graph, which is also
          in ``graph.csv``, not the pruned one.
        - ``.txt``: as Tetrad writes graphs.
        - ``.npy``: a matrix of zeros and ones, without names.

    Returns
    -------
    DAG or PDAG
        A `PDAG` where edges are undirected, or where the file has a place for such edges.

    Raises
    ------
    DataError
        Where the file is missing, unreadable, of another kind, or does not hold a graph.
    """
    return read_graph_file(path).graph


def read_graph_file(path: str | Path) -> GraphFile:
    """Read a graph as `read_graph` does, and tell whether the file names its nodes, and lists them."""
    if not isinstance(path, str | Path):
        raise InputError(f"path must be that of a file, got {in_brief(repr(path))}")
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"cannot read a graph from {as_place(path)}: its suffix must be one of {', '.join(_READERS)}")
    try:
        return reader(contents.of(path))
    except FileNotFoundError as error:
        raise DataError(f"cannot read a graph from {as_place(path)}: there is no such file") from error
    except OSError as error:
        raise DataError(f"cannot read a graph from {as_place(path)}: {error.strerror or error}") from error
    except RecursionError as error:
        raise DataError(f"cannot read a graph from {as_place(path)}: its parts are nested too deeply") from error
    except UnicodeDecodeError as error:
        raise DataError(f"cannot read a graph from {as_place(path)}: it is not a text in UTF-8") from error
    except (ValueError, TypeError, csv.Error) as error:
        raise DataError(f"cannot read a graph from {as_place(path)}: {in_brief(error, _LONGEST)}") from error


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig")


# ---------------------------------------------------------------- tables


def _read_table(content: bytes, separators: str) -> GraphFile:
    """Read a list of edges, or a matrix."""
    text = _text(content)
    separator = next((mark for mark in separators if len(_header(text, mark)) > 1), separators[0])
    # Names may start with a space, which is kept unless the header shows that a space belongs to the separator.
    spaced = any(name.startswith(" ") for name in _header(text, separator))
    rows = [row for row in csv.reader(io.StringIO(text, ""), delimiter=separator, skipinitialspace=spaced) if row]
    header = rows[0] if rows else []
    if {"cause", "effect"} <= set(header):
        return _from_rows(header, rows[1:])
    if len(rows) > 1 and len(rows) - 1 in (len(header), len(header) - 1) and all(_is_cell(row[-1]) for row in rows[1:]):
        return GraphFile(_from_matrix(header, rows[1:]))
    shown = ", ".join(map(as_named, header))[:200] or "nothing"
    raise InputError(
        f"its header must name the columns cause and effect, got {shown}; "
        "or the file must hold a square matrix with the names of the nodes as header"
    )


def _is_cell(text: str) -> bool:
    """Whether a text is a number, as in a matrix."""
    return re.fullmatch(r"\s*-?[\d.]+\s*", text) is not None


def _header(text: str, separator: str) -> list[str]:
    return next(csv.reader(io.StringIO(text, ""), delimiter=separator), [])


def _from_rows(header: list[str], rows: list[list[str]]) -> GraphFile:
    """Read the columns cause, effect and type."""
    cause, effect = header.index("cause"), header.index("effect")
    kind = header.index("type") if "type" in header else None
    for number, row in enumerate(rows, start=1):
        if len(row) <= max(cause, effect, kind or 0) or "" in (row[cause], row[effect]):
            raise InputError(f"every row must have a cause and an effect, row {number} has not")
        if len(row) > len(header):
            raise InputError(f"row {number} has {len(row)} entries, the header has {len(header)} names")
    edges = [(row[cause], row[effect], "directed" if kind is None else row[kind]) for row in rows]
    return _from_typed_edges(edges, names=None, mixed=kind is not None)


def _from_matrix(header: list[str], rows: list[list[str]]) -> DAG | PDAG:
    """Read a square of zeros and ones; where there is a column more, it names the rows."""
    if all(len(row) == len(rows) + 1 for row in rows):
        names = header[-len(rows) :]
        if [row[0] for row in rows] != names:
            raise InputError("the rows of the matrix must have the names of its columns, in the same order")
        rows = [row[1:] for row in rows]
    else:
        names = header
    if len(names) != len(rows) or any(len(row) != len(rows) for row in rows):
        raise InputError(f"the matrix must be square, got {len(rows)} rows below {len(header)} names")
    try:
        matrix = np.array([[float(cell) for cell in row] for row in rows])
    except ValueError as error:
        raise InputError(f"the matrix must hold only 0 and 1: {error}") from error
    return as_graph(matrix, names)


def _from_typed_edges(edges: list[TypedEdge], names: list[str] | None, *, mixed: bool) -> GraphFile:
    """Build a PDAG from edges with a type where the file can hold both types, otherwise a DAG."""
    has_order = names is not None
    unknown = {kind for _, _, kind in edges} - {"directed", "undirected"}
    if unknown:
        raise InputError(
            f"an edge's type must be directed or undirected, got {', '.join(map(as_named, sorted(unknown)))[:80]}"
        )
    if not mixed:
        return GraphFile(DAG.from_edges([(cause, effect) for cause, effect, _ in edges], names), has_order=has_order)
    arrows = [(cause, effect) for cause, effect, kind in edges if kind == "directed"]
    lines = [(first, second) for first, second, kind in edges if kind == "undirected"]
    return GraphFile(PDAG.from_edges(arrows, lines, names), has_order=has_order)


# ---------------------------------------------------------------- other formats


def _read_graphml(content: bytes) -> GraphFile:
    """Read GraphML; the attribute type tells undirected edges, and so do edges both ways."""
    import networkx as nx  # noqa: PLC0415

    try:
        _require_declared(ElementTree.fromstring(content))
        graph = nx.read_graphml(io.BytesIO(content))
    except (nx.NetworkXException, ElementTree.ParseError, LookupError, AttributeError, StopIteration) as error:
        raise InputError(f"it is no GraphML ({in_brief(error)})") from error
    if graph.is_multigraph():
        raise InputError("nodes must be joined by one edge at most, some are joined by several")
    graph = nx.relabel_nodes(graph, exact_names(graph.nodes))
    types = nx.get_edge_attributes(graph, "type")
    if not types:
        return GraphFile(as_graph(graph))
    return _from_typed_edges([(*edge, types.get(edge, "directed")) for edge in graph.edges], list(graph), mixed=True)


def _require_declared(root: ElementTree.Element) -> None:
    """Refuse what networkx makes nodes of: ends of edges that are no node of the file, and nodes without an id."""
    found: dict[str, list[ElementTree.Element]] = {"node": [], "edge": []}
    for element in root.iter():
        found.get(element.tag.rpartition("}")[2], []).append(element)
    ids = [node.get("id") for node in found["node"]]
    known = set(ids)
    if None in known or len(known) < len(ids):
        raise InputError("every node must have an id of its own")
    for edge in found["edge"]:
        for end in ("source", "target"):
            if edge.get(end) not in known:
                raise InputError(f"every edge must have a source and a target, got {end}={edge.get(end)!r}")


def _read_json(content: bytes) -> GraphFile:
    """Read a list of pairs, or an object with edges and optionally names."""
    found = json.loads(_text(content))
    if isinstance(found, list):
        pairs = _checked_pairs(found)
        return GraphFile(DAG.from_edges(pairs), has_names=_has_names(pairs), has_order=False)
    if not isinstance(found, dict) or "edges" not in found:
        raise InputError('it must hold a list of pairs or an object with the key "edges"')
    names = _checked_names(found.get("names", found.get("nodes")))
    arrows, lines = _checked_pairs(found["edges"]), _checked_pairs(found.get("undirected_edges", []))
    told = {"has_names": names is not None or _has_names(arrows + lines), "has_order": names is not None}
    # A result of discover lists undirected edges even where its graph is a DAG, which has none.
    is_result_without = "pruned_edges" in found and not lines
    if "undirected_edges" in found and not is_result_without:
        return GraphFile(PDAG.from_edges(arrows, lines, names), **told)
    return GraphFile(DAG.from_edges(arrows, names), **told)


def _checked_names(names: Any) -> list[str] | None:
    """Refuse names that are no text: a number in an edge is a position."""
    if names is not None and (not isinstance(names, list) or not all(isinstance(name, str) for name in names)):
        raise InputError(f"names must be a list of texts, got {str(names)[:80]}")
    return names


def _has_names(pairs: list[Any]) -> bool:
    """Whether pairs go by names rather than by positions."""
    return not any(isinstance(node, int) for pair in pairs for node in pair)


def _checked_pairs(edges: Any) -> list[Any]:
    """Refuse nodes that are neither names nor positions."""
    if not isinstance(edges, list):
        raise InputError(f"edges must be a list of pairs, got {type(edges).__name__}")
    for edge in edges:
        if not isinstance(edge, list) or not all(type(node) in (str, int) for node in edge):
            raise InputError(f"edges must be pairs of names, got {str(edge)[:80]}")
    return edges


def _read_npy(content: bytes) -> GraphFile:
    """Read an adjacency matrix."""
    return GraphFile(as_graph(array_from_npy(content)), has_names=False)


def _read_dot(content: bytes) -> GraphFile:
    """Read Graphviz source."""
    names, edges = parse_dot(_text(content))
    read = _from_typed_edges(edges, names, mixed=any(kind == "undirected" for _, _, kind in edges))
    return read._replace(has_order=False)  # nodes may be named by the edges alone


_TETRAD_EDGE = re.compile(r"\d+\.\s+(?P<first>.+?)\s+(?P<mark>[<o-]-[>o-])\s+(?P<second>.+?)(\s+(dd|pd|nl|pl)\b.*)?")
_TETRAD_KINDS = {"-->": "directed", "<--": "directed", "---": "undirected"}


def _read_tetrad(content: bytes) -> GraphFile:
    """Read ``Graph Nodes:`` and ``Graph Edges:`` as Tetrad writes them."""
    lines = [line.strip() for line in _text(content).splitlines()]
    if "Graph Nodes:" not in lines or "Graph Edges:" not in lines:
        raise InputError("a .txt file must hold a graph as Tetrad writes it, with Graph Nodes: and Graph Edges:")
    start, end = lines.index("Graph Nodes:"), lines.index("Graph Edges:")
    names = [name for line in lines[start + 1 : end] for name in re.split(r"[;,]", line) if name]
    edges = [_tetrad_edge(line) for line in _up_to_blank(lines[end + 1 :])]
    return _from_typed_edges(edges, names, mixed=any(kind == "undirected" for _, _, kind in edges))


def _tetrad_edge(line: str) -> TypedEdge:
    match = _TETRAD_EDGE.fullmatch(line)
    if match is None or match["mark"] not in _TETRAD_KINDS:
        raise InputError(f"edges must be written as '1. a --> b' or '1. a --- b', got {line[:80]!r}")
    ends = (match["first"], match["second"])
    cause, effect = ends[::-1] if match["mark"] == "<--" else ends
    return cause, effect, _TETRAD_KINDS[match["mark"]]


def _up_to_blank(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        if not line:
            return
        yield line


_READERS: dict[str, Callable[[bytes], GraphFile]] = {
    ".csv": partial(_read_table, separators=",;\t"),
    ".tsv": partial(_read_table, separators="\t"),
    ".graphml": _read_graphml,
    ".npy": _read_npy,
    ".json": _read_json,
    ".dot": _read_dot,
    ".gv": _read_dot,
    ".txt": _read_tetrad,
}
GRAPH_FORMATS = ", ".join(_READERS)
"""The suffixes of all files that are read."""
