"""Tables for people: Markdown."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from study_runs import markdown

from truth_study.summary import means

_COLUMNS = {
    "shd": ("SHD", ".1f"),
    "f1": ("F1", ".2f"),
    "skeleton_f1": ("skeleton F1", ".2f"),
    "tpr": ("TPR", ".2f"),
    "fdr": ("FDR", ".2f"),
    "sid": ("SID", ".1f"),
    "ancestor_aid": ("ancestor AID", ".1f"),
    "n_edges": ("edges", ".1f"),
    "seconds": ("seconds", ".2f"),
}

NOTES = """\
- Data: random DAGs with 1.5 edges per variable, columns standardised; one seed has the same graph in all kinds of data.
- SHD counts extra, missing and reversed edges. **An undirected edge on a true adjacency counts as right**, as in the
  paper: SHD, F1, TPR and FDR flatter methods that leave directions open (ges, pc, boss, grasp, xges).
- SID is not defined for a graph with undirected edges, ancestor AID for one that is not an equivalence class of DAGs
  either; what a class leaves open counts as wrong there. No member of a class is picked in its stead. A number in
  brackets says of how many graphs a mean is where it is not of all: these are not a random choice among graphs.
- `runs`: graphs that were judged, of all tables. Means of methods that were judged on different tables do not compare;
  those with fewer tables come last. Missing are runs beyond the time limit (after two on tables of some size a method
  is not tried on tables of that size or larger ones), graphs with cycles, runs that failed, and exact search beyond 10
  variables.
- Ours are judged after pruning; rivals as they come. All have their default settings; seconds are of one core, without
  compilation."""


def report(runs: pd.DataFrame, command: str, versions: Iterable[str]) -> str:
    """The whole report: overall, by size, by kind of data, and kinds within sizes."""
    parts = ["# Who is right where: methods against simulated truth", _origin(runs, command, versions)]
    parts += ["![SHD by method and kind of data](truth.svg)", NOTES, "## Overall", overview(runs)]
    for (d, n), group in runs.groupby(["n_nodes", "n_rows"]):
        parts += [f"## {d} variables, {n} rows", overview(group), "SHD by kind of data:", by_kind(group)]
    for kind, group in runs.groupby("kind", sort=False):
        parts += [f"## {kind}, all sizes", overview(group)]
    return "\n\n".join(parts) + "\n"


def _origin(runs: pd.DataFrame, command: str, versions: Iterable[str]) -> str:
    """How the report was made."""
    n_tables, n_seeds = runs[["kind", "n_nodes", "n_rows", "seed"]].drop_duplicates().shape[0], runs["seed"].nunique()
    lines = [f"Made by `{command}`: {len(runs)} runs on {n_tables} tables, {n_seeds} seed(s)."]
    lines += [f"Versions: {version}." for version in versions]
    used = runs.dropna(subset=["score"]).groupby("method", sort=False)["score"].unique()
    lines.append("Scores: " + "; ".join(f"{method} {', '.join(scores)}" for method, scores in used.items()) + ".")
    lines.append("Each run: `runs.csv`; all measures by method and condition: `conditions.csv`.")
    return "\n\n".join(lines)


def overview(runs: pd.DataFrame) -> str:
    """A row per method: all measures; methods that were judged on fewer tables come last."""
    table = means(runs)
    table = table.assign(fewer=-table["judged"]).sort_values(["fewer", "shd"], kind="stable")
    rows = [[row["method"], f"{row['judged']}/{row['tables']}", *_cells(row)] for _, row in table.iterrows()]
    return markdown.table(["method", "runs", *(title for title, _ in _COLUMNS.values())], rows)


def by_kind(runs: pd.DataFrame) -> str:
    """A row per method: the mean SHD on each kind of data."""
    table = means(runs, ["kind"]).pivot(index="method", columns="kind", values="shd")
    kinds, methods = runs["kind"].unique(), means(runs)["method"]
    rows = [[method, *(markdown.number(table.loc[method, kind], ".1f") for kind in kinds)] for method in methods]
    return markdown.table(["method", *kinds], rows)


def _cells(row: pd.Series) -> list[str]:
    return [
        markdown.number(row[name], form) + (f" ({row[f'{name}_n']})" if 0 < row[f"{name}_n"] < row["judged"] else "")
        for name, (_, form) in _COLUMNS.items()
    ]
