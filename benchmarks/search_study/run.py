"""Runs one task and judges the graph."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from study_runs.graphs import edges_in_text, skeleton_f1
from study_runs.origin import now, versions
from study_runs.records import EXCEEDED

import dagsearch as ds
from dagsearch.errors import DagsearchError
from search_study.methods import METHODS, Found, Means, Work
from search_study.parts import PARTS, Problem
from search_study.task import MEASURES, REFUSED, SearchRecord, SearchTask


def run(means: Means, task: SearchTask, time_limit: float, begun: Callable[[], None] = lambda: None) -> SearchRecord:
    """Run a task.

    Parameters
    ----------
    means
        What runs on this machine need.
    task
        What to run.
    time_limit
        Seconds; for exact search, which can stop by itself.
    begun
        Called when everything is compiled and the data are there.
    """
    problem = PARTS[task.part].problem(task.problem)
    try:
        data = problem.table(task.seed, means.networks)
        found = METHODS[task.method].fit(Work(data, problem, task.seed, time_limit, means), begun)
    except DagsearchError as error:
        return _without_graph(replace(task, refused=str(error)), REFUSED, 0.0, means)
    return SearchRecord(
        task=task,
        measures=judged(found, data, problem),
        edges=edges_in_text(found.graph),
        status=found.status,
        **found.spent._asdict(),
        n_jobs=means.n_jobs,
        n_cores=os.cpu_count() or 1,
        finished=now(),
        versions=versions() if found.versions is None else f"{found.versions}; data by dagsearch {ds.__version__}",
    )


def exceeded(means: Means, task: SearchTask, time_limit: float) -> SearchRecord:
    """The record of a run that was ended."""
    return _without_graph(replace(task, given_up_after=time_limit), EXCEEDED, time_limit, means)


def _without_graph(task: SearchTask, status: str, seconds: float, means: Means) -> SearchRecord:
    n_cores = os.cpu_count() or 1
    return SearchRecord(task, None, None, status, seconds, None, None, means.n_jobs, n_cores, now(), versions())


def judged(found: Found, data: ds.Dataset, problem: Problem) -> dict[str, float | None]:
    """`MEASURES` of a graph."""
    score, truth = problem.judge(data), data.truth
    member = _member(found.graph)
    reward = None if member is None else score.reward(member)
    counts = ds.metrics.classify(found.graph, truth).metrics()
    found_class = found.graph if member is None else member.to_cpdag()
    true_class = truth.to_cpdag()
    measures = {
        "reward": reward,
        "true_reward": score.reward(truth),
        "n_edges": counts["n_edges"],
        "shd": counts["shd"],
        "cpdag_shd": cpdag_distance(found_class, true_class),
        "skeleton_f1": skeleton_f1(counts),
        "arrowhead_f1": arrowhead_f1(found_class, true_class),
        "gap": found.gap,
        "score_error": None if found.gain is None or reward is None else _score_error(found.gain, reward, score, data),
    }
    return {name: None if measures[name] is None else float(measures[name]) for name in MEASURES}


def _member(graph: ds.DAG | ds.PDAG) -> ds.DAG | None:
    """A DAG of the class that a rival found; None if it is none."""
    if isinstance(graph, ds.DAG):
        return graph
    return graph.to_dag() if graph.has_member else None


def cpdag_distance(found: ds.PDAG, truth: ds.PDAG) -> int:
    """Number of pairs of nodes on which two graphs over the same nodes differ: in adjacency or in direction."""
    differs = found.adjacency != truth.adjacency
    return int(np.triu(differs | differs.T).sum())


def arrowhead_f1(found: ds.PDAG, truth: ds.PDAG) -> float:
    """F1 of the directed edges."""
    ours, theirs = set(found.directed_edges), set(truth.directed_edges)
    return 2 * len(ours & theirs) / max(len(ours) + len(theirs), 1)


def _score_error(gain: float, reward: float, score: ds.scores.Score, data: ds.Dataset) -> float:
    """By how much a rival's gain over no edges differs from ours, per row; our regressions count everything twice."""
    empty = score.reward(ds.DAG.from_edges([], names=data.names))
    factor = 2.0 if score.name in ds.scores.REGRESSIONS else 1.0
    return abs(factor * gain / data.n_samples - (reward - empty))
