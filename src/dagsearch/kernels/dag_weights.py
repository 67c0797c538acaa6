"""From log weights of parent sets to sums over all parent sets inside a set of nodes.

Sets of parents of node j are numbered without the bit of j (`squeeze`). The sums are kept as numbers of any size
(`scaled`), since those of different sets differ by thousands of orders of magnitude.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel
from dagsearch.kernels.scaled import LOG_TWO, exponent_of, power_of_two

NOTHING = -(1 << 30)
"""Exponent of zero: below the sum of those that one DAG has."""


class ParentSums(NamedTuple):
    """W_j(T), the sum of the weights of all parent sets of j inside T.

    A mantissa from 1 to 2 and an exponent, or 0 and `NOTHING`. Both arrays are (n_nodes, 2^(n_nodes - 1)).
    """

    values: Any  # float64
    exponents: Any  # int32


@kernel
def squeeze(members, node):
    """The number of a set of nodes without ``node``: its bits with that of ``node`` taken out."""
    below = (1 << node) - 1
    return members & below | members >> 1 & ~below


@kernel
def _from_logs(log_weights, sums, node):
    for k in range(log_weights.shape[1]):
        if log_weights[node, k] == -np.inf:
            sums.values[node, k], sums.exponents[node, k] = 0.0, NOTHING
        else:
            exponent = np.floor(log_weights[node, k] / LOG_TWO)
            sums.values[node, k] = np.exp(log_weights[node, k] - exponent * LOG_TWO)
            sums.exponents[node, k] = exponent


@kernel
def _spread_to_supersets(sums, node):
    """Add to each set what its subsets have, one element at a time."""
    values, exponents = sums.values, sums.exponents
    width = 1
    while width < values.shape[1]:
        for start in range(0, values.shape[1], 2 * width):
            for k in range(start, start + width):
                ours, theirs = np.int64(exponents[node, k + width]), np.int64(exponents[node, k])
                common = max(ours, theirs)
                values[node, k + width] = values[node, k + width] * power_of_two(ours - common) + values[
                    node, k
                ] * power_of_two(theirs - common)
                exponents[node, k + width] = common
        width *= 2


@kernel
def _normalise(sums, node):
    for k in range(sums.values.shape[1]):
        if sums.values[node, k] > 0.0:
            exponent = exponent_of(sums.values[node, k])
            sums.values[node, k] *= power_of_two(-exponent)
            sums.exponents[node, k] += exponent


@entry_point
def add_up_parent_sets(log_weights, sums, node):
    """Fill ``sums`` of one node from ``log_weights`` (n_nodes, 2^(n_nodes - 1)), -inf for sets that are ruled out."""
    _from_logs(log_weights, sums, node)
    _spread_to_supersets(sums, node)
    _normalise(sums, node)
