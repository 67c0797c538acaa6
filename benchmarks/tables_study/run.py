"""Runs one task and judges the graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from study_runs.graphs import edges_in_text, skeleton_f1
from study_runs.origin import now, versions
from study_runs.records import EXCEEDED

import dagsearch as ds
from tables_study.parts import PARTS
from tables_study.task import MEASURES, TablesRecord, TablesTask

_ROWS_OF_WARM_UP = 60


def tasks_of(part: str, rows: Iterable[int], n_seeds: int, methods: Iterable[str]) -> list[TablesTask]:
    """All tasks of a part, small tables first."""
    names = list(methods)
    return [
        TablesTask(part, condition, n_rows, seed, method)
        for n_rows in sorted(set(rows))
        for seed in range(n_seeds)
        for condition in PARTS[part].conditions
        for method in names
        if PARTS[part].methods[method].takes(condition)
    ]


def run(task: TablesTask, time_limit: float, begun: Callable[[], None] = lambda: None) -> TablesRecord:  # noqa: ARG001 - the engine ends it
    """Run a task.

    Parameters
    ----------
    task
        What to run.
    time_limit
        Seconds after which it is ended from outside.
    begun
        Called when everything is compiled and the table is there.
    """
    part = PARTS[task.part]
    method = part.methods[task.method]
    method.fit(part.table(task.condition, _ROWS_OF_WARM_UP, task.seed), task.seed)
    data = part.table(task.condition, task.n_rows, task.seed)
    begun()
    started = time.perf_counter()
    graph = method.fit(data, task.seed)
    seconds = time.perf_counter() - started
    metrics = ds.metrics.compare(graph, data.truth)
    values = {**metrics, "skeleton_f1": skeleton_f1(metrics)}
    return TablesRecord(
        task=task,
        metrics={name: round(float(values[name]), 6) for name in MEASURES},
        edges=edges_in_text(graph),
        status="finished",
        seconds=round(seconds, 3),
        finished=now(),
        versions=versions(),
    )


def exceeded(task: TablesTask, time_limit: float) -> TablesRecord:
    """The record of a run that was ended."""
    return TablesRecord(replace(task, given_up_after=time_limit), None, None, EXCEEDED, time_limit, now(), versions())
