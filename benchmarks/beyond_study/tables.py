"""The table of both: the paper's systems and ours, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from study_runs import markdown

from beyond_study.blocks import BLOCKS
from beyond_study.judge import MEASURES
from beyond_study.published import Judged
from beyond_study.systems import SYSTEMS
from beyond_study.task import BeyondRecord

PAPERS, OURS = "the paper's", "ours"
_COLUMNS = {
    "reward": ("reward, paper's score", ".3f"),
    "tpr": ("TPR", ".3f"),
    "fdr": ("FDR", ".3f"),
    "shd": ("SHD", ".1f"),
    "sid": ("SID", ".1f"),
    "n_edges": ("edges", ".1f"),
    "seconds": ("seconds", ".2f"),
}

_HIGHER, _LOWER = ("reward", "tpr"), ("fdr", "shd", "sid")

NOTES = """\
- The paper's systems: the runs of `records.jsonl`, by the rules of the paper's runs; on Sachs and SynTReN graphs are
  judged after CAM pruning, rewards are from before. Ours have their default settings and no budget of edges, but for
  the first, which has the paper's budget and score.
- Reward: the mean of the constructed graphs under the paper's score, with its penalty per edge; of a consensus that of
  its best DAG. Ours by `evidence` do not look at it, and have far fewer edges than the budget, for which `bic-gp` pays.
- An undirected edge on a true adjacency counts as right, as in the paper. SID is that of the best DAG where a consensus
  leaves directions open; of GES and PC it is not defined.
- Means over all data sets of a block and all seeds; `runs` says how many. Graphs with a cycle are judged by nothing.
- Seconds: of the paper's systems with local scores that runs share, of ours with none known beforehand; both beside
  other work, so they tell orders of magnitude."""


def frame(records: Iterable[BeyondRecord], published: Iterable[Judged]) -> pd.DataFrame:
    """A row per run that ended with a graph, ours last."""
    rows = [(PAPERS, run.block, run.system, run.reward, run.seconds, run.metrics) for run in published]
    rows += [
        (OURS, record.task.block, SYSTEMS[record.task.method].title, record.reward, record.seconds, record.metrics)
        for name in SYSTEMS
        for record in records
        if record.task.method == name and record.metrics is not None
    ]
    table = [
        {"whose": whose, "block": block, "system": system, "reward": reward, "seconds": seconds, **_numbers(metrics)}
        for whose, block, system, reward, seconds, metrics in rows
    ]
    return pd.DataFrame(table, columns=["whose", "block", "system", "reward", "seconds", *MEASURES])


def _numbers(metrics: dict[str, float | None] | None) -> dict[str, float | None]:
    return dict.fromkeys(MEASURES) if metrics is None else metrics


def report(runs: pd.DataFrame, versions: Iterable[str], left_out: Sequence[str]) -> str:
    """The whole report: a table per block, then what to know of it."""
    parts = ["# Beyond the paper, beside it", "Made by `python benchmarks/beyond.py`: all of its records."]
    parts += [f"Versions: {version}." for version in versions]
    for name, block in BLOCKS.items():
        of_block = runs[runs["block"] == name]
        if len(of_block):
            parts += [f"## {block.title}, paper's score `{block.score}`", _of_block(of_block)]
    if left_out:
        parts += ["Ended by the time limit: " + "; ".join(left_out) + "."]
    return "\n\n".join([*parts, NOTES]) + "\n"


def _of_block(runs: pd.DataFrame) -> str:
    """A row per system, in the order in which they come; the best of each measure of the graph is bold."""
    groups = runs.groupby(["whose", "system"], sort=False)
    means = groups[list(_COLUMNS)].mean().assign(judged=groups["shd"].count(), runs=groups.size())
    means = means[means["judged"] > 0]
    best = {name: means[name].max() for name in _HIGHER} | {name: means[name].min() for name in _LOWER}
    rows = []
    for (whose, system), row in means.iterrows():
        cells = [_cell(row[name], form, best.get(name)) for name, (_, form) in _COLUMNS.items()]
        n_runs = f"{row['judged']:g}" if row["judged"] == row["runs"] else f"{row['judged']:g} of {row['runs']:g}"
        rows.append([f"{whose}: {system}", n_runs, *cells])
    return markdown.table(["system", "runs", *(title for title, _ in _COLUMNS.values())], rows)


def _cell(value: float, form: str, best: float | None) -> str:
    text = markdown.number(value, form)
    is_best = best is not None and not pd.isna(value) and text == markdown.number(best, form)
    return f"**{text}**" if is_best else text
