"""Linear regression: the rows of a Cholesky factor over all variables give the gains of all candidates at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import contracted_long_kernel, kernel, single_use_kernel
from dagsearch.kernels.gram import COLLINEAR, residual_share
from dagsearch.kernels.local import LOG_FLOOR, regression_terms


class LinearGrowth(NamedTuple):
    """What it takes, one per thread; numbers as in `Family`."""

    n_samples: float
    equal_variances: bool
    penalise_parameters: bool
    penalty_weight: float
    edge_price: float
    scale: float  # of values: 1, or the slope of the reward in a mean square if variances are equal
    gram: Any  # (n_nodes, n_nodes) float64
    work: Any  # (n_nodes + 1, n_nodes + 1) float64 scratch
    known: Any  # (n_nodes + 1,) int64   how many rows there are, and of which parents: sets of a climb share most
    rows: Any  # (n_nodes, n_nodes) float64   rows of the parents' factor, over all variables
    left: Any  # (2, n_nodes) float64 scratch   of each variable's variance, and of its covariance with the node


@kernel
def local_score(growth, share, n_parents, n_coefficients):
    """Local score from the share of the variance that is not explained."""
    value, penalty = regression_terms(growth, share * growth.n_samples, n_parents, n_coefficients)
    return value * growth.scale - penalty


@single_use_kernel
def _share_that_pays(growth, least, n_parents):
    """The share below which `local_score` is above ``least``: saves the logarithms of all that do not pay."""
    value = (least + n_parents * (growth.penalty_weight + growth.edge_price)) / growth.scale
    return value if growth.equal_variances else np.exp(-value) - LOG_FLOOR


@contracted_long_kernel
def _take_out(gram, node, parents, n_parents, known, rows, left):
    """Take the parents out of all variances and covariances with the node.

    Rows of the factor are those of ``known[1:]``, ``known[0]`` of them, as long as the parents are the same.
    """
    d = gram.shape[0]
    for c in range(d):
        left[0, c] = gram[c, c]
        left[1, c] = gram[node, c]
    rank = 0
    for p in range(n_parents):
        parent = parents[p]
        if left[0, parent] <= COLLINEAR:
            continue
        if rank >= known[0] or known[1 + rank] != parent:
            for c in range(d):
                rows[rank, c] = gram[parent, c]
            for earlier in range(rank):
                factor = rows[earlier, parent]
                for c in range(d):
                    rows[rank, c] -= factor * rows[earlier, c]
            scale = 1.0 / np.sqrt(left[0, parent])
            for c in range(d):
                rows[rank, c] *= scale
            known[0], known[1 + rank] = rank + 1, parent
        of_node = rows[rank, node]
        for c in range(d):
            left[0, c] -= rows[rank, c] * rows[rank, c]
            left[1, c] -= of_node * rows[rank, c]
        rank += 1


@contracted_long_kernel
def _sweep(gram, columns, n_columns, target, work):
    """Sweep the inner products of [columns, target] on all columns; returns whether they are independent.

    Then the lower right corner is the share that they leave unexplained, the last column above it holds coefficients,
    and the diagonal that of minus the inverse.
    """
    m = n_columns
    for a in range(m):
        for b in range(m):
            work[a, b] = gram[columns[a], columns[b]]
        work[a, m] = work[m, a] = gram[columns[a], target]
    work[m, m] = gram[target, target]
    for k in range(m):
        pivot = work[k, k]
        if pivot <= COLLINEAR:
            return False
        for a in range(m + 1):
            if a != k:
                factor = work[a, k] / pivot
                for b in range(m + 1):
                    work[a, b] -= factor * work[k, b]
                work[a, k] = factor
        for b in range(m + 1):
            work[k, b] /= pivot
        work[k, k] = -1.0 / pivot
    return True


@single_use_kernel
def values_without_each(growth, node, parents, n_parents, rest, values):
    """Write local scores without each of the first ``n_parents`` of ``parents`` to ``values``; ``rest`` is scratch."""
    gram, work, m = growth.gram, growth.work, n_parents
    are_independent = _sweep(gram, parents, m, node, work)
    for k in range(m):
        if are_independent:
            share = work[m, m] - work[k, m] * work[k, m] / work[k, k]
            values[k] = local_score(growth, max(share, 0.0), m - 1, m - 1)
    for k in range(0 if are_independent else m):
        for other in range(m - 1):
            rest[other] = parents[other + (other >= k)]
        share, n_coefficients = residual_share(gram, rest, m - 1, m - 1, node, work)
        values[k] = local_score(growth, share, m - 1, n_coefficients)


@single_use_kernel
def values_that_pay(growth, node, parents, n_parents, may_join, least, values):
    """Write local scores with each candidate added to ``values``, or -inf if they are not above ``least``."""
    _take_out(growth.gram, node, parents, n_parents, growth.known, growth.rows, growth.left)
    left = growth.left
    own = left[0, node]
    bound = _share_that_pays(growth, least, n_parents + 1)
    for c in range(values.shape[0]):
        values[c] = -np.inf
        if may_join[c] and left[0, c] > COLLINEAR:
            share = own - left[1, c] * left[1, c] / left[0, c]
            if share < bound:
                values[c] = local_score(growth, max(share, 0.0), n_parents + 1, n_parents + 1)
