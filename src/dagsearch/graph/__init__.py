"""Graphs over named variables: DAGs, their equivalence classes, and the ways in and out.

::

    edges, matrix, networkx, file  --->  DAG, PDAG  --->  DOT, GraphML, CSV, networkx
       checks, convert, reading          dag, pdag         export
                                       (cyclic: neither)
                                            |
                              order (cycles), equivalence (CPDAG), extension (PDAG to DAG)
                                            on sets: neighbourhoods, cliques
                              separation (paths, adjustment; asked for by queries), possible (parents in a class)
                              focus (what is near some nodes)

Everywhere ``adjacency[i, j] == 1`` means that node i causes node j.
"""

from dagsearch.graph.convert import as_graph
from dagsearch.graph.cyclic import CyclicGraph
from dagsearch.graph.dag import DAG
from dagsearch.graph.focus import neighbourhood
from dagsearch.graph.knowledge import Knowledge
from dagsearch.graph.pdag import PDAG
from dagsearch.graph.reading import read_graph

__all__ = ["DAG", "PDAG", "CyclicGraph", "Knowledge", "as_graph", "neighbourhood", "read_graph"]
