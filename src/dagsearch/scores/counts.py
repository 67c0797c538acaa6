"""What discrete parents say about a discrete variable, by counting: Dirichlet priors around independence.

For an equivalent sample size s, the prior of the joint table of variable and parents is a Dirichlet distribution with s
times the product of the shares of all levels as its parameters (Heckerman, Geiger and Chickering 1995, with the empty
graph as prior network). The gain over no parents is then the same in both directions of an edge. It is averaged over a
grid of s: a large one says that effects are weak, and costs nearly nothing where there are none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

SAMPLE_SIZES = np.array([1.0, 4.0, 16.0, 64.0, 256.0, 1024.0])

Codes = NDArray[np.int64]


def counts_gain(target: Codes, parents: list[Codes]) -> float:
    """Log evidence of a discrete variable given discrete parents above that of none, averaged over sample sizes.

    All columns are codes 0..r-1, (n_samples,), each of them seen.
    """
    shares = np.bincount(target) / len(target)
    rows_of_cells, configurations = _configurations(parents)
    of_parents = np.ones(len(rows_of_cells))
    for column in parents:
        of_parents *= (np.bincount(column) / len(column))[column[rows_of_cells]]
    n_levels = len(shares)
    cells = configurations * n_levels + target
    joint, n_joint = np.unique(cells, return_counts=True)
    prior = of_parents[joint // n_levels] * shares[joint % n_levels]
    by_size = (
        _log_ratios(n_joint, prior)
        - _log_ratios(np.bincount(configurations), of_parents)
        - _log_ratios(np.bincount(target), shares)
        + gammaln(SAMPLE_SIZES + len(target))
        - gammaln(SAMPLE_SIZES)
    )
    return float(logsumexp(by_size) - np.log(len(SAMPLE_SIZES)))


def _configurations(parents: list[Codes]) -> tuple[NDArray[np.intp], Codes]:
    """A row of each combination of levels that was seen, and the number of its combination for each row."""
    codes = parents[0]
    for column in parents[1:]:
        codes = np.unique(codes * (column.max() + 1) + column, return_inverse=True)[1]
    _, rows, dense = np.unique(codes, return_index=True, return_inverse=True)
    return rows, dense


def _log_ratios(counts: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of log Gamma(s share + count) - log Gamma(s share) for each sample size s."""
    prior = SAMPLE_SIZES[:, None] * shares
    ratios: NDArray[np.float64] = (gammaln(prior + counts) - gammaln(prior)).sum(axis=1)
    return ratios
