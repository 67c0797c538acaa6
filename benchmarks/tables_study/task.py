"""One run of one method on one table, and the record that it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from study_runs.records import StudyRecord, StudyTask

MEASURES = ("skeleton_f1", "n_reversed", "f1", "fdr", "shd", "n_missing", "n_extra", "n_edges")
"""What a graph is judged by, as `dagsearch.metrics.compare` names it, and the F1 of adjacencies."""


@dataclass(frozen=True)
class TablesTask(StudyTask):
    """Everything that decides the outcome of a run.

    Attributes
    ----------
    part, condition
        As in `tables_study.parts.PARTS`.
    n_rows
        Size of the table.
    seed
        Of the table and of the method.
    method
        One of the part's.
    given_up_after
        The seconds after which a run was ended; None: it was not. With more time it is another task.
    """

    part: str
    condition: str
    n_rows: int
    seed: int
    method: str
    given_up_after: float | None = None


@dataclass(frozen=True)
class TablesRecord(StudyRecord):
    """What came of a run: `MEASURES` by name, edges, how it ended, seconds without compilation, when, by which code."""

    task_type: ClassVar = TablesTask

    task: TablesTask
    metrics: dict[str, float] | None
    edges: str | None
    status: str
    seconds: float
    finished: str
    versions: str
