"""Quadratic regression: the parents' monomials are taken out once, then all candidates bring theirs side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels import refit
from dagsearch.kernels.compile import contracted_long_kernel, long_kernel, single_use_kernel
from dagsearch.kernels.gram import COLLINEAR, product_column
from dagsearch.kernels.growth.drops import Drops, invert, loss_without, sum_of_squares
from dagsearch.kernels.growth.linear import local_score
from dagsearch.kernels.growth.monomials import (
    N_DETERMINED,
    N_OWN,
    N_PASSED,
    Monomials,
    block_of,
    column_in,
    factorise,
    first_block,
)
from dagsearch.kernels.local import LOG_FLOOR
from dagsearch.kernels.refit import is_unsure

# For each candidate: the share of the node's variance that is left with it, a number in passing, how many coefficients
# it brings, the least pivot of its monomials; and products of these with the node.
SHARE, FACTOR, N_MORE, LEAST, WITH_NODE = range(5)
_SQUARES = 1  # the group of these


class QuadraticGrowth(NamedTuple):
    """What it takes, one per thread; numbers as in `Family`."""

    n_samples: float
    equal_variances: bool
    penalise_parameters: bool
    penalty_weight: float
    edge_price: float
    scale: float  # of values: 1, or the slope of the reward in a mean square if variances are equal
    monomials: Monomials
    drops: Drops
    block: Any  # (pairs of groups, n_nodes) float64 scratch   products of what candidates bring
    lanes: Any  # (n_nodes + 5, n_nodes) float64 scratch   SHARE to LEAST, and from WITH_NODE on one per group
    refit: Any  # the columns behind the Gram matrix, with scratch of its own
    columns: Any  # (n_columns + 1,) int64 scratch


@long_kernel
def _n_determined(gram, parents, n_parents, work):
    """How many parents are combinations of those before them: they have coefficients all the same, no edge is free."""
    for a in range(n_parents):
        for b in range(a, n_parents):
            work[a, b] = gram[parents[a], parents[b]]
    n_determined = 0
    for k in range(n_parents):
        if work[k, k] <= COLLINEAR:
            n_determined += 1
            continue
        for a in range(k + 1, n_parents):
            factor = work[k, a] / work[k, k]
            for b in range(a, n_parents):
                work[a, b] -= factor * work[k, b]
    return n_determined


@contracted_long_kernel
def _regress_on_parents(gram, parents, n_groups, node, n_rows, solved, with_node):
    """Write what is left of products of the node and each group to ``with_node``; returns what is left of the node."""
    d = with_node.shape[1]
    of_node = solved[0, :, node]
    own = gram[node, node]
    for r in range(n_rows):
        own -= of_node[r] * of_node[r]
    for group in range(n_groups):
        left, rows = with_node[group], solved[group]
        for c in range(d):
            left[c] = gram[node, column_in(group, c, parents, d)]
        in_fours = n_rows % 4
        for r in range(in_fours):
            row, factor = rows[r], of_node[r]
            for c in range(d):
                left[c] -= factor * row[c]
        for r in range(in_fours, n_rows, 4):
            f0, f1, f2, f3 = of_node[r], of_node[r + 1], of_node[r + 2], of_node[r + 3]
            r0, r1, r2, r3 = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
            for c in range(d):
                left[c] -= f0 * r0[c] + f1 * r1[c] + f2 * r2[c] + f3 * r3[c]
    return own


@long_kernel
def _copy(source, first, n, target):
    """Copy ``n`` rows, from row ``first`` on, to the first rows of ``target``."""
    for k in range(n):
        for c in range(source.shape[1]):
            target[k, c] = source[first + k, c]


@contracted_long_kernel
def _eliminate(gram, block, n_groups, lanes):
    """Regress the node on what each candidate brings; its share falls to what is left, and coefficients are counted.

    ``block`` and ``lanes`` are overwritten.
    """
    share, factor, n_more, least, with_node = (
        lanes[SHARE],
        lanes[FACTOR],
        lanes[N_MORE],
        lanes[LEAST],
        lanes[WITH_NODE:],
    )
    d = share.shape[0]
    for k in range(n_groups):
        pivot = block_of(k, k)
        if k == _SQUARES:
            for c in range(d):
                square = product_column(c, c, d)
                if gram[square, square] > 0.0:
                    least[c] = min(least[c], block[pivot, c])
        else:
            for c in range(d):
                least[c] = min(least[c], block[pivot, c])
        for c in range(d):
            is_new = block[pivot, c] > COLLINEAR
            inverse = 1.0 / block[pivot, c] if is_new else 0.0
            n_more[c] += is_new
            share[c] -= with_node[k, c] * with_node[k, c] * inverse
            block[pivot, c] = inverse
        for a in range(k + 1, n_groups):
            with_pivot = block_of(k, a)
            for c in range(d):
                factor[c] = block[with_pivot, c] * block[pivot, c]
                with_node[a, c] -= factor[c] * with_node[k, c]
            for b in range(a, n_groups):
                target, other = block_of(a, b), block_of(k, b)
                for c in range(d):
                    block[target, c] -= factor[c] * block[other, c]


@long_kernel
def _refitted(growth, node, parents, n_parents):
    """Local score from the columns."""
    columns, d = growth.columns, growth.lanes.shape[1]
    refit.sort_into(parents, n_parents, columns)
    m = n_parents
    for a in range(n_parents):
        for b in range(a, n_parents):
            columns[m] = product_column(columns[b], columns[a], d)
            m += 1
    share, n_coefficients = refit.residual_share(growth.refit, columns, m, n_parents, node)
    return local_score(growth, share, n_parents, n_coefficients)


@single_use_kernel
def values_that_pay(growth, node, parents, n_parents, may_join, least, values):
    """Write local scores with each candidate added to ``values``, or -inf if they are not above ``least``."""
    monomials, block, lanes, work = growth.monomials, growth.block, growth.lanes, growth.drops.within
    gram, left, n_groups, first = monomials.gram, monomials.left, N_OWN + n_parents, first_block(n_parents)
    n_rows = factorise(monomials, parents, n_parents)
    lanes[N_MORE] = 0.0
    lanes[SHARE] = _regress_on_parents(gram, parents, n_groups, node, n_rows, monomials.solved, lanes[WITH_NODE:])
    _copy(left, first, block_of(0, n_groups), block)
    lanes[LEAST] = monomials.least[n_parents]
    _eliminate(gram, block, n_groups, lanes)
    has_determined = monomials.counts[n_parents, N_DETERMINED] > 0
    n_determined = _n_determined(gram, parents, n_parents, work) if has_determined else 0
    for c in range(values.shape[0]):
        values[c] = -np.inf
        if not may_join[c]:
            continue
        parents[n_parents] = c
        n_monomials = (n_parents + 1) * (n_parents + 4) // 2
        if is_unsure(growth.refit, n_monomials, max(lanes[LEAST, c], 0.0), lanes[SHARE, c], LOG_FLOOR):
            with_candidate = _refitted(growth, node, parents, n_parents + 1)
            if with_candidate > least:
                values[c] = with_candidate
            continue
        n_coefficients = n_rows + np.int64(lanes[N_MORE, c]) + n_determined
        if left[first, c] <= COLLINEAR:
            n_coefficients += _n_determined(gram, parents, n_parents + 1, work) - n_determined
        with_candidate = local_score(growth, max(lanes[SHARE, c], 0.0), n_parents + 1, n_coefficients)
        if with_candidate > least:
            values[c] = with_candidate


@single_use_kernel
def values_without_each(growth, node, parents, n_parents, rest, values):
    """Write local scores without each of the first ``n_parents`` of ``parents`` to ``values``; ``rest`` is scratch."""
    monomials, drops = growth.monomials, growth.drops
    gram, of_node, about, lower = monomials.gram, monomials.solved[0, :, node], monomials.about, monomials.lower
    n_rows = factorise(monomials, parents, n_parents)
    n_passed = monomials.counts[n_parents, N_PASSED]
    own = gram[node, node] - sum_of_squares(of_node, n_rows)
    invert(lower, n_rows, drops.inverse)
    n_determined = 0
    for j in range(n_parents):
        for other in range(n_parents - 1):
            rest[other] = parents[other + (other >= j)]
        loss, rank = loss_without(j, n_rows, n_passed, of_node, about, lower, drops.inverse, drops.basis, drops.within)
        if monomials.counts[n_parents, N_DETERMINED] > 0:
            n_determined = _n_determined(gram, rest, n_parents - 1, drops.within)
        n_monomials = (n_parents - 1) * (n_parents + 2) // 2
        if is_unsure(growth.refit, n_monomials, monomials.least[n_parents], own + loss, LOG_FLOOR):
            values[j] = _refitted(growth, node, rest, n_parents - 1)
        else:
            values[j] = local_score(growth, max(own + loss, 0.0), n_parents - 1, rank + n_determined)
