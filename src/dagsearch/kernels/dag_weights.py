"""From log weights of parent sets to sums over all parent sets inside a set of nodes.

Sets of parents of node j are numbered without the bit of j (`squeeze`). The sums are kept as numbers of twice the
precision with exponents (`twofold`), since those of different sets differ by thousands of orders of magnitude.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel
from dagsearch.kernels.twofold import add, exponent_of, power_of_two

NOTHING = -(1 << 30)
"""Exponent of zero: below that of any other number."""
_LOG_TWO = 0.6931471805599453


class ParentSums(NamedTuple):
    """W_j(T), the sum of the weights of all parent sets of j inside T; 0, with exponent `NOTHING`, or mantissa 1 to 2.

    All arrays are (n_nodes, 2^(n_nodes - 1)).
    """

    high: Any  # float64
    low: Any  # float64
    exponents: Any  # int32


@kernel
def squeeze(members, node):
    """The number of a set of nodes without ``node``: its bits with that of ``node`` taken out."""
    below = (1 << node) - 1
    return members & below | members >> 1 & ~below


@kernel
def _from_logs(log_weights, sums, node):
    for k in range(log_weights.shape[1]):
        sums.low[node, k] = 0.0
        if log_weights[node, k] == -np.inf:
            sums.high[node, k], sums.exponents[node, k] = 0.0, NOTHING
        else:
            exponent = np.floor(log_weights[node, k] / _LOG_TWO)
            sums.high[node, k] = np.exp(log_weights[node, k] - exponent * _LOG_TWO)
            sums.exponents[node, k] = exponent


@kernel
def _spread_to_supersets(sums, node):
    """Add to each set what its subsets have, one element at a time."""
    high, low, exponents = sums.high, sums.low, sums.exponents
    width = 1
    while width < high.shape[1]:
        for start in range(0, high.shape[1], 2 * width):
            for k in range(start, start + width):
                ours, theirs = np.int64(exponents[node, k + width]), np.int64(exponents[node, k])
                common = max(ours, theirs)
                a, b = power_of_two(ours - common), power_of_two(theirs - common)
                high[node, k + width], low[node, k + width] = add(
                    high[node, k + width] * a, low[node, k + width] * a, high[node, k] * b, low[node, k] * b
                )
                exponents[node, k + width] = common
        width *= 2


@kernel
def _normalise(sums, node):
    high, low, exponents = sums.high, sums.low, sums.exponents
    for k in range(high.shape[1]):
        if high[node, k] > 0.0:
            exponent = exponent_of(high[node, k])
            scale = power_of_two(-exponent)
            high[node, k] *= scale
            low[node, k] *= scale
            exponents[node, k] += exponent


@entry_point
def add_up_parent_sets(log_weights, sums, node):
    """Fill ``sums`` of one node from ``log_weights`` (n_nodes, 2^(n_nodes - 1)), -inf for sets that are ruled out."""
    _from_logs(log_weights, sums, node)
    _spread_to_supersets(sums, node)
    _normalise(sums, node)
