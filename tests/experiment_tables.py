"""What the tests of experiments share: small tasks, made-up records, and engines that stop or fail when told to."""

from __future__ import annotations

from dataclasses import replace

from dagsearch.experiments.engines import Failure
from dagsearch.experiments.task import Record, Task, settings

QUICK = settings(edge_budget=12, prune="none", sims_per_node=2)
SLOW = settings(edge_budget=20, prune="none", sims_per_node=1500)


def quick_task(**changes):
    """A run on the bundled table that takes some milliseconds."""
    task = Task("sachs", "cd-uct", "bic-linear", settings=QUICK)
    return replace(task, **changes)


def quick_tasks(n_tasks):
    return [quick_task(seed=42 * k) for k in range(n_tasks)]


def slow_tasks(n_tasks):
    """Runs that take a second or two."""
    return [quick_task(seed=42 * k, settings=SLOW) for k in range(n_tasks)]


def made_up(task, **changes):
    """The record of a run that never took place."""
    metrics = {"tpr": 0.5, "fdr": 0.25, "shd": 7.0, "n_edges": 12.0}
    record = Record(
        task=task,
        reward=-1.5,
        metrics=metrics,
        pruned_metrics=None,
        edges="0>1 1>2",
        pruned_edges=None,
        status="finished",
        seconds=0.25,
        cpu_seconds=0.125,
        n_simulations=30,
        n_score_evaluations=40,
        finished="2026-01-01T00:00:00+00:00",
        versions="dagsearch 0",
    )
    return replace(record, **changes)


class PretendEngine:
    """Makes records up; is interrupted after so many runs, fails at some tasks, and notes what it was asked for."""

    def __init__(self, reward=lambda _: -1.0, stop_after=None, fails=lambda _: False):
        self.reward = reward
        self.stop_after = stop_after
        self.fails = fails
        self.asked = []

    def run_all(self, tasks):
        for task in tasks:
            if len(self.asked) == self.stop_after:
                raise KeyboardInterrupt
            self.asked.append(task)
            yield Failure(task, "Oops: failed", "") if self.fails(task) else made_up(task, reward=self.reward(task))


def without_times(record):
    """What must not depend on the machine or on what ran before."""
    return replace(record, seconds=0.0, cpu_seconds=0.0, n_score_evaluations=0, finished="")


def silent(*_event):
    """A listener."""
