"""Runs one task. This is what engines call, in whatever process."""

from __future__ import annotations

import inspect
import os
import platform
import time
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from dagsearch import metrics, scores
from dagsearch._version import __version__
from dagsearch.data import Dataset
from dagsearch.estimators import METHODS, DagEstimator
from dagsearch.estimators.result import Graph
from dagsearch.experiments.as_published import AS_PUBLISHED
from dagsearch.experiments.local_scores import SharedScores
from dagsearch.experiments.task import TRUE_NUMBER, Record, Task
from dagsearch.graph import DAG, CyclicGraph
from dagsearch.search.protocol import INTERRUPTED

_SECONDS_OF_WARM_UP = 1.0
_METRICS = ("tpr", "fdr", "shd", "n_edges")
_COMPUTING = ("numpy", "numba", "scipy", "scikit-learn")
_COMPUTING_OF = {"rl-bic": ("jax",), "pc": ("causal-learn",), "exact": ("pyscipopt",)}


def run(task: Task, cache_folder: Path | None = None) -> Record:
    """Run a task.

    Parameters
    ----------
    task
        What to run.
    cache_folder
        Where expensive local scores are exchanged with other processes; None: they stay in this process.

    Raises
    ------
    KeyboardInterrupt
        If the method was interrupted: its best graph so far is not the outcome of the task.
    """
    table = _scores(cache_folder).table(task)
    score = table.score(task)
    if task.own_cache:
        _warm_up(task)
    model = _model(task, score, table.data)
    started, cpu_started = time.perf_counter(), time.process_time()
    _fit(model, table.data)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    reward = score.reward(model.dag_) if isinstance(model.dag_, DAG) else None
    was_pruned = model.result_.settings["prune"] != "none"
    table.exchange(task)
    return Record(
        task=task,
        reward=reward,
        metrics=_metrics(model.dag_, table.data),
        pruned_metrics=_metrics(model.pruned_dag_, table.data) if was_pruned else None,
        edges=_edges(model.dag_),
        pruned_edges=_edges(model.pruned_dag_) if was_pruned else None,
        status=model.result_.status,
        seconds=round(seconds, 4),
        cpu_seconds=round(cpu_seconds, 4),
        n_simulations=model.result_.n_simulations,
        n_score_evaluations=model.result_.n_score_evaluations,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=_versions(task.method),
    )


@cache
def _scores(cache_folder: Path | None) -> SharedScores:
    """The scores of this process."""
    return SharedScores(cache_folder)


def require_settings(task: Task) -> None:
    """Raise `InputError` where a setting of a task has a value that its method refuses."""
    settings = {name: value for name, value in task.settings if value != TRUE_NUMBER}
    METHODS[task.method](**settings).check()


def _model(task: Task, score: scores.Score, data: Dataset) -> DagEstimator:
    """The estimator of a task; it searches by the task's score if any score will do."""
    kind = AS_PUBLISHED[task.method] if task.as_published else METHODS[task.method]
    arguments: dict[str, Any] = {**dict(task.settings), "random_state": task.seed}
    if arguments.get("edge_budget") == TRUE_NUMBER and data.truth is not None:
        arguments["edge_budget"] = data.truth.n_edges
    if kind.any_score and "score" in inspect.signature(kind).parameters:
        arguments["score"] = score
    return kind(**arguments)


def _warm_up(task: Task) -> None:
    """Compile and load what a run needs before it is timed: the same fit, cut short where the method can be."""
    table = SharedScores(None).table(task)
    model = _model(task, table.score(task), table.data)
    if "time_limit" in model.get_params():
        model.set_params(time_limit=_SECONDS_OF_WARM_UP)
    _fit(model, table.data)


def _fit(model: DagEstimator, data: Dataset) -> None:
    """Fit, and let Ctrl-C be one again, of which the estimator has made a status."""
    model.fit(data)
    if model.result_.status == INTERRUPTED:
        raise KeyboardInterrupt


def _metrics(graph: Graph, data: Dataset) -> dict[str, float] | None:
    if isinstance(graph, CyclicGraph):
        return None
    # Not by compare, whose distances of causal effects no table shows.
    values = metrics.classify(graph, data.truth).metrics()
    return {name: round(float(values[name]), 6) for name in _METRICS}


def _edges(graph: Graph) -> str:
    """Edges by the positions of the columns: a table of a hundred thousand runs should fit on a disk."""
    position = {name: k for k, name in enumerate(graph.names)}
    directed = [f"{position[cause]}>{position[effect]}" for cause, effect in graph.directed_edges]
    undirected = [f"{position[one]}-{position[other]}" for one, other in graph.undirected_edges]
    return " ".join(directed + undirected)


@cache
def _versions(method: str) -> str:
    packages = [f"{name} {_version(name)}" for name in (*_COMPUTING, *_COMPUTING_OF.get(method, ()))]
    cores = f"{os.cpu_count()} cores"
    return ", ".join([f"dagsearch {__version__}", f"python {platform.python_version()}", *packages, cores])


def _version(package: str) -> str:
    """The version of a package; exact search, for one, does without its optional solver."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
