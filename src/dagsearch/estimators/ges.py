"""Greedy equivalence search (Chickering 2002) as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.errors import InputError
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.equivalence import EquivalenceMethod
from dagsearch.estimators.result import Construction
from dagsearch.graph import PDAG, Knowledge
from dagsearch.search.ges import PHASES, GesStep, equivalence_search
from dagsearch.search.monitor import Monitor, Progress


class GES(parameters.GES, EquivalenceMethod):
    """Greedy equivalence search: the best insertion, deletion or turning of an edge, from class to class of DAGs.

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
        restrictions: dict[str, Any] = {} if knowledge.is_empty else {"allowed": allowed, "required": required}
        adjacency = required.astype(np.int8)
        n_samples = judgement.data.n_samples

        def note(step: GesStep) -> None:
            nonlocal adjacency
            adjacency = step.adjacency
            reward = step.score / n_samples
            monitor.note_best(reward, int(np.triu(adjacency | adjacency.T).sum()), step.phase)
            monitor.check(lambda seconds: Progress(0.0, step.step, None, 0, reward, seconds, detail=step.phase))

        with monitor.guard(), score.session():
            fit = equivalence_search(score, self.phases, note, unit=n_samples, **restrictions)
            adjacency = fit.adjacency
        settings = {"phases": list(self.phases)}
        return Construction(graph=PDAG(adjacency, names), status=monitor.status, settings=settings, required=required)
