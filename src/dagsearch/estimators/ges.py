"""Greedy equivalence search (Chickering 2002) as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from dagsearch import checks, parameters
from dagsearch.data import Arrangement
from dagsearch.errors import InputError
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.equivalence import EquivalenceMethod
from dagsearch.estimators.result import Construction
from dagsearch.graph import PDAG, Knowledge
from dagsearch.graph.checks import default_names
from dagsearch.scores import Score
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
        # Positions mean something to a score of one's own.
        arrangement = Arrangement.of(names if isinstance(self.score, str) else default_names(len(names)))
        restrictions: dict[str, Any] = {}
        if not knowledge.is_empty:
            restrictions = {"allowed": arrangement.pairs(allowed), "required": arrangement.pairs(required)}
        adjacency = required.astype(np.int8)
        n_samples = judgement.data.n_samples
        arranged = self._arranged(judgement, arrangement)

        def note(step: GesStep) -> None:
            nonlocal adjacency
            adjacency = arrangement.pairs_back(step.adjacency)
            reward = step.score / n_samples
            monitor.note_best(reward, int(np.triu(adjacency | adjacency.T).sum()), step.phase)
            monitor.check(lambda seconds: Progress(0.0, step.step, None, 0, reward, seconds, detail=step.phase))

        with monitor.guard(), arranged.session():
            fit = equivalence_search(arranged, self.phases, note, unit=n_samples, **restrictions)
            adjacency = arrangement.pairs_back(fit.adjacency)
        return Construction(
            graph=PDAG(adjacency, names),
            status=monitor.status,
            settings={"phases": list(self.phases)},
            required=required,
            n_score_evaluations=0 if arranged is score else arranged.n_evaluations,
        )

    def _arranged(self, judgement: Judgement, arrangement: Arrangement) -> Score:
        """The score on the columns in the order of their names; itself where that is theirs, or it is a user's own."""
        score, data = judgement.score, judgement.data
        if np.array_equal(arrangement.columns, np.arange(data.n_nodes)):
            return score
        arranged: Score = self._judgement(data.arranged(arrangement.columns)).score
        return arranged
