"""ICA-LiNGAM (Shimizu et al. 2006) as an estimator."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.baselines.lingam import lingam
from dagsearch.estimators.base import CONTINUOUS_DATA, DagEstimator, Judgement
from dagsearch.estimators.result import Construction
from dagsearch.graph import DAG, Knowledge
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED


class LiNGAM(parameters.LiNGAM, DagEstimator):
    """Linear non-Gaussian acyclic model: independent component analysis finds the order, adaptive lasso the edges.

    Attributes
    ----------
    weights_ : ndarray (n_nodes, n_nodes)
        [i, j]: the effect of i on j on standardised data.
    causal_order_ : list of str
        The columns, causes before effects.
    dag_, pruned_dag_, evidence_, reward_, result_, score_
        As those of `CDUCT`.

    Examples
    --------
    >>> import dagsearch as ds
    >>> ds.LiNGAM(random_state=0).fit(ds.datasets.load("sachs")).dag_.n_nodes
    11
    """

    method: ClassVar[str] = "lingam"
    summary: ClassVar[str] = "linear model with non-Gaussian noise, by independent components"
    data_kinds: ClassVar[tuple[str, ...]] = CONTINUOUS_DATA
    by_score: ClassVar[bool] = False
    of_linear_models: ClassVar[bool] = True
    pruned_by_significance: ClassVar[bool] = True

    def _check_settings(self) -> None:
        checks.integer("max_iter", self.max_iter, 1)
        checks.knowledge(self.knowledge)

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:  # noqa: ARG002
        data, knowledge = judgement.data, self.knowledge or Knowledge()
        allowed, required = knowledge.allowed_edges(data.names), knowledge.required_edges(data.names)
        fit = lingam(data.standardised(), rng, self.max_iter, data.names, allowed, required)
        self.weights_ = fit.weights
        self.causal_order_ = [data.names[node] for node in fit.order]
        note = f"FastICA or a lasso path did not converge ({fit.n_iterations} iterations of FastICA); set max_iter"
        return Construction(
            graph=DAG(((fit.weights != 0.0) | required).astype(np.int8), data.names),
            status=FINISHED,
            settings={"max_iter": self.max_iter},
            notes=() if fit.converged else (note,),
            required=required,
        )
