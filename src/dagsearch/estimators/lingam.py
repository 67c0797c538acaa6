"""ICA-LiNGAM (Shimizu et al. 2006) and DirectLiNGAM (Shimizu et al. 2011) as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks, parameters
from dagsearch.baselines.direct_lingam import direct_lingam, precedence
from dagsearch.baselines.lingam import lingam
from dagsearch.baselines.non_gaussian import Known, LingamFit, Listener
from dagsearch.data import Arrangement
from dagsearch.estimators.base import CONTINUOUS_DATA, DagEstimator, Judgement
from dagsearch.estimators.result import Construction
from dagsearch.graph import DAG, Knowledge
from dagsearch.graph.order import topological_order
from dagsearch.search.monitor import Monitor


class LiNGAM(parameters.LiNGAM, DagEstimator):
    """Linear non-Gaussian acyclic model: of the causal order, then of the edges, which adaptive lasso finds.

    The order comes from independent component analysis, or, as DirectLiNGAM, from likelihood ratios of pairs.

    Attributes
    ----------
    weights_ : ndarray (n_nodes, n_nodes)
        [i, j]: the effect of i on j on standardised data.
    causal_order_ : list of str
        The columns, causes before effects. Where the search ended early, a note says how many are in order: the
        others follow by their names, as far as what is known allows.
    dag_, pruned_dag_, evidence_, reward_, result_, score_
        As those of `CDUCT`.

    Examples
    --------
    >>> import dagsearch as ds
    >>> ds.LiNGAM(random_state=0).fit(ds.datasets.load("sachs")).dag_.n_nodes
    11
    """

    method: ClassVar[str] = "lingam"
    summary: ClassVar[str] = "linear model with non-Gaussian noise, by independent components or pairwise ratios"
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
        names = arrangement.names(data.names)
        known = Known(arrangement.pairs(allowed), arrangement.pairs(required))
        table = arrangement.table(data.standardised())
        fits: list[LingamFit] = []
        order, weights = list[int](), np.zeros(required.shape)

        def note(order_so_far: list[int], weights_so_far: NDArray[np.float64]) -> None:
            nonlocal order, weights
            order, weights = order_so_far, weights_so_far
            monitor.look()

        def search() -> None:
            if self.variant == "direct":
                fits.append(self._direct(table, names, known, note))
            else:
                fits.append(lingam(table, rng, self.max_iter, names, *known, note))

        # FastICA and the lasso are scikit-learn's.
        with monitor.guard():
            monitor.carry_out(search)
        notes: tuple[str, ...] = ()
        if fits:
            (fit,) = fits
            order, weights = list(fit.order), fit.weights
            notes = self._notes_on(fit)
        else:
            notes = (_note_on_early_end(monitor.status, len(order), len(names)),)
            possible = topological_order(precedence(known).astype(np.int8))
            order = [*order, *(node for node in possible if node not in order)]
        self.weights_ = arrangement.pairs_back(weights)
        self.causal_order_ = [names[node] for node in order]
        return Construction(
            graph=DAG(((self.weights_ != 0.0) | required).astype(np.int8), data.names),
            status=monitor.status,
            settings={"variant": self.variant} | ({"max_iter": self.max_iter} if self.variant == "ica" else {}),
            notes=notes,
            required=required,
        )

    def _direct(
        self, table: NDArray[np.float64], names: Sequence[str], known: Known, on_progress: Listener
    ) -> LingamFit:
        """Fit by the variant ``"direct"``."""
        return direct_lingam(table, names, *known, on_progress)

    def _notes_on(self, fit: LingamFit) -> tuple[str, ...]:
        """What to say of a finished search."""
        if self.variant == "direct":
            needless = self.max_iter != parameters.LiNGAM.max_iter
            ignored = ("max_iter is of no account to the variant direct, which does not iterate",) if needless else ()
            return ignored if fit.converged else (*ignored, "a lasso path did not converge")
        if fit.converged:
            return ()
        said = f"FastICA or a lasso path did not converge ({fit.n_iterations} iterations of FastICA)"
        return (f"{said}; set max_iter",)


def _note_on_early_end(status: str, n_ordered: int, n_nodes: int) -> str:
    said = f"LiNGAM had not finished when it ended ({status}): edges are missing"
    return said if n_ordered == n_nodes else f"{said}; the causal order is known of {n_ordered} of {n_nodes} variables"
