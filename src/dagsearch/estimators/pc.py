"""The PC algorithm (Spirtes, Glymour and Scheines 2000) as an estimator."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.baselines.pc import pc
from dagsearch.data import Dataset
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.equivalence import EquivalenceMethod
from dagsearch.estimators.result import Construction
from dagsearch.graph import PDAG, Knowledge
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED


class PC(parameters.PC, EquivalenceMethod):
    """The PC algorithm: tests of conditional independence, and the directions that follow from them.

    Needs the extra ``baselines``: ``pip install 'dagsearch[baselines]'``. Edges about whose direction the tests
    contradict each other are left undirected, and ``result_.notes`` names them.

    Attributes
    ----------
    dag_, pruned_dag_ : PDAG
        What was found, and what pruning left of it.
    evidence_, reward_, result_, score_
        As those of `CDUCT`; the reward is NaN if no DAG agrees with all directions that were found.
    """

    method: ClassVar[str] = "pc"
    summary: ClassVar[str] = "tests of conditional independence"
    by_score: ClassVar[bool] = False

    def _check_settings(self) -> None:
        super()._check_settings()
        checks.between("ci_level", self.ci_level, 0.0, 1.0)
        checks.knowledge(self.knowledge)

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:  # noqa: ARG002
        data, knowledge = judgement.data, self.knowledge or Knowledge()
        test = self._test(data)
        required = knowledge.required_edges(data.names)
        values = data.standardised() if test == "fisherz" else data.codes()
        fit = pc(values, test, self.ci_level, knowledge.allowed_edges(data.names), required, data.names)
        graph = PDAG(fit.adjacency, data.names)
        pairs = ", ".join(f"{data.names[i]} -- {data.names[j]}" for i, j in fit.contradictory)
        notes = [f"undirected, since tests contradict each other about the direction: {pairs}"] if pairs else []
        if not graph.has_member:
            notes.append("no reward: no DAG agrees with all directions that were found")
        return Construction(
            graph=graph,
            status=FINISHED,
            settings={"ci_test": test, "ci_level": self.ci_level},
            notes=tuple(notes),
            required=required,
        )

    def _test(self, data: Dataset) -> str:
        """The test in force."""
        if self.ci_test != "auto":
            return self.ci_test
        return "gsq" if all(kind == "discrete" for kind in data.kinds) else "fisherz"
