"""Runs one task and judges the graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from study_runs.graphs import edges_in_text
from study_runs.origin import now, versions
from study_runs.records import EXCEEDED

import dagsearch as ds
from beyond_study.blocks import BLOCKS
from beyond_study.judge import judged
from beyond_study.systems import SYSTEMS
from beyond_study.task import BeyondRecord, BeyondTask


def run(n_jobs: int, task: BeyondTask, _time_limit: float, begun: Callable[[], None] = lambda: None) -> BeyondRecord:
    """Run a task.

    Parameters
    ----------
    n_jobs
        Threads of a fit.
    task
        What to run.
    begun
        Called when everything is compiled and the data are there.
    """
    block, system = BLOCKS[task.block], SYSTEMS[task.method]
    data = ds.datasets.load(task.data)
    small = ds.datasets.load("asia") if block.is_discrete else ds.datasets.simulate(5, 100, random_state=0)
    system.fit(replace(block, edge_budget=5), small, 0, n_jobs)
    score = ds.scores.make(block.score, data)
    begun()
    started = time.perf_counter()
    constructed, graph = system.fit(block, data, task.seed, n_jobs)
    seconds = time.perf_counter() - started
    dag = constructed if isinstance(constructed, ds.DAG) else constructed.to_dag()
    return BeyondRecord(
        task=task,
        reward=score.reward(dag),
        metrics=judged(graph, data.truth, dag),
        edges=edges_in_text(graph),
        status="finished",
        seconds=round(seconds, 4),
        finished=now(),
        versions=versions(),
    )


def exceeded(task: BeyondTask, time_limit: float) -> BeyondRecord:
    """The record of a run that was ended."""
    ended = replace(task, given_up_after=time_limit)
    return BeyondRecord(ended, None, None, None, EXCEEDED, time_limit, now(), versions())
