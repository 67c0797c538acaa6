"""A search of another package on a table, run by the Python that has the package: nothing of ours is imported here.

    python rival.py METHOD SEED PENALTY < table.npy

Prints ``begun`` when everything is imported and compiled, and in the end a line of JSON: ``pairs`` (i, j) of columns
with i -> j, both ways where the edge is undirected, ``seconds``, ``cpu_seconds``, ``gigabytes`` (most memory),
``versions``, and ``gain``: how much better than no edges the graph is by the package's own score, null where finding
that out would take long.

All have the BIC, the logarithm of the likelihood minus PENALTY * log(n)/2 per parameter; ordinarily PENALTY is 1. By
default BOSS and GRaSP of causal-learn have 4, since their score subtracts lambda_value * log(n) per parameter and
lambda_value is 2, and XGES has 2, its alpha.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import platform
import random
import resource
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_MOST_NODES_EXTENDED = 60  # causal-learn takes long to find a member of a larger class


class Found(NamedTuple):
    """A graph, [i, j] != 0 for i -> j and both ways for an undirected edge; and its gain by the package's own score."""

    adjacency: Any
    gain: Callable[[], float | None]


def _of_permutations(module: str, function: str) -> Callable[[Any, float], Found]:
    """A search over permutations by causal-learn."""

    def fit(values: Any, penalty: float) -> Found:
        parameters = {"lambda_value": 0.5 * penalty}
        search = getattr(importlib.import_module(f"causallearn.search.PermutationBased.{module}"), function)
        graph = search(values, score_func="local_score_BIC_from_cov", parameters=parameters, verbose=False)
        return Found(from_marks(graph.graph), lambda: _gain_by_causal_learn(values, graph, parameters))

    return fit


def from_marks(marks: Any) -> Any:
    """Turn causal-learn's marks: i -> j where [i, j] is -1 and [j, i] is 1, i - j where both are -1."""
    tails = marks == -1
    return tails & ((marks.T == 1) | tails.T)


def _gain_by_causal_learn(values: Any, graph: Any, parameters: dict[str, float]) -> float | None:
    from causallearn.score.LocalScoreFunction import local_score_BIC_from_cov
    from causallearn.utils.PDAG2DAG import pdag2dag

    if values.shape[1] > _MOST_NODES_EXTENDED:
        return None
    member = from_marks(pdag2dag(graph).graph)
    moments = (np.cov(values.T, ddof=0), len(values))
    gains = [
        local_score_BIC_from_cov(moments, node, np.flatnonzero(member[:, node]).tolist(), parameters)
        - local_score_BIC_from_cov(moments, node, [], parameters)
        for node in range(len(member))
    ]
    return float(sum(gains))


def _xges(values: Any, penalty: float) -> Found:
    from xges import XGES

    search = XGES(alpha=penalty)
    graph = search.fit(np.ascontiguousarray(values, dtype=float), verbose=0)
    return Found(graph.to_adjacency_matrix(), lambda: float(search.total_score - search.initial_score))


def _hill_climbing(values: Any, penalty: float) -> Found:
    import networkx as nx
    import pandas as pd
    from pgmpy.causal_discovery import HillClimbSearch
    from pgmpy.structure_score import BIC

    if penalty != 1:
        raise ValueError(f"pgmpy has the ordinary BIC alone, got a penalty of {penalty:g}")
    # Numbers would pass for measurements.
    table = pd.DataFrame({str(k): pd.Categorical(column.astype(str)) for k, column in enumerate(values.T)})
    search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False).fit(table)
    graph, score = search.causal_graph_, BIC(table)

    def gain() -> float:
        return float(
            sum(score.local_score(v, tuple(graph.predecessors(v))) - score.local_score(v, ()) for v in graph.nodes())
        )

    return Found(nx.to_numpy_array(graph, nodelist=list(table.columns)), gain)


METHODS = {
    "boss": (_of_permutations("BOSS", "boss"), "causal-learn"),
    "grasp": (_of_permutations("GRaSP", "grasp"), "causal-learn"),
    "xges": (_xges, "xges"),
    "hill-climbing": (_hill_climbing, "pgmpy"),
}
"""Searches by name, and the packages that they are of."""


class Spent(NamedTuple):
    """What a fit took: seconds, those of all its threads together, and the most memory of the process."""

    seconds: float
    cpu_seconds: float
    gigabytes: float


class Clock:
    """Measures from the moment it is made."""

    def __init__(self) -> None:
        self._started, self._cpu_started = time.perf_counter(), time.process_time()

    def spent(self) -> Spent:
        """What this process has taken since."""
        seconds, cpu_seconds = time.perf_counter() - self._started, time.process_time() - self._cpu_started
        return Spent(round(seconds, 4), round(cpu_seconds, 4), round(peak_gigabytes(), 4))


def peak_gigabytes() -> float:
    """The most memory that this process has had; not that of the process which started it."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 2**20
    per_gigabyte = 2**30 if sys.platform == "darwin" else 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / per_gigabyte


def _small_table(values: Any) -> Any:
    """A table of the same kind, to compile with."""
    walks = np.random.default_rng(0).normal(size=(100, 5)).cumsum(axis=1)
    return (walks > 0).astype(values.dtype) if values.dtype.kind == "i" else walks


def main() -> None:
    """Read the table from standard input, search, and print what was found."""
    name, seed, penalty = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    fit, package = METHODS[name]
    values = np.load(io.BytesIO(sys.stdin.buffer.read()))
    with contextlib.redirect_stdout(sys.stderr):
        fit(_small_table(values), penalty)
    print("begun", flush=True)
    # They draw from the global state.
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    with contextlib.redirect_stdout(sys.stderr):
        clock = Clock()
        found = fit(values, penalty)
        spent = clock.spent()
        gain = found.gain()
    packages = ", ".join(f"{each} {metadata.version(each)}" for each in (package, "numpy"))
    answer = {
        "pairs": np.argwhere(np.asarray(found.adjacency) != 0).tolist(),
        **spent._asdict(),
        "gain": gain,
        "versions": f"{packages}, python {platform.python_version()}",
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
