"""Evidence of logistic regressions of a discrete variable, by Laplace's approximation.

With K levels and contrasts V, (K, K - 1) with orthonormal columns that sum to zero, the log odds of a row with features
x are V (b + W x): levels are treated alike, whichever comes first. The levels of an ordered variable are, in a second
model, intervals of w'x plus noise, cut at c. Coefficients W and w have a normal prior of mean 0 and a variance on a
grid. The intercepts b and the cuts c have a flat one: they are in all models of the variable, that without parents
included, above whose evidence all gains are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dagsearch.kernels.logistic import N_SCRATCH_ROWS, Regression, maximise

VARIANCES = np.array([0.05, 0.5, 5.0])
"""Prior variances of coefficients, of features whose blocks have variance 1."""

MOST_LEVELS = 12
"""Levels that are told apart; rarer ones are one, whose shares parents do not change."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Target:
    """A discrete variable whose levels are to be explained.

    Parameters
    ----------
    codes
        0..r-1 for each row, each of them seen.
    """

    codes: NDArray[np.int64]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each level was seen, (n_levels,)."""
        return np.bincount(self.codes)

    @property
    def n_levels(self) -> int:
        """How many levels were seen."""
        return len(self.counts)

    @cached_property
    def log_likelihood(self) -> float:
        """Largest log likelihood without parents."""
        return float(self.counts @ np.log(self.counts / len(self.codes)))

    @cached_property
    def evidence_of_multinomial(self) -> float:
        """Log evidence of intercepts alone."""
        return _log_evidence(_multinomial(self, np.empty((0, len(self.codes)))))

    @cached_property
    def evidence_of_ordered(self) -> float:
        """Log evidence of cuts alone."""
        return _log_evidence(_ordered(self, np.empty((0, len(self.codes)))))

    @cached_property
    def most_frequent(self) -> Target:
        """The same with at most `MOST_LEVELS` levels, the rarest of which are one."""
        if self.n_levels <= MOST_LEVELS:
            return self
        frequent = np.argsort(-self.counts, kind="stable")[: MOST_LEVELS - 1]
        new = np.full(self.n_levels, MOST_LEVELS - 1)
        new[frequent] = np.arange(MOST_LEVELS - 1)
        return Target(new[self.codes])


def multinomial_gains(target: Target, features: Matrix) -> Matrix:
    """Log evidence given features, (n_features, n_samples), above that of none, for each of `VARIANCES`."""
    return _gains(_multinomial(target, features), target.evidence_of_multinomial)


def ordered_gains(target: Target, features: Matrix) -> Matrix:
    """The same for levels that are intervals of a sum of features and noise."""
    return _gains(_ordered(target, features), target.evidence_of_ordered)


def contrasts(n_levels: int) -> Matrix:
    """Helmert's contrasts: columns, (n_levels, n_levels - 1), that are orthonormal and sum to zero."""
    helmert = np.zeros((n_levels, n_levels - 1))
    for k in range(1, n_levels):
        helmert[:k, k - 1] = 1.0 / math.sqrt(k * (k + 1.0))
        helmert[k, k - 1] = -k / math.sqrt(k * (k + 1.0))
    return helmert


def _gains(model: Regression, without: float) -> Matrix:
    """Gains for each variance; each maximum is where the search for the next one starts."""
    is_slope = model.precisions > 0.0
    gains = np.empty(len(VARIANCES))
    for k, variance in enumerate(VARIANCES):
        model.precisions[is_slope] = 1.0 / variance
        gains[k] = _log_evidence(model) - 0.5 * is_slope.sum() * math.log(variance) - without
    return gains


def _log_evidence(model: Regression) -> float:
    """At the maximum, to which the coefficients move; priors of precision 1, or flat, up to their constants."""
    objective, log_determinant = maximise(model)
    return float(objective - 0.5 * log_determinant)


def _multinomial(target: Target, features: Matrix) -> Regression:
    """The regression that starts at the shares of levels without parents."""
    start = np.zeros((target.n_levels - 1, len(features) + 1))
    start[:, -1] = contrasts(target.n_levels).T @ np.log(target.counts)
    precisions = np.ones_like(start)
    precisions[:, -1] = 0.0
    design = np.concatenate([features, np.ones((1, len(target.codes)))])
    return _regression(target, design, start.ravel(), precisions.ravel(), ordered=False)


def _ordered(target: Target, features: Matrix) -> Regression:
    up_to = np.cumsum(target.counts)[:-1] / len(target.codes)
    cuts, slopes = np.log(up_to / (1.0 - up_to)), np.zeros(len(features))
    precisions = np.concatenate([np.zeros_like(cuts), np.ones_like(slopes)])
    return _regression(target, features, np.concatenate([cuts, slopes]), precisions, ordered=True)


def _regression(target: Target, design: Matrix, start: Matrix, precisions: Matrix, ordered: bool) -> Regression:
    """A regression that starts at some coefficients."""
    n, size = len(target.codes), len(start)
    return Regression(
        design=np.ascontiguousarray(design),
        codes=target.codes,
        contrasts=contrasts(target.n_levels),
        precisions=precisions,
        coefficients=start,
        trial=np.empty(size),
        gradient=np.empty(size),
        step=np.empty(size),
        hessian=np.empty((size, size)),
        odds=np.empty((target.n_levels, len(design))),
        rows=np.empty((max(target.n_levels, N_SCRATCH_ROWS), n)),
        projected=np.empty((target.n_levels - 1, n)),
        weights=np.empty(n),
        weighted=np.empty(n),
        ordered=ordered,
    )
