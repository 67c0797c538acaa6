"""Questions about paths: ancestors, d-separation, and what to adjust for.

Adjustment sets by the criterion of E. Perković, J. Textor, M. Kalisch and M. H. Maathuis, "Complete graphical
characterization and construction of adjustment sets in Markov equivalence classes of ancestral graphs", JMLR 18, 2018,
for one cause and one effect in a DAG. The optimal set is that of L. Henckel, E. Perković and M. H. Maathuis, "Graphical
criteria for efficient total effect estimation via adjustment in causal linear models", JRSS B 84, 2022.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

Adjacency = npt.NDArray[np.int8]

_UP, _DOWN = 0, 1  # how a path arrives at a node: from one of its children, or from one of its parents


def reachable(adjacency: Adjacency, starts: Collection[int]) -> set[int]:
    """Nodes at which a directed path from one of some nodes ends, these included."""
    seen, waiting = set(starts), list(starts)
    while waiting:
        new = set(np.flatnonzero(adjacency[waiting.pop()]).tolist()) - seen
        seen |= new
        waiting += new
    return seen


def is_separated(adjacency: Adjacency, first: Collection[int], second: Collection[int], given: Collection[int]) -> bool:
    """Whether a DAG, (n_nodes, n_nodes), d-separates two disjoint sets of nodes given a third one.

    Each node is passed at most once from above and once from below, so that the time is linear in the number of edges
    (R. D. Shachter, "Bayes-ball: the rational pastime", UAI 1998). A collider above an observed node lets paths through
    since they go down to that node, and come back from it.
    """
    observed = set(given)
    waiting = [(node, _UP) for node in first]
    seen = set(waiting)
    while waiting:
        node, arrival = waiting.pop()
        if node not in observed and node in second:
            return False
        onwards: list[tuple[int, int]] = []
        if node not in observed:
            onwards += [(child, _DOWN) for child in np.flatnonzero(adjacency[node]).tolist()]
        if (arrival == _DOWN) == (node in observed):
            onwards += [(parent, _UP) for parent in np.flatnonzero(adjacency[:, node]).tolist()]
        new = [step for step in onwards if step not in seen]
        seen.update(new)
        waiting += new
    return True


def on_causal_paths(adjacency: Adjacency, cause: int, effect: int) -> set[int]:
    """Nodes on directed paths from the cause to the effect, without the cause itself; empty if there is no path."""
    return (reachable(adjacency, [cause]) & reachable(adjacency.T, [effect])) - {cause}


def is_adjustment_set(adjacency: Adjacency, cause: int, effect: int, given: Collection[int]) -> bool:
    """Whether adjusting for a set gives the total effect in every model of a DAG, (n_nodes, n_nodes)."""
    passed = on_causal_paths(adjacency, cause, effect)
    if set(given) & (reachable(adjacency, passed) | {cause, effect}):
        return False
    backdoors = adjacency.copy()
    backdoors[cause, list(passed)] = 0
    return is_separated(backdoors, [cause], [effect], given)


def parents_of(adjacency: Adjacency, nodes: Iterable[int]) -> set[int]:
    """All parents of some nodes."""
    return set(np.flatnonzero(adjacency[:, list(nodes)].any(axis=1)).tolist())


def minimal_adjustment_set(adjacency: Adjacency, cause: int, effect: int) -> set[int]:
    """Parents of the cause of which none can be spared; the effect is not one of them."""
    # Among ancestors of the cause, more of them separate whatever fewer do: to try each once is enough.
    kept = parents_of(adjacency, [cause])
    for parent in sorted(kept):
        if is_adjustment_set(adjacency, cause, effect, kept - {parent}):
            kept -= {parent}
    return kept


def optimal_adjustment_set(adjacency: Adjacency, cause: int, effect: int) -> set[int]:
    """The set with the least variance in linear models; the minimal one if the cause has no influence."""
    passed = on_causal_paths(adjacency, cause, effect)
    if not passed:
        return minimal_adjustment_set(adjacency, cause, effect)
    return parents_of(adjacency, passed) - reachable(adjacency, passed) - {cause}
