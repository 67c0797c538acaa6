"""Means over runs, with the number of runs for which a measure is defined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict

import pandas as pd
from study_runs.records import EXCEEDED

from truth_study.methods import METHODS
from truth_study.task import MEASURES, TruthRecord

TABLE = ["kind", "n_nodes", "n_rows", "seed"]
"""Columns that say which table a run was on."""

_AVERAGED = [*MEASURES, "seconds"]


def frame_of(records: Iterable[TruthRecord]) -> pd.DataFrame:
    """One row per run; a run that was ended once and finished later, with more time, has only the latter."""
    of_task: dict[object, TruthRecord] = {}
    for record in records:
        task = record.task.wanted
        if task not in of_task or of_task[task].status == EXCEEDED:
            of_task[task] = record
    return pd.DataFrame([_row(record) for record in of_task.values()])


def _row(record: TruthRecord) -> dict[str, object]:
    task = record.task
    metrics = record.metrics or dict.fromkeys(MEASURES)
    return {
        "method": task.method,
        "kind": task.kind.name,
        **asdict(task.kind),
        "n_nodes": task.n_nodes,
        "n_rows": task.n_rows,
        "seed": task.seed,
        "status": record.status,
        "score": record.score,
        **{name: math.nan if metrics[name] is None else metrics[name] for name in MEASURES},
        "seconds": record.seconds,
        "edges": record.edges,
        "finished": record.finished,
        "versions": record.versions,
    }


def means(runs: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """One row per group and method: means, and how many runs they are of.

    Parameters
    ----------
    runs
        As `frame_of` returns it.
    by
        Columns by whose values runs are grouped.

    Returns
    -------
    DataFrame
        ``by``, ``method``; ``tables`` (in the group, tried or not), ``judged`` (graphs without cycles), ``exceeded``
        and ``cyclic``; of each measure its mean and its number of values, ``shd_n`` and so on; ``shd_se``, the standard
        error. Seconds are those of runs that were judged.
    """
    groups = runs.groupby(list(by), sort=False) if by else [((), runs)]
    rows = []
    for values, group in groups:
        n_tables = len(group[TABLE].drop_duplicates())
        for method in [name for name in METHODS if name in set(group["method"])]:
            own = group[group["method"] == method]
            rows.append({**dict(zip(by, values, strict=True)), "method": method, "tables": n_tables, **_means(own)})
    return pd.DataFrame(rows)


def _means(runs: pd.DataFrame) -> dict[str, float]:
    judged = runs[runs["shd"].notna()]
    n_exceeded = int((runs["status"] == EXCEEDED).sum())
    counts = {"judged": len(judged), "exceeded": n_exceeded, "cyclic": len(runs) - len(judged) - n_exceeded}
    averages = {name: judged[name].mean() for name in _AVERAGED}
    numbers = {f"{name}_n": int(judged[name].notna().sum()) for name in _AVERAGED}
    return {**counts, **averages, "shd_se": judged["shd"].sem(), **numbers}
