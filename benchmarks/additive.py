"""Measures additive models: fits, pruning, CAM, and CD-UCT with `bic-gam` beside `bic-gp`.

    DAGSEARCH_DATA=folder python benchmarks/additive.py [fits] [prune] [cam] [agreement] [scores] [--seeds 5]

``fits``: p-values of random parent sets on Sachs against the slow twin of the tests and, where Rscript with mgcv is
there, against R in the same run. ``prune``: a 49-edge Sachs graph, and R likewise. ``cam``: both ways on Sachs and
SynTReN, beside the numbers of R. ``agreement``: with stored numbers of R, in the folder ``oracles`` beside that of the
data. ``scores``: CD-UCT at the paper's settings with either score, then CAM pruning. SynTReN needs the folder named by
DAGSEARCH_DATA; ``--sets`` and ``--data`` choose less of it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import dagsearch as ds
from dagsearch.blas import one_blas_thread
from dagsearch.gam import AdditiveModels

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
METRICS = ("tpr", "fdr", "shd")
R_SCRIPT = """
suppressMessages(library(mgcv))
x <- as.data.frame(scan("x.csv", what = as.list(rep(0, {n_columns})), sep = ",", quiet = TRUE))
names(x) <- paste0("V", seq_len(ncol(x)) - 1)
started <- proc.time()[["elapsed"]]
for (line in readLines("cases.txt")) {{
  k <- strsplit(line, " ")[[1]]
  model <- gam(as.formula(paste0("V", k[1], " ~ ", paste0("s(V", k[-1], ", k = 10)", collapse = " + "))), data = x)
  cat(format(summary(model)$s.pv, digits = 15), "\\n")
}}
cat("seconds", proc.time()[["elapsed"]] - started, "\\n")
"""
CAM_OF_R = {  # data, with selection: TPR, FDR, SHD after pruning
    ("sachs", True): (0.353, 0.400, 12),
    ("sachs", False): (0.353, 0.400, 12),
    ("syntren", True): (0.329, 0.794, 41.3),
    ("syntren", False): (0.263, 0.804, 38.0),
}
SEARCHES = {  # edges, simulations per node, horizon; the paper's TPR, FDR, SHD of CD-UCT with bic-gp
    "sachs": (49, 1178, None, (0.432, 0.258, 10.60)),
    "syntren": (97, 337, 16, (0.305, 0.812, 43.89)),
}


def timed(function, *args, **settings):
    """Result and seconds."""
    start = time.perf_counter()
    result = function(*args, **settings)
    return result, time.perf_counter() - start


def sets_of(name, n_sets):
    """The data sets behind a name."""
    return [f"syntren-{k}" for k in range(1, n_sets + 1)] if name == "syntren" else [name]


def random_cases(n_nodes, n_cases):
    """(target, parents) of 1 to 9 parents."""
    rng = np.random.default_rng(0)
    orders = (rng.permutation(n_nodes) for _ in range(n_cases))
    return [(int(order[0]), order[1 : 2 + i % 9].tolist()) for i, order in enumerate(orders)]


def in_r(x, cases):
    """P-values and seconds of R, or None without it."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder) / "x.csv", x, delimiter=",", fmt="%.17g")
        lines = [" ".join(map(str, [target, *parents])) for target, parents in cases]
        (Path(folder) / "cases.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (Path(folder) / "fit.R").write_text(R_SCRIPT.format(n_columns=x.shape[1]), encoding="utf-8")
        # One BLAS thread, as ours has.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        run = subprocess.run(
            ["Rscript", "fit.R"], cwd=folder, capture_output=True, text=True, check=False, env=environment
        )
    if run.returncode:
        print(f"R failed: {run.stderr.strip().splitlines()[-1]}")
        return None
    *rows, (_, seconds) = [line.split() for line in run.stdout.splitlines()]
    return [np.array(row, dtype=float) for row in rows], float(seconds)


def fits(_options) -> None:
    """Milliseconds of a model with p-values, and agreement."""
    import naive_gam

    x = ds.datasets.load("sachs").standardised()
    cases = random_cases(x.shape[1], 90)
    ds.gam_pvalues(x[:, 0], x[:, 1:3])
    ours, seconds = timed(lambda: [ds.gam_pvalues(x[:, t], x[:, parents]) for t, parents in cases])
    print(f"gam_pvalues: {1e3 * seconds / len(cases):.1f} ms a fit, {x.shape[0]} rows, 1 to 9 parents")
    models = AdditiveModels(x, x)
    models.fit(0, [1])
    shared = timed(lambda: [models.fit(t, parents) for t, parents in cases])[1]
    print(f"  with the terms of all columns at hand: {1e3 * shared / len(cases):.1f} ms")
    few = cases[:18]
    with one_blas_thread():
        slow = timed(lambda: [naive_gam.fit(x[:, t], x[:, parents], 10) for t, parents in few])[1]
    print(f"  dense numpy twin: {1e3 * slow / len(few):.0f} ms, {slow / len(few) / (seconds / len(cases)):.0f} times")
    r = in_r(x, cases)
    if r is None:
        print("  R: no Rscript with mgcv")
        return
    differ = sum(((a < 1e-3) != (b < 1e-3)).sum() for a, b in zip(ours, r[0], strict=True))
    n_terms = sum(len(p) for p in ours)
    print(f"  R: {1e3 * r[1] / len(cases):.0f} ms, {r[1] / seconds:.1f} times; {differ} of {n_terms} decisions differ")


