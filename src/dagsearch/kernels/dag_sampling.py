"""Independent DAGs from the sums over all DAGs (`dag_sums`), layer by layer from the sources on.

A node is in the first layer if it has no parents, and in a later one if all its parents are in earlier layers, at least
one of them in the layer just before. Let T hold all layers so far, S the last of them, and x_j = W_j(T) - W_j(T - S)
the weight of the parent sets that put j into the next layer. That layer is exactly R with a weight of

    prod_{j in R} x_j  *  sum over Q outside of T + R of  (-1)^|Q|  B(T + R + Q)  prod_{j in Q} W_j(T),

as no other node may have all its parents in T. For all R at once these are made from the terms of B(T), one node after
another: of the terms without it and with it, a and c, come a - c and c x_j / W_j(T).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel
from dagsearch.kernels.dag_sums import complete, find_open
from dagsearch.kernels.dag_weights import squeeze
from dagsearch.kernels.scaled import LOG_TWO, power_of_two

_ONE = np.uint64(1)


class RankedSets(NamedTuple):
    """Parent sets of all nodes by falling weight."""

    starts: Any  # (n_nodes + 1,) int64   those of node j: starts[j] to starts[j + 1]
    sets: Any  # (n_sets,) int64   bits are members
    log_weights: Any  # (n_sets,) float64


@kernel
def _into_next_layer(sums, node, members, last):
    """x_j as (value, exponent)."""
    k = squeeze(members, node)
    value, exponent = sums.values[node, k], np.int64(sums.exponents[node, k])
    if members != 0:
        fewer = squeeze(members & ~last, node)
        value -= sums.values[node, fewer] * power_of_two(sums.exponents[node, fewer] - exponent)
    return max(value, 0.0), exponent


@kernel
def _weigh_layers(problem, members, last, products, n_open):
    """Cumulative weights of all next layers, in ``products.values``, up to a common factor."""
    complete(problem, members, products, n_open)
    values = products.values
    n = _ONE << np.uint64(n_open)
    width = _ONE
    for position in range(n_open):
        node = products.open[position]
        share = _into_next_layer(problem.sums, node, members, last)[0]
        share /= problem.sums.values[node, squeeze(members, node)]
        for start in range(np.uint64(0), n, width << _ONE):
            for s in range(start, start + width):
                # The terms have alternating signs, beginning with a minus.
                values[s] += values[s + width]
                values[s + width] *= -share
        width = width << _ONE
    values[0] = 0.0
    for s in range(_ONE, n):
        values[s] = values[s - _ONE] + max(-values[s], 0.0)


@kernel
def _first_above(cumulative, n, target):
    """Position of the first of ``n`` ascending numbers above the target; the last that is above its predecessor."""
    low, high = np.uint64(0), n - _ONE
    while low < high:
        middle = (low + high) >> _ONE
        if cumulative[middle] > target:
            high = middle
        else:
            low = middle + _ONE
    return low


@entry_point
def next_layers(problem, order, members, last, uniforms, layers, products):
    """Draw the next layer of many DAGs.

    Parameters
    ----------
    problem
        `Problem`, solved.
    order
        (n,) int64 positions of the DAGs, those in the same state side by side.
    members, last
        (n_dags,) int64 all layers so far, and the last one.
    uniforms
        (n_dags,) float64 from 0 to below 1.
    layers
        (n_dags,) int64 output.
    products
        Scratch.
    """
    state, state_last, n = np.int64(-1), np.int64(-1), _ONE
    for k in order:
        if members[k] != state or last[k] != state_last:
            state, state_last = members[k], last[k]
            n_open = find_open(problem, state, products.open)
            _weigh_layers(problem, state, state_last, products, n_open)
            n = _ONE << np.uint64(n_open)
        total = products.values[n - _ONE]
        chosen = _first_above(products.values, n, uniforms[k] * total)
        layers[k] = np.int64(products.sets[chosen]) & ~state


@entry_point
def draw_parents(sums, ranked, order, members, last, layers, uniforms, parents):
    """Draw the parents of all nodes of the next layer of many DAGs: inside ``members``, some of them in ``last``.

    Parameters
    ----------
    sums
        `ParentSums`.
    ranked
        `RankedSets`.
    order, members, last, layers
        As in `next_layers`.
    uniforms
        (n_dags, n_nodes) float64.
    parents
        (n_dags, n_nodes) int64 output: bits are members.
    """
    for k in order:
        for node in range(parents.shape[1]):
            if not layers[k] >> node & 1:
                continue
            value, exponent = _into_next_layer(sums, node, members[k], last[k])
            log_total = np.log(value) + exponent * LOG_TWO
            left = uniforms[k, node]
            for f in range(ranked.starts[node], ranked.starts[node + 1]):
                candidate = ranked.sets[f]
                if candidate & ~members[k] or (last[k] and not candidate & last[k]):
                    continue
                parents[k, node] = candidate
                left -= np.exp(ranked.log_weights[f] - log_total)
                if left < 0.0:
                    break
