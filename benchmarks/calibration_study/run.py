"""Runs one task, and compares its probabilities with the truth."""

from __future__ import annotations

import time

from study_runs.origin import versions

from calibration_study.bins import Reliability
from calibration_study.families import FAMILIES
from calibration_study.systems import SYSTEMS, table_and_score
from calibration_study.task import CalibrationRecord, CalibrationTask

_KEPT = {"max_parents": "max_parents", "chains_agree": "agree", "n_replicates": "replicates", "n_failed": "failed"}


def run(task: CalibrationTask) -> CalibrationRecord:
    """Run a task."""
    family = FAMILIES[task.family]
    data, score = table_and_score(task.family, task.n_rows, task.table)
    *_, rng = family.streams(task.table)
    started = time.perf_counter()
    found = SYSTEMS[task.system](family, data, score, rng)
    seconds = time.perf_counter() - started
    truth = data.truth.adjacency
    return CalibrationRecord(
        task=task,
        edges=Reliability.of_edges(found.edge_probability, truth),
        adjacencies=Reliability.of_adjacencies(found.adjacency_probability, truth),
        settings={short: found.details[name] for name, short in _KEPT.items() if name in found.details},
        seconds=round(seconds, 2),
        versions=versions().split(",", maxsplit=1)[0],
    )
