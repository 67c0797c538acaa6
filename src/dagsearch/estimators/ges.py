"""Greedy equivalence search (Chickering 2002) as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.baselines.ges import PHASES, GesStep, equivalence_search
from dagsearch.data import Arrangement
from dagsearch.errors import InputError
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.equivalence import EquivalenceMethod
from dagsearch.estimators.result import Construction
from dagsearch.graph import PDAG, Knowledge
from dagsearch.interruption import Shield
from dagsearch.search.monitor import Monitor, Progress

_GRID = 2.0**24
"""Local scores are multiples of one part in so many: sums of them are exact, and steps that tie do so to the last bit.

That is far finer than what a step must gain, and far coarser than rounding, which depends on the order of the columns.
"""


class GES(parameters.GES, EquivalenceMethod):
    """Greedy equivalence search: the best insertion, deletion or turning of an edge, from class to class of DAGs.

    Needs the extra ``baselines``.

    Attributes
    ----------
    dag_, pruned_dag_ : PDAG
        The class that was found, directed as far as ``knowledge`` tells, and what pruning left of it;
        ``dag_.to_dag()`` is a member.
    evidence_, reward_, result_, score_
        As those of `CDUCT`; the reward is that of any member.
    """

    method: ClassVar[str] = "ges"
    summary: ClassVar[str] = "greedy search among equivalence classes"

    def _check_settings(self) -> None:
        super()._check_settings()
        checks.knowledge(self.knowledge)
        if isinstance(self.phases, str) or not isinstance(self.phases, Sequence):
            raise InputError(f"phases must be a list of {', '.join(PHASES)}, got {self.phases!r}")

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:  # noqa: ARG002
        score, names = judgement.score, judgement.data.names
        if not score.decomposable:
            raise InputError("score must have local(node, parents): ges compares graphs by the terms that differ")
        knowledge = self.knowledge or Knowledge()
        required, allowed = knowledge.required_edges(names), knowledge.allowed_edges(names)
        arrangement = Arrangement.of(names)
        columns = arrangement.columns.tolist()
        restrictions: dict[str, Any] = {}
        if not knowledge.is_empty:
            restrictions = {"allowed": arrangement.pairs(allowed), "required": arrangement.pairs(required)}
        adjacency = required.astype(np.int8)
        n_samples = judgement.data.n_samples
        shield = Shield()

        def log_likelihood(node: int, parents: tuple[int, ...]) -> float:
            with shield.up():
                family = columns[node], sorted(columns[parent] for parent in parents)
                return _on_grid(n_samples * score.local(*family))

        def note(step: GesStep) -> None:
            nonlocal adjacency
            with shield.up():
                adjacency = arrangement.pairs_back(step.adjacency)
                reward = step.score / n_samples
                monitor.note_best(reward, int(np.triu(adjacency | adjacency.T).sum()), step.phase)
                monitor.check(lambda seconds: Progress(0.0, step.step, None, 0, reward, seconds, detail=step.phase))

        def search() -> None:
            nonlocal adjacency
            fit = equivalence_search(len(names), log_likelihood, self.phases, note, **restrictions)
            adjacency = arrangement.pairs_back(fit.adjacency)

        # The operators are those of another package; the score must not be left half-way.
        with monitor.guard(), score.session():
            monitor.carry_out(search, shield)
        settings = {"phases": list(self.phases)}
        return Construction(graph=PDAG(adjacency, names), status=monitor.status, settings=settings, required=required)


def _on_grid(score: float) -> float:
    """The nearest multiple of the grid; what is not finite stays so."""
    return round(score * _GRID) / _GRID if isfinite(score * _GRID) else score
