"""Factor of all monomials of some parents, over the monomials that one more parent would bring.

A candidate c brings c, its square, and its product with each parent. Those of all candidates are laid out in groups, so
that loops run over candidates: group 0 is the variables, group 1 their squares, group 2 + j their products with parent
j. The monomials of the parents themselves are among them.

Parents come one after the other, as sets of a climb have most of them in common: what is known of the first ones stays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import contracted_long_kernel, kernel, long_kernel, reassociated_long_kernel
from dagsearch.kernels.gram import COLLINEAR, product_column

N_OWN = 2  # groups beside those of the parents: variables and squares
NOTHING = -1  # is known, not even for no parents
NO_ROWS = np.int64(0)  # typed, or kernels compile once more for the literal
# Rows of the first parents, monomials of theirs that have none, and those among the latter that are parents themselves.
N_ROWS, N_PASSED, N_DETERMINED = range(3)
# A monomial's column of the Gram matrix (of one without a row: how many rows there were), and the positions of the
# parents whose product it is; of a parent and its square, that parent's twice.
COLUMN, FIRST, SECOND, SCRATCH = range(4)


class Monomials(NamedTuple):
    """The factor, one per thread. It has a row for each monomial that those before it do not determine.

    Those come first, the others last: few arrays compile in less time than many.
    """

    gram: Any  # (n_columns, n_columns) float64
    known: Any  # (n_nodes + 1,) int64   how many parents there are, or NOTHING, and which
    counts: Any  # (most parents + 1, 3) int64   for the first parents: N_ROWS, N_PASSED, N_DETERMINED
    least: Any  # (most parents + 1,) float64   for the first parents: the least pivot of their monomials
    about: Any  # (most monomials + 1, 4) int64   what each is: COLUMN, FIRST, SECOND; and SCRATCH
    lower: Any  # (most monomials + 1, most rows + 1) float64   the factor; those without a row in terms of it
    solved: Any  # (most groups, most rows, n_nodes) float64   candidates' monomials in its terms, by group
    left: Any  # (pairs of groups, n_nodes) float64   their products less what the first 0, 1, ... parents explain


@kernel
def _column(a, b, n_nodes):
    """Column of the product of two variables in the Gram matrix."""
    return product_column(max(a, b), min(a, b), n_nodes)


@kernel
def column_in(group, c, parents, n_nodes):
    """Column of the Gram matrix that candidate ``c`` has in a group."""
    if group == 0:
        return c
    return _column(c, c if group == 1 else parents[group - N_OWN], n_nodes)


@kernel
def block_of(low, high):
    """Position of a pair of groups (``low`` <= ``high``) among those for the same parents."""
    return high * (high + 1) // 2 + low


@kernel
def first_block(n_parents):
    """Position of the first pair of groups for so many parents: after 3, 6, 10, ... for fewer."""
    n = n_parents + 1
    return n * (n + 1) * (n + 2) // 6 - 1


# Loops run over slices from 0 on: an index that may be negative, for all that the compiler knows, is checked each time.
@contracted_long_kernel
def _subtract_from_two(solved, lower, first, target):
    """Take the rows before ``first`` out of rows ``target`` and ``target + 1``."""
    d, low, high = solved.shape[1], solved[target], solved[target + 1]
    of_low, of_high = lower[target], lower[target + 1]
    in_fours = first % 4
    for i in range(in_fours):
        row, f, g = solved[i], of_low[i], of_high[i]
        for c in range(d):
            low[c] -= f * row[c]
            high[c] -= g * row[c]
    for i in range(in_fours, first, 4):
        f0, f1, f2, f3 = of_low[i], of_low[i + 1], of_low[i + 2], of_low[i + 3]
        g0, g1, g2, g3 = of_high[i], of_high[i + 1], of_high[i + 2], of_high[i + 3]
        r0, r1, r2, r3 = solved[i], solved[i + 1], solved[i + 2], solved[i + 3]
        for c in range(d):
            low[c] -= f0 * r0[c] + f1 * r1[c] + f2 * r2[c] + f3 * r3[c]
            high[c] -= g0 * r0[c] + g1 * r1[c] + g2 * r2[c] + g3 * r3[c]


@contracted_long_kernel
def _subtract(solved, lower, first, last, target):
    """Take the rows from ``first`` to ``last`` out of row ``target``."""
    changed = solved[target]
    for i in range(first, last):
        row, factor = solved[i], lower[target, i]
        for c in range(solved.shape[1]):
            changed[c] -= factor * row[c]


@contracted_long_kernel
def _solve_rows(gram, about, lower, parents, group, first_row, last_row, solved):
    """Write a group's columns in terms of rows from ``first_row`` on to ``solved`` (most rows, n_nodes)."""
    d = solved.shape[1]
    for r in range(first_row, last_row):
        row, products = solved[r], gram[about[r, COLUMN]]
        for c in range(d):
            row[c] = products[column_in(group, c, parents, d)]
    for r in range(first_row, last_row, 2):
        n = min(2, last_row - r)
        if n == 2:
            _subtract_from_two(solved, lower, r, r)
        else:
            _subtract(solved, lower, 0, r, r)
        for k in range(r, r + n):
            _subtract(solved, lower, r, k, k)
            row, scale = solved[k], 1.0 / lower[k, k]
            for c in range(d):
                row[c] *= scale


