"""RL-BIC on Sachs with the paper's settings: reward over seeds as training goes on, and time.

::

    python benchmarks/rl_bic.py                                # five seeds, 20,000 iterations each
    python benchmarks/rl_bic.py --seeds 0 1 --iterations 6000  # a shorter run is the beginning of the longer one
    python benchmarks/rl_bic.py step                           # time of a step, and what the score has of it

The paper reports a reward of 39.8 +- 2.2 (100 runs) and 1:43:33 a run.
"""

from __future__ import annotations

import argparse
import platform
import time

import numpy as np

import dagsearch as ds
from dagsearch.baselines.rl_bic import RLBICSettings, train
from dagsearch.scores.base import rows_from_membership

MARKS = (2500, 5000, 10_000, 20_000)


def train_on_sachs(seed, iterations, on_iteration, score=None):
    """Train with the paper's settings."""
    data = ds.datasets.load("sachs")
    score = score or ds.scores.make("bic-gp", data, n_jobs=2)
    with score.session():
        settings = RLBICSettings(n_iterations=iterations)
        train(data.standardised(), score, settings, np.random.default_rng(seed), on_iteration)


def rewards(seeds, iterations):
    """Best reward after each mark, and metrics of the last graph after CAM pruning."""
    data = ds.datasets.load("sachs")
    marks = [mark for mark in MARKS if mark < iterations] + [iterations]
    print(
        f"{'seed':>4}" + "".join(f"{f'after {mark:,}':>14}" for mark in marks) + "    edges  TPR    FDR    SHD  seconds"
    )
    final = []
    for seed in seeds:
        seen = {}

        def note(state, seen=seen):
            if state.iteration in marks:
                seen[state.iteration] = state

        started = time.perf_counter()
        train_on_sachs(seed, iterations, note)
        seconds = time.perf_counter() - started
        last = seen[iterations]
        dag = ds.DAG(last.adjacency, data.names)
        metrics = ds.metrics.compare(ds.prune(dag, data, "cam", n_jobs=2), data.truth)
        final.append((last.reward, metrics["tpr"], metrics["fdr"], metrics["shd"], seconds))
        shown = "".join(f"{seen[mark].reward:>14.3f}" for mark in marks)
        print(
            f"{seed:>4}{shown}{dag.n_edges:>9}  {metrics['tpr']:.3f}  {metrics['fdr']:.3f}  {metrics['shd']:>3}"
            f"{seconds:>9.0f}",
            flush=True,
        )
    mean, spread = (
        np.mean(final, axis=0),
        1.96 * np.std(final, axis=0, ddof=min(1, len(seeds) - 1)) / np.sqrt(len(seeds)),
    )
    print(f"mean reward {mean[0]:.3f} +- {spread[0]:.3f} (paper 39.807 +- 2.209)")
    print(f"pruned TPR {mean[1]:.3f}, FDR {mean[2]:.3f}, SHD {mean[3]:.2f} (paper .309, .447, 13.21)")
    print(f"{mean[4]:.0f} s a run, compilation and all local scores included (paper 6,213 s)")


def compute_all_local_scores(score):
    """Compute them beforehand, so that steps are timed and not the score."""
    members = (np.arange(2**score.n_nodes)[:, None] >> np.arange(score.n_nodes)) & 1 == 1
    for node in range(score.n_nodes):
        parents = members[~members[:, node]]
        score.terms(np.full(len(parents), node), rows_from_membership(parents))


def step():
    """Time of a step: first one, later ones, and the share of the rewards, all local scores being known."""
    data = ds.datasets.load("sachs")
    score = ds.scores.make("bic-gp", data, n_jobs=2)
    compute_all_local_scores(score)
    in_score, ends, in_process = [0.0], [time.perf_counter()], []
    plain = score.rewards_of

    def timed(*arguments, **keywords):
        started = time.perf_counter()
        result = plain(*arguments, **keywords)
        in_score[0] += time.perf_counter() - started
        return result

    score.rewards_of = timed
    at_100 = []

    def note(state):
        ends.append(time.perf_counter())
        in_process.append(time.process_time())
        if state.iteration == 100:
            at_100.append(in_score[0])

    train_on_sachs(0, 400, note, score)
    later, busy = 1e3 * np.diff(ends[100:]), 1e3 * np.diff(in_process[99:])
    print(
        f"first step {ends[1] - ends[0]:.1f} s (compilation); steps 101 to 400: median {np.median(later):.1f} ms, "
        f"least {later.min():.1f} ms; processor time {busy.mean():.1f} ms on average"
    )
    print(f"of which rewards {1e3 * (in_score[0] - at_100[0]) / 300:.1f} ms on average")


def main():
    """Run what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="rewards", choices=("rewards", "step"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--iterations", type=int, default=20_000)
    arguments = parser.parse_args()
    import jax

    print(f"Python {platform.python_version()}, JAX {jax.__version__} on {jax.devices()[0].platform}")
    if arguments.what == "step":
        step()
    else:
        rewards(arguments.seeds, arguments.iterations)


if __name__ == "__main__":
    main()
