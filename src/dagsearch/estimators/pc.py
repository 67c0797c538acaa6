"""The PC algorithm (Spirtes, Glymour and Scheines 2000) as an estimator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks, parameters
from dagsearch.baselines.pc import PcFit, pc
from dagsearch.data import Arrangement, Dataset
from dagsearch.errors import DataError
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.equivalence import EquivalenceMethod
from dagsearch.estimators.result import Construction
from dagsearch.graph import PDAG, Knowledge
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED

FEWEST_SEEN = 3
"""A column that was seen in fewer rows is refused."""


class PC(parameters.PC, EquivalenceMethod):
    """The PC algorithm: tests of conditional independence, and the directions that follow from them.

    Needs the extra ``baselines``. Edges about whose direction the tests
    contradict each other are left undirected, and ``result_.notes`` names them. Where cells are missing, each test goes
    by the rows that have what it needs; pairs of variables that were never seen together get no edge.

    Attributes
    ----------
    dag_, pruned_dag_ : PDAG
        What was found, and what pruning left of it.
    evidence_, reward_, result_, score_
        As those of `CDUCT`; the reward is NaN if no DAG agrees with all directions that were found.
    """

    method: ClassVar[str] = "pc"
    extra: ClassVar[str | None] = "baselines"
    summary: ClassVar[str] = "tests of conditional independence"
    by_score: ClassVar[bool] = False
    takes_gaps: ClassVar[bool] = True

    def _check_settings(self) -> None:
        super()._check_settings()
        checks.between("ci_level", self.ci_level, 0.0, 1.0)
        checks.knowledge(self.knowledge)

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:  # noqa: ARG002
        data, knowledge = judgement.data, self.knowledge or Knowledge()
        test = self._test(data)
        required = knowledge.required_edges(data.names)
        allowed = knowledge.allowed_edges(data.names)
        arrangement = Arrangement.of(data.names)
        names = arrangement.names(data.names)
        known = arrangement.pairs(allowed), arrangement.pairs(required)
        fit = PcFit(known[1], np.zeros_like(required), (), 0)

        def keep(so_far: PcFit) -> None:
            nonlocal fit
            fit = so_far

        def search() -> None:
            keep(pc(arrangement.table(_values(data, test)), test, self.ci_level, *known, names, keep))

        # All but the tests is causal-learn's, which never looks at a clock.
        with monitor.guard():
            monitor.carry_out(search)
        graph = PDAG(arrangement.pairs_back(fit.adjacency), data.names)
        notes = _notes(fit, names)
        if monitor.status != FINISHED:
            notes.append(f"PC had not finished when it ended ({monitor.status}): pairs that no test separated so far")
        if not graph.has_member:
            notes.append("no reward: no DAG agrees with all directions that were found")
        return Construction(
            graph=graph,
            status=monitor.status,
            settings={"ci_test": test, "ci_level": self.ci_level},
            notes=tuple(notes),
            required=required,
        )

    def _test(self, data: Dataset) -> str:
        """The test in force."""
        if self.ci_test != "auto":
            return self.ci_test
        return "gsq" if all(kind == "discrete" for kind in data.kinds) else "fisherz"


def _values(data: Dataset, test: str) -> NDArray[Any]:
    """Columns as the test takes them, (n_samples, n_nodes); missing cells stay NaN."""
    if data.is_complete:
        return _prepared(data, test)
    values = np.full(data.values.shape, np.nan)
    for node, name in enumerate(data.names):
        seen = np.flatnonzero(~np.isnan(data.values[:, node]))
        if len(seen) < FEWEST_SEEN:
            raise DataError(f"column {name!r} was seen in {len(seen)} rows, at least {FEWEST_SEEN} are needed; drop it")
        values[seen, node] = _prepared(data.part(seen, [node]), test)[:, 0]
    return values


def _prepared(data: Dataset, test: str) -> NDArray[Any]:
    return data.standardised() if test == "fisherz" else data.codes()


def _notes(fit: PcFit, names: Sequence[str]) -> list[str]:
    """What the tests could not tell."""
    notes = []
    if fit.contradictory:
        pairs = _in_words(fit.contradictory, names)
        notes.append(f"undirected, since tests contradict each other about the direction: {pairs}")
    if fit.unseen:
        notes.append(f"no edge, since too few rows hold both: {_in_words(fit.unseen, names)}")
    if fit.n_undecided:
        notes.append(f"{fit.n_undecided} tests given other variables had too few rows; they removed no edge")
    return notes


def _in_words(pairs: Iterable[tuple[int, int]], names: Sequence[str]) -> str:
    return ", ".join(f"{names[i]} -- {names[j]}" for i, j in pairs)
