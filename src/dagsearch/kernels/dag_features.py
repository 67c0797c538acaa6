"""What follows from the distribution of the non-descendants of each node (`dag_sums`): edges and paths."""

from __future__ import annotations

from dagsearch.kernels.compile import entry_point
from dagsearch.kernels.scaled import power_of_two


@entry_point
def add_up_features(sums, node, non_descendants, parents, descendants):
    """Probabilities of edges to ``node`` and of paths from it.

    Given that its non-descendants are T, the parents of j are any set P inside T, with probability w_j(P) / W_j(T); so
    i in T is none of them with probability W_j(T - i) / W_j(T).

    Parameters
    ----------
    sums
        `ParentSums`.
    node
        The node.
    non_descendants
        (n_nodes, 2^(n_nodes - 1)) float64.
    parents, descendants
        (n_nodes - 1,) float64 output: probabilities that each other node is a parent, or a descendant, of ``node``.
    """
    values, exponents = sums.values, sums.exponents
    for i in range(parents.shape[0]):
        parents[i] = descendants[i] = 0.0
    for members in range(non_descendants.shape[1]):
        share = non_descendants[node, members]
        if share <= 0.0:
            continue
        for i in range(parents.shape[0]):
            if members >> i & 1:
                fewer = members ^ 1 << i
                scale = power_of_two(exponents[node, fewer] - exponents[node, members])
                parents[i] += share * (1.0 - values[node, fewer] / values[node, members] * scale)
            else:
                descendants[i] += share
