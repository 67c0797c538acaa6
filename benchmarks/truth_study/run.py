"""Runs one task and judges the graph."""

from __future__ import annotations

import platform
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import dagsearch as ds
from dagsearch.graph import CyclicGraph
from truth_study.methods import METHODS
from truth_study.task import EXCEEDED, MEASURES, TruthRecord, TruthTask

_COMPUTING = ("numpy", "numba", "scipy", "scikit-learn", "causal-learn", "ges", "xges")


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
        finished=_now(),
        versions=versions(),
    )


def exceeded(task: TruthTask, time_limit: float) -> TruthRecord:
    """The record of a run that was ended."""
    ended = replace(task, given_up_after=time_limit)
    return TruthRecord(ended, None, None, EXCEEDED, None, time_limit, _now(), versions())


def judged(graph: Any, truth: Any) -> dict[str, float | None] | None:
    """`MEASURES` of a graph; None if it has a cycle."""
    if isinstance(graph, CyclicGraph):
        return None
    metrics = ds.metrics.compare(graph, truth)
    values = {**metrics, "skeleton_f1": skeleton_f1(metrics)}
    return {name: None if values[name] is None else round(float(values[name]), 6) for name in MEASURES}


def skeleton_f1(metrics: Mapping[str, Any]) -> float:
    """F1 of the adjacencies, whatever their directions, from what `dagsearch.metrics.compare` counted."""
    n_adjacent_in_both = metrics["n_right"] + metrics["n_reversed"]
    return 2 * n_adjacent_in_both / max(metrics["n_edges"] + metrics["n_true_edges"], 1)


@cache
def versions() -> str:
    """The code, by its commit, and the packages that compute."""
    packages = [f"{name} {_version(name)}" for name in _COMPUTING]
    return ", ".join([f"dagsearch {ds.__version__} ({_commit()})", f"python {platform.python_version()}", *packages])


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """The commit that is checked out, with a mark if sources were changed since."""
    folder = Path(ds.__file__).parent
    try:
        commit = _git(folder, "rev-parse", "--short", "HEAD")
        return commit + ("+changes" if _git(folder, "status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return "no commit"


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def edges_in_text(graph: Any) -> str:
    """Edges of a graph by the positions of its nodes: ``"cause>effect"``, or ``"one-other"`` for an undirected one."""
    position = {name: k for k, name in enumerate(graph.names)}
    directed = [f"{position[cause]}>{position[effect]}" for cause, effect in graph.directed_edges]
    undirected = [f"{position[one]}-{position[other]}" for one, other in graph.undirected_edges]
    return " ".join(directed + undirected)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