@reassociated_long_kernel
def _last_row(gram, column, solved, parent, n_old, n_rows, about, lower):
    """Write the row of a parent's monomial after the others; returns what they leave of it.

    It has no place yet: whether it gets one is for the caller to say. The first ``n_old`` rows are of other parents: in
    their terms the monomial is in ``solved`` already.
    """
    new = lower[n_rows]
    left = gram[column, column]
    for i in range(n_old):
        new[i] = solved[i, parent]
        left -= new[i] * new[i]
    for i in range(n_old, n_rows):
        row, product = lower[i], gram[about[i, COLUMN], column]
        for k in range(i):
            product -= row[k] * new[k]
        new[i] = product / row[i]
        left -= new[i] * new[i]
    return left


@contracted_long_kernel
def _take_rows_out(low, high, first_row, last_row, left):
    """Take products of the entries of rows in two groups out of ``left`` (n_nodes,)."""
    d = left.shape[0]
    in_fours = first_row + (last_row - first_row) % 4
    for i in range(first_row, in_fours):
        a0, b0 = low[i], high[i]
        for c in range(d):
            left[c] -= a0[c] * b0[c]
    for i in range(in_fours, last_row, 4):
        a0, a1, a2, a3 = low[i], low[i + 1], low[i + 2], low[i + 3]
        b0, b1, b2, b3 = high[i], high[i + 1], high[i + 2], high[i + 3]
        for c in range(d):
            left[c] -= a0[c] * b0[c] + a1[c] * b1[c] + a2[c] * b2[c] + a3[c] * b3[c]


@contracted_long_kernel
def _update_left(gram, parents, n_parents, first_row, last_row, solved, left):
    """Write what is left of products of groups, from what was left before the last parent came with its rows."""
    d = left.shape[1]
    before, n_groups = first_block(max(n_parents - 1, 0)), N_OWN + n_parents
    for high in range(n_groups):
        is_new = n_parents == 0 or high == n_groups - 1
        for low in range(high + 1):
            block = left[first_block(n_parents) + block_of(low, high)]
            old = left[before + block_of(low, high)]
            for c in range(d):
                if is_new:
                    block[c] = gram[column_in(low, c, parents, d), column_in(high, c, parents, d)]
                else:
                    block[c] = old[c]
            _take_rows_out(solved[low], solved[high], 0 if is_new else first_row, last_row, block)


@long_kernel
def _pass_over(lower, n_rows, n_passed, about):
    """Keep what a monomial without a row is in terms of the rows; returns its position."""
    at = lower.shape[0] - 1 - n_passed
    for i in range(n_rows):
        lower[at, i] = lower[n_rows, i]
    about[at, COLUMN] = n_rows
    return at


@long_kernel
def _append_monomials(gram, parents, j, counts, least, about, lower, solved):
    """Give a row to each monomial of parent ``j`` that those before it do not determine."""
    least[j + 1] = least[j]
    n_old, n_passed, n_determined = counts[j, N_ROWS], counts[j, N_PASSED], counts[j, N_DETERMINED]
    n_rows = n_old
    for group in range(N_OWN + j):
        at, column = n_rows, column_in(group, parents[j], parents, solved.shape[2])
        left = _last_row(gram, column, solved[group], parents[j], n_old, n_rows, about, lower)
        if gram[column, column] > 0.0:
            least[j + 1] = min(least[j + 1], max(left, 0.0))
        # There is room for as many rows as there are observations: any more are rounding.
        if left > COLLINEAR and n_rows < solved.shape[1]:
            lower[n_rows, n_rows] = np.sqrt(left)
            about[n_rows, COLUMN] = column
            n_rows += 1
        else:
            at = _pass_over(lower, n_rows, n_passed, about)
            n_passed += 1
            n_determined += group == 0
        about[at, FIRST], about[at, SECOND] = j, group - N_OWN if group >= N_OWN else j
    counts[j + 1, N_ROWS], counts[j + 1, N_PASSED], counts[j + 1, N_DETERMINED] = n_rows, n_passed, n_determined


@long_kernel
def _append_parent(gram, parents, j, counts, least, about, lower, solved, left):
    """Add the monomials of parent ``j``: itself, its square, its products with earlier parents."""
    _append_monomials(gram, parents, j, counts, least, about, lower, solved)
    n_old, n_rows = counts[j, N_ROWS], counts[j + 1, N_ROWS]
    for group in range(N_OWN + j + 1):
        first_row = n_old if group < N_OWN + j else NO_ROWS
        _solve_rows(gram, about, lower, parents, group, first_row, n_rows, solved[group])
    _update_left(gram, parents, j + 1, n_old, n_rows, solved, left)


@kernel
def factorise(monomials, parents, n_parents):
    """Bring the factor to the first ``n_parents`` of ``parents``; returns how many rows it has then."""
    gram, known, counts, solved, left = (
        monomials.gram,
        monomials.known,
        monomials.counts,
        monomials.solved,
        monomials.left,
    )
    if known[0] == NOTHING:
        known[0] = 0
        _update_left(gram, parents, known[0], NO_ROWS, NO_ROWS, solved, left)
    n_same = 0
    while n_same < min(known[0], n_parents) and known[1 + n_same] == parents[n_same]:
        n_same += 1
    for j in range(n_same, n_parents):
        _append_parent(gram, parents, j, counts, monomials.least, monomials.about, monomials.lower, solved, left)
        known[0], known[1 + j] = j + 1, parents[j]
    return counts[n_parents, N_ROWS]
