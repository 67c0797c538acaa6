"""One run of one system on one table, and the record that it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from study_runs.records import StudyRecord, StudyTask


@dataclass(frozen=True)
class BeyondTask(StudyTask):
    """Everything that decides the outcome of a run.

    Attributes
    ----------
    data
        Name of the data set.
    block
        Of `beyond_study.blocks.BLOCKS`.
    method
        Of `beyond_study.systems.SYSTEMS`.
    seed
        Of the run.
    given_up_after
        The seconds after which a run was ended; None: it was not.
    """

    data: str
    block: str
    method: str
    seed: int
    given_up_after: float | None = None


@dataclass(frozen=True)
class BeyondRecord(StudyRecord):
    """What came of a run.

    Attributes
    ----------
    task
        What was run.
    reward
        Of the constructed graph by the paper's score; None without a graph.
    metrics
        `beyond_study.judge.MEASURES` of the graph in the end, after pruning if there is any; None without a graph.
    edges
        Of that graph: ``"cause>effect"`` by the positions of the columns, or ``"one-other"`` for an undirected edge.
    status
        How it ended.
    seconds
        Of the fit; compilation is not counted.
    finished
        When, in UTC.
    versions
        Of the code and of the packages that compute.
    """

    task_type: ClassVar = BeyondTask

    task: BeyondTask
    reward: float | None
    metrics: dict[str, float | None] | None
    edges: str | None
    status: str
    seconds: float
    finished: str
    versions: str
