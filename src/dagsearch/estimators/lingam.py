"""ICA-LiNGAM (Shimizu et al. 2006) as an estimator."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks, parameters
from dagsearch.baselines.lingam import LingamFit, lingam
from dagsearch.data import Arrangement
from dagsearch.estimators.base import CONTINUOUS_DATA, DagEstimator, Judgement
from dagsearch.estimators.result import Construction
from dagsearch.graph import DAG, Knowledge
from dagsearch.graph.order import topological_order
from dagsearch.search.monitor import Monitor


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

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:
        data, knowledge = judgement.data, self.knowledge or Knowledge()
        allowed, required = knowledge.allowed_edges(data.names), knowledge.required_edges(data.names)
        arrangement = Arrangement.of(data.names)
        names, known = arrangement.names(data.names), (arrangement.pairs(allowed), arrangement.pairs(required))
        fits: list[LingamFit] = []
        order, weights = topological_order(known[1].astype(np.int8)), np.zeros(required.shape)

        def note(order_so_far: list[int], weights_so_far: NDArray[np.float64]) -> None:
            nonlocal order, weights
            order, weights = order_so_far, weights_so_far
            monitor.look()

        def search() -> None:
            fits.append(lingam(arrangement.table(data.standardised()), rng, self.max_iter, names, *known, note))

        # FastICA and the lasso are scikit-learn's.
        with monitor.guard():
            monitor.carry_out(search)
        notes: tuple[str, ...] = ()
        if not fits:
            notes = (f"LiNGAM had not finished when it ended ({monitor.status}): edges are missing",)
        else:
            (fit,) = fits
            order, weights = list(fit.order), fit.weights
            if not fit.converged:
                said = f"FastICA or a lasso path did not converge ({fit.n_iterations} iterations of FastICA)"
                notes = (f"{said}; set max_iter",)
        self.weights_ = arrangement.pairs_back(weights)
        self.causal_order_ = [names[node] for node in order]
        return Construction(
            graph=DAG(((self.weights_ != 0.0) | required).astype(np.int8), data.names),
            status=monitor.status,
            settings={"max_iter": self.max_iter},
            notes=notes,
            required=required,
        )
