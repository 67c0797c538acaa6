"""DirectLiNGAM beside the package ``lingam`` of its authors: times, their ratio, and whether order and edges agree.

    DAGSEARCH_DATA=folder python benchmarks/direct_lingam.py [sachs syntren-1 er50-quadratic dense-50 ...] [--limit 60]

``dense-50`` is a linear model of 50 variables with Laplace noise and 1,000 rows, and so for other numbers. Only work is
timed: kernels are compiled first, and both use one BLAS thread. The package, if it is installed, is not run on tables
for which it would need more than --limit seconds by the time of a small one (0: not at all).
"""

from __future__ import annotations

import argparse
import platform
import time
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from threadpoolctl import threadpool_limits

import dagsearch as ds
from dagsearch.baselines.direct_lingam import direct_lingam

TABLES = ("sachs", "syntren-1", "er50-quadratic", "dense-10", "dense-20", "dense-50", "dense-100")
N_RUNS = 3
SEED = 0
N_SAMPLES = 1000


def dense(n_nodes):
    """A linear model with Laplace noise and four edges a variable, in columns of random order."""
    rng = np.random.default_rng(SEED)
    weights = np.triu(rng.random((n_nodes, n_nodes)) < 8 / (n_nodes - 1), 1) * rng.uniform(-1, 1, (n_nodes, n_nodes))
    noise = rng.laplace(size=(N_SAMPLES, n_nodes))
    return (noise @ np.linalg.inv(np.eye(n_nodes) - weights))[:, rng.permutation(n_nodes)]


def table_of(name):
    """A standardised table by its name."""
    table = dense(int(name.removeprefix("dense-"))) if name.startswith("dense-") else ds.datasets.load(name).values
    return (table - table.mean(axis=0)) / table.std(axis=0)


def timed(work):
    """What some work gives, and the seconds it took."""
    started = time.perf_counter()
    return work(), time.perf_counter() - started


def package():
    """The class of the package; None if it is not installed."""
    try:
        from lingam import DirectLiNGAM
    except ImportError:
        return None
    return DirectLiNGAM


def seconds_expected(theirs, table):
    """How long the package would take, by its time for a small table: cubic in the columns, linear in the rows."""
    small = dense(6)
    _, seconds = timed(lambda: theirs().fit(small))
    return seconds * (table.shape[1] / 6) ** 3 * max(1.0, len(table) / len(small))


def line(name, theirs, limit):
    """Ours beside the package's on one table."""
    table = table_of(name)
    runs = [timed(lambda: direct_lingam(table)) for _ in range(N_RUNS)]
    fit, ours = runs[0][0], min(seconds for _, seconds in runs)
    said = f"{name:<16} {len(table):>6} x {table.shape[1]:<4} {ours:8.3f} s"
    if theirs is None or limit == 0 or seconds_expected(theirs, table) > limit:
        return f"{said}   not run"
    model, seconds = timed(lambda: theirs().fit(table))
    expected = model.adjacency_matrix_.T
    orders = "equal" if list(fit.order) == list(map(int, model.causal_order_)) else "DIFFERENT"
    edges = "equal" if np.array_equal(fit.weights != 0, expected != 0) else "DIFFERENT"
    error = np.abs(fit.weights - expected).max()
    return f"{said} {seconds:8.2f} s {seconds / ours:6.1f} : 1   order {orders}, edges {edges}, weights to {error:.0e}"


def installed(name):
    """The version of a package."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} not installed"


def main():
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--limit", type=float, default=60.0)
    arguments = parser.parse_args()
    versions = ", ".join(installed(name) for name in ("lingam", "numpy", "numba", "scikit-learn"))
    print(f"dagsearch {ds.__version__}, python {platform.python_version()}, {versions}")
    print(f"seed {SEED}; ours: the best of {N_RUNS} runs")
    print("table              rows x columns     ours    package  ratio")
    direct_lingam(dense(4))
    theirs = package()
    with threadpool_limits(limits=1):
        for name in arguments.tables:
            print(line(name, theirs, arguments.limit), flush=True)


if __name__ == "__main__":
    main()
