"""BIC of regressions that are expensive to fit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch._twins import Twins
from dagsearch.data import Dataset
from dagsearch.kernels.local import regression_terms_of
from dagsearch.scores.base import empty_family
from dagsearch.scores.pooled import PooledScore
from dagsearch.scores.regression import bic_settings


class FittedScore(PooledScore):
    """Base of BIC scores of Gaussian processes and additive models.

    Parameters
    ----------
    data
        Table of continuous columns.
    variances
        ``"different"`` (F_HV) or ``"equal"`` (F_EV).
    penalty
        ``"edges"``, the paper's, ``"parameters"``: the effective degrees of freedom of the fit, or ``"extended"``:
        parameters, and three times the logarithm of the number of variables for each edge.
    n_jobs
        Fits at a time.
    min_effect
        Share of what the other parents leave unexplained that an edge must explain; not with ``penalty="edges"``.
    """

    approximates: ClassVar[bool] = True
    least_rss: ClassVar[float] = 0.0
    """No fit has a smaller residual sum of squares."""

    def __init__(
        self,
        data: Dataset,
        variances: str = "different",
        penalty: str = "edges",
        n_jobs: int = 1,
        min_effect: float = 0.0,
    ) -> None:
        settings = bic_settings(data.n_samples, data.n_variables, variances, penalty, min_effect)
        twins = Twins.among(data.standardised(), data.values)
        super().__init__(data.n_nodes, empty_family(data.n_nodes, **settings), n_jobs, twins)
        self.penalty = penalty

    @property
    def nats(self) -> float:
        """Half the number of rows: a reward is minus the log of the mean square, whose likelihood has a power n/2."""
        return 0.5 * float(self.family.n_samples)

    @abstractmethod
    def _residual_sum(self, fit: NDArray[np.float64], node: int) -> float:
        """Residual sum of squares of ``node`` in a fit; the last entry of a fit is its number of parameters."""

    def best_values(self) -> NDArray[np.float64]:
        """Values of a perfect fit: more parents need not fit better."""
        return np.full(self.n_nodes, regression_terms_of(self.family, self.least_rss, 0, 0.0)[0])

    def rss(self, node: int, parents: Iterable[int]) -> float:
        """Residual sum of squares of the standardised ``node`` on its parents (indices)."""
        given = list(parents)
        self._check_family(node, given)
        key = self._key(int(node), tuple(sorted(int(p) for p in given)))
        with self.cache.lock:
            return self._residual_sum(self._fitted([key])[0], node)

    def _terms_of(self, fit: NDArray[np.float64], node: int, n_parents: int, n_needless: int) -> tuple[float, float]:
        # A needless parent costs a parameter all the same: no edge is free.
        rss, n_parameters = self._residual_sum(fit, node), fit[-1] + n_needless
        value, penalty = regression_terms_of(self.family, rss, n_parents, n_parameters)
        return float(value), float(penalty)
