"""Graphs as text: edge lists and GraphML; `reading` reads them back.

Edge lists (CSV) have no place for isolated nodes, GraphML keeps them.
"""

from __future__ import annotations

from dagsearch._visible import not_in_xml
from dagsearch.graph.csv_text import csv_line
from dagsearch.graph.cyclic import CyclicGraph
from dagsearch.graph.dag import DAG
from dagsearch.graph.dot import to_dot
from dagsearch.graph.marks import UNMARKED, Marks
from dagsearch.graph.pdag import PDAG
from dagsearch.graph.reading import read_graph as from_file
from dagsearch.graph.stand_ins import EXACT_NAME, as_ascii, stand_ins

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
    from networkx.readwrite.graphml import GraphMLWriter  # noqa: PLC0415

    called = stand_ins(graph.names, lambda name: not_in_xml(name) is None)
    plain = nx.DiGraph()
    plain.add_nodes_from(
        (short, {} if short == name else {EXACT_NAME: as_ascii(name)}) for name, short in called.items()
    )
    plain.add_edges_from((called[cause], called[effect]) for cause, effect in graph.directed_edges)
    if not isinstance(graph, DAG):
        nx.set_edge_attributes(plain, "directed", name="type")
        plain.add_edges_from(((called[one], called[other]) for one, other in graph.undirected_edges), type="undirected")
    nx.set_edge_attributes(
        plain, {(called[one], called[other]): m.known() for (one, other), m in (marks or {}).items()}
    )
    writer = GraphMLWriter(encoding="utf-8", prettyprint=True)
    writer.add_graph_element(plain)
    return f"{writer}\n"


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
    return "".join(csv_line(line) for line in [columns, *([row.get(name, "") for name in columns] for row in rows)])


def _row(cause: str, effect: str, kind: str, marks: Marks | None) -> dict[str, str]:
    """What a table of edges says of one of them."""
    mark = (marks or {}).get((cause, effect), UNMARKED)
    cells = mark.known_as_text()
    if mark.is_open is not None:
        cells["open"] = "yes" if mark.is_open else "no"
    return {"cause": cause, "effect": effect, "type": kind, **cells}
