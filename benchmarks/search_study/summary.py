"""Runs as a table, and which of them reached their goals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd
from study_runs.records import EXCEEDED

from search_study.methods import METHODS
from search_study.parts import PARTS, Goal
from search_study.task import MEASURES, REFUSED, SearchRecord, SearchTask

_RANK = {REFUSED: 0, EXCEEDED: 1}
_JUDGED = 2


def frame_of(records: Iterable[SearchRecord]) -> pd.DataFrame:
    """One row per run, in the order of parts, problems and methods, with goals judged.

    Of a run that was refused or ended once and finished later only the latter counts. ``difference`` is the reward
    minus the one that is the goal; ``reached`` is None where there is no graph, or nothing known to compare with.
    """
    best: dict[SearchTask, SearchRecord] = {}
    for record in records:
        held = best.get(record.task.wanted)
        if held is None or _rank(held) < _rank(record):
            best[record.task.wanted] = record
    ordered = sorted(best.values(), key=lambda record: _place(record.task))
    exact = {record.task.problem: record for record in ordered if record.task.method == "ExactSearch"}
    return pd.DataFrame([_row(record, exact) for record in ordered])


def _rank(record: SearchRecord) -> int:
    return _RANK.get(record.status, _JUDGED)


def _place(task: SearchTask) -> tuple[int, int, int, int]:
    names = [problem.name for problem in PARTS[task.part].problems]
    return list(PARTS).index(task.part), names.index(task.problem), list(METHODS).index(task.method), task.seed


def _row(record: SearchRecord, exact: dict[str, SearchRecord]) -> dict[str, Any]:
    task, measures = record.task, record.measures or dict.fromkeys(MEASURES)
    goal = PARTS[task.part].problem(task.problem).goal
    known = {name: math.nan if value is None else value for name, value in measures.items()}
    wanted = _wanted_reward(goal, known, exact.get(task.problem))
    row = {
        "part": task.part,
        "problem": task.problem,
        "method": task.method,
        "seed": task.seed,
        "status": record.status,
        "refused": record.task.refused,
        **known,
        "difference": known["reward"] - wanted,
        "seconds": record.seconds,
        "cpu_seconds": math.nan if record.cpu_seconds is None else record.cpu_seconds,
        "gigabytes": math.nan if record.gigabytes is None else record.gigabytes,
        "n_jobs": record.n_jobs,
        "n_cores": record.n_cores,
        "finished": record.finished,
        "versions": record.versions,
        "edges": record.edges,
    }
    return {**row, "reached": None if record.measures is None else reached(goal, row)}


def _wanted_reward(goal: Goal, measures: dict[str, float], exact: SearchRecord | None) -> float:
    """The reward that is the goal; NaN if there is none, or it is not known yet."""
    if goal.reward == "truth":
        return measures["true_reward"]
    if goal.reward == "exact":
        return exact.measures["reward"] if exact is not None and exact.measures is not None else math.nan
    return math.nan if goal.reward is None else goal.reward


def reached(goal: Goal, row: dict[str, Any]) -> bool | None:
    """Whether a run has reached its goal; None if the reward that is the goal is not known."""
    if goal.reward is not None:
        if math.isnan(row["difference"]):
            return None
        if not row["difference"] > -goal.tolerance:
            return False
    limits = {name: getattr(goal, name) for name in ("shd", "cpdag_shd", "seconds", "gigabytes")}
    return all(most is None or row[name] <= most for name, most in limits.items())
