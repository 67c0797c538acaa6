"""Greedy equivalence search (Chickering 2002) as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from dagsearch.baselines.ges import PHASES, GesStep, equivalence_search
from dagsearch.errors import InputError
from dagsearch.estimators.base import Judgement
from dagsearch.estimators.equivalence import EquivalenceMethod
from dagsearch.estimators.result import Construction
from dagsearch.graph import PDAG
from dagsearch.scores.levels import Levels
from dagsearch.search.monitor import Monitor, Progress


class GES(EquivalenceMethod):
    """Greedy equivalence search: the best insertion, deletion or turning of an edge, from class to class of DAGs.

    Needs the extra ``baselines``: ``pip install 'dagsearch[baselines]'``.

    Parameters
    ----------
    score
        ``"bic-linear"``, ``"bic-discrete"`` or ``"bdeu"``, a score made of one of them, or an object of your own with
        ``local(node, parents)`` that is the same for equivalent graphs; ``"auto"``: by the kinds of the columns.
    phases
        ``"forward"``, ``"backward"`` and ``"turning"``, in the order in which they are gone through.
    prune
        ``"auto"``: CAM pruning on continuous data; or ``"cam"``, ``"coefficients"``, ``"none"``.
    random_state
        Recorded only: the method makes no random choice.
    time_limit, n_jobs, progress, kinds, alpha, levels
        As those of `CDUCT`.

    Attributes
    ----------
    dag_, pruned_dag_ : PDAG
        The class that was found, and what pruning left of it; ``dag_.to_dag()`` is a member.
    evidence_, reward_, result_, score_
        As those of `CDUCT`; the reward is that of any member.
    """

    method: ClassVar[str] = "ges"
    summary: ClassVar[str] = "greedy search among equivalence classes"

    def __init__(
        self,
        score: Any = "auto",
        phases: Sequence[str] = PHASES,
        prune: str = "auto",
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        kinds: Any = None,
        alpha: float = 0.001,
        levels: Levels = "seen",
    ) -> None:
        self.score = score
        self.phases = phases
        self.prune = prune
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.kinds = kinds
        self.alpha = alpha
        self.levels = levels

    def _check_settings(self) -> None:
        super()._check_settings()
        if isinstance(self.phases, str) or not isinstance(self.phases, Sequence):
            raise InputError(f"phases must be a list of {', '.join(PHASES)}, got {self.phases!r}")

    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:  # noqa: ARG002
        score, names = judgement.score, judgement.data.names
        if not score.decomposable:
            raise InputError("score must have local(node, parents): ges compares graphs by the terms that differ")
        adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
        n_samples = judgement.data.n_samples

        def log_likelihood(node: int, parents: tuple[int, ...]) -> float:
            return n_samples * score.local(node, parents)

        def note(step: GesStep) -> None:
            nonlocal adjacency
            adjacency = step.adjacency
            reward = step.score / n_samples
            monitor.check(lambda seconds: Progress(0.0, step.step, None, 0, reward, seconds, detail=step.phase))

        with monitor.guard(), score.session():
            adjacency = equivalence_search(len(names), log_likelihood, self.phases, note).adjacency
        settings = {"phases": list(self.phases)}
        return Construction(graph=PDAG(adjacency, names), status=monitor.status, settings=settings)
