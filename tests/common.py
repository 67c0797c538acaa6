"""What several test files share: tables, estimators made quickly, users' own scores, the command, and the oracles."""

from __future__ import annotations

import inspect
import json
import math
import os
from pathlib import Path

import naive
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dagsearch.cli import main
from dagsearch.graph import DAG
from dagsearch.graph.bitset import members_of_each
from dagsearch.scores.base import Score, empty_family

_SHARED = Path(__file__).parents[2] / "shared"
DATA = Path(os.environ.get("DAGSEARCH_DATA") or _SHARED / "data")


def oracle(name):
    """A file with numbers from other programs; the test is skipped where it is not at hand."""
    path = DATA.parent / "oracles" / name
    if not path.is_file():
        pytest.skip(f"{name} is not at hand")
    return path


# ---------------------------------------------------------------- tables


def normal_table(n_samples, n_nodes, seed=0):
    """Variables that depend on earlier ones, linearly and by squares."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_samples, n_nodes))
    for j in range(1, n_nodes):
        x[:, j] += 0.8 * x[:, j - 1] + np.tanh(x[:, rng.integers(j)]) ** 2
    return x


def normal_frame(n_samples=150, n_nodes=6, seed=0):
    """The same with columns a, b, ..."""
    return pd.DataFrame(normal_table(n_samples, n_nodes, seed), columns=list("abcdefghijklmnop"[:n_nodes]))


def discrete_frame(n_samples=200, n_nodes=5, seed=0):
    """Columns a, b, ... of three levels, each depending on the one before."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (n_samples, n_nodes))
    for j in range(1, n_nodes):
        x[:, j] = np.where(rng.random(n_samples) < 0.6, x[:, j - 1], x[:, j])
    return pd.DataFrame(x, columns=list("abcdefghij"[:n_nodes]))


@st.composite
def matrices(draw):
    """Arrays of several rows in which no column is constant and no two are equal."""
    shape = draw(st.tuples(st.integers(3, 30), st.integers(2, 5)))
    noise = draw(hnp.arrays(np.float64, shape, elements=st.floats(-1e3, 1e3, allow_subnormal=False)))
    return noise + np.outer(np.arange(shape[0]), np.arange(1, shape[1] + 1)) * 1e4


def noise_table(n_nodes, n_samples=20):
    """Columns x0, x1, ... for searches whose score does not look at them."""
    return np.random.default_rng(0).normal(size=(n_samples, n_nodes))


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def linear_table(n_samples, n_nodes, seed):
    """A linear model over a random DAG whose order is not that of the columns."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((n_nodes, n_nodes)) < 0.4, 1) * rng.uniform(-1.5, 1.5, (n_nodes, n_nodes))
    x = np.zeros((n_samples, n_nodes))
    for j in range(n_nodes):
        x[:, j] = x @ weights[:, j] + rng.normal(size=n_samples) * rng.uniform(0.5, 2.0)
    return x[:, rng.permutation(n_nodes)]


def discrete_table(dag, n_samples, seed):
    """Two or three levels per node, with random tables that differ clearly from row to row."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(2, 4, dag.n_nodes)
    codes = np.zeros((n_samples, dag.n_nodes), dtype=int)
    for name in dag.topological_order():
        node, parents = dag.index(name), [dag.index(parent) for parent in dag.parents(name)]
        _, row = np.unique(codes[:, parents], axis=0, return_inverse=True)
        table = rng.dirichlet(np.full(levels[node], 0.6), size=row.max() + 1)
        codes[:, node] = (rng.random(n_samples)[:, None] > table.cumsum(axis=1)[row.ravel()]).sum(axis=1)
    return codes.clip(max=levels - 1)


def families(n_nodes, n_families, max_parents, seed=0):
    """Random (node, parents) with up to so many parents, the empty set included."""
    rng = np.random.default_rng(seed)
    for k in range(n_families):
        order = rng.permutation(n_nodes).tolist()
        yield order[0], sorted(order[1 : 1 + k % (max_parents + 1)])


