"""What could be asked next: only what was not done yet."""

from __future__ import annotations

from pathlib import Path

from dagsearch.data import Dataset
from dagsearch.estimators import DagEstimator
from dagsearch.graph import CyclicGraph


def next_steps(model: DagEstimator, data: Dataset, out: Path | None, report: Path | None = None) -> str | None:
    """One line that proposes further options and commands; None if there is nothing left."""
    steps = []
    if model.confidence_ is None and not isinstance(model.dag_, CyclicGraph):
        steps.append("--confidence bootstrap (how sure each edge is)")
    if report is None:
        steps.append("--report FILE.html (a page to look at and to send)")
    if out is None:
        steps.append("--out FOLDER (files and a picture)")
    if data.truth is None:
        steps.append(
            "--truth FILE (compare with a known graph)"
            if out is None
            else f"dagsearch compare {out / 'graph.csv'} TRUTH"
        )
    return f"next: {', '.join(steps)}" if steps else None
