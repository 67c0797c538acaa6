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

Rounding. Each term is at most its sum, as its graphs are some of all graphs; so Z(U) is computed with an error of at
most some 2^|U| roundings of itself. An error of Z(U) enters Z(all) with a factor of B(U), the recursion being linear,
that is, with the probability that U holds the ancestors of its members, and no more. Together these are some 3^n
roundings at the very worst: 1e-8 for 16 nodes, 1e-6 for 20. Where the empty graph dominates and all sets of a size have
the same weight they come near it, since their errors are the same, too; a little noise in the weights makes them a
hundred times smaller. Callers compare Z(all) with B(none), and look whether probabilities add up to 1.

Scales of Z and B are those of the best orders of the nodes, 2^(sum of exponents of W along the order): the true values
are larger, and at most n! 2^n times as large. They also tell which terms do not matter: where that of one node j in S
is negligible, so are those of all S with j, and where the data say much, few nodes are left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dagsearch.kernels.compile import entry_point, kernel
from dagsearch.kernels.dag_weights import NOTHING, squeeze
from dagsearch.kernels.scaled import LEAST_EXPONENT, power_of_two

# Unsigned numbers as indices spare a test for negative ones, which would keep loops from being vectorised.
_ONE = np.uint64(1)


class SetSums(NamedTuple):
    """One number for each set of nodes; both arrays are (2^n_nodes,)."""

    values: Any  # float64
    exponents: Any  # int32


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

    values: Any  # float64
    exponents: Any  # int32
    sets: Any  # uint32   T + S
    open: Any  # (n_nodes,) int64   the open nodes, ascending


@entry_point
def find_scales(sums, forward, backward):
    """Exponents of Z and of B: those of the best order of the nodes of each set, and of the rest.

    Where there is no order, since some node has no parent set that is allowed, they are `NOTHING`.
    """
    n_nodes = sums.values.shape[0]
    n_sets = 1 << n_nodes
    forward[0] = 0
    for members in range(1, n_sets):
        best = -(1 << 62)
        for v in range(n_nodes):
            if members >> v & 1:
                fewer = members ^ 1 << v
                best = max(best, forward[fewer] + sums.exponents[v, squeeze(fewer, v)])
        forward[members] = max(best, NOTHING)
    backward[n_sets - 1] = 0
    for members in range(n_sets - 2, -1, -1):
        best = -(1 << 62)
        for v in range(n_nodes):
            if not members >> v & 1:
                best = max(best, backward[members | 1 << v] + sums.exponents[v, squeeze(members, v)])
        backward[members] = max(best, NOTHING)


@kernel
def find_open(problem, members, open_nodes):
    """Nodes outside of T whose terms matter, each alone; returns their number."""
    sums, z, b = problem.sums, problem.z, problem.b
    floor = z.exponents[z.exponents.shape[0] - 1] - problem.margin - z.exponents[members]
    n_open = 0
    for v in range(sums.values.shape[0]):
        if members >> v & 1:
            continue
        if sums.exponents[v, squeeze(members, v)] + b.exponents[members | 1 << v] >= floor:
            open_nodes[n_open] = v
            n_open += 1
    return n_open


@kernel
def multiply_out(sums, members, value, exponent, products, n_open):
    """Products value 2^exponent prod_{j in S} -W_j(T) for all sets S of open nodes."""
    values, exponents, sets = products.values, products.exponents, products.sets
    values[0], exponents[0], sets[0] = value, exponent, np.uint32(members)
    width = _ONE
    for position in range(n_open):
        v = products.open[position]
        k = squeeze(members, v)
        w, w_exponent, bit = -sums.values[v, k], sums.exponents[v, k], np.uint32(1 << v)
        # One loop for each array: together they would need too many tests of overlaps to be vectorised.
        for s in range(width):
            values[width + s] = values[s] * w
        for s in range(width):
            exponents[width + s] = exponents[s] + w_exponent
        for s in range(width):
            sets[width + s] = sets[s] | bit
        width = width << _ONE


@entry_point
def push(problem, parts, part, chosen, products):
    """Finish Z of the chosen sets T, and add their terms to Z of all larger sets.

    Parameters
    ----------
    problem
        All of it but the values of Z, of which those of the chosen sets are written, and those of B.
    parts
        (2, 2^n_nodes) float64: terms that arrived so far, which add up to Z; this call adds to ``parts[part]``.
    chosen
        (n,) int64 sets, whose smaller sets are all done.
    products
        Scratch.
    """
    z = problem.z
    for members in chosen:
        value = parts[0, members] + parts[1, members]
        z.values[members] = value
        n_open = find_open(problem, members, products.open)
        if n_open == 0 or value == 0.0:
            continue
        multiply_out(problem.sums, members, -value, z.exponents[members], products, n_open)
        for s in range(_ONE, _ONE << np.uint64(n_open)):
            larger = products.sets[s]
            exponent = np.int64(products.exponents[s]) - z.exponents[larger]
            if exponent >= LEAST_EXPONENT:
                parts[part, larger] += products.values[s] * power_of_two(exponent)


@kernel
def complete(problem, members, products, n_open):
    """Turn products into the terms of B(T) for all sets S of open nodes, that of no node being -B(T) as it stands.

    They lack the scale of B(T).
    """
    b = problem.b
    multiply_out(problem.sums, members, -1.0, -b.exponents[members], products, n_open)
    for s in range(_ONE << np.uint64(n_open)):
        larger = products.sets[s]
        products.values[s] *= b.values[larger] * power_of_two(np.int64(products.exponents[s]) + b.exponents[larger])


@kernel
def _add_up(values, start, width):
    """Add ``width`` numbers (a power of two) up to the first of them."""
    while width > _ONE:
        width = width >> _ONE
        for s in range(start, start + width):
            values[s] += values[s + width]


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
    z, b, values = problem.z, problem.b, products.values
    every = z.values.shape[0] - 1
    for members in chosen:
        n_open = find_open(problem, members, products.open)
        if n_open == 0 or z.values[members] == 0.0:
            continue
        complete(problem, members, products, n_open)
        values[0] = 0.0
        # Adding halves from the last node on leaves, from 2^k on, the terms with the k-th node, whatever comes later.
        _add_up(values, np.uint64(0), _ONE << np.uint64(n_open))
        b.values[members] = values[0]
        scale = power_of_two(z.exponents[members] + b.exponents[members] - z.exponents[every])
        scale *= z.values[members] / z.values[every]
        for position in range(n_open):
            first = _ONE << np.uint64(position)
            _add_up(values, first, first)
            node = products.open[position]
            non_descendants[node, squeeze(members, node)] = values[first] * scale
