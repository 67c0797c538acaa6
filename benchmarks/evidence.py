"""The evidence score: what its parts cost, how long a default search takes, and what it finds on the paper's data.

    python benchmarks/evidence.py [parts] [sachs] [searches] [paper]

``parts``: milliseconds of one parent set and of one local score, on one core. ``sachs``: all local scores of Sachs on
two threads. ``searches``: ``CDUCT()`` by size of the table, with the most memory that was used. ``paper``: ``CDUCT()``
on the paper's continuous data (needs DAGSEARCH_DATA), for reporting. Everything is
compiled first; times are of one run each.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import dagsearch as ds
from dagsearch.blas import one_blas_thread
from dagsearch.scores.evidence import EvidenceScore
from dagsearch.scores.noise import shape_gain

N_SETS = 20
PAPER_SETS = {
    "sachs": ["sachs"],
    "gp10-e15": [f"gp10-e15-{k}" for k in range(1, 11)],
    "gp10-e30": [f"gp10-e30-{k}" for k in range(1, 11)],
    "gp10-e45": [f"gp10-e45-{k}" for k in range(1, 11)],
    "syntren": [f"syntren-{k}" for k in range(1, 11)],
}


def simulated(n_nodes, n_rows, mechanism="saturating"):
    """A table with 1.5 edges per variable."""
    return ds.datasets.simulate(
        n_nodes, n_rows, n_edges=round(1.5 * n_nodes), mechanism=mechanism, standardise=True, random_state=3
    )


def milliseconds(work, items):
    """Mean time of some work on one thread, whatever else the machine does."""
    started = time.thread_time()
    for item in items:
        work(item)
    return (time.thread_time() - started) / len(items) * 1e3


def parts():
    """What a local score costs on tables of several sizes."""
    for name, data in (
        ("Sachs", ds.datasets.load("sachs")),
        ("500 x 20", simulated(20, 500)),
        ("5,000 x 20", simulated(20, 5000)),
    ):
        with one_blas_thread():
            parts_of(name, data, EvidenceScore(data))


def parts_of(name, data, score):
    """One parent set for all targets and models; then one target more; and the shape of the noise alone."""
    rng = np.random.default_rng(0)
    score.local(0, [1, 2])
    for n_parents in (1, 2, 3, 5):
        sets = [tuple(sorted(rng.choice(data.n_nodes, n_parents, False).tolist())) for _ in range(N_SETS)]
        gaussian = milliseconds(lambda parents: score._mean_models.on(parents).fit(), sets)
        targets = [(next(k for k in range(data.n_nodes) if k not in parents), *parents) for parents in sets]
        whole = milliseconds(score._fit, targets)
        what = f"Gaussian part of all targets {gaussian:.1f} ms, with the noise of one {whole:.1f} ms"
        print(f"{name}, {n_parents} parents: {what}")
    shape = milliseconds(lambda node: shape_gain(score.columns[node]), list(range(data.n_nodes)) * 5)
    print(f"{name}: shape of the noise {shape:.2f} ms", flush=True)


def sachs():
    """All local scores of Sachs, and the best graph by them."""
    data = ds.datasets.load("sachs")
    ds.ExactSearch(score="evidence", max_parents=1).fit(data)
    score = ds.scores.make("evidence", data, n_jobs=2)
    started = time.perf_counter()
    model = ds.ExactSearch(score=score).fit(data)
    print(f"Sachs: {score.n_evaluations:,} local scores and the optimum in {time.perf_counter() - started:.1f} s")
    print(f"Sachs: {model.certificate_}, reward {model.reward_:.1f}, {found(model.dag_, data)}", flush=True)


def found(dag, data):
    """How near the truth a graph is."""
    metrics = ds.metrics.compare(dag, data.truth)
    return f"SHD {metrics['shd']}, TPR {metrics['tpr']:.3f}, FDR {metrics['fdr']:.3f}, F1 {metrics['f1']:.3f}"


def searches():
    """Default searches by size of the table, small ones first."""
    ds.CDUCT(random_state=0).fit(simulated(5, 100))
    tables = [
        ("Sachs", ds.datasets.load("sachs")),
        ("500 x 20", simulated(20, 500)),
        ("60 x 200", simulated(200, 60)),
        ("1,000 x 50", simulated(50, 1000)),
        ("50,000 x 12", simulated(12, 50_000)),
    ]
    for name, data in tables:
        started = time.perf_counter()
        model = ds.CDUCT(random_state=0, n_jobs=2).fit(data)
        seconds = time.perf_counter() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{name}: {seconds:.1f} s, {model.result_.n_score_evaluations:,} local scores, {found(model.dag_, data)}")
        print(
            f"    {model.dag_.n_edges} edges; at most {memory:.2f} GiB so far; {'; '.join(model.result_.notes)}",
            flush=True,
        )


def paper():
    """What the default finds on the paper's data."""
    for family, names in PAPER_SETS.items():
        rows, started = [], time.perf_counter()
        for name in names:
            data = ds.datasets.load(name)
            model = ds.CDUCT(random_state=0, n_jobs=2).fit(data)
            metrics = ds.metrics.compare(model.dag_, data.truth)
            rows.append([metrics[key] for key in ("shd", "tpr", "fdr", "f1", "n_edges")])
        shd, tpr, fdr, f1, n_edges = np.mean(rows, axis=0)
        print(
            f"{family}, {len(names)} sets: SHD {shd:.1f}, TPR {tpr:.3f}, FDR {fdr:.3f}, F1 {f1:.3f}, "
            f"{n_edges:.1f} edges, {(time.perf_counter() - started) / len(names):.1f} s each; SHD of each: "
            f"{' '.join(str(int(row[0])) for row in rows)}",
            flush=True,
        )


if __name__ == "__main__":
    known = {each.__name__: each for each in (parts, sachs, searches, paper)}
    wrong = [name for name in sys.argv[1:] if name not in known]
    if wrong:
        sys.exit(f"unknown part {wrong[0]!r}: choose from {', '.join(known)}")
    for name in sys.argv[1:] or known:
        known[name]()
