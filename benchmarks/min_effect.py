"""How strong must an edge be? The default of ``min_effect``, by data with and without errors of measurement.

    python benchmarks/min_effect.py [--rows 200 500 2000] [--seeds 1] [--jobs 2] [--out results/min_effect]

On each simulated table of 10 variables and 15 or 30 edges the same local scores are used with every value of
``min_effect``, which only prices edges. A table and value is one line of ``records.jsonl``; the same command goes on
where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from study_runs.command_line import command_of
from truth_study.conditions import Kind

import dagsearch as ds

N_NODES = 10
EFFECTS = (0.0, 0.003, 0.01, 0.02, 0.03, 0.05, 0.1)
DENSITIES = (1.5, 3.0)  # edges per variable
ERRORS = (0.0, 0.05, 0.1, 0.2)
BASES = (
    Kind("linear", "laplace"),
    Kind("linear", "uniform"),
    Kind("linear", "exponential"),
    Kind("linear", "gaussian"),
    Kind("saturating", "gaussian"),
    Kind("bump", "gaussian"),
    Kind("interaction", "gaussian"),
    Kind("network", "gaussian"),
    Kind("additive", "gaussian"),
    Kind("gp", "laplace"),
)
FIRST_SEED = 1000  # none of the tables of benchmarks/truth.py
_SIMS_PER_NODE = 20  # with more, refinement ends at the same graphs


def run(kind, density, n_rows, seed):
    """Metrics of one table for all values of ``min_effect``."""
    data = kind.table(N_NODES, n_rows, seed, density)
    fits, lines = {}, []
    for min_effect in EFFECTS:
        score = ds.scores.make("evidence", data, min_effect=min_effect)
        score.learn_fits(fits)
        model = ds.CDUCT(score=score, sims_per_node=_SIMS_PER_NODE, random_state=0).fit(data)
        fits = dict(score.known_fits())
        metrics = ds.metrics.compare(model.dag_, data.truth)
        kept = {name: metrics[name] for name in ("shd", "f1", "n_edges", "n_extra", "n_missing", "n_reversed")}
        where = {**asdict(kind), "density": density, "rows": n_rows, "seed": seed}
        lines.append({**where, "min_effect": min_effect, **kept})
    return lines


def carried_out(tasks, path, n_jobs):
    """All lines, those of earlier runs included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {_key(line) for line in lines}
    left = [task for task in tasks if (task[0].name, *task[1:]) not in known]
    with path.open("a") as file:
        for done, found in enumerate(Parallel(n_jobs, return_as="generator")(delayed(run)(*task) for task in left), 1):
            file.writelines(json.dumps(line) + "\n" for line in found)
            file.flush()
            lines += found
            print(f"[{done}/{len(left)}]", end="\r", file=sys.stderr)
    return lines


def _key(line):
    fields = {name: line[name] for name in ("mechanism", "noise", "measurement_error", "scale_dependence")}
    return (Kind(**fields).name, line["density"], line["rows"], line["seed"])


def report(lines, command):
    """Mean SHD by error of measurement, density and rows, and by kind; then what goes wrong."""
    frame = pd.DataFrame(lines).assign(kind=lambda runs: runs["mechanism"] + " " + runs["noise"])
    where = ["measurement_error", "density", "rows"]
    by_error = frame.pivot_table(index=where, columns="min_effect", values="shd").round(2)
    by_error.insert(0, "tables", frame.groupby(where).size() // len(EFFECTS))
    by_kind = frame.pivot_table(index="kind", columns="min_effect", values="shd").round(2)
    whole = frame.groupby("min_effect")[["shd", "f1", "n_edges", "n_extra", "n_missing", "n_reversed"]].mean().round(3)
    n_tables = len(frame) // len(EFFECTS)
    parts = [
        "# The default of `min_effect`",
        f"`{command}`: {n_tables} simulated tables of {N_NODES} variables.",
        f"Mean SHD by share of measurement error, edges per variable, and rows:\n\n{_markdown(by_error)}",
        f"Mean SHD by mechanism and noise:\n\n{_markdown(by_kind)}",
        f"All tables:\n\n{_markdown(whole)}",
    ]
    return "\n\n".join(parts) + "\n"


def _markdown(frame):
    table = frame.reset_index()
    rows = [[str(cell) for cell in row] for row in table.itertuples(index=False)]
    lines = [[str(name) for name in table.columns], ["---"] * table.shape[1], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main():
    """Run what is left, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 500, 2000])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("results/min_effect"))
    parser.add_argument("--report", action="store_true", help="write the tables of what there is, and run nothing")
    chosen = parser.parse_args()
    kinds = [Kind(base.mechanism, base.noise, error) for error in ERRORS for base in BASES]
    seeds = range(FIRST_SEED, FIRST_SEED + chosen.seeds)
    tasks = [
        (kind, density, n_rows, seed)
        for seed in seeds
        for n_rows in chosen.rows
        for density in DENSITIES
        for kind in kinds
    ]
    lines = carried_out([] if chosen.report else tasks, chosen.out / "records.jsonl", chosen.jobs)
    text = report(lines, command_of("benchmarks/min_effect.py"))
    (chosen.out / "README.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
