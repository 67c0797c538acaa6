"""Uniform and guided rollouts, with and without refinement: reward against simulations and against time.

    python benchmarks/rollouts.py [--data NAME ...] [--seeds N] [--out FOLDER]

As figure 2 of the paper, without an edge budget: the best reward that CD-UCT finds with more and more simulations per
decision. Each run begins with a score that knows nothing, has one restart and one thread, and is a line of
``rollouts.csv``; the same command goes on where it was stopped. Time is that of the processor, which other work on the
machine changes less. The figure shows means over seeds, below the best reward that any run found. The data but Sachs
need the folder named by DAGSEARCH_DATA.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import pandas as pd

import dagsearch as ds

PROBLEMS = {
    "sachs": ("evidence", {}),
    "syntren-1": ("evidence", {}),
    "er50-quadratic": ("bic-quadratic", {"penalty": "extended"}),
    "insurance": ("bic-discrete", {}),
}
"""Score and its settings by data set."""
WAYS = {
    "uniform": ({"rollout": "uniform", "refine": "off"}, (100, 800, 6400)),
    "guided": ({"rollout": "guided", "tree_policy": "ucb1", "refine": "off"}, (10, 50, 200)),
    "guided, prior": ({"rollout": "guided", "refine": "off"}, (10, 50, 200)),
    "uniform, refined": ({"rollout": "uniform", "refine": "on"}, (100, 800, 6400)),
    "guided, prior, refined": ({"rollout": "guided", "refine": "on"}, (10, 50, 200)),
}
"""Settings, and simulations per decision."""
COLUMNS = ("data", "way", "per_decision", "seed", "reward", "n_simulations", "n_scores", "seconds")
_COLOURS = ("#999999", "#56B4E9", "#0072B2", "#E69F00", "#D55E00")
_SMALLEST_GAP = 1e-5  # relative to the best reward: zero has no place on a logarithmic scale


def measured(name: str, way: str, per_decision: int, seed: int) -> dict:
    """One run."""
    score, penalty = PROBLEMS[name]
    data = ds.datasets.load(name)
    settings = {**WAYS[way][0], "sims_per_node": per_decision / data.n_nodes, "n_restarts": 1, "random_state": seed}
    started = time.process_time()
    result = ds.CDUCT(score=score, **penalty, **settings).fit(data).result_
    seconds = time.process_time() - started
    values = (name, way, per_decision, seed, result.reward, result.n_simulations, result.n_score_evaluations, seconds)
    return dict(zip(COLUMNS, values, strict=True))


def compile_first(name: str) -> None:
    """Run each way shortly, so that no run that is measured compiles."""
    for way in WAYS:
        measured(name, way, 1, 0)


def draw(runs: pd.DataFrame, folder: Path) -> None:
    """A row of panels by simulations, and one by seconds."""
    from matplotlib.figure import Figure

    names = [name for name in PROBLEMS if name in set(runs["data"])]
    figure = Figure(figsize=(3.2 * len(names), 6.0), layout="constrained")
    panels = figure.subplots(2, len(names), sharey="col", squeeze=False)
    for column, name in enumerate(names):
        own = runs[runs["data"] == name]
        best = own["reward"].max()
        own = own.assign(gap=((best - own["reward"]) / abs(best)).clip(lower=_SMALLEST_GAP))
        for row, (x, label) in enumerate((("n_simulations", "simulations"), ("seconds", "seconds of processor time"))):
            ax = panels[row, column]
            for colour, way in zip(_COLOURS, WAYS, strict=True):
                means = own[own["way"] == way].groupby("per_decision")[[x, "gap"]].mean()
                ax.plot(means[x], means["gap"], "o-", color=colour, label=way, markersize=4)
            ax.set(xscale="log", yscale="log", xlabel=label, title=name if row == 0 else "")
            ax.grid(alpha=0.3)
    for row in (0, 1):
        panels[row, 0].set_ylabel("share of the best reward that is missed")
    panels[0, 0].legend(fontsize=7)
    figure.savefig(folder / "rollouts.svg", metadata={"Date": None})
    figure.savefig(folder / "rollouts.png", dpi=130)


def main() -> None:
    """Run what is missing, and draw all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=PROBLEMS, default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("results/search"), metavar="FOLDER")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    path = chosen.out / "rollouts.csv"
    known = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=COLUMNS)
    done = set(known[["data", "way", "per_decision", "seed"]].itertuples(index=False, name=None))
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not done:
            writer.writeheader()
        for name in chosen.data:
            compile_first(name)
            for task in [(name, way, n, seed) for way in WAYS for n in WAYS[way][1] for seed in range(chosen.seeds)]:
                if task not in done:
                    run = measured(*task)
                    writer.writerow(run)
                    file.flush()
                    print(*task, f"reward {run['reward']:.4f}, {run['seconds']:.1f} s", sep=", ", flush=True)
    draw(pd.read_csv(path), chosen.out)
    print(f"Written to {chosen.out}/")


if __name__ == "__main__":
    main()
