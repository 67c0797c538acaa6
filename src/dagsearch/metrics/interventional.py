"""How many causal effects a graph gets wrong: the structural intervention and adjustment identification distances.

For each ordered pair (t, y) of different nodes, the found graph says how the effect of t on y follows from data: that
there is none, or by adjusting for a set of variables. The distance is the number of pairs for which this is wrong in
the true graph, from 0 to n_nodes (n_nodes - 1). The distances differ in the set:

=============  ==================================================================================================
sid            the parents of t; only a parent of t is said not to be affected by t
parent AID     the same, for equivalence classes, too; for two DAGs it is the sid
ancestor AID   the ancestors of t; whatever is no descendant of t is said not to be affected by t
oset AID       the optimal set, the parents of the nodes on causal paths; no effect as for ancestors
=============  ==================================================================================================

J. Peters and P. Buehlmann, "Structural Intervention Distance for Evaluating Causal Graphs", Neural Computation 2015; L.
Henckel, T. Wuertzen and S. Weichwald, "Adjustment Identification Distance: A gadjid for Causal Structure Learning", UAI
2024. The package gadjid, by the authors of the latter, counts.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError
from dagsearch.graph import DAG, CyclicGraph
from dagsearch.graph.equivalence import cpdag
from dagsearch.graph.extension import consistent_extension
from dagsearch.metrics.matching import Matched, match

Strategy = Literal["ancestor", "parent", "oset"]

_Matrix = npt.NDArray[np.int8]


def sid(found: Any, truth: Any) -> int | None:
    """Return the structural intervention distance of a graph to the true one.

    It is the number of ordered pairs (i, j) for which adjusting for the parents of i in `found` does not give the
    distribution of j under interventions on i in `truth`. It is not symmetric: a DAG that contains all edges of the
    truth is at a distance of 0.

    Parameters
    ----------
    found, truth
        As in `compare`; `found` may be a `CyclicGraph`, too.

    Returns
    -------
    int or None
        From 0 to n_nodes (n_nodes - 1); None where `found` has a cycle or either graph an undirected edge. For the
        equivalence class of a DAG there is `aid`.

    Raises
    ------
    InputError
        Where the nodes of the two graphs cannot be matched.

    Examples
    --------
    >>> sid([("a", "b"), ("b", "c")], [("b", "a"), ("b", "c")])
    3
    """
    matched = _matched(found, truth)
    return None if matched is None else sid_of(matched)


def aid(found: Any, truth: Any, strategy: Strategy = "ancestor") -> int | None:
    """Return an adjustment identification distance of a graph to the true one.

    Parameters
    ----------
    found, truth
        As in `compare`; `found` may be a `CyclicGraph`, too. Either may be the equivalence class of a DAG (a CPDAG).
        What a class leaves open counts as wrong where the other graph does not, so compare a class with the class of
        the truth, ``truth.to_cpdag()``.
    strategy
        What is adjusted for: ``"ancestor"``, ``"parent"`` or ``"oset"``, as above.

    Returns
    -------
    int or None
        From 0 to n_nodes (n_nodes - 1); None where `found` has a cycle or where a graph with undirected edges is not
        the equivalence class of any DAG.

    Raises
    ------
    InputError
        Where the nodes of the two graphs cannot be matched, or there is no such strategy.

    Examples
    --------
    >>> aid([("a", "b"), ("b", "c")], [("b", "a"), ("b", "c")], "ancestor")
    3
    """
    if strategy not in get_args(Strategy):
        raise InputError(f"strategy must be ancestor, parent or oset, got {strategy!r}")
    matched = _matched(found, truth)
    return None if matched is None else aid_of(matched, strategy)


def sid_of(matched: Matched) -> int | None:
    """Return the `sid` of two graphs whose nodes were matched."""
    if has_undirected(matched.found) or has_undirected(matched.truth):
        return None
    return _count("sid", matched)


def aid_of(matched: Matched, strategy: Strategy) -> int | None:
    """Return the `aid` of two graphs whose nodes were matched."""
    if not (_is_dag_or_class(matched.found) and _is_dag_or_class(matched.truth)):
        return None
    return _count(f"{strategy}_aid", matched)


def has_undirected(matrix: _Matrix) -> bool:
    """Tell whether a graph has an undirected edge."""
    return bool((matrix & matrix.T).any())


def _matched(found: Any, truth: Any) -> Matched | None:
    """Match two graphs; None where the found one has a cycle, whose nodes must fit all the same."""
    if isinstance(found, CyclicGraph):
        match(DAG.from_edges([], found.names), truth)
        return None
    return match(found, truth)


def _is_dag_or_class(matrix: _Matrix) -> bool:
    """Tell whether an acyclic graph is a DAG or the equivalence class of one."""
    if not has_undirected(matrix):
        return True
    extension = consistent_extension(matrix)
    return not extension.stuck and np.array_equal(cpdag(extension.adjacency), matrix)


def _count(measure: str, matched: Matched) -> int:
    """Let gadjid count wrong pairs: it takes the truth first, and codes undirected edges as 2."""
    # gadjid panics without a pair to look at, and a panic writes to standard error before it can be caught.
    if len(matched.names) < 2:
        return 0
    import gadjid  # noqa: PLC0415

    distance = getattr(gadjid, measure)
    _, count = distance(_coded(matched.truth), _coded(matched.found), edge_direction="from row to column")
    return int(count)


def _coded(matrix: _Matrix) -> _Matrix:
    return matrix + (matrix & matrix.T)
