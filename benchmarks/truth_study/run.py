"""Runs one task and judges the graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from study_runs.graphs import edges_in_text, skeleton_f1
from study_runs.origin import now, versions
from study_runs.records import EXCEEDED

import dagsearch as ds
from dagsearch.graph import CyclicGraph
from truth_study.methods import METHODS
from truth_study.task import MEASURES, TruthRecord, TruthTask


def run(task: TruthTask, time_limit: float, begun: Callable[[], None] = lambda: None) -> TruthRecord:
    """Run a task.

    Parameters
    ----------
    task
        What to run.
    time_limit
        Seconds; for methods that can stop by themselves.
    begun
        Called when everything is compiled and the data are there.
    """
    method = METHODS[task.method]
    method.warm_up(ds.datasets.simulate(5, 100, n_edges=6, standardise=True, random_state=0))
    data = task.kind.table(task.n_nodes, task.n_rows, task.seed)
    begun()
    started = time.perf_counter()
    found = method.fit(data, task.seed, time_limit)
    seconds = time.perf_counter() - started
    return TruthRecord(
        task=task,
        metrics=judged(found.graph, data.truth),
        edges=edges_in_text(found.graph),
        status=found.status,
        score=found.score,
        seconds=round(seconds, 4),
        finished=now(),
        versions=versions(),
    )


def exceeded(task: TruthTask, time_limit: float) -> TruthRecord:
    """The record of a run that was ended."""
    ended = replace(task, given_up_after=time_limit)
    return TruthRecord(ended, None, None, EXCEEDED, None, time_limit, now(), versions())


def judged(graph: Any, truth: Any) -> dict[str, float | None] | None:
    """`MEASURES` of a graph; None if it has a cycle."""
    if isinstance(graph, CyclicGraph):
        return None
    metrics = ds.metrics.compare(graph, truth)
    values = {**metrics, "skeleton_f1": skeleton_f1(metrics)}
    return {name: None if values[name] is None else round(float(values[name]), 6) for name in MEASURES}