def prune(_options) -> None:
    """A 49-edge graph of Sachs, as CD-UCT constructs it."""
    data = ds.datasets.load("sachs")
    dag = ds.RandomSampling(score="bic-linear", edge_budget=49, prune="none", random_state=0).fit(data).dag_
    ds.prune(dag, data)
    for n_jobs in (1, 2):
        seconds = min(timed(ds.prune, dag, data, n_jobs=n_jobs)[1] for _ in range(5))
        print(f"pruning {dag.n_edges} edges of Sachs with {n_jobs} threads: {seconds:.3f} s")
    x = data.standardised()
    r = in_r(
        x, [(j, np.flatnonzero(dag.adjacency[:, j]).tolist()) for j in range(dag.n_nodes) if dag.adjacency[:, j].any()]
    )
    print("  R: no Rscript with mgcv" if r is None else f"  R, the same models: {r[1]:.2f} s")


def agreement(_options) -> None:
    """Every stored model and pruned graph of R's."""
    data = Path(os.environ["DAGSEARCH_DATA"])
    oracles = data.parent / "oracles"

    def standardised(path):
        x = np.load(data / path)
        return (x - x.mean(axis=0)) / x.std(axis=0)

    n_terms = n_equal = 0
    p_error, rss_error = 0.0, 0.0
    cases = json.loads((oracles / "gam_mgcv.json").read_text(encoding="utf-8"))
    for case in cases:
        x = standardised(case["data"])[: case["n_rows"]]
        models = AdditiveModels(x[:, case["parents"]], x[:, [case["target"]]], case["k"], many=False)
        fit, theirs = models.fit(0, range(len(case["parents"]))), np.array(case["p_values"], dtype=float)
        n_terms += len(theirs)
        n_equal += int(((fit.p_values < 1e-3) == (theirs < 1e-3)).sum())
        p_error = max(p_error, np.abs(fit.p_values - theirs).max())
        rss_error = max(rss_error, abs(fit.rss / case["rss"] - 1))
    print(
        f"{len(cases)} models: {n_equal} of {n_terms} decisions, p to {p_error:.1e}, rss to a relative {rss_error:.1e}"
    )
    n_edges = n_wrong = n_graphs = 0
    for name in ("sachs", "syntren"):
        stored = np.load(oracles / f"prune_{name}.npz")
        for each, before, after in zip(stored["dataset"], stored["adjacency"], stored["pruned"], strict=True):
            path = "sachs/data.npy" if name == "sachs" else f"syntren/{str(each)[7:]}/data.npy"
            found = ds.prune(ds.DAG.from_adjacency(before), standardised(path), n_jobs=2)
            n_graphs, n_edges = n_graphs + 1, n_edges + int(before.sum())
            n_wrong += int((found.adjacency != after).sum())
    print(f"{n_graphs} graphs: {n_edges - n_wrong} of {n_edges} edges as R prunes them")


def cam(options) -> None:
    """CAM with and without neighbour selection."""
    ds.CAM().fit(ds.datasets.load("sachs"))
    for (name, selection), reference in CAM_OF_R.items():
        found, slowest = [], 0.0
        for each in sets_of(name, options.sets):
            data = ds.datasets.load(each)
            model, seconds = timed(ds.CAM(neighbour_selection=selection, n_jobs=2).fit, data)
            found.append(ds.metrics.compare(model.pruned_dag_, data.truth))
            slowest = max(slowest, seconds)
        way = "with selection" if selection else "without"
        report(f"CAM on {name} {way}", found, reference, "R", f"at most {slowest:.1f} s a set")


def report(label, found, reference, whose, extra) -> None:
    """One line of means beside a reference."""
    means = [np.mean([metrics[key] for metrics in found]) for key in METRICS]
    ours, theirs = (f"{a:.3f} / {b:.3f} / {c:.2f}" for a, b, c in (means, reference))
    print(f"{label}: TPR / FDR / SHD {ours} ({whose}: {theirs}), {extra}", flush=True)


def scores(options) -> None:
    """CD-UCT with either score at the paper's settings, exploration 0.05, then CAM pruning."""
    for name in options.data:
        budget, sims, horizon, reference = SEARCHES[name]
        for score_name in ("bic-gp", "bic-gam"):
            found, started = [], time.perf_counter()
            for each in sets_of(name, options.sets):
                data = ds.datasets.load(each)
                score = ds.scores.make(score_name, data, n_jobs=2)
                for seed in range(options.seeds):
                    model = ds.CDUCT(
                        score=score,
                        edge_budget=budget,
                        sims_per_node=sims,
                        horizon=horizon,
                        prune="cam",
                        random_state=seed,
                        n_jobs=2,
                    ).fit(data)
                    found.append(ds.metrics.compare(model.pruned_dag_, data.truth))
                seconds = time.perf_counter() - started
                report(f"  up to {each}, {score_name}", found, reference, "paper, bic-gp", f"{seconds:.0f} s")


def main() -> None:
    """Run the chosen parts."""
    parts = {"fits": fits, "prune": prune, "cam": cam, "agreement": agreement, "scores": scores}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["fits", "prune", "cam"], choices=[*parts, []])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", type=int, default=10, help="SynTReN sets, from 1 on")
    parser.add_argument("--data", nargs="+", default=list(SEARCHES), choices=list(SEARCHES))
    options = parser.parse_args()
    for name in options.parts:
        parts[name](options)


if __name__ == "__main__":
    main()
