"""One local score of any compiled family, so that the search loop never has to leave compiled code for it.

A local score is a pair (value, penalty). The reward of a DAG is the sum of values minus the sum of penalties, or, with
equal variances, -log(sum of values) minus the sum of penalties.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from dagsearch.kernels import counts, gram, refit
from dagsearch.kernels.bits import size
from dagsearch.kernels.compile import INLINED, entry_point, kernel, long_kernel
from dagsearch.kernels.memo import MISSING, find, penalty_at, store, value_at

OUTSIDE, LINEAR, QUADRATIC, DISCRETE_BIC, BDEU = range(5)
LOG_FLOOR = 1e-8  # added to mean squares before the logarithm, as in the paper's runs


class Family(NamedTuple):
    """What a compiled family needs; arrays it does not use are empty."""

    code: int  # OUTSIDE: local scores come from Python
    n_nodes: int
    n_samples: float
    equal_variances: bool
    penalise_parameters: bool  # or edges
    penalty_weight: float  # of one edge or parameter; sample size of the prior for BDEU
    edge_price: float  # of an edge, beside that of its parameters
    gram: Any  # (n_columns, n_columns) float64
    codes: Any  # (n_nodes, n_rows) int32
    weights: Any  # (n_rows,) int64   how often each distinct row occurs
    levels: Any  # (n_nodes,) int64   how many occur, of which the codes are numbers
    cardinalities: Any  # (n_nodes,) int64   how many there can be: at least levels, for the penalty and the prior
    x_log_x: Any  # (n_samples + 1,) float64
    work: Any  # (m, m) float64 scratch of an elimination
    columns: Any  # (m,) int64 scratch: columns of a regression, or parents
    cells: Any  # (n_rows,) int64 scratch
    relabel: Any  # (size,) int64 scratch
    table: Any  # (size,) int64 scratch
    refit: Any  # the columns behind the Gram matrix


class Outside(NamedTuple):
    """In place of a `Family` whose local scores come from Python: loops then compile no code that evaluates them."""

    n_nodes: int


@kernel
def residual_sum(family, node, rows, row, floor, words):
    """Residual sum of squares of ``node`` on set ``row``, and the number of coefficients.

    Of the share that is left, and ``floor`` added to it, no millionth is wrong.
    """
    if family.code == LINEAR:
        n_linear = gram.linear_columns(rows, row, family.columns, words)
        m = n_linear
    else:
        n_linear, m = gram.quadratic_columns(rows, row, family.n_nodes, family.columns, words)
    share, n_coefficients, least = gram.residual_share(family.gram, family.columns, m, n_linear, node, family.work)
    if refit.is_unsure(family.refit, m, least, share, floor):
        share, n_coefficients = refit.residual_share(family.refit, family.columns, m, n_linear, node)
    return share * family.n_samples, n_coefficients


@kernel
def regression_terms(family, rss, n_parents, n_parameters):
    """(value, penalty) of a node from its residual sum of squares (F_HV or F_EV of the paper, divided by n)."""
    mean_square = rss / family.n_samples
    value = mean_square if family.equal_variances else -np.log(mean_square + LOG_FLOOR)
    count = n_parameters if family.penalise_parameters else n_parents
    return value, count * family.penalty_weight + n_parents * family.edge_price


@kernel
def _discrete_terms(family, node, rows, row, words):
    """(value, penalty) of a discrete node (F_DV of the paper, divided by n)."""
    n_parents = gram.linear_columns(rows, row, family.columns, words)
    n_levels, r = family.levels[node], family.cardinalities[node]
    q = counts.configurations(family.cardinalities, family.columns, n_parents)
    n_cells = counts.parent_cells(family.codes, family.levels, family.columns, n_parents, family.cells, family.relabel)
    n_cells = counts.count_table(
        family.codes, family.weights, family.levels, node, family.cells, n_cells, family.relabel, family.table
    )
    if family.code == BDEU:
        return counts.log_bdeu(family.table, n_cells, n_levels, r, q, family.penalty_weight) / family.n_samples, 0.0
    value = counts.log_likelihood(family.table, n_cells, n_levels, family.x_log_x) / family.n_samples
    return value, family.penalty_weight * q * (r - 1)


@long_kernel
def evaluate(family, node, rows, row, words):
    """(value, penalty) of ``node`` given the parents in set ``row`` of ``rows``."""
    if family.code == LINEAR or family.code == QUADRATIC:
        rss, n_parameters = residual_sum(family, node, rows, row, LOG_FLOOR, words)
        return regression_terms(family, rss, np.int64(size(rows, row, words)), n_parameters)
    return _discrete_terms(family, node, rows, row, words)


def find_or_evaluate(memo: Any, family: Any, node: int, rows: Any, row: int, words: Any) -> int:
    """Slot of a local score, computed now if it is new; `MISSING` if it has to come from outside."""
    raise NotImplementedError("for kernels only")


def _find_or_evaluate(memo, family, node, rows, row, words):
    slot = find(memo, node, rows, row, words)
    if slot == MISSING and family.code != OUTSIDE:
        value, penalty = evaluate(family, node, rows, row, words)
        slot = store(memo, node, rows, row, value, penalty, words)
    return slot


@overload(find_or_evaluate, jit_options=INLINED)
def _find_or_evaluate_by_kind(memo, family, node, rows, row, words):
    if family.instance_class is Outside:
        return lambda memo, family, node, rows, row, words: find(memo, node, rows, row, words)  # noqa: ARG005
    return _find_or_evaluate


@entry_point
def look_up_many(memo, family, nodes, rows, terms, known, words):
    """Write (value, penalty) of each (``nodes[k]``, set ``k``) to ``terms[k]``; ``known[k]`` tells whether it could."""
    for k in range(nodes.shape[0]):
        slot = find_or_evaluate(memo, family, nodes[k], rows, k, words)
        known[k] = slot != MISSING
        if slot != MISSING:
            terms[k, 0] = value_at(memo, slot, words)
            terms[k, 1] = penalty_at(memo, slot, words)


@entry_point
def find_many(memo, nodes, rows, terms, known, words):
    """`look_up_many` of what is in the table, without the code that evaluates: it compiles in a tenth of the time."""
    for k in range(nodes.shape[0]):
        slot = find(memo, nodes[k], rows, k, words)
        known[k] = slot != MISSING
        if slot != MISSING:
            terms[k, 0] = value_at(memo, slot, words)
            terms[k, 1] = penalty_at(memo, slot, words)


@entry_point
def store_many(memo, nodes, rows, terms, words):
    """Write each (value, penalty) ``terms[k]`` of (``nodes[k]``, set ``k``); the table must have room."""
    for k in range(nodes.shape[0]):
        store(memo, nodes[k], rows, k, terms[k, 0], terms[k, 1], words)


@entry_point
def residual_sum_of_squares(family, node, parents, words):
    """Residual sum of squares of ``node`` on the one set ``parents``."""
    return residual_sum(family, node, parents, 0, 0.0, words)[0]


@entry_point
def regression_terms_of(family, rss, n_parents, n_parameters):
    """`regression_terms` for callers from Python."""
    return regression_terms(family, rss, n_parents, n_parameters)
