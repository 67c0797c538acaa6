"""One run of one method on one table, and the record that it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from study_runs.records import StudyRecord, StudyTask

from truth_study.conditions import Kind

MEASURES = ("shd", "f1", "skeleton_f1", "tpr", "fdr", "sid", "ancestor_aid", "n_edges")
"""What a graph is judged by, as `dagsearch.metrics.compare` names it, and the F1 of adjacencies."""


@dataclass(frozen=True)
class TruthTask(StudyTask):
    """Everything that decides the outcome of a run.

    Attributes
    ----------
    kind
        The kind of data.
    n_nodes, n_rows
        Size of the table.
    seed
        Of the data and of the method.
    method
        As in `truth_study.methods.METHODS`.
    given_up_after
        The seconds after which a run was ended; None: it was not. With more time it is another task.
    """

    kind: Kind
    n_nodes: int
    n_rows: int
    seed: int
    method: str
    given_up_after: float | None = None

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """The task whose fields were written."""
        return cls(**{**stored, "kind": Kind(**stored["kind"])})


@dataclass(frozen=True)
class TruthRecord(StudyRecord):
    """What came of a run.

    Attributes
    ----------
    task
        What was run.
    metrics
        `MEASURES` by name, each None where it is not defined; None for a graph with a cycle, or without a graph.
    edges
        ``"cause>effect"`` by the positions of the columns, or ``"one-other"`` for an undirected edge.
    status, score
        How the method ended, and the score that its default settings stand for.
    seconds
        Of the fit, pruning included; compilation is not.
    finished
        When, in UTC.
    versions
        Of the code and of the packages that compute.
    """

    task_type: ClassVar = TruthTask

    task: TruthTask
    metrics: dict[str, float | None] | None
    edges: str | None
    status: str
    score: str | None
    seconds: float
    finished: str
    versions: str
