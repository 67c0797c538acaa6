"""The exact posterior: sums over all DAGs, and what follows from them (`kernels.dag_sums` has the formulas)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.confidence.weights import Report
from dagsearch.kernels.dag_features import add_up_features
from dagsearch.kernels.dag_sums import Problem, Products, SetSums, find_scales, pull, push
from dagsearch.kernels.dag_weights import ParentSums, add_up_parent_sets
from dagsearch.kernels.scaled import LOG_TWO

MOST_NODES = 20
"""Beyond, neither time nor memory nor the precision of the sums would do."""
TOLERANCE = 1e-6
"""Larger errors of probabilities are not accepted."""

_NEGLECTED_BITS = 50  # what is left out is below 2^-50 of the sum
_WORKERS = 2  # the work is split in the same way whatever the number of threads, so that results are the same
_TERMS_BETWEEN_REPORTS = 1 << 24
_WIDEST_SPREAD = 3e7  # nats between parent sets of a node, so that exponents of sums over nodes fit in 30 bits


class PrecisionError(Exception):
    """Raised where sums over DAGs came out with errors beyond `TOLERANCE`; callers take another way."""


@dataclass(frozen=True)
class DagSums:
    """Sums over all DAGs of given weights.

    Attributes
    ----------
    log_weights
        (n_nodes, 2^(n_nodes - 1)) float64 log weights of parent sets, the largest of each node being 0.
    offset
        What was subtracted for that, in all.
    problem
        The sums.
    non_descendants
        (n_nodes, 2^(n_nodes - 1)) float64: P(the non-descendants of j are T), T numbered without the bit of j.
    error
        The largest error seen: probabilities that do not add up to 1, sums that differ from both sides.
    """

    log_weights: NDArray[np.float64]
    offset: float
    problem: Problem
    non_descendants: NDArray[np.float64]
    error: float

    @property
    def n_nodes(self) -> int:
        """Number of variables."""
        return len(self.log_weights)

    @property
    def log_total(self) -> float:
        """Logarithm of the sum of the weights of all DAGs."""
        z = self.problem.z
        return math.log(z.values[-1]) + int(z.exponents[-1]) * LOG_TWO + self.offset

    @cached_property
    def _features(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n = self.n_nodes
        edges, paths = np.zeros((n, n)), np.zeros((n, n))
        parents, descendants = np.empty(n - 1), np.empty(n - 1)
        for node in range(n):
            add_up_features(self.problem.sums, node, self.non_descendants, parents, descendants)
            others = np.arange(n) != node
            edges[others, node], paths[node, others] = parents, descendants
        return np.clip(edges, 0.0, 1.0), np.clip(paths, 0.0, 1.0)

    @property
    def edge_probability(self) -> NDArray[np.float64]:
        """P(i -> j), (n_nodes, n_nodes)."""
        return self._features[0]

    @property
    def path_probability(self) -> NDArray[np.float64]:
        """P(there is a directed path from i to j), (n_nodes, n_nodes)."""
        return self._features[1]

    def family_probability(self, node: int) -> NDArray[np.float64]:
        """P(the parents of a node are P) for each set P, (2^(n_nodes - 1),), numbered without the bit of the node."""
        sums = self.problem.sums
        with np.errstate(divide="ignore"):
            log_sums = np.log(sums.values[node]) + sums.exponents[node] * LOG_TWO
            ratios = np.log(np.maximum(self.non_descendants[node], 0.0)) - log_sums
        ratios[sums.values[node] == 0.0] = -np.inf
        for bit in range(self.n_nodes - 1):
            by_bit = ratios.reshape(-1, 2, 2**bit)
            by_bit[:, 0] = np.logaddexp(by_bit[:, 0], by_bit[:, 1])
        probability: NDArray[np.float64] = np.exp(ratios + self.log_weights[node])
        return probability


def new_products(n_nodes: int) -> Products:
    """Scratch of the kernels."""
    n = 2**n_nodes
    return Products(
        values=np.empty(n),
        exponents=np.empty(n, dtype=np.int32),
        sets=np.empty(n, dtype=np.uint32),
        open=np.empty(n_nodes, dtype=np.int64),
    )


def sum_over_dags(log_weights: NDArray[np.float64], n_jobs: int, report: Report) -> DagSums:
    """Sum the weights of all DAGs.

    Parameters
    ----------
    log_weights
        (n_nodes, 2^(n_nodes - 1)) float64 log weights of parent sets, numbered without the bit of their node; -inf for
        sets that are ruled out.
    n_jobs
        Threads; two at most are of use, and the result does not depend on it.
    report
        Hears of progress.

    Raises
    ------
    PrecisionError
        If the result would be wrong by more than `TOLERANCE`.
    """
    n_nodes = len(log_weights)
    best = log_weights.max(axis=1, keepdims=True)
    log_weights = log_weights - best
    spread = -float(log_weights.min(where=np.isfinite(log_weights), initial=0.0))
    if spread > _WIDEST_SPREAD:
        raise PrecisionError(f"log weights of one variable differ by {spread:.1e} nats, more than can be summed")
    shape = log_weights.shape
    sums = ParentSums(np.empty(shape), np.empty(shape, dtype=np.int32))
    for node in range(n_nodes):
        add_up_parent_sets(log_weights, sums, node)
        report(0.0, "sums over parent sets")
    z, b = _new_set_sums(n_nodes), _new_set_sums(n_nodes)
    find_scales(sums, z.exponents, b.exponents)
    problem = Problem(sums, z, b, _margin(n_nodes))
    non_descendants = np.zeros(shape)
    _solve(problem, non_descendants, n_jobs, report)
    error = _checked_error(problem, non_descendants)
    return DagSums(log_weights, float(best.sum()), problem, non_descendants, error)


def _new_set_sums(n_nodes: int) -> SetSums:
    n = 2**n_nodes
    return SetSums(np.zeros(n), np.zeros(n, dtype=np.int32))


def _margin(n_nodes: int) -> int:
    """Bits below the sum over all DAGs at which a term cannot matter.

    Its exponent may be too low by n! 2^n, and there are up to 3^n such terms.
    """
    bits = math.log2(math.factorial(n_nodes)) + n_nodes + n_nodes * math.log2(3.0)
    return math.ceil(bits) + _NEGLECTED_BITS


def _solve(problem: Problem, non_descendants: NDArray[np.float64], n_jobs: int, report: Report) -> None:
    """Fill Z from small to large sets, then B and the probabilities from large to small ones."""
    n_nodes = len(non_descendants)
    scratch = [new_products(n_nodes) for _ in range(_WORKERS)]
    parts = np.zeros((_WORKERS, 2**n_nodes))
    parts[0, 0] = 1.0
    problem.b.values[-1] = 1.0
    n_levels = 2 * (n_nodes + 1)
    with ThreadPoolExecutor(min(n_jobs, _WORKERS)) as pool:
        for size in range(n_nodes + 1):
            for chunks in _chunks(n_nodes, size):
                _wait(pool.submit(push, problem, parts, k, chunk, scratch[k]) for k, chunk in enumerate(chunks))
                report(size / n_levels, "sums over graphs")
        for size in range(n_nodes - 1, -1, -1):
            for chunks in _chunks(n_nodes, size):
                _wait(pool.submit(pull, problem, chunk, scratch[k], non_descendants) for k, chunk in enumerate(chunks))
                report((n_levels - size) / n_levels, "sums over graphs")


def _chunks(n_nodes: int, size: int) -> Iterator[list[NDArray[np.int64]]]:
    """All sets of a size, in pieces of some tenths of a second, each split among the workers."""
    every = np.arange(2**n_nodes, dtype=np.int64)
    sets = every[np.bitwise_count(every) == size]
    length = max(_WORKERS, _WORKERS * _TERMS_BETWEEN_REPORTS >> (n_nodes - size))
    for first in range(0, len(sets), length):
        piece = sets[first : first + length]
        yield [np.ascontiguousarray(piece[k::_WORKERS]) for k in range(_WORKERS)]


def _wait(futures: Iterable[Future[Any]]) -> None:
    """Let all of them end before an error of one is raised."""
    for future in [*futures]:
        future.result()


def _checked_error(problem: Problem, non_descendants: NDArray[np.float64]) -> float:
    """Sums from both sides agree, and probabilities are positive and add up to 1, up to this error."""
    z, b = problem.z, problem.b
    scale = 2.0 ** int(b.exponents[0] - z.exponents[-1])
    between = abs(float(b.values[0] / z.values[-1]) * scale - 1.0)
    of_nodes = float(np.abs(non_descendants.sum(axis=1) - 1.0).max())
    below_zero = float(-np.minimum(non_descendants, 0.0).sum(axis=1).min())
    error = max(between, of_nodes, below_zero)
    if not error <= TOLERANCE:
        raise PrecisionError(f"sums over all graphs came out with an error of {error:.1e}")
    return error
