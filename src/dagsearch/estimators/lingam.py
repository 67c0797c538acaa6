"""ICA-LiNGAM (Shimizu et al. 2006) as an estimator."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from dagsearch import checks
from dagsearch.baselines.lingam import lingam
from dagsearch.estimators.base import CONTINUOUS_DATA, DagEstimator, Judgement
from dagsearch.estimators.result import Construction
from dagsearch.graph import DAG
from dagsearch.scores.levels import Levels
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED


class LiNGAM(DagEstimator):
    """Linear non-Gaussian acyclic model: independent component analysis finds the order, adaptive lasso the edges.

    Parameters
    ----------
    max_iter
        Most iterations of FastICA.
    score
        What ``reward_`` is measured by; it has no part in the method.
    prune
        ``"auto"``: CAM pruning, as in the paper; or ``"cam"``, ``"coefficients"``, ``"none"``.
    random_state
        Where FastICA starts. On data that do not fit the model the order may depend on it.
    n_jobs, progress, variances, penalty, kinds, alpha, levels
        As those of `CDUCT`.

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
    pruned_by_significance: ClassVar[bool] = True

    def __init__(
        self,
        max_iter: int = 1000,
        score: Any = "auto",
        prune: str = "auto",
        random_state: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        variances: Literal["different", "equal"] = "different",
        penalty: str = "auto",
        kinds: Any = None,
        alpha: float = 0.001,
        levels: Levels = "seen",
    ) -> None:
        self.max_iter = max_iter
        self.score = score
        self.prune = prune
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.variances = variances
        self.penalty = penalty
        self.kinds = kinds
        self.alpha = alpha
        self.levels = levels

    def _check_settings(self) -> None:
        checks.integer("max_iter", self.max_iter, 1)

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:  # noqa: ARG002
        data = judgement.data
        fit = lingam(data.standardised(), rng, self.max_iter, names=data.names)
        self.weights_ = fit.weights
        self.causal_order_ = [data.names[node] for node in fit.order]
        note = f"FastICA or a lasso path did not converge ({fit.n_iterations} iterations of FastICA); set max_iter"
        return Construction(
            graph=DAG((fit.weights != 0.0).astype(np.int8), data.names),
            status=FINISHED,
            settings={"max_iter": self.max_iter},
            notes=() if fit.converged else (note,),
        )
