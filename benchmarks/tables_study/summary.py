"""Means over tables, as a data frame and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from study_runs import markdown

from tables_study.part import Part
from tables_study.task import MEASURES, TablesRecord

_COLUMNS = {
    "skeleton_f1": ("skeleton F1", ".3f"),
    "n_reversed": ("wrong directions", ".2f"),
    "f1": ("F1", ".3f"),
    "fdr": ("FDR", ".3f"),
    "shd": ("SHD", ".2f"),
    "n_missing": ("missing", ".2f"),
    "n_extra": ("extra", ".2f"),
    "seconds": ("seconds", ".1f"),
}


def frame_of(records: Iterable[TablesRecord]) -> pd.DataFrame:
    """One row per run."""
    rows = []
    for record in records:
        task = record.task
        of_table = {"part": task.part, "condition": task.condition, "n_rows": task.n_rows, "seed": task.seed}
        metrics = record.metrics or dict.fromkeys(MEASURES)
        rows.append({**of_table, "method": task.method, "status": record.status, **metrics, "seconds": record.seconds})
    return pd.DataFrame(rows)


def report(part: Part, runs: pd.DataFrame, command: str, versions: Iterable[str]) -> str:
    """The report of a part: a table of means by condition and number of rows, each with its standard error."""
    lines = [f"# {part.title}", f"Made by `{command}`. {part.in_words}"]
    lines += [f"Versions: {version}." for version in versions]
    lines.append("\n".join(f"- `{name}`: {method.in_words}" for name, method in part.methods.items()))
    lines.append(
        "Means over tables ± standard errors; wrong directions are those of true adjacencies. Seconds are of "
        "one core beside other work, without compilation."
    )
    for (condition, n_rows), group in runs.groupby(["condition", "n_rows"], sort=False):
        lines += [f"## {condition}, {n_rows} rows", _table(part, group)]
    return "\n\n".join(lines) + "\n"


def _table(part: Part, runs: pd.DataFrame) -> str:
    n_tables = runs["seed"].nunique()
    rows = []
    for method in part.methods:
        own = runs[(runs["method"] == method) & runs["shd"].notna()]
        if len(own):
            cells = [f"{_cell(own[name], form)}" for name, (_, form) in _COLUMNS.items()]
            rows.append([method, f"{len(own)}/{n_tables}", *cells])
    return markdown.table(["method", "tables", *(title for title, _ in _COLUMNS.values())], rows)


def _cell(values: pd.Series, form: str) -> str:
    return markdown.number(values.mean(), form) + " ± " + markdown.number(values.sem(), form)
