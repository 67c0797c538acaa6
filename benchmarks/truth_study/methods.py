"""The methods under test: ours in their default settings, and rivals from PyPI, as they come."""

from __future__ import annotations

import importlib.util
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dagsearch as ds
from dagsearch.estimators import METHODS as OURS

_SECONDS_OF_WARM_UP = 1.0
_SHARE_OF_LIMIT = 0.8  # exact search ends in time to prune what it has
_FINISHED = "finished"


@dataclass(frozen=True)
class Found:
    """A graph that a method found: a DAG, PDAG or CyclicGraph, how the method ended, and by which score, if any."""

    graph: Any
    status: str = _FINISHED
    score: str | None = None


@dataclass(frozen=True)
class Method:
    """A method under test.

    Attributes
    ----------
    fit
        From data, a seed and the seconds that it may take to what it found.
    modules
        What must be installed.
    install
        The command that does so.
    most_nodes
        More variables are not tried; None: any number.
    """

    fit: Callable[[ds.Dataset, int, float], Found]
    modules: tuple[str, ...] = ()
    install: str = ""
    most_nodes: int | None = None

    @property
    def installed(self) -> bool:
        """Whether it can be run."""
        return all(importlib.util.find_spec(module) is not None for module in self.modules)

    def warm_up(self, data: ds.Dataset) -> None:
        """Compile and load what a fit needs."""
        self.fit(data, 0, _SECONDS_OF_WARM_UP)


def _ours(name: str, **method: Any) -> Method:
    """One of our methods in its default settings, judged after pruning."""

    def fit(data: ds.Dataset, seed: int, time_limit: float) -> Found:
        model = OURS[name](random_state=seed)
        # Others are ended from outside; in the second of a warm-up all stop by themselves if they can.
        if (name == "exact" or time_limit == _SECONDS_OF_WARM_UP) and "time_limit" in model.get_params():
            model.set_params(time_limit=_SHARE_OF_LIMIT * time_limit)
        model.fit(data)
        return Found(model.pruned_dag_, model.result_.status, model.result_.settings["score"])

    return Method(fit, **method)


def _of_permutations(module: str, function: str) -> Method:
    """A search over permutations by causal-learn, with its BIC."""

    def fit(data: ds.Dataset, seed: int, _time_limit: float) -> Found:
        search = getattr(importlib.import_module(f"causallearn.search.PermutationBased.{module}"), function)
        _seed_global_state(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            marks = search(data.values, score_func="local_score_BIC_from_cov", verbose=False).graph
        return Found(ds.PDAG(_from_marks(marks), data.names), score="BIC")

    return Method(fit, ("causallearn",), "pip install causal-learn")


def _from_marks(marks: NDArray[Any]) -> NDArray[np.int8]:
    """Turn causal-learn's marks: i -> j where [i, j] is -1 and [j, i] is 1, i - j where both are -1."""
    tails = marks == -1
    return (tails & ((marks.T == 1) | tails.T)).astype(np.int8)


def _xges(data: ds.Dataset, seed: int, _time_limit: float) -> Found:
    from xges import XGES

    _seed_global_state(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = XGES().fit(np.ascontiguousarray(data.values, dtype=float), verbose=0)
    return Found(ds.PDAG(found.to_adjacency_matrix().astype(np.int8), data.names), score="BIC")


def _seed_global_state(seed: int) -> None:
    """Rivals draw from the global state: each run has a process of its own."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


_BASELINES = "pip install '.[baselines]'"

METHODS = {
    "cd-uct": _ours("cd-uct"),
    "greedy": _ours("greedy"),
    "exact": _ours("exact", most_nodes=10),
    "cam": _ours("cam"),
    "lingam": _ours("lingam"),
    "notears": _ours("notears"),
    "ges": _ours("ges", modules=("ges",), install=_BASELINES),
    "pc": _ours("pc", modules=("causallearn",), install=_BASELINES),
    "boss": _of_permutations("BOSS", "boss"),
    "grasp": _of_permutations("GRaSP", "grasp"),
    # Its metadata ask for numpy 1 and an old numba, which it does not need and which dagsearch cannot do with.
    "xges": Method(_xges, ("xges", "sortedcontainers"), "pip install --no-deps xges sortedcontainers"),
}
"""By the names that the command line takes; rivals last."""
