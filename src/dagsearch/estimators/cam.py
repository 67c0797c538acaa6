"""CAM (Buehlmann, Peters and Ernest 2014): greedy order search with additive models, then pruning by significance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.baselines.neighbours import possible_causes
from dagsearch.blas import one_blas_thread
from dagsearch.data import Arrangement, Dataset
from dagsearch.estimators.base import CONTINUOUS_DATA, Judgement
from dagsearch.estimators.scored import ScoreSearch
from dagsearch.search.greedy import greedy
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import Outcome, Problem

_ROWS_PER_PARENT = 20


class CAM(parameters.CAM, ScoreSearch):
    """Causal additive models: the edge that raises the likelihood most, until none is possible; then pruning.

    The search only learns an order, as it adds every edge that closes no cycle; pruning makes it a sparse graph. The
    reward is that of ``bic-gam``, whose penalty is the same for every edge and so does not change the order.

    Attributes
    ----------
    dag_, pruned_dag_, evidence_, reward_, result_, score_
        As those of `CDUCT`.

    Examples
    --------
    >>> import dagsearch as ds
    >>> model = ds.CAM().fit(ds.datasets.load("sachs"))
    >>> model.dag_.n_edges, model.pruned_dag_.n_edges
    (33, 10)
    """

    method: ClassVar[str] = "cam"
    summary: ClassVar[str] = "causal additive models: greedy order search"
    data_kinds: ClassVar[tuple[str, ...]] = CONTINUOUS_DATA
    # Selecting neighbours and pruning, without which the graph has all edges of an order, test on all rows.
    takes_gaps: ClassVar[bool] = False
    takes_interventions: ClassVar[bool] = False

    score: Any = "bic-gam"
    penalty: str = "edges"

    def _check_settings(self) -> None:
        checks.boolean("neighbour_selection", self.neighbour_selection)

    def _most_parents(self, data: Dataset) -> int:
        by_rows = max(round(data.n_samples / _ROWS_PER_PARENT), 1)
        return min(data.n_nodes - 1, self.max_parents or by_rows)

    def _problem(self, data: Dataset) -> Problem:
        """Add edges until no more are possible."""
        return _filled_up(super()._problem(data))

    def _search(
        self, problem: Problem, judgement: Judgement, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[Outcome, dict[str, Any]]:
        arrangement = Arrangement.of(judgement.data.names)
        if self.neighbour_selection:
            chosen = problem.start
            with monitor.guard(), one_blas_thread():
                chosen = arrangement.pairs_back(possible_causes(arrangement.table(judgement.data.standardised())))
            problem = _filled_up(replace(problem, edge_budget=None, allowed=problem.allowed & chosen))
        settings = {"neighbour_selection": self.neighbour_selection, "max_parents": problem.max_parents}
        return greedy(problem, judgement.score, rng, monitor, arrangement.places), settings


def _filled_up(problem: Problem) -> Problem:
    """The problem of having as many edges as there can be."""
    return replace(problem, edge_budget=problem.max_edges)