# ---------------------------------------------------------------- estimators and users' own scores


# JAX compiles for each shape, which takes far longer than training: all fits of RL-BIC have these, and tables of 150
# rows and 6 columns. Running the networks uncompiled would take longer still, since JAX then compiles each operation.
FEW_STEPS = {"n_iterations": 2, "batch_size": 4, "input_dimension": 8, "initial_bias": -1.0}
STRONG_L1 = 0.4  # NOTEARS still finds edges, and is there five times sooner than by its default


def make(kind, **settings):
    """An estimator that is soon ready, with seed 0; settings it lacks are left out."""
    taken = inspect.signature(kind).parameters
    defaults = {"sims_per_node": 5, "random_state": 0, "l1": STRONG_L1, **FEW_STEPS}
    return kind(**{name: value for name, value in {**defaults, **settings}.items() if name in taken})


def quick(kind, **settings):
    """The same by a score of microseconds instead of milliseconds, for tests that are not about the default."""
    return make(kind, **{"score": "bic-linear", **settings})


def every_dag(n_nodes):
    """All DAGs of so many nodes, each pair absent, pointing forwards, or backwards."""
    return [DAG(naive.adjacency_of(edges, n_nodes)) for edges in naive.all_dags(n_nodes)]


def is_dag(dag):
    return nx.is_directed_acyclic_graph(nx.from_numpy_array(dag.adjacency, create_using=nx.DiGraph))


class Faulty(naive.TableScore):
    """Does something else than answer at the given call."""

    def __init__(self, at_call, act, n_nodes=6):
        super().__init__(1, n_nodes)
        self.n_left = at_call
        self.act = act
        self._whole = naive.WholeGraphScore(naive.TableScore(1, n_nodes))

    def local(self, node, parents):
        self.n_left -= 1
        return self.act() if self.n_left == 0 else super().local(node, parents)

    def reward(self, adjacency):
        self.n_left -= 1
        return self.act() if self.n_left == 0 else self._whole.reward(adjacency)


class EqualVarianceTable(Score):
    """A random (value, penalty) per local score; rewards are -log of the sum of values minus the penalties."""

    def __init__(self, seed, n_nodes):
        super().__init__(n_nodes, empty_family(n_nodes, equal_variances=True))
        self.values, self.penalties = (naive.TableScore(seed + k, n_nodes) for k in range(2))

    def compute(self, nodes, rows):
        families = zip(nodes.tolist(), members_of_each(rows, len(nodes)), strict=True)
        return np.array([self._terms_of(*family) for family in families])

    def _terms_of(self, node, parents):
        return 2.0**-10 + abs(self.values.local(node, parents)), abs(self.penalties.local(node, parents)) / 4

    def reward_of_edges(self, edges):
        families = [(node, naive.parents_of(edges, node)) for node in range(self.n_nodes)]
        values, penalties = zip(*(self._terms_of(*family) for family in families), strict=True)
        return -math.log(math.fsum(values) + 1e-8) - math.fsum(penalties)


class _OfWholeGraphs:
    def __init__(self, faulty):
        self.reward = faulty.reward


FACES = {"local": lambda faulty: faulty, "reward": _OfWholeGraphs}


# ---------------------------------------------------------------- the command

FEW = ("--sims-per-node", "5")
JSON_KEYS = {"method", "edges", "pruned_edges", "n_edges", "reward", "score", "seconds", "seed"}
JSON_KEYS |= {"n_simulations", "n_score_evaluations", "version"}


def run(*arguments):
    """Run the command in this process."""
    # click before 8.2 mixes the two streams unless told otherwise.
    separate = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
    return CliRunner(**separate).invoke(main, [str(argument) for argument in arguments])


def succeed(*arguments):
    """Run the command and return what it printed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def discovered(*arguments):
    """The JSON object that `discover` prints."""
    return json.loads(succeed("discover", *arguments, "--json", "-"))


def good_table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 5))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1] ** 2
    x[:, 4] += x[:, 3]
    return pd.DataFrame(x, columns=list("abcde"))


def files_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
