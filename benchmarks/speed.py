"""Measures how fast dagsearch is. Ratios are taken within one run, since machines are noisy.

    python benchmarks/speed.py [search] [gp] [runs] [start] [compilation]

``search``: simulations per second with all local scores known, against plain Python. ``gp``: Gaussian-process local
scores against scikit-learn. ``runs``: the paper's full runs from a cold cache (the data sets that are not bundled need
the folder named by DAGSEARCH_DATA). ``start``: import and help. ``compilation``: the first fit on a machine.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from functools import partial

import numba
import numpy as np
import plain_python

import dagsearch as ds

SEARCHES = ((11, 49, None), (20, 97, None), (50, 113, 8))
PAPER_RUNS = (
    # data set, score, edges, simulations per node, horizon, exploration, limit in s, the paper's time
    ("sachs", "bic-gp", 49, 1178, None, 0.05, 60, "1:53:24"),
    ("er50-quadratic", "bic-quadratic", 113, 1000, 8, 0.05, 90, "not given"),
    ("syntren-1", "bic-gp", 97, 337, 16, 0.05, 180, "2:10:37"),
)


def timed(function, *args):
    """Result and seconds."""
    start = time.perf_counter()
    result = function(*args)
    return result, time.perf_counter() - start


def search() -> None:
    """Compiled against plain Python, a whole search each, same score and same settings but fewer simulations."""
    rng = np.random.default_rng(0)
    for n_nodes, budget, horizon in SEARCHES:
        x = rng.normal(size=(500, n_nodes)).cumsum(axis=1)
        score = ds.scores.make("bic-linear", x)
        known: dict = {}

        def local(node, parents, score=score, known=known):
            if (node, parents) not in known:
                known[node, parents] = score.local(node, parents)
            return known[node, parents]

        def fit(budget=budget, horizon=horizon, score=score, x=x):
            model = ds.CDUCT(score=score, edge_budget=budget, horizon=horizon, sims_per_node=200, prune="none")
            return model.set_params(random_state=0).fit(x).result_

        def plain(n_nodes=n_nodes, budget=budget, horizon=horizon, local=local):
            return plain_python.run(local, n_nodes, budget, 4, horizon, 0.05, seed=0)

        fit(), plain()
        ratios = []
        for _ in range(3):
            result, fast = timed(fit)
            n_plain, slow = timed(plain)
            fast /= result.n_simulations + result.n_calibration_simulations
            ratios.append((slow / n_plain / fast, fast, slow / n_plain))
        ratio, fast, slow = sorted(ratios)[1]
        print(
            f"d={n_nodes}, {budget} edges, horizon {horizon}: {fast * 1e6:.2f} us a simulation, "
            f"plain Python {slow * 1e6:.0f} us: {ratio:.0f} times (median of 3)",
            flush=True,
        )


def gp() -> None:
    """All local scores of Sachs, and one fit against scikit-learn's."""
    from scipy.spatial.distance import pdist
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    data = ds.datasets.load("sachs")
    x = data.standardised()
    score = ds.scores.make("bic-gp", data)
    score.rss(0, [1, 2, 3])
    parents = [1, 2, 3, 4]
    rss, ours = timed(score.rss, 0, parents)

    def theirs():
        length = np.median(pdist(x[:, parents]))
        model = GaussianProcessRegressor(RBF(length, "fixed"), alpha=1e-10, optimizer=None).fit(x[:, parents], x[:, 0])
        return np.square(x[:, 0] - model.predict(x[:, parents])).sum() + 1.0

    oracle, seconds = timed(theirs)
    print(
        f"one parent set: {ours * 1e3:.1f} ms for all {x.shape[1]} targets, scikit-learn {seconds * 1e3:.0f} ms for one"
    )
    print(f"residual sums {rss:.6f} and {oracle:.6f}, relative difference {abs(rss / oracle - 1):.1e}")
    large = ds.scores.make("bic-gp", np.random.default_rng(0).normal(size=(5000, 4)))
    print(f"one set of three parents, 5,000 rows: {timed(large.rss, 0, [1, 2, 3])[1]:.1f} s")


def runs() -> None:
    """The paper's full runs, scores from scratch, two threads."""
    for name, score, budget, sims, horizon, exploration, limit, paper in PAPER_RUNS:
        try:
            data = ds.datasets.load(name)
        except ds.DataError as error:
            print(f"{name}: skipped, {error}")
            continue
        model = ds.CDUCT(
            score=score,
            edge_budget=budget,
            sims_per_node=sims,
            horizon=horizon,
            exploration=exploration,
            prune="none",
            random_state=11,
            n_jobs=2,
        )
        result = model.fit(data).result_
        print(
            f"{name}: {result.seconds:.1f} s (limit {limit} s, paper {paper}), reward {result.reward:.3f}, "
            f"{result.n_simulations:,} simulations, {result.n_score_evaluations:,} local scores",
            flush=True,
        )


def start() -> None:
    """Time to import, and to show help."""
    for command in ([sys.executable, "-c", "import dagsearch"], ["dagsearch", "--help"]):

        def launch(command=command):
            return subprocess.run(command, capture_output=True, check=True)

        seconds = min(timed(launch)[1] for _ in range(5))
        print(f"{' '.join(command[-2:])}: {seconds:.2f} s")


def compilation() -> None:
    """A first small fit and a first additive model with nothing compiled yet, imports included."""
    programs = {
        "small fit": "ds.CDUCT(score='bic-linear', edge_budget=3, prune='none').fit(ds.datasets.load('sachs'))",
        "additive model": "ds.gam_pvalues([1, 2, 3, 4, 6], [1, 2, 4, 3, 5])",
    }
    for what, program in programs.items():
        with tempfile.TemporaryDirectory() as empty:
            command = [sys.executable, "-c", f"import dagsearch as ds; {program}"]
            environment = {**os.environ, "NUMBA_CACHE_DIR": empty}
            for label in ("first", "second"):
                seconds = timed(partial(subprocess.run, command, check=True, env=environment))[1]
                print(f"{label} {what} in a new process: {seconds:.1f} s")


if __name__ == "__main__":
    parts = {"search": search, "gp": gp, "runs": runs, "start": start, "compilation": compilation}
    chosen = sys.argv[1:] or list(parts)
    if not set(chosen) <= set(parts):
        sys.exit(__doc__)
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    print(f"dagsearch {ds.__version__}, {versions}")
    for part in chosen:
        parts[part]()
