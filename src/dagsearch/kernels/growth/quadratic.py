"""Quadratic regression: the parents' monomials are eliminated once, then each candidate brings its own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import kernel, reassociated_kernel, reassociated_long_kernel, single_use_kernel
from dagsearch.kernels.gram import COLLINEAR, product_column, residual_share
from dagsearch.kernels.growth.linear import local_score


class QuadraticGrowth(NamedTuple):
    """What it takes, one per thread; numbers as in `Family`."""

    n_nodes: int
    n_samples: float
    equal_variances: bool
    penalise_parameters: bool
    penalty_weight: float
    edge_price: float
    scale: float  # of values: 1, or the slope of the reward in a mean square if variances are equal
    gram: Any  # (n_columns, n_columns) float64
    work: Any  # (n_columns + 1, n_columns + 1) float64 scratch   factor of the parents' monomials, one row each
    columns: Any  # (n_columns + 1,) int64 scratch   these monomials
    solved: Any  # (n_nodes + 3, n_columns + 1) float64 scratch   a candidate's monomials in terms of the factor
    block: Any  # (n_nodes + 3, n_nodes + 3) float64 scratch   what is left of their inner products, and the node's
    brought: Any  # (n_nodes + 3,) int64 scratch   these monomials


@kernel
def _product(a, b, n_nodes):
    """Position of the product of two variables, in any order."""
    return product_column(max(a, b), min(a, b), n_nodes)


@kernel
def _monomials(parents, n_parents, n_nodes, columns):
    """Write the monomials of the parents to ``columns``; returns how many there are."""
    n = 0
    for a in range(n_parents):
        columns[n] = parents[a]
        n += 1
    for a in range(n_parents):
        for b in range(a, n_parents):
            columns[n] = _product(parents[a], parents[b], n_nodes)
            n += 1
    return n


@kernel
def value(growth, node, parents, n_parents):
    """Local score of ``node`` given the first ``n_parents`` of ``parents``."""
    m = _monomials(parents, n_parents, growth.n_nodes, growth.columns)
    share, n_coefficients = residual_share(growth.gram, growth.columns, m, n_parents, node, growth.work)
    return local_score(growth, share, n_parents, n_coefficients)


@reassociated_kernel
def _solve(gram, columns, work, column, rank, solved, row):
    """Write a column in terms of the factor to ``solved[row]``; returns what is left of its variance."""
    left = gram[column, column]
    for j in range(rank):
        x = gram[columns[j], column]
        for i in range(j):
            x -= work[j, i] * solved[row, i]
        x /= work[j, j]
        solved[row, j] = x
        left -= x * x
    return left


@reassociated_long_kernel
def _factor(gram, columns, n_columns, n_linear, node, work):
    """Cholesky factor of the independent columns, as rows of ``work``, and the node in its terms as the row after it.

    The columns are closed up to the independent ones. Returns their number, that of coefficients, which the parents
    themselves have in any case, and what is left of the node's variance.
    """
    rank = n_coefficients = 0
    for k in range(n_columns):
        column = columns[k]
        left = _solve(gram, columns, work, column, rank, work, rank)
        n_coefficients += k < n_linear or left > COLLINEAR
        if left > COLLINEAR:
            work[rank, rank] = np.sqrt(left)
            columns[rank] = column
            rank += 1
    return rank, n_coefficients, max(_solve(gram, columns, work, node, rank, work, rank), 0.0)


@reassociated_long_kernel
def _share_with(gram, columns, work, rank, node, own, brought, n_brought, solved, block):
    """Share of the node's variance that is left when a candidate's monomials join, and how many coefficients they have.

    The first is the candidate itself.
    """
    m, n_coefficients = n_brought, 0
    for a in range(m):
        block[a, a] = _solve(gram, columns, work, brought[a], rank, solved, a)
        for b in range(a):
            left = gram[brought[b], brought[a]]
            for i in range(rank):
                left -= solved[b, i] * solved[a, i]
            block[b, a] = left
        left = gram[brought[a], node]
        for i in range(rank):
            left -= work[rank, i] * solved[a, i]
        block[a, m] = left
    for k in range(m):
        pivot = block[k, k]
        n_coefficients += k == 0 or pivot > COLLINEAR
        if pivot <= COLLINEAR:
            continue
        for a in range(k + 1, m):
            factor = block[k, a] / pivot
            for b in range(a, m + 1):
                block[a, b] -= factor * block[k, b]
        own -= block[k, m] * block[k, m] / pivot
    return max(own, 0.0), n_coefficients


@single_use_kernel
def values_that_pay(growth, node, parents, n_parents, may_join, least, values):
    """Write local scores with each candidate added to ``values``, or -inf if they are not above ``least``."""
    gram, columns, work, brought = growth.gram, growth.columns, growth.work, growth.brought
    n_columns = _monomials(parents, n_parents, growth.n_nodes, columns)
    rank, n_coefficients, own = _factor(gram, columns, n_columns, n_parents, node, work)
    for c in range(values.shape[0]):
        values[c] = -np.inf
        if not may_join[c]:
            continue
        brought[0] = c
        brought[1] = _product(c, c, growth.n_nodes)
        for p in range(n_parents):
            brought[2 + p] = _product(c, parents[p], growth.n_nodes)
        share, n_more = _share_with(
            gram, columns, work, rank, node, own, brought, n_parents + 2, growth.solved, growth.block
        )
        with_candidate = local_score(growth, share, n_parents + 1, n_coefficients + n_more)
        if with_candidate > least:
            values[c] = with_candidate


@single_use_kernel
def values_without_each(growth, node, parents, n_parents, rest, values):
    """Write local scores without each of the first ``n_parents`` of ``parents`` to ``values``; ``rest`` is scratch."""
    for k in range(n_parents):
        for m in range(n_parents - 1):
            rest[m] = parents[m + (m >= k)]
        values[k] = value(growth, node, rest, n_parents - 1)
