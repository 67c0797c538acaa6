"""One run of one method on one problem, and the record that it leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from study_runs.records import StudyRecord, StudyTask

REFUSED = "refused"
"""Status of a run that raised one of our own errors; the task says which."""

MEASURES = ("reward", "true_reward", "n_edges", "shd", "cpdag_shd", "skeleton_f1", "arrowhead_f1", "gap", "score_error")
"""What a run is judged by.

Rewards, per row, of the graph and of the true graph by the problem's score; number of edges; SHD as
`dagsearch.metrics.compare` counts it; number of pairs on which the CPDAGs of graph and truth differ; F1 of adjacencies,
and of the directed edges of the CPDAGs; how far the reward may be from the optimum, if that is known; and by how much a
rival's own score differs from ours in what it says the graph gains over no edges.
"""


@dataclass(frozen=True)
class SearchTask(StudyTask):
    """Everything that decides the outcome of a run.

    Attributes
    ----------
    part, problem
        As in `search_study.parts.PARTS`.
    method
        As in `search_study.methods.METHODS`.
    seed
        Of the method, and of the data where the problem draws them by seed.
    given_up_after
        The seconds after which a run was ended; None: it was not. With more time it is another task.
    refused
        Why a run was refused; None: it was not. It is tried again whenever the same command is.
    """

    part: str
    problem: str
    method: str
    seed: int
    given_up_after: float | None = None
    refused: str | None = None

    @property
    def wanted(self) -> SearchTask:
        """The task as it was asked for, whatever came of it."""
        return replace(self, given_up_after=None, refused=None)


@dataclass(frozen=True)
class SearchRecord(StudyRecord):
    """What came of a run.

    Attributes
    ----------
    task
        What was run.
    measures
        `MEASURES` by name, each None where it is not defined; None without a graph.
    edges
        ``"cause>effect"`` by the positions of the columns, or ``"one-other"`` for an undirected edge.
    status
        How the method ended.
    seconds
        Of the fit; compilation is not counted.
    cpu_seconds
        Of all threads of the fit together, which other work on the machine changes less; None without a graph.
    gigabytes
        Most memory of the process, with everything that it had imported; None without a graph.
    n_jobs, n_cores
        Threads that the method was given, and cores of the machine.
    finished
        When, in UTC.
    versions
        Of the code and of the packages that compute.
    """

    task_type: ClassVar = SearchTask

    task: SearchTask
    measures: dict[str, float | None] | None
    edges: str | None
    status: str
    seconds: float
    cpu_seconds: float | None
    gigabytes: float | None
    n_jobs: int
    n_cores: int
    finished: str
    versions: str

    @property
    def is_final(self) -> bool:
        """Whether the task need not be tried again with as much time: what was refused is."""
        return self.status != REFUSED
