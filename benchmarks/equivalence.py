"""Greedy equivalence search beside the operators of the package ``ges`` on the same scores.

    DAGSEARCH_DATA=folder python benchmarks/equivalence.py [sachs syntren-1 er50-linear wide-100 ...] [--limit 120]

``wide-100`` is a linear model of 100 variables and 200 edges, and so for other numbers. Only work is timed: kernels are
compiled first, and each run has a score that knows nothing yet. The package, if it is installed, is given up after
--limit seconds (0: not run); the last columns are the ratio, and whether the classes are the same.
"""

from __future__ import annotations

import argparse
import platform
import time
from importlib.metadata import PackageNotFoundError, version

import numpy as np

import dagsearch as ds
from dagsearch.search.ges import equivalence_search
from dagsearch.search.monitor import Monitor
from dagsearch.search.protocol import FINISHED

SETS = ("sachs", "asia", "child", "insurance", "syntren-1", "er50-linear", "er50-quadratic", "wide-100", "wide-300")
N_RUNS = 5
SEED = 0


class Local:
    """Local scores in the form that the package asks for them."""

    def __init__(self, score, unit):
        self.score, self.unit, self.p, self.known = score, unit, score.n_nodes, {}

    def local_score(self, node, parents):
        """Score of a node given a set of parents, computed once."""
        family = int(node), tuple(sorted(map(int, parents)))
        if family not in self.known:
            self.known[family] = self.unit * self.score.local(*family)
        return self.known[family]

    def full_score(self, _graph):
        """What the package adds gains to."""
        return 0.0


def wide(n_nodes):
    """A linear model with two edges a variable, in columns of random order."""
    rng = np.random.default_rng(SEED)
    weights = np.triu(rng.random((n_nodes, n_nodes)) < 4 / (n_nodes - 1), 1) * rng.uniform(0.5, 1.5, (n_nodes, n_nodes))
    weights *= rng.choice([-1, 1], weights.shape)
    x = np.zeros((1000, n_nodes))
    for node in range(n_nodes):
        x[:, node] = x @ weights[:, node] + rng.normal(size=1000)
    return ds.as_dataset(x[:, rng.permutation(n_nodes)])


def score_of(data):
    """What GES takes by itself, knowing nothing yet."""
    if "continuous" in data.kinds:
        return ds.scores.make("bic-linear", data, penalty="edges")
    return ds.scores.make("bic-discrete", data)


def ours(data):
    """Seconds of the quickest run, what it found, and how many local scores it took."""
    best = np.inf
    for _ in range(N_RUNS):
        score = score_of(data)
        started = time.perf_counter()
        fit = equivalence_search(score, unit=data.n_samples)
        best = min(best, time.perf_counter() - started)
        if best > 2.0:
            break
    return best, fit, score.n_evaluations


def of_the_package(data, limit):
    """Seconds and class, None where it was given up."""
    import ges

    found = []
    local, monitor = Local(score_of(data), data.n_samples), Monitor(limit)
    started = time.perf_counter()
    with monitor.guard():
        monitor.carry_out(lambda: found.append(ges.fit(local)[0]))
    return time.perf_counter() - started, found[0] if monitor.status == FINISHED else None


def compare(name, limit):
    """One line."""
    data = wide(int(name.removeprefix("wide-"))) if name.startswith("wide-") else ds.datasets.load(name)
    equivalence_search(score_of(data), unit=data.n_samples, least_gain=np.inf)
    seconds, fit, n_scores = ours(data)
    line = f"{name:<15} {data.n_nodes:>4} {data.n_samples:>6} {fit.n_steps:>5} {n_scores:>8} {seconds:>9.4f}"
    if limit == 0:
        print(line, flush=True)
        return
    theirs, adjacency = of_the_package(data, limit)
    if adjacency is None:
        print(f"{line} {'> ' + format(limit, 'g'):>9} {'> ' + format(limit / seconds, '.0f'):>8}", flush=True)
        return
    same = "same" if np.array_equal(adjacency, fit.adjacency) else "other class"
    print(f"{line} {theirs:>9.3f} {theirs / seconds:>8.0f} {same}", flush=True)


def version_of_the_package():
    """Version of the package; None if it is not installed."""
    try:
        return version("ges")
    except PackageNotFoundError:
        return None


def main():
    """Compare on the chosen sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--limit", type=float, default=120.0)
    arguments = parser.parse_args()
    theirs = version_of_the_package()
    print(f"dagsearch {ds.__version__}, ges {theirs}, numpy {np.__version__}, {platform.machine()}, seed {SEED}")
    print(f"{'set':<15} {'vars':>4} {'rows':>6} {'steps':>5} {'scores':>8} {'ours, s':>9} {'ges, s':>9} {'ratio':>8}")
    for name in arguments.sets:
        compare(name, arguments.limit if theirs else 0)


if __name__ == "__main__":
    main()
