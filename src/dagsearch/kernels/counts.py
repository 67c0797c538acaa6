"""Discrete local scores by counting: BIC and BDeu of one node given its parents."""

from __future__ import annotations

import math

import numpy as np

from dagsearch.kernels.compile import kernel

_FEW_FACTORS = 16
_SMALLEST_FACTOR, _LARGEST_FACTOR = 1e-30, 1e6
_SMALL_PRODUCT, _LARGE_PRODUCT = 1e-100, 1e100  # a short product more cannot leave the range of a float

# Beyond it a penalty would be infinite and a prior zero, and differences between such scores not numbers.
MOST_CONFIGURATIONS = 1e280


@kernel
def _compress(cells, n_cells, relabel):
    """Renumber the cells in use as 0, 1, ... in order of appearance; returns their number."""
    for c in range(n_cells):
        relabel[c] = -1
    n_used = 0
    for row in range(cells.shape[0]):
        c = cells[row]
        if relabel[c] < 0:
            relabel[c] = n_used
            n_used += 1
        cells[row] = relabel[c]
    return n_used


@kernel
def parent_cells(codes, levels, parents, n_parents, cells, relabel):
    """Number the joint values of the parents per row in ``cells``; returns how many numbers there are.

    Numbers are kept below the scratch's size by renumbering those in use whenever a parent would overflow it.
    """
    for row in range(cells.shape[0]):
        cells[row] = 0
    n_cells = 1
    for p in range(n_parents):
        r = levels[parents[p]]
        if n_cells * r > relabel.shape[0]:
            n_cells = _compress(cells, n_cells, relabel)
        column = codes[parents[p]]
        for row in range(cells.shape[0]):
            cells[row] = cells[row] * r + column[row]
        n_cells *= r
    return n_cells


@kernel
def count_table(codes, weights, levels, node, cells, n_cells, relabel, table):
    """Count (cell, level of ``node``) pairs into ``table``, a flat array; returns the cells and the levels."""
    r = levels[node]
    if n_cells * r > table.shape[0]:
        n_cells = _compress(cells, n_cells, relabel)
    for k in range(n_cells * r):
        table[k] = 0
    column = codes[node]
    for row in range(cells.shape[0]):
        table[cells[row] * r + column[row]] += weights[row]
    return n_cells


@kernel
def log_likelihood(table, n_cells, n_levels, x_log_x):
    """Sum of N_jk log(N_jk / N_j); ``x_log_x[N]`` holds N log N."""
    total = 0.0
    for j in range(n_cells):
        n_j = 0
        for k in range(j * n_levels, (j + 1) * n_levels):
            n_j += table[k]
            total += x_log_x[table[k]]
        total -= x_log_x[n_j]
    return total


@kernel
def _log_rising(start, n, product):
    """Log of start (start + 1) ... (start + n - 1), split into a part to add up and a factor to multiply up.

    A logarithm costs far more than a product: short ones are multiplied into ``product`` until it gets large or small.
    """
    if n > _FEW_FACTORS or not _SMALLEST_FACTOR < start < _LARGEST_FACTOR:
        return math.lgamma(start + n) - math.lgamma(start), product
    for i in range(n):
        product *= start + i
    if _SMALL_PRODUCT < product < _LARGE_PRODUCT:
        return 0.0, product
    return math.log(product), 1.0


@kernel
def log_bdeu(table, n_cells, n_levels, r, n_configurations, sample_size):
    """Log marginal likelihood with a uniform Dirichlet prior worth ``sample_size`` observations.

    The prior is spread over the ``r`` levels there can be, of which the table has the ``n_levels`` that occur.
    """
    prior_j = sample_size / n_configurations
    prior_jk = prior_j / r
    total, above, below = 0.0, 1.0, 1.0
    for j in range(n_cells):
        n_j = 0
        for k in range(j * n_levels, (j + 1) * n_levels):
            if table[k] > 0:
                n_j += table[k]
                part, above = _log_rising(prior_jk, table[k], above)
                total += part
        if n_j > 0:
            part, below = _log_rising(prior_j, n_j, below)
            total -= part
    return total + math.log(above / below)


@kernel
def configurations(cardinalities, parents, n_parents):
    """Number of joint values the parents could take, as a float since it may be huge; at most `MOST_CONFIGURATIONS`."""
    q = 1.0
    for p in range(n_parents):
        q *= np.float64(cardinalities[parents[p]])
    return min(q, MOST_CONFIGURATIONS)
