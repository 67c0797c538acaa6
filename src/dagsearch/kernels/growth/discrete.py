"""Counts of discrete columns: the parents' joint values are numbered once, then each candidate splits them.

Candidates are counted row by row, or 64 rows at a time by the bits that two values have in common, whichever is less
work. Rows whose joint value of the parents determines the node do not matter to BIC any more: no split changes their
likelihood.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels import counts
from dagsearch.kernels.bits import ONE, popcount
from dagsearch.kernels.compile import kernel, long_kernel, single_use_kernel
from dagsearch.kernels.local import BDEU

_WORDS_PER_ROW = 4  # words whose common bits are counted in the time that a row takes
ROW, CELL, LEVEL = range(3)


class DiscreteGrowth(NamedTuple):
    """What it takes, one per thread; names as in `Family`."""

    code: int
    n_samples: float
    penalty_weight: float
    codes: Any  # (n_nodes, n_rows) int32
    weights: Any  # (n_rows,) int64
    levels: Any  # (n_nodes,) int64
    cardinalities: Any  # (n_nodes,) int64
    x_log_x: Any  # (n_samples + 1,) float64
    entropies: Any  # (n_nodes,) float64   no candidate tells more than its own entropy
    starts: Any  # (n_nodes,) int64   of each node's levels in ``planes``
    planes: Any  # (levels of all nodes, n_plane_words) uint64   bit k: row k (each as often as it occurs) has the level
    row_of_bit: Any  # (n_samples,) int32   the distinct row that each bit stands for
    cells: Any  # (n_rows,) int64 scratch
    relabel: Any  # (size,) int64 scratch
    table: Any  # (size,) int64 scratch
    kept: Any  # (3, n_rows) int64 scratch   rows that matter, their cells, their levels of the node
    masks: Any  # (most pairs of cell and level, n_plane_words) uint64 scratch   rows with each pair
    totals: Any  # (the same,) int64 scratch   how many


@long_kernel
def _log_score(code, table, n_cells, n_levels, cardinality, q, x_log_x, n_samples, weight):
    """Local score from the counts of (joint value of the parents, level of the node)."""
    if code == BDEU:
        return counts.log_bdeu(table, n_cells, n_levels, cardinality, q, weight) / n_samples
    likelihood = counts.log_likelihood(table, n_cells, n_levels, x_log_x)
    return likelihood / n_samples - weight * q * (cardinality - 1)


@long_kernel
def _count(codes, weights, levels, node, parents, n_parents, cells, relabel, table):
    """Number the parents' joint values per row in ``cells`` and count them with the node's; returns how many."""
    n_cells = counts.parent_cells(codes, levels, parents, n_parents, cells, relabel)
    return counts.count_table(codes, weights, levels, node, cells, n_cells, relabel, table)


@kernel
def _cells_and_counts(growth, node, parents, n_parents):
    return _count(
        growth.codes,
        growth.weights,
        growth.levels,
        node,
        parents,
        n_parents,
        growth.cells,
        growth.relabel,
        growth.table,
    )


@kernel
def _scored(growth, node, n_cells, q):
    n_levels, cardinality = growth.levels[node], growth.cardinalities[node]
    table, x_log_x = growth.table, growth.x_log_x
    return _log_score(
        growth.code, table, n_cells, n_levels, cardinality, q, x_log_x, growth.n_samples, growth.penalty_weight
    )


@kernel
def value(growth, node, parents, n_parents):
    """Local score of ``node`` given the first ``n_parents`` of ``parents``."""
    q = counts.configurations(growth.cardinalities, parents, n_parents)
    return _scored(growth, node, _cells_and_counts(growth, node, parents, n_parents), q)


@long_kernel
def _keep_rows(keeps_all, column, n_cells, n_levels, cells, relabel, table, kept):
    """List the rows that matter, with cells numbered anew (-1 elsewhere); returns how many rows and cells there are."""
    n_open = 0
    for c in range(n_cells):
        n_seen = 0
        for k in range(n_levels):
            n_seen += table[c * n_levels + k] > 0
        matters = n_seen > 1 or (n_seen == 1 and keeps_all)
        relabel[c] = n_open if matters else -1
        n_open += matters
    n_kept = 0
    for row in range(cells.shape[0]):
        cells[row] = relabel[cells[row]]
        if cells[row] >= 0:
            kept[ROW, n_kept] = row
            kept[CELL, n_kept] = cells[row]
            kept[LEVEL, n_kept] = column[row]
            n_kept += 1
    return n_kept, n_open


@long_kernel
def _raise_masks(row_of_bit, cells, column, n_cells, n_levels, masks, totals):
    """Write which rows have each pair of cell and level of the node to ``masks``, and how many to ``totals``."""
    for pair in range(n_cells * n_levels):
        totals[pair] = 0
        for w in range(masks.shape[1]):
            masks[pair, w] = np.uint64(0)
    for k in range(row_of_bit.shape[0]):
        cell = cells[row_of_bit[k]]
        if cell >= 0:
            pair = cell * n_levels + column[row_of_bit[k]]
            totals[pair] += 1
            masks[pair, k >> 6] |= ONE << np.uint64(k & 63)


@long_kernel
def _count_by_bits(masks, totals, planes, start, r, n_cells, n_levels, table):
    """Fill the table with (cell, level of the candidate, level of the node) by common bits."""
    for pair in range(n_cells * n_levels):
        cell, level = pair // n_levels, pair % n_levels
        left = totals[pair]
        for c in range(r - 1):
            common = np.uint64(0)
            for w in range(masks.shape[1]):
                common += popcount(masks[pair, w] & planes[start + c, w])
            table[(cell * r + c) * n_levels + level] = np.int64(common)
            left -= np.int64(common)
        table[(cell * r + r - 1) * n_levels + level] = left


@long_kernel
def _count_by_rows(kept, n_kept, column, weights, r, n_cells, n_levels, table):
    """Fill the table with (cell, level of the candidate, level of the node) row by row."""
    for k in range(n_cells * r * n_levels):
        table[k] = 0
    for k in range(n_kept):
        row = kept[ROW, k]
        table[(kept[CELL, k] * r + column[row]) * n_levels + kept[LEVEL, k]] += weights[row]


@single_use_kernel
def values_that_pay(growth, node, parents, n_parents, may_join, least, values):
    """Write local scores with each candidate added to ``values``, or -inf if they are not above ``least``."""
    code, codes, table, cells, kept = growth.code, growth.codes, growth.table, growth.cells, growth.kept
    n_levels, cardinality, weight = growth.levels[node], growth.cardinalities[node], growth.penalty_weight
    q = counts.configurations(growth.cardinalities, parents, n_parents)
    n_all_cells = _cells_and_counts(growth, node, parents, n_parents)
    likelihood = counts.log_likelihood(table, n_all_cells, n_levels, growth.x_log_x) / growth.n_samples
    n_kept, n_cells = _keep_rows(code == BDEU, codes[node], n_all_cells, n_levels, cells, growth.relabel, table, kept)
    n_pairs = n_cells * n_levels
    has_masks = False
    for c in range(values.shape[0]):
        values[c] = -np.inf
        if not may_join[c]:
            continue
        q_with = min(q * growth.cardinalities[c], counts.MOST_CONFIGURATIONS)
        best_likelihood = min(0.0, likelihood + growth.entropies[c])
        if code != BDEU and best_likelihood - weight * q_with * (cardinality - 1) <= least:
            continue
        r = growth.levels[c]
        if n_pairs * r > table.shape[0]:
            parents[n_parents] = c
            with_candidate = value(growth, node, parents, n_parents + 1)
            n_all_cells = _cells_and_counts(growth, node, parents, n_parents)  # its scratch was needed
            _keep_rows(code == BDEU, codes[node], n_all_cells, n_levels, cells, growth.relabel, table, kept)
        else:
            n_words = n_pairs * (r - 1) * growth.planes.shape[1]
            if n_words < _WORDS_PER_ROW * n_kept and n_pairs <= growth.masks.shape[0]:
                if not has_masks:
                    _raise_masks(growth.row_of_bit, cells, codes[node], n_cells, n_levels, growth.masks, growth.totals)
                    has_masks = True
                _count_by_bits(
                    growth.masks, growth.totals, growth.planes, growth.starts[c], r, n_cells, n_levels, table
                )
            else:
                _count_by_rows(kept, n_kept, codes[c], growth.weights, r, n_cells, n_levels, table)
            with_candidate = _scored(growth, node, n_cells * r, q_with)
        if with_candidate > least:
            values[c] = with_candidate


@single_use_kernel
def values_without_each(growth, node, parents, n_parents, rest, values):
    """Write local scores without each of the first ``n_parents`` of ``parents`` to ``values``; ``rest`` is scratch."""
    for k in range(n_parents):
        for m in range(n_parents - 1):
            rest[m] = parents[m + (m >= k)]
        values[k] = value(growth, node, rest, n_parents - 1)
