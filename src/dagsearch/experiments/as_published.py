"""Methods as the paper's published runs had them, where that is not what they are: to reproduce its tables only.

**LiNGAM.** The paper's text describes ICA-LiNGAM. Its runs called DirectLiNGAM of the package ``lingam`` and read the
matrix of effects, whose rows are effects and whose columns are causes, as if it were the other way round: every edge of
the published graphs points from effect to cause. Besides, the packages of the time did what they no longer do:

- ``lingam`` (1.5.4, and still 1.8.0) divided a covariance over n - 1 by a variance over n, so that residuals came from
  slopes that were too steep by n / (n - 1);
- scikit-learn's `LassoLarsIC` (0.24) scaled columns to the same length before the fit, which undoes the weights that
  make the lasso adaptive, and for BIC it took the variance of the effect for that of its noise.

With all of this the paper's numbers come out to the last digit. The lasso is needed for any of them, and the slopes for
those on SynTReN.

Nobody should run this on data of their own, so it is no setting of `dagsearch.LiNGAM`: tasks of experiments ask for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LassoLarsIC

from dagsearch.baselines.direct_lingam import direct_lingam
from dagsearch.baselines.non_gaussian import Known, LingamFit, Listener
from dagsearch.estimators import DagEstimator, LiNGAM
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.result import Construction
from dagsearch.graph import DAG
from dagsearch.search.monitor import Monitor


class LingamAsPublished(LiNGAM):
    """DirectLiNGAM with its edges reversed, and with the slopes and the lasso of its time: see the module."""

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:
        found = super()._construct(judgement, rng, monitor)
        self.weights_ = np.ascontiguousarray(self.weights_.T)
        self.causal_order_ = self.causal_order_[::-1]
        reversed_graph = DAG(np.ascontiguousarray(found.graph.adjacency.T), found.graph.names)
        notes = (*found.notes, "edges reversed, as in the paper's published runs")
        return replace(found, graph=reversed_graph, required=None, notes=notes)

    def _direct(
        self, table: NDArray[np.float64], names: Sequence[str], known: Known, on_progress: Listener
    ) -> LingamFit:
        n_samples = len(table)
        slope_scale = n_samples / (n_samples - 1)
        return direct_lingam(table, names, *known, on_progress, relevant_as_published, slope_scale)


AS_PUBLISHED: Mapping[str, type[DagEstimator]] = {"lingam": LingamAsPublished}
"""By the names of the methods."""


def relevant_as_published(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which columns the lasso with BIC kept when the paper's runs were made.

    The weights of the adaptive lasso have no part in it, as columns were scaled to the same length after them.

    Parameters
    ----------
    x
        (n_samples, n_columns) possible causes.
    y
        (n_samples,) effect.
    """
    centred = x - x.mean(axis=0)
    lasso = LassoLarsIC(criterion="bic", noise_variance=y.var()).fit(centred / np.linalg.norm(centred, axis=0), y)
    kept: NDArray[np.bool_] = lasso.coef_ != 0.0
    return kept
