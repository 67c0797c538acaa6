"""Sums of weights over all DAGs, by dynamic programming over all sets of nodes.

The weight of a DAG is the product of the weights of its parent sets. With W_j(T) the sum over all parent sets of j
inside T (`dag_weights`), the sum over all DAGs on U obeys, by inclusion and exclusion over its sinks,

    Z(U) = sum over non-empty S inside U of  (-1)^(|S| + 1)  Z(U - S)  prod_{j in S} W_j(U - S),

and the sum over what the nodes outside of T can do, if those in T have no parents outside, by that over the sources of
the rest,

    B(T) = sum over non-empty S outside of T of  (-1)^(|S| + 1)  B(T + S)  prod_{j in S} W_j(T),      B(all) = 1.

So Z(all) = B(none), and Z(T) B(T) / Z(all) is the probability that T holds the ancestors of all its members. The terms
of the second sum with j in S alone add up to the weight of DAGs in which j is the only source of the rest, that is, in
which T is the set of all non-descendants of j:

    P(non-descendants of j = T) = Z(T) / Z(all)  sum over S with j of  (-1)^(|S| + 1)  B(T + S)  prod_{i in S} W_i(T).

Every term of the sums is at most the sum: its graphs are some of all graphs. Relative errors thus grow no more than the
number of ordered partitions of the nodes, 3e21 for 20, which numbers of 106 bits (`twofold`) stand up to. As scales of
Z and B serve the best orders of the nodes, 2^(sum of exponents of W along the order): the true values are larger, and
at most n! 2^n times as large. They also tell which terms do not matter: where that of one node j in S is negligible, so
are those of all S with j, and where the data say much, few nodes are left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel
from dagsearch.kernels.dag_weights import squeeze
from dagsearch.kernels.twofold import LEAST_EXPONENT, add, multiply, power_of_two

# Unsigned numbers as indices spare a test for negative ones, which would keep loops from being vectorised.
_ONE = np.uint64(1)


class SetSums(NamedTuple):
    """One number for each set of nodes; all arrays are (2^n_nodes,)."""

    high: Any  # float64
    low: Any  # float64
    exponents: Any  # int64


class Problem(NamedTuple):
    """What is summed, and how small a share of all matters."""

    sums: Any  # `ParentSums`
    z: Any  # `SetSums`
    b: Any  # `SetSums`
    margin: int  # terms below 2^-margin of Z(all) by their exponents do not matter


class Products(NamedTuple):
    """What belongs to one set T: a number for each set S of *open* nodes outside, numbered by these nodes.

    All arrays but the last are (2^n_nodes,), of which the first 2^(number of open nodes) entries are in use.
    """

    high: Any  # float64
    low: Any  # float64
    exponents: Any  # int64
    sets: Any  # uint64   T + S
    factors: Any  # (2, 2^n_nodes) float64 scratch
    open: Any  # (n_nodes,) int64   the open nodes, ascending


@entry_point
def find_scales(sums, forward, backward):
    """Exponents of Z and of B: those of the best order of the nodes of each set, and of the rest."""
    n_nodes = sums.high.shape[0]
    n_sets = 1 << n_nodes
    forward[0] = 0
    for members in range(1, n_sets):
        best = -(1 << 62)
        for v in range(n_nodes):
            if members >> v & 1:
                fewer = members ^ 1 << v
                best = max(best, forward[fewer] + sums.exponents[v, squeeze(fewer, v)])
        forward[members] = best
    backward[n_sets - 1] = 0
    for members in range(n_sets - 2, -1, -1):
        best = -(1 << 62)
        for v in range(n_nodes):
            if not members >> v & 1:
                best = max(best, backward[members | 1 << v] + sums.exponents[v, squeeze(members, v)])
        backward[members] = best


@kernel
def find_open(problem, members, open_nodes):
    """Nodes outside of T whose terms matter, each alone; returns their number."""
    sums, z, b = problem.sums, problem.z, problem.b
    floor = z.exponents[z.exponents.shape[0] - 1] - problem.margin - z.exponents[members]
    n_open = 0
    for v in range(sums.high.shape[0]):
        if members >> v & 1:
            continue
        if sums.exponents[v, squeeze(members, v)] + b.exponents[members | 1 << v] >= floor:
            open_nodes[n_open] = v
            n_open += 1
    return n_open


@kernel
def multiply_out(sums, members, high, low, exponent, products, n_open):
    """Products (high + low) 2^exponent prod_{j in S} -W_j(T) for all sets S of open nodes."""
    p_high, p_low, p_exponents, p_sets = products.high, products.low, products.exponents, products.sets
    p_high[0], p_low[0], p_exponents[0], p_sets[0] = high, low, exponent, np.uint64(members)
    width = _ONE
    for position in range(n_open):
        v = products.open[position]
        k = squeeze(members, v)
        w_high, w_low, w_exponent = -sums.high[v, k], -sums.low[v, k], np.int64(sums.exponents[v, k])
        bit = np.uint64(1 << v)
        for s in range(width):
            p_high[width + s], p_low[width + s] = multiply(p_high[s], p_low[s], w_high, w_low)
        for s in range(width):
            p_exponents[width + s] = p_exponents[s] + w_exponent
            p_sets[width + s] = p_sets[s] | bit
        width = width << _ONE


@entry_point
def push(problem, parts, part, chosen, products):
    """Finish Z of the chosen sets T, and add their terms to Z of all larger sets.

    Parameters
    ----------
    problem
        All of it but the numbers of Z, of which those of the chosen sets are written, and those of B.
    parts
        Two `SetSums` of the terms that arrived so far, which add up to Z; this call adds to that of number ``part``.
    chosen
        (n,) int64 sets, whose smaller sets are all done.
    products
        Scratch.
    """
    z = problem.z
    high, low, exponents = parts[part].high, parts[part].low, z.exponents
    for members in chosen:
        z.high[members], z.low[members] = add(
            parts[0].high[members], parts[0].low[members], parts[1].high[members], parts[1].low[members]
        )
        n_open = find_open(problem, members, products.open)
        if n_open == 0 or z.high[members] == 0.0:
            continue
        multiply_out(problem.sums, members, -z.high[members], -z.low[members], exponents[members], products, n_open)
        for s in range(_ONE, _ONE << np.uint64(n_open)):
            larger = products.sets[s]
            exponent = products.exponents[s] - exponents[larger]
            if exponent >= LEAST_EXPONENT:
                scale = power_of_two(exponent)
                high[larger], low[larger] = add(
                    high[larger], low[larger], products.high[s] * scale, products.low[s] * scale
                )


@kernel
def complete(problem, members, products, n_open):
    """Turn products into the terms of B(T) for all sets S of open nodes, that of no node being -B(T) as it stands.

    They lack the scale of B(T).
    """
    b, factors = problem.b, products.factors
    multiply_out(problem.sums, members, -1.0, 0.0, -b.exponents[members], products, n_open)
    high, low, exponents = products.high, products.low, products.exponents
    n = _ONE << np.uint64(n_open)
    for s in range(n):
        larger = products.sets[s]
        factors[0, s] = b.high[larger]
        factors[1, s] = b.low[larger]
        exponents[s] += b.exponents[larger]
    for s in range(n):
        scale = power_of_two(exponents[s])
        high[s], low[s] = multiply(high[s] * scale, low[s] * scale, factors[0, s], factors[1, s])


@kernel
def _halve(high, low, start, width):
    """Add the second half of 2 ``width`` numbers to the first."""
    for s in range(start, start + width):
        high[s], low[s] = add(high[s], low[s], high[s + width], low[s + width])


@kernel
def _add_up(high, low, start, width):
    """Add ``width`` numbers (a power of two) up to the first of them."""
    while width > _ONE:
        width = width >> _ONE
        _halve(high, low, start, width)


@entry_point
def pull(problem, chosen, products, non_descendants):
    """Find B of the chosen sets T, and for each node outside the probability that T holds its non-descendants.

    Parameters
    ----------
    problem
        All of it, with B known for all larger sets; that of the chosen sets is written.
    chosen
        (n,) int64 sets.
    products
        Scratch.
    non_descendants
        (n_nodes, 2^(n_nodes - 1)) float64: P(non-descendants of j = T), at the squeezed number of T.
    """
    z, b = problem.z, problem.b
    every = z.high.shape[0] - 1
    high, low = products.high, products.low
    for members in chosen:
        n_open = find_open(problem, members, products.open)
        if n_open == 0 or z.high[members] == 0.0:
            continue
        complete(problem, members, products, n_open)
        high[0] = low[0] = 0.0
        # Adding halves from the last node on leaves, from 2^k on, the terms with the k-th node, whatever comes later.
        _add_up(high, low, np.uint64(0), _ONE << np.uint64(n_open))
        b.high[members], b.low[members] = high[0], low[0]
        scale = power_of_two(z.exponents[members] + b.exponents[members] - z.exponents[every])
        for position in range(n_open):
            first = _ONE << np.uint64(position)
            _add_up(high, low, first, first)
            node = products.open[position]
            share = high[first] * (z.high[members] / z.high[every]) * scale
            non_descendants[node, squeeze(members, node)] = share
