"""Linear regression: the rows of a Cholesky factor over all variables give the gains of all candidates at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels import refit
from dagsearch.kernels.compile import contracted_long_kernel, kernel, single_use_kernel
from dagsearch.kernels.gram import COLLINEAR, residual_share
from dagsearch.kernels.local import LOG_FLOOR, regression_terms
from dagsearch.kernels.refit import is_unsure


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
    refit: Any  # the columns behind the Gram matrix, with scratch of its own
    columns: Any  # (n_nodes + 1,) int64 scratch


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
    """Take the parents out of all variances and covariances with the node; returns how many of them are independent.

    The least of their variances that was left as each one's turn came is returned, too. Rows of the factor are those of
    ``known[1:]``, ``known[0]`` of them, as long as the parents are the same.
    """
    d = gram.shape[0]
    for c in range(d):
        left[0, c] = gram[c, c]
        left[1, c] = gram[node, c]
    rank, least = 0, 1.0
    for p in range(n_parents):
        parent = parents[p]
        least = min(least, max(left[0, parent], 0.0))
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
    return rank, least


@contracted_long_kernel
def _gains_of_parents(rows, parents, n_parents, node, inverse, gains):
    """Write the share of the node's variance that each of independent parents explains beside the others to ``gains``.

    The parents' columns of ``rows`` are the upper factor U of their inner products, whose inverse is (U'U)^-1: the
    coefficients are U^-1 z with z the node's column, and a parent's gain is its squared coefficient over its entry on
    the diagonal of that inverse. ``inverse`` is scratch.
    """
    m = n_parents
    for i in range(m - 1, -1, -1):
        for k in range(i, m):
            inverse[i, k] = 0.0
        inverse[i, i] = 1.0
        for j in range(i + 1, m):
            factor = rows[i, parents[j]]
            for k in range(j, m):
                inverse[i, k] -= factor * inverse[j, k]
        scale = 1.0 / rows[i, parents[i]]
        coefficient = of_inverse = 0.0
        for k in range(i, m):
            inverse[i, k] *= scale
            coefficient += inverse[i, k] * rows[k, node]
            of_inverse += inverse[i, k] * inverse[i, k]
        gains[i] = coefficient * coefficient / of_inverse


@single_use_kernel
def values_without_each(growth, node, parents, n_parents, rest, values):
    """Write local scores without each of the first ``n_parents`` of ``parents`` to ``values``; ``rest`` is scratch."""
    gram, work, m = growth.gram, growth.work, n_parents
    rank, least = _take_out(gram, node, parents, m, growth.known, growth.rows, growth.left)
    if rank == m and not is_unsure(growth.refit, m, least, growth.left[0, node], LOG_FLOOR):
        _gains_of_parents(growth.rows, parents, m, node, work, values)
        for k in range(m):
            values[k] = local_score(growth, max(growth.left[0, node] + values[k], 0.0), m - 1, m - 1)
        return
    for k in range(m):
        for other in range(m - 1):
            rest[other] = parents[other + (other >= k)]
        share, n_coefficients, least = residual_share(gram, rest, m - 1, m - 1, node, work)
        if is_unsure(growth.refit, m - 1, least, share, LOG_FLOOR):
            refit.sort_into(rest, m - 1, growth.columns)
            share, n_coefficients = refit.residual_share(growth.refit, growth.columns, m - 1, m - 1, node)
        values[k] = local_score(growth, share, m - 1, n_coefficients)


@single_use_kernel
def values_that_pay(growth, node, parents, n_parents, may_join, least, values):
    """Write local scores with each candidate added to ``values``, or -inf if they are not above ``least``."""
    _, least_left = _take_out(growth.gram, node, parents, n_parents, growth.known, growth.rows, growth.left)
    left, n = growth.left, n_parents + 1
    own = left[0, node]
    bound = _share_that_pays(growth, least, n)
    for c in range(values.shape[0]):
        values[c] = -np.inf
        if not may_join[c]:
            continue
        of_candidate = max(left[0, c], 0.0)
        share = own - left[1, c] * left[1, c] / of_candidate if of_candidate > COLLINEAR else own
        if is_unsure(growth.refit, n, min(least_left, of_candidate), share, LOG_FLOOR):
            parents[n_parents] = c
            refit.sort_into(parents, n, growth.columns)
            share, n_coefficients = refit.residual_share(growth.refit, growth.columns, n, n, node)
            if share < bound:
                values[c] = local_score(growth, share, n, n_coefficients)
        elif of_candidate > COLLINEAR and share < bound:
            values[c] = local_score(growth, max(share, 0.0), n, n)
