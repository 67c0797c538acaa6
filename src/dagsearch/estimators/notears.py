"""NOTEARS (Zheng et al. 2018) as an estimator."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks, parameters
from dagsearch.baselines.notears import NotearsFit, NotearsState, notears, thresholded, without_cycles
from dagsearch.data import Arrangement
from dagsearch.estimators.base import CONTINUOUS_DATA, DagEstimator, Judgement
from dagsearch.estimators.result import CYCLIC, Construction, Graph
from dagsearch.graph import DAG, CyclicGraph, Knowledge
from dagsearch.graph.order import find_cycle
from dagsearch.search.monitor import Monitor, OutOfTimeError, Progress
from dagsearch.search.protocol import FINISHED


class NOTEARS(parameters.NOTEARS, DagEstimator):
    """Linear NOTEARS with an L1 penalty: acyclicity as a smooth constraint on the weights of a linear model.

    The weights that are left after the threshold need not form a DAG. Such a result is marked: ``result_.status`` is
    ``"cyclic"``, ``dag_`` is a `CyclicGraph`, and there is no reward; ``repair=True`` takes the smallest weights out of
    its cycles instead. Required edges are part of the model: their weights are bounded away from zero by the
    threshold, so that a required edge without an effect still gets a weight of that size.

    Attributes
    ----------
    weights_ : ndarray (n_nodes, n_nodes)
        [i, j]: the effect of i on j on standardised data, after the threshold (and repair).
    dag_, pruned_dag_, evidence_, reward_, result_, score_
        As those of `CDUCT`; ``dag_`` is a `CyclicGraph` if the result has cycles.

    Examples
    --------
    >>> import dagsearch as ds
    >>> ds.NOTEARS().fit(ds.datasets.load("sachs")).dag_.n_edges
    4
    """

    method: ClassVar[str] = "notears"
    summary: ClassVar[str] = "linear model with a smooth constraint against cycles"
    data_kinds: ClassVar[tuple[str, ...]] = CONTINUOUS_DATA
    by_score: ClassVar[bool] = False
    of_linear_models: ClassVar[bool] = True
    pruned_by_significance: ClassVar[bool] = True

    def _check_settings(self) -> None:
        checks.real("l1", self.l1, 0.0)
        checks.real("threshold", self.threshold, 0.0)
        checks.boolean("repair", self.repair)
        checks.knowledge(self.knowledge)

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:  # noqa: ARG002
        data = judgement.data
        knowledge = self.knowledge or Knowledge()
        allowed, required = knowledge.allowed_edges(data.names), knowledge.required_edges(data.names)
        arrangement = Arrangement.of(data.names)
        table, known = arrangement.table(data.standardised()), (arrangement.pairs(allowed), arrangement.pairs(required))
        weights = np.zeros((data.n_nodes, data.n_nodes))
        fit: NotearsFit | None = None

        def note(state: NotearsState) -> None:
            nonlocal weights
            weights = thresholded(state.weights, self.threshold)
            monitor.check(lambda seconds: _progress(state, seconds))

        def search() -> None:
            nonlocal fit, weights
            fit = notears(table, self.l1, self.threshold, known[0], on_evaluation=note, required=known[1])
            weights = fit.weights

        # Between evaluations scipy checks bounds, one by one.
        with monitor.guard():
            monitor.carry_out(search)
        graph, notes = self._graph(weights, arrangement, data.names, required, monitor)
        if monitor.status != FINISHED:
            notes += (f"NOTEARS had not converged when it ended ({monitor.status})",)
        elif fit is not None and not fit.converged:
            notes += (f"NOTEARS did not converge: its distance from acyclicity is still h = {fit.h:.2g}",)
        return Construction(
            graph=graph,
            status=CYCLIC if isinstance(graph, CyclicGraph) and monitor.status == FINISHED else monitor.status,
            settings={"l1": self.l1, "threshold": self.threshold, "repair": self.repair},
            notes=notes,
            required=required,
        )

    def _graph(
        self,
        found: NDArray[np.float64],
        arrangement: Arrangement,
        names: tuple[str, ...],
        required: NDArray[np.bool_],
        monitor: Monitor,
    ) -> tuple[Graph, tuple[str, ...]]:
        """The graph of arranged weights, repaired if that is wanted, and what to say of it; sets ``weights_``."""
        weights, early = arrangement.pairs_back(found), ""
        self.weights_ = weights
        if self.repair:
            try:
                with monitor.aftermath():
                    acyclic = without_cycles(found, arrangement.pairs(required))
                    self.weights_ = arrangement.pairs_back(acyclic)
            except OutOfTimeError:
                early = "; not repaired: time was up"
        adjacency = ((self.weights_ != 0.0) | required).astype(np.int8)
        dropped = [f"{names[i]} -> {names[j]}" for i, j in np.argwhere((weights != 0.0) & (self.weights_ == 0.0))]
        if dropped:
            return DAG(adjacency, names), (f"repaired: dropped {', '.join(dropped)}, the smallest weights on cycles",)
        if find_cycle(adjacency) is None:
            return DAG(adjacency, names), ()
        graph = CyclicGraph(adjacency, names)
        cycle = " -> ".join([*graph.cycle, graph.cycle[0]])
        way_out = early or "; repair=True (--repair) drops the smallest weights on cycles"
        return graph, (f"not acyclic: {cycle}{way_out}",)


def _progress(state: NotearsState, seconds: float) -> Progress:
    return Progress(0.0, state.step, None, 0, -state.objective, seconds, detail=f"h {state.h:.1e}")
