"""Methods that find an equivalence class: GES and PC, whose results are partially directed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from dagsearch import scores
from dagsearch.baselines.ges import PHASES, GesStep, equivalence_search
from dagsearch.baselines.pc import TESTS, pc
from dagsearch.data import Dataset
from dagsearch.errors import InputError
from dagsearch.estimators import checks
from dagsearch.estimators.base import DagEstimator, Judgement
from dagsearch.estimators.result import Construction
from dagsearch.graph import PDAG, Knowledge
from dagsearch.scores.choose import Choice, choose
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.protocol import FINISHED

_SAME_FOR_EQUIVALENT_GRAPHS = ("bic-linear", "bic-discrete", "bdeu")


class EquivalenceMethod(DagEstimator):
    """Base of methods whose ``dag_`` is a `PDAG`, and whose score must be the same for all DAGs of a class."""

    extra: ClassVar[str | None] = "baselines"
    any_score: ClassVar[bool] = False
    pruned_by_significance: ClassVar[bool] = True

    def _check_settings(self) -> None:
        if isinstance(self.score, str):
            checks.one_of(f"score for {self.method}", self.score, ("auto", *_SAME_FOR_EQUIVALENT_GRAPHS))

    def _choose(self, data: Dataset) -> Choice:
        """Discrete BIC as for any method; on numbers the BIC of linear models."""
        choice = choose(data)
        return choice if choice.score in scores.DISCRETE else replace(choice, score="bic-linear")

    def _penalty(self, score_name: str) -> Any:
        return None if score_name in scores.DISCRETE else "edges"


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
    time_limit, n_jobs, progress, kinds, alpha
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


class PC(EquivalenceMethod):
    """The PC algorithm: tests of conditional independence, and the directions that follow from them.

    Needs the extra ``baselines``: ``pip install 'dagsearch[baselines]'``. Edges about whose direction the tests
    contradict each other are left undirected, and ``result_.notes`` names them.

    Parameters
    ----------
    ci_test
        ``"fisherz"`` (partial correlations), ``"gsq"`` or ``"chisq"`` (counts of discrete values); ``"auto"``: by the
        kinds of the columns.
    ci_level
        Two variables are taken to be dependent if a test's p-value is at most this.
    score
        What ``reward_`` is measured by; it has no part in the method.
    prune
        ``"auto"``: CAM pruning on continuous data; or ``"cam"``, ``"coefficients"``, ``"none"``.
    knowledge
        Required and forbidden edges, tiers; see `Knowledge`.
    random_state
        Recorded only: the method makes no random choice.
    n_jobs, progress, kinds, alpha
        As those of `CDUCT`.

    Attributes
    ----------
    dag_, pruned_dag_ : PDAG
        What was found, and what pruning left of it.
    evidence_, reward_, result_, score_
        As those of `CDUCT`; the reward is NaN if no DAG agrees with all directions that were found.
    """

    method: ClassVar[str] = "pc"
    summary: ClassVar[str] = "tests of conditional independence"

    def __init__(
        self,
        ci_test: str = "auto",
        ci_level: float = 0.05,
        score: Any = "auto",
        prune: str = "auto",
        knowledge: Knowledge | None = None,
        random_state: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        kinds: Any = None,
        alpha: float = 0.001,
    ) -> None:
        self.ci_test = ci_test
        self.ci_level = ci_level
        self.score = score
        self.prune = prune
        self.knowledge = knowledge
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.kinds = kinds
        self.alpha = alpha

    def _check_settings(self) -> None:
        super()._check_settings()
        checks.one_of("ci_test", self.ci_test, ("auto", *TESTS))
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
