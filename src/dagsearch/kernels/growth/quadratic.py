"""Quadratic regression: the parents' monomials are taken out once, then all candidates bring theirs side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import contracted_long_kernel, long_kernel, single_use_kernel
from dagsearch.kernels.gram import COLLINEAR
from dagsearch.kernels.growth.drops import Drops, invert, loss_without, sum_of_squares
from dagsearch.kernels.growth.linear import local_score
from dagsearch.kernels.growth.monomials import N_OWN, Monomials, block_of, column_in, factorise, first_block


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
    monomials: Monomials
    drops: Drops
    work: Any  # (n_nodes, n_nodes) float64 scratch   of an elimination
    block: Any  # (pairs of groups, n_nodes) float64 scratch   products of what candidates bring
    with_node: Any  # (n_nodes + 1, n_nodes) float64 scratch   the same with the node, one row per group
    share: Any  # (n_nodes,) float64 scratch   of the node's variance that is left with each candidate
    factor: Any  # (n_nodes,) float64 scratch
    n_more: Any  # (n_nodes,) int64 scratch   coefficients that each candidate brings


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
def _eliminate(block, n_groups, with_node, share, factor, n_more):
    """Regress the node on what each candidate brings: ``share`` falls to what is left, ``n_more`` counts coefficients.

    ``block`` and ``with_node`` are overwritten.
    """
    d = share.shape[0]
    for k in range(n_groups):
        pivot = block_of(k, k)
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


@single_use_kernel
def values_that_pay(growth, node, parents, n_parents, may_join, least, values):
    """Write local scores with each candidate added to ``values``, or -inf if they are not above ``least``."""
    gram, monomials, d = growth.gram, growth.monomials, growth.n_nodes
    block, with_node, share, n_more = growth.block, growth.with_node, growth.share, growth.n_more
    n_groups = N_OWN + n_parents
    n_rows = factorise(monomials, parents, n_parents)
    own = _regress_on_parents(gram, parents, n_groups, node, n_rows, monomials.solved, with_node)
    first = first_block(n_parents)
    share[:] = own
    n_more[:] = 0
    _copy(monomials.left, first, block_of(0, n_groups), block)
    _eliminate(block, n_groups, with_node, share, growth.factor, n_more)
    n_determined = _n_determined(gram, parents, n_parents, growth.work) if monomials.n_determined[n_parents] > 0 else 0
    for c in range(d):
        values[c] = -np.inf
        if not may_join[c]:
            continue
        n_free = n_determined
        if monomials.left[first, c] <= COLLINEAR:
            parents[n_parents] = c
            n_free = _n_determined(gram, parents, n_parents + 1, growth.work)
        with_candidate = local_score(growth, max(share[c], 0.0), n_parents + 1, n_rows + n_more[c] + n_free)
        if with_candidate > least:
            values[c] = with_candidate


@single_use_kernel
def values_without_each(growth, node, parents, n_parents, rest, values):
    """Write local scores without each of the first ``n_parents`` of ``parents`` to ``values``; ``rest`` is scratch."""
    monomials, drops = growth.monomials, growth.drops
    m = factorise(monomials, parents, n_parents)
    of_node = monomials.solved[0, :, node]
    own = growth.gram[node, node] - sum_of_squares(of_node, m)
    invert(monomials.lower, m, drops.inverse)
    n_determined = 0
    for j in range(n_parents):
        loss, rank = loss_without(monomials, drops, n_parents, j, of_node)
        if monomials.n_determined[n_parents] > 0:
            for other in range(n_parents - 1):
                rest[other] = parents[other + (other >= j)]
            n_determined = _n_determined(growth.gram, rest, n_parents - 1, growth.work)
        values[j] = local_score(growth, max(own + loss, 0.0), n_parents - 1, rank + n_determined)
