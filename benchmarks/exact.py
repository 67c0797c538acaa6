"""Exact learning: known optima with their times, dynamic programming by size, and larger sparse problems.

    python benchmarks/exact.py [networks] [sachs] [subsets] [sparse]

Everything is compiled first. ``networks`` needs the data folder (DAGSEARCH_DATA). Times are of one run each; ratios are
to a plain-Python version of the same recurrence in the same run.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
import pandas as pd

import dagsearch as ds
from dagsearch.search.exact.families import Families
from dagsearch.search.exact.subsets import best_by_subset

KNOWN = [
    ("asia", {}, -2.164532),
    ("child", {}, -12.972274),
    ("child", {"edge_budget": 25}, -12.984809),
    ("insurance", {}, -14.302414),
    ("insurance", {"levels": "declared"}, -14.413359),
]


def timed(model, data):
    """Fit, and return the seconds it took."""
    start = time.perf_counter()
    model.fit(data)
    return time.perf_counter() - start


def line(what, model, seconds, wanted=None):
    """Print what was reached."""
    proof = model.certificate_
    end = "" if wanted is None else f"  (known: {wanted})"
    print(
        f"{what:<44} {model.reward_:>12.6f}  gap {proof.gap:<9.3g} {model.dag_.n_edges:>3} edges {seconds:>7.2f} s{end}"
    )
    print(f"{'':<44} {', '.join(proof.ways)}; {proof.among}", flush=True)


def networks():
    """The optima of the paper's discrete data."""
    ds.ExactSearch().fit(ds.datasets.load("asia"))
    ds.ExactSearch(solver="highs").fit(ds.datasets.load("asia"))
    for name, settings, wanted in KNOWN:
        model = ds.ExactSearch(score="bic-discrete", **settings)
        seconds = timed(model, ds.datasets.load(name))
        line(f"{name} {settings or ''}", model, seconds, wanted)
    model = ds.ExactSearch(n_best=10)
    line("child, 10 best graphs", model, timed(model, ds.datasets.load("child")))


def sachs():
    """Gaussian processes on Sachs: all 2,048 parent sets are fitted, then optima cost next to nothing."""
    data = ds.datasets.load("sachs")
    score = ds.scores.make("bic-gp", data, n_jobs=2)
    for what, settings, wanted in (
        ("any number of edges, with all fits", {}, 44.54818),
        ("any number of edges", {}, 44.54818),
        ("exactly 49 edges", {"edge_budget": 49}, 44.48645),
        ("equal variances, exactly 49 edges", {"edge_budget": 49}, None),
    ):
        judge = ds.scores.make("bic-gp", data, "equal", n_jobs=2) if what.startswith("equal") else score
        model = ds.ExactSearch(score=judge, prune="none", **settings)
        line(f"sachs, bic-gp, {what}", model, timed(model, data), wanted)


def random_families(n_nodes, per_node, seed=0):
    """Families with up to four parents and random scores."""
    rng = np.random.default_rng(seed)
    parents, scores, nodes = [], [], []
    for node in range(n_nodes):
        others = [p for p in range(n_nodes) if p != node]
        rows = np.zeros((per_node, n_nodes), dtype=bool)
        for row in rows[:-1]:
            row[rng.choice(others, rng.integers(1, 5), replace=False)] = True
        own = rows.sum(axis=1) * rng.random(per_node)
        order = np.argsort(-own)
        parents.append(rows[order])
        scores.append(own[order])
        nodes.append(np.full(per_node, node))
    return Families(n_nodes, np.concatenate(nodes), np.concatenate(scores), np.concatenate(parents))


def plain_python(families):
    """The same recurrence, set by set."""
    d = families.n_nodes
    lists = [[] for _ in range(d)]
    for node, row, score in zip(families.nodes.tolist(), families.parents, families.scores.tolist(), strict=True):
        lists[node].append((sum(1 << int(p) for p in np.flatnonzero(row)), score))
    rewards = [0.0] + [-np.inf] * (2**d - 1)
    for subset in range(1, 2**d):
        for sink in range(d):
            if subset >> sink & 1:
                before = subset & ~(1 << sink)
                best = next(score for parents, score in lists[sink] if parents & ~before == 0)
                rewards[subset] = max(rewards[subset], rewards[before] + best)
    return rewards[-1]


def subsets():
    """Dynamic programming over all subsets, by number of nodes."""
    best_by_subset(random_families(6, 10), None, lambda _: None)
    families = random_families(14, 30)
    start = time.perf_counter()
    plain = plain_python(families)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    ours = best_by_subset(families, None, lambda _: None).by_edges[0]
    ratio = seconds / (time.perf_counter() - start)
    print(f"dynamic programming, 14 nodes: {ratio:,.0f} times plain Python, same optimum: {ours == plain}")
    for n_nodes in (16, 20, 23, 26):
        families = random_families(n_nodes, 30)
        start = time.perf_counter()
        best_by_subset(families, None, lambda _: None)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"dynamic programming, {n_nodes} nodes, 30 families each: {seconds:.2f} s, peak memory {peak:.2f} GiB",
            flush=True,
        )


def linear_table(n_nodes, degree, n_samples, seed=1):
    """Linear Gaussian data of a random graph with so many neighbours per node on average."""
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((n_nodes, n_nodes)) < degree / (n_nodes - 1), 1)
    weights = edges * rng.uniform(0.5, 1.5, edges.shape) * rng.choice([-1, 1], edges.shape)
    x = np.zeros((n_samples, n_nodes))
    for j in range(n_nodes):
        x[:, j] = x @ weights[:, j] + rng.normal(size=n_samples)
    return x[:, rng.permutation(n_nodes)]


def discrete_table(n_nodes, degree, n_samples, seed=1):
    """Discrete data of a random graph: two or three levels, at most three parents, random tables."""
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((n_nodes, n_nodes)) < degree / (n_nodes - 1), 1)
    x = np.zeros((n_samples, n_nodes), dtype=int)
    for j in range(n_nodes):
        parents = np.flatnonzero(edges[:, j])[-3:]
        cells = x[:, parents] @ (3 ** np.arange(len(parents), dtype=int))
        table = rng.dirichlet(np.full(rng.integers(2, 4), 0.7), size=3 ** len(parents))
        x[:, j] = (rng.random((n_samples, 1)) > np.cumsum(table, axis=1)[cells][:, :-1]).sum(axis=1)
    return pd.DataFrame(x, columns=[f"v{j}" for j in range(n_nodes)])


def sparse():
    """Problems of 30 to 100 variables: proven, or with the gap that is left after a minute."""
    for solver in ("highs", "scip"):
        for what, table, settings in (
            ("linear, 40 variables, degree 1.5", linear_table(40, 1.5, 500), {"max_parents": 3}),
            ("linear, 50 variables, degree 1", linear_table(50, 1, 1000), {"max_parents": 3}),
            ("linear, 50 variables, degree 2", linear_table(50, 2, 1000), {"max_parents": 3}),
            ("discrete, 50 variables, degree 2", discrete_table(50, 2, 1000), {"max_parents": 3}),
            ("discrete, 100 variables, degree 2", discrete_table(100, 2, 1000), {"max_parents": 2}),
        ):
            score = "bic-linear" if what.startswith("linear") else "bic-discrete"
            model = ds.ExactSearch(score=score, solver=solver, time_limit=60, prune="none", random_state=0, **settings)
            line(f"{what}, {solver}", model, timed(model, table))


PARTS = {"networks": networks, "sachs": sachs, "subsets": subsets, "sparse": sparse}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
