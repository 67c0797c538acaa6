"""How far a graph is from the truth: TPR, FDR, SHD and their relatives.

Every adjacent pair of nodes gets one of four verdicts, and every metric is a count of verdicts:

=========  ====================================================================================
right      adjacent in both, and no two arrows that contradict each other
reversed   adjacent in both, with opposite arrows
extra      adjacent only in the graph that was found
missing    adjacent only in the truth
=========  ====================================================================================

An undirected edge, in either graph, agrees with any edge on its pair. `compare` adds two distances that count wrong
causal effects instead, of `dagsearch.metrics.interventional`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch._display import Displayed
from dagsearch.metrics.interventional import aid_of, has_undirected, sid_of
from dagsearch.metrics.matching import Matched, match

Verdict = Literal["right", "reversed", "extra", "missing"]

# The two entries of an adjacency matrix, [i, j] and [j, i], that describe a pair of nodes.
_Marks = tuple[int, int]
_NONE: _Marks = (0, 0)
_UNDIRECTED: _Marks = (1, 1)

# Up to here sid and ancestor AID took less than two seconds together on two cores: n_nodes times the edges of both
# graphs; and, where some edge is undirected, n_nodes, since it takes longer to see whether a graph is a CPDAG.
_MOST_STEPS = 5_000_000
_MOST_NODES_UNDIRECTED = 500


class JudgedEdge(NamedTuple):
    """One edge and its verdict; the direction is that of the found graph, for missing edges the truth's."""

    cause: str
    effect: str
    directed: bool
    verdict: Verdict


class Metrics(Displayed, dict[str, float | int | None]):
    """What `compare` returns: a dictionary like any other, but that notebooks show it as a table."""


@dataclass(frozen=True)
class Comparison(Displayed):
    """All nodes of two graphs, and the verdict on each edge of either."""

    names: tuple[str, ...]
    edges: tuple[JudgedEdge, ...]

    def count(self, *verdicts: Verdict) -> int:
        """Return the number of edges with any of the verdicts."""
        counts = Counter(edge.verdict for edge in self.edges)
        return sum(counts[verdict] for verdict in verdicts)

    def metrics(self) -> dict[str, float | int]:
        """Return what `compare` returns of edges: all but the two distances that count causal effects."""
        right, extra = self.count("right"), self.count("extra")
        reverse, missing = self.count("reversed"), self.count("missing")
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


def compare(found: Any, truth: Any) -> Metrics:
    """Measure how well a graph agrees with the true one.

    Parameters
    ----------
    found, truth
        Anything that `dagsearch.graph.as_graph` reads. Nodes are matched by name; where one graph has no
        names of its own, by position. A node that one graph lacks is isolated there.

    Returns
    -------
    Metrics
        A dictionary: ``tpr`` and ``recall`` (right / true edges), ``fdr`` (reversed or extra / found edges), ``shd``
        (extra + missing + reversed), ``precision`` (right / found edges), ``f1``, ``n_edges``,
        ``n_true_edges``, ``n_right``, ``n_reversed``, ``n_extra`` and ``n_missing``. An empty denominator
        counts as one. Then ``sid`` and ``ancestor_aid``, the numbers of wrong causal effects as in `sid` and
        `aid`; None where these are not defined, or left out as below.

    Raises
    ------
    InputError
        Where the nodes of the two graphs cannot be matched.

    Notes
    -----
    The time of ``sid`` and ``ancestor_aid`` grows with n_nodes times the edges of both graphs. On two cores both
    together take 0.02 s for complete graphs of 50 nodes, 0.1 s for graphs of 200 nodes and 2000 edges or of 1000
    nodes and 2000 edges, 0.4 s for 200 nodes and 6000 edges. Here they are None above 5 million, which is two
    complete graphs of 171 nodes, or of 1000 nodes and 2500 edges each; and above 500 nodes where an edge is
    undirected. `sid` and `aid` have no such limit: complete graphs of 200 nodes take them 2 s each, graphs of 1000
    nodes and 10,000 edges 1 to 3 s.
    """
    matched = match(found, truth)
    affordable = _affordable(matched)
    return Metrics(
        **_classified(matched).metrics(),
        sid=sid_of(matched) if affordable else None,
        ancestor_aid=aid_of(matched, "ancestor") if affordable else None,
    )


def _affordable(matched: Matched) -> bool:
    """Tell whether distances that count causal effects take less than about two seconds."""
    n_nodes, n_edges = len(matched.names), np.count_nonzero(matched.found) + np.count_nonzero(matched.truth)
    if n_nodes > _MOST_NODES_UNDIRECTED and (has_undirected(matched.found) or has_undirected(matched.truth)):
        return False
    return bool(n_nodes * n_edges <= _MOST_STEPS)


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
    return _classified(match(found, truth))


def _classified(matched: Matched) -> Comparison:
    names, found_matrix, true_matrix = matched
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
