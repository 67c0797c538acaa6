"""What discrete parents say about a discrete variable, by counting: Dirichlet priors around independence.

For an equivalent sample size s, the prior of the joint table of some variables is a Dirichlet distribution with s times
the product of the shares of their levels as its parameters (Heckerman, Geiger and Chickering 1995, with the empty graph
as prior network). The shares are estimated from the same rows, at the price of half a logarithm per share: of the
number of draws from the prior that the table amounts to (those that open a table in the Chinese restaurant).

The gain of parents is then f(variable and parents) - f(parents) - f(variable) for a function f of sets, so that a
single edge gains the same in both directions. It is averaged over a grid of s: a large one says that effects are weak,
and costs nearly nothing where there are none.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

SAMPLE_SIZES = np.array([4.0, 16.0, 64.0, 256.0, 1024.0])

Codes = NDArray[np.int64]


def counts_gain(target: Codes, parents: list[Codes]) -> float:
    """Log evidence of a discrete variable given discrete parents above that of none, averaged over sample sizes.

    All columns are codes 0..r-1, (n_samples,), each of them seen.
    """
    gains = log_evidence([target, *parents]) - log_evidence(parents) - log_evidence([target])
    return log_mean_exp(gains)


def log_mean_exp(logs: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
    """Logarithm of the mean, weighted or not, of numbers given by their logarithms."""
    largest = logs.max()  # SciPy's own function takes ten times as long for so few numbers
    return float(largest + math.log(np.average(np.exp(logs - largest), weights=weights)))


def log_evidence(columns: list[Codes]) -> NDArray[np.float64]:
    """Log evidence of the joint table of some variables, for each sample size."""
    n = len(columns[0])
    rows, counts = _cells(columns)
    of_levels = [np.bincount(column) / n for column in columns]
    shares = np.prod([share[column[rows]] for share, column in zip(of_levels, columns, strict=True)], axis=0)
    prior = SAMPLE_SIZES[:, None] * shares
    table = (gammaln(prior + counts) - gammaln(prior)).sum(axis=1) + gammaln(SAMPLE_SIZES) - gammaln(SAMPLE_SIZES + n)
    n_shares = sum(len(share) - 1 for share in of_levels)
    evidence: NDArray[np.float64] = table - n_shares * _price_of_a_share(prior, counts)
    return evidence


def _price_of_a_share(prior: NDArray[np.float64], counts: NDArray[np.intp]) -> NDArray[np.float64]:
    """For each sample size; ``prior`` is (n_sizes, n_cells)."""
    n_draws = (prior * (digamma(prior + counts) - digamma(prior))).sum(axis=1)
    price: NDArray[np.float64] = 0.5 * np.log(n_draws)
    return price


def _cells(columns: list[Codes]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A row of each combination of levels that was seen, and how often it was."""
    codes = columns[0]
    for column in columns[1:]:
        codes = np.unique(codes * (column.max() + 1) + column, return_inverse=True)[1]
    _, rows, counts = np.unique(codes, return_index=True, return_counts=True)
    return rows, counts
