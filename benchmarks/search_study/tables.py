"""The report: Markdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from study_runs import markdown
from study_runs.records import EXCEEDED

from search_study import figure
from search_study.parts import PARTS
from search_study.task import REFUSED


def _mean(name: str, form: str) -> Callable[[pd.DataFrame], str]:
    return lambda runs: markdown.number(runs[name].mean(), form)


def _reached(runs: pd.DataFrame) -> str:
    known = runs["reached"].dropna()
    return f"{int(known.astype(bool).sum())}/{len(known)}" if len(known) else markdown.NOTHING


COLUMNS: dict[str, tuple[str, Callable[[pd.DataFrame], str]]] = {
    "reached": ("goal reached", _reached),
    "reward": ("reward", _mean("reward", ".4f")),
    "true_reward": ("of the truth", _mean("true_reward", ".4f")),
    "difference": ("minus goal", _mean("difference", "+.4f")),
    "worst_difference": ("worst minus optimum", lambda runs: markdown.number(runs["difference"].min(), "+.6f")),
    "gap": ("gap", _mean("gap", ".3g")),
    "shd": ("SHD", _mean("shd", ".1f")),
    "cpdag_shd": ("CPDAG SHD", _mean("cpdag_shd", ".1f")),
    "skeleton_f1": ("adjacency F1", _mean("skeleton_f1", ".4f")),
    "arrowhead_f1": ("arrowhead F1", _mean("arrowhead_f1", ".4f")),
    "n_edges": ("edges", _mean("n_edges", ".1f")),
    "seconds": ("seconds", lambda runs: markdown.number(runs["seconds"].median(), ".2f")),
    "slowest": ("slowest", lambda runs: markdown.number(runs["seconds"].max(), ".2f")),
    "cpu_seconds": ("CPU seconds", lambda runs: markdown.number(runs["cpu_seconds"].median(), ".2f")),
    "gigabytes": ("GB", lambda runs: markdown.number(runs["gigabytes"].max(), ".2f")),
}
"""Titles, and what of the runs with a graph of one method on one problem is shown."""

NOTES = """\
- `runs`: those that ended with a graph, of all that were tried; the rest exceeded the time limit or was refused. Means
  are over these runs; seconds are their median and their maximum, without compilation; CPU seconds, of all threads
  together, vary less where the machine has other work; GB is the most memory of a process, with all its imports.
- Rewards are per row, by the score that the part names; higher is better.
- CPDAG SHD: pairs of variables on which the equivalence classes of graph and truth differ, in adjacency or direction.
  Arrowhead F1: of the directed edges of the two classes. SHD as `dagsearch.metrics.compare` counts it.
- `boss` and `grasp` are causal-learn's with `lambda_value=0.5`, `xges` has `alpha=1`, `hill-climbing` is pgmpy's
  HillClimbSearch with `bic-d`: all optimise the ordinary BIC, log(n)/2 per parameter, as ours do; in problems named
  `-extended` all take the larger penalty that is our default, `penalty="extended"`. Where a rival tells its own score,
  its gain over the graph without edges was compared with ours; they differ by the 1e-8 that ours adds to mean squares
  of residuals."""


def report(runs: pd.DataFrame, command: str) -> str:
    """The whole report, a section for each part that has runs."""
    parts = ["# Searches: known optima, known truths, wide tables", _origin(runs, command), NOTES]
    for name, part in PARTS.items():
        own = runs[runs["part"] == name]
        if len(own):
            parts += [f"## {part.title} (`{name}`)", _scores(name), table(own, name), *_remarks(own)]
        if name == "wide" and figure.has_points(own):
            parts.append("![Seconds by number of variables](wide.svg)")
    return "\n\n".join(parts) + "\n"


def _origin(runs: pd.DataFrame, command: str) -> str:
    """How the report was made."""
    machines = ", ".join(
        f"{n_jobs} thread(s) on {n_cores} core(s)"
        for n_jobs, n_cores in runs[["n_jobs", "n_cores"]].drop_duplicates().to_numpy()
    )
    lines = [f"Made by `{command}`: {len(runs)} runs, {machines}, one run at a time."]
    judged = runs[~runs["status"].isin([EXCEEDED, REFUSED])]
    for versions, group in judged.groupby("versions", sort=False):
        lines.append(f"{', '.join(group['method'].unique())}: {versions}.")
    errors = runs.dropna(subset=["score_error"]).groupby("method", sort=False)["score_error"].max()
    if len(errors):
        listed = ", ".join(f"{method} {error:.1e}" for method, error in errors.items())
        lines.append(f"Largest difference, per row, between a rival's own score and ours: {listed}.")
    return "\n\n".join(lines)


def _scores(name: str) -> str:
    used = ", ".join(dict.fromkeys(f"`{problem.score}`" for problem in PARTS[name].problems))
    return f"Score: {used}."


def table(runs: pd.DataFrame, name: str) -> str:
    """A row per problem and method of a part."""
    part = PARTS[name]
    titles = ["problem", "method", "goal", "runs", *(COLUMNS[column][0] for column in part.columns)]
    rows = [
        [problem, method, part.problem(problem).goal.in_words, *_cells(group, part.columns)]
        for (problem, method), group in runs.groupby(["problem", "method"], sort=False)
    ]
    return markdown.table(titles, rows)


def _cells(runs: pd.DataFrame, columns: tuple[str, ...]) -> list[str]:
    judged = runs[~runs["status"].isin([EXCEEDED, REFUSED])]
    cells = dict(zip(columns, [COLUMNS[column][1](judged) for column in columns], strict=True))
    if not len(judged) and (runs["status"] == EXCEEDED).any():
        cells["seconds"] = f"> {runs['seconds'].max():g}"
    return [f"{len(judged)}/{len(runs)}", *cells.values()]


def _remarks(runs: pd.DataFrame) -> list[str]:
    """What was refused, and why."""
    refused = runs[runs["status"] == REFUSED].drop_duplicates(["problem", "refused"])
    lines: list[Any] = [f"- {row['problem']} was refused: {row['refused']}" for _, row in refused.iterrows()]
    return ["\n".join(lines)] if lines else []
