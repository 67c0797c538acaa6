"""NOTEARS, LiNGAM, GES and PC beside the paper's numbers.

    DAGSEARCH_DATA=folder python benchmarks/methods.py [sachs] [syntren] [er50] [--seeds 3]

Sachs needs no folder. Metrics are those after CAM pruning, as in the paper's tables; for er50-quadratic those of the
constructed graph, with the reward by bic-quadratic with a penalty per edge.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import dagsearch as ds

PAPER = {
    ("sachs", "notears"): ".118 .500 15",
    ("sachs", "lingam"): ".235 .556 14",
    ("syntren", "lingam"): ".303 .809 41.6",
    ("syntren", "notears"): "x (not acyclic on some sets)",
    ("er50", "notears"): ".124 .500 107, reward 87.081",
    ("er50", "lingam"): ".381 .865 326, reward 190.434",
}


def fitted(method, data, **settings):
    """A fitted estimator and the seconds it took."""
    started = time.perf_counter()
    model = {"notears": ds.NOTEARS, "lingam": ds.LiNGAM, "ges": ds.GES, "pc": ds.PC}[method](**settings).fit(data)
    return model, time.perf_counter() - started


def metrics_of(graph, truth):
    """TPR, FDR and SHD."""
    metrics = ds.metrics.compare(graph, truth)
    return metrics["tpr"], metrics["fdr"], metrics["shd"]


def report(where, method, rows, seconds, extra=""):
    """One line: ours beside the paper's."""
    tpr, fdr, shd = np.mean(rows, axis=0)
    paper = PAPER.get((where, method), "-")
    print(
        f"{where:<8} {method:<8} {tpr:.3f} {fdr:.3f} {shd:6.1f}  {seconds:6.1f} s  paper {paper}  {extra}", flush=True
    )


def sachs(n_seeds):
    """All four on Sachs."""
    data = ds.datasets.load("sachs")
    for method in ("notears", "lingam", "ges", "pc"):
        seeds = range(n_seeds) if method == "lingam" else [0]
        fits = [fitted(method, data, random_state=seed) for seed in seeds]
        graphs = {model.pruned_dag_ for model, _ in fits}
        rows = [metrics_of(model.pruned_dag_, data.truth) for model, _ in fits]
        kinds = f"{fits[0][0].dag_!r}, {len(graphs)} graph(s) over {len(fits)} seed(s)"
        report("sachs", method, rows, np.mean([seconds for _, seconds in fits]), kinds)


def syntren(n_seeds):
    """The ten SynTReN sets: which NOTEARS results are cyclic, how LiNGAM depends on its seed, PC and GES."""
    sets = [ds.datasets.load(f"syntren-{k}") for k in range(1, 11)]
    fits = [fitted("notears", data) for data in sets]
    cyclic = [k + 1 for k, (model, _) in enumerate(fits) if model.result_.status == "cyclic"]
    print(
        f"syntren  notears  cyclic on sets {cyclic}, {np.mean([s for _, s in fits]):.1f} s a set; paper x", flush=True
    )
    repaired = [
        (fitted("notears", data, repair=True)[0] if k + 1 in cyclic else fits[k][0], data)
        for k, data in enumerate(sets)
    ]
    report("syntren", "notears", [metrics_of(m.pruned_dag_, data.truth) for m, data in repaired], 0.0, "repaired")
    found = [(fitted("lingam", data, random_state=seed), data) for data in sets for seed in range(n_seeds)]
    rows = [metrics_of(model.pruned_dag_, data.truth) for (model, _), data in found]
    n_open = sum(bool([n for n in model.result_.notes if "converge" in n]) for (model, _), _ in found)
    report("syntren", "lingam", rows, np.mean([s for (_, s), _ in found]), f"{n_open} of {len(found)} not converged")
    found = [(fitted("pc", data), data) for data in sets]
    rows = [metrics_of(model.pruned_dag_, data.truth) for (model, _), data in found]
    report("syntren", "pc", rows, np.mean([s for (_, s), _ in found]))
    found = [(fitted("ges", data), data) for data in sets]
    rows = [metrics_of(model.pruned_dag_, data.truth) for (model, _), data in found]
    report("syntren", "ges", rows, np.mean([s for (_, s), _ in found]))


def er50(n_seeds):
    """The d=50 quadratic set."""
    data = ds.datasets.load("er50-quadratic")
    score = ds.scores.make("bic-quadratic", data, penalty="edges")
    for method in ("notears", "lingam", "pc"):
        seeds = range(n_seeds) if method == "lingam" else [0]
        settings = {} if method == "pc" else {"score": score}
        fits = [fitted(method, data, prune="none", random_state=seed, **settings) for seed in seeds]
        rows = [metrics_of(model.dag_, data.truth) for model, _ in fits]
        rewards = "" if method == "pc" else f"rewards {[round(model.reward_, 3) for model, _ in fits]}"
        report("er50", method, rows, np.mean([s for _, s in fits]), rewards)
    model, seconds = fitted("ges", data, prune="none")
    report("er50", "ges", [metrics_of(model.dag_, data.truth)], seconds, model.result_.status)


def main():
    """Run the chosen parts."""
    parts = {"sachs": sachs, "syntren": syntren, "er50": er50}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["sachs"], choices=list(parts))
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    print("data     method      TPR   FDR    SHD     time")
    for part in arguments.parts:
        parts[part](arguments.seeds)


if __name__ == "__main__":
    main()
