"""BIC with additive models: each parent enters by a smooth function of its own (`dagsearch.gam`)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset
from dagsearch.gam import AdditiveModels, max_parents_for
from dagsearch.scores.fitpool import Key
from dagsearch.scores.fitted import FittedScore


class GAMScore(FittedScore):
    """BIC of additive models.

    Parameters are those of `FittedScore`; parameters of a fit are its effective degrees of freedom, the intercept's
    not counted.
    """

    name: ClassVar[str] = "bic-gam"
    fits_all_nodes: ClassVar[bool] = False

    def __init__(
        self,
        data: Dataset,
        variances: str = "different",
        penalty: str = "edges",
        n_jobs: int = 1,
        min_effect: float = 0.0,
    ) -> None:
        x = data.standardised()
        self._models = AdditiveModels(x, x)
        super().__init__(data, variances, penalty, n_jobs, min_effect)

    @property
    def max_parents(self) -> int:
        """The most parents that the rows can tell apart."""
        return max_parents_for(self._models.n_samples)

    def _fit(self, key: Key) -> NDArray[np.float64]:
        """Residual sum and number of parameters of a node, the first of the key, on its parents, the rest."""
        node, *parents = key
        if not parents:
            return np.array([float(self._models.n_samples), 0.0])
        if self._twins.determines(node, parents):
            return np.array([0.0, 1.0])  # a straight line: all else that could be fitted is rounding
        fit = self._models.fit(node, parents, p_values=False)
        return np.array([fit.rss, fit.total_edf - 1.0])

    def _residual_sum(self, fit: NDArray[np.float64], node: int) -> float:  # noqa: ARG002 - a fit is of one node
        return float(fit[0])
