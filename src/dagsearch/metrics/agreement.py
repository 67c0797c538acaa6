"""How far a graph is from the truth: TPR, FDR, SHD and their relatives.

Every adjacent pair of nodes gets one of four verdicts, and every metric is a count of verdicts:

=========  ====================================================================================
right      adjacent in both, and no two arrows that contradict each other
reversed   adjacent in both, with opposite arrows
extra      adjacent only in the graph that was found
missing    adjacent only in the truth
=========  ====================================================================================

An undirected edge, in either graph, agrees with any edge on its pair.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError
from dagsearch.graph import DAG, PDAG, as_graph
from dagsearch.graph.checks import default_names
from dagsearch.graph.convert import is_matrix

Verdict = Literal["right", "reversed", "extra", "missing"]

# The two entries of an adjacency matrix, [i, j] and [j, i], that describe a pair of nodes.
_Marks = tuple[int, int]
_NONE: _Marks = (0, 0)
_UNDIRECTED: _Marks = (1, 1)


class JudgedEdge(NamedTuple):
    """One edge and its verdict; the direction is that of the found graph, for missing edges the truth's."""

    cause: str
    effect: str
    directed: bool
    verdict: Verdict


@dataclass(frozen=True)
class Comparison:
    """All nodes of two graphs, and the verdict on each edge of either."""

    names: tuple[str, ...]
    edges: tuple[JudgedEdge, ...]

    def count(self, *verdicts: Verdict) -> int:
        """Return the number of edges with any of the verdicts."""
        counts = Counter(edge.verdict for edge in self.edges)
        return sum(counts[verdict] for verdict in verdicts)


def compare(found: Any, truth: Any) -> dict[str, float | int]:
    """Measure how well a graph agrees with the true one.

    Parameters
    ----------
    found, truth
        Anything that `dagsearch.graph.as_graph` reads. Nodes are matched by name; where one graph has no
        names of its own, by position. A node that one graph lacks is isolated there.

    Returns
    -------
    dict
        ``tpr`` and ``recall`` (right / true edges), ``fdr`` (reversed or extra / found edges), ``shd``
        (extra + missing + reversed), ``precision`` (right / found edges), ``f1``, ``n_edges``,
        ``n_true_edges``, ``n_right``, ``n_reversed``, ``n_extra`` and ``n_missing``. An empty denominator
        counts as one.

    Raises
    ------
    InputError
        Where the nodes of the two graphs cannot be matched.
    """
    comparison = classify(found, truth)
    right, extra = comparison.count("right"), comparison.count("extra")
    reverse, missing = comparison.count("reversed"), comparison.count("missing")
    n_edges, n_true_edges = right + reverse + extra, right + reverse + missing
    tpr, precision = right / max(n_true_edges, 1), right / max(n_edges, 1)
    return {
        "tpr": tpr,
        "fdr": (reverse + extra) / max(n_edges, 1),
        "shd": extra + missing + reverse,
        "precision": precision,
        "recall": tpr,
        # 2 P R / (P + R) with the common factor cancelled, so that it needs no special case at zero.
        "f1": 2 * right / max(n_edges + n_true_edges, 1),
        "n_edges": n_edges,
        "n_true_edges": n_true_edges,
        "n_right": right,
        "n_reversed": reverse,
        "n_extra": extra,
        "n_missing": missing,
    }


def classify(found: Any, truth: Any) -> Comparison:
    """Give each edge of two graphs its verdict.

    Parameters
    ----------
    found, truth
        As in `compare`.

    Raises
    ------
    InputError
        Where the nodes of the two graphs cannot be matched.
    """
    names, found_matrix, true_matrix = _align(found, truth)
    edges = []
    for i, j in np.argwhere(np.triu(found_matrix | found_matrix.T | true_matrix | true_matrix.T)):
        found_marks, true_marks = _marks(found_matrix, i, j), _marks(true_matrix, i, j)
        shown = true_marks if found_marks == _NONE else found_marks
        cause, effect = (i, j) if shown[0] else (j, i)
        verdict = _verdict(found_marks, true_marks)
        edges.append(JudgedEdge(names[cause], names[effect], shown != _UNDIRECTED, verdict))
    return Comparison(names, tuple(edges))


def _marks(matrix: npt.NDArray[np.int8], i: int, j: int) -> _Marks:
    return int(matrix[i, j]), int(matrix[j, i])


def _verdict(found: _Marks, truth: _Marks) -> Verdict:
    """Judge a pair of nodes that is adjacent in at least one of the graphs."""
    if truth == _NONE:
        return "extra"
    if found == _NONE:
        return "missing"
    return "right" if found == truth or _UNDIRECTED in (found, truth) else "reversed"


def _align(found: Any, truth: Any) -> tuple[tuple[str, ...], npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return common names and the two matrices in their order."""
    found_graph, true_graph = as_graph(found), as_graph(truth)
    _refuse_small_matrix(found, found_graph, true_graph)
    _refuse_small_matrix(truth, true_graph, found_graph)
    found_graph, true_graph = _share_names(found_graph, true_graph)
    names = tuple(dict.fromkeys(true_graph.names + found_graph.names))
    return names, spread(found_graph, names), spread(true_graph, names)


def _refuse_small_matrix(given: Any, graph: DAG | PDAG, other: DAG | PDAG) -> None:
    """Raise where a matrix lacks nodes: only a list of edges may leave isolated ones out."""
    if is_matrix(given) and graph.n_nodes < other.n_nodes:
        raise InputError(
            f"found and truth must have the same nodes, got a matrix for {graph.n_nodes} nodes "
            f"and a graph of {other.n_nodes}"
        )


def _share_names(found: DAG | PDAG, truth: DAG | PDAG) -> tuple[DAG | PDAG, DAG | PDAG]:
    """Name the nodes alike: as they are where names are shared, by position where one graph has none."""
    if not found.names or not truth.names or set(found.names) & set(truth.names):
        return found, truth
    if found.n_nodes == truth.n_nodes:
        if found.names == default_names(found.n_nodes):
            return found.with_names(truth.names), truth
        if truth.names == default_names(truth.n_nodes):
            return found, truth.with_names(found.names)
    raise InputError(
        f"found and truth must be graphs over the same names, but they share none: "
        f"found has {', '.join(found.names)}; truth has {', '.join(truth.names)}"
    )


def spread(graph: DAG | PDAG, names: tuple[str, ...]) -> npt.NDArray[np.int8]:
    """Return the matrix of a graph in the order of names, where more nodes may be named."""
    rows = [names.index(name) for name in graph.names]
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    matrix[np.ix_(rows, rows)] = graph.adjacency
    return matrix
