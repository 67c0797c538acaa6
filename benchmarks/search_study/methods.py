"""The methods under test: our searches in their default settings, and rivals in processes of their own Python."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

import dagsearch as ds
from dagsearch.errors import UnknownNameError
from dagsearch.kernels.bits import WORD_BITS
from search_study import rival
from search_study.parts import Problem
from search_study.rival import Clock, Spent

_SHARE_OF_LIMIT = 0.8  # exact search ends in time to tell what it has proven
_EDGES_OF_WARM_UP = 5
_FINISHED = "finished"


@dataclass(frozen=True)
class Means:
    """What runs on this machine need.

    Attributes
    ----------
    n_jobs
        Threads of a search.
    networks
        Folder or wheel of networks, if any.
    pythons
        By package of a rival, the Python that has it.
    """

    n_jobs: int = 2
    networks: Path | None = None
    pythons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """A table to search on: the data, the problem they are of, the seed of the method, and the seconds it may take."""

    data: ds.Dataset
    problem: Problem
    seed: int
    time_limit: float
    means: Means


@dataclass(frozen=True)
class Found:
    """A DAG or PDAG, and what it took.

    Attributes
    ----------
    graph, status
        As in a record.
    spent
        Time and memory.
    gap
        How far the reward may be from the optimum, if that is known.
    gain
        Of a rival: how much its own score says the graph is better than no edges.
    versions
        Of a rival's packages.
    """

    graph: ds.DAG | ds.PDAG
    status: str
    spent: Spent
    gap: float | None = None
    gain: float | None = None
    versions: str | None = None


@dataclass(frozen=True)
class Method:
    """A method under test.

    Attributes
    ----------
    fit
        From the work, and what to call when everything is compiled, to what was found.
    package
        The package that a rival is of; None for ours.
    repeats
        Whether all seeds give the same graph of the same table.
    """

    fit: Callable[[Work, Callable[[], None]], Found]
    package: str | None = None
    repeats: bool = False


def _ours(name: str, **method: Any) -> Method:
    """One of our estimators, in its default settings but for those of the problem, and not pruned."""

    def fit(work: Work, begun: Callable[[], None]) -> Found:
        model = getattr(ds, name)(
            score=work.problem.score,
            prune="none",
            n_jobs=work.means.n_jobs,
            random_state=work.seed,
            **work.problem.settings,
        )
        if work.problem.penalty is not None:
            model.set_params(penalty=work.problem.penalty)
        if name == "ExactSearch":
            model.set_params(time_limit=_SHARE_OF_LIMIT * work.time_limit)
        _warm_up(model, work)
        begun()
        clock = Clock()
        model.fit(work.data)
        spent = clock.spent()
        proof = getattr(model, "certificate_", None)
        gap = None if proof is None else float(proof.gap)
        return Found(model.dag_, model.result_.status, spent, gap)

    return Method(fit, **method)


def _warm_up(model: Any, work: Work) -> None:
    """Compile what the fit needs: kernels differ for discrete data, and for sets of more nodes than a word has bits."""
    n_nodes = _EDGES_OF_WARM_UP if work.data.n_nodes <= WORD_BITS else WORD_BITS + 1
    is_discrete = work.problem.score in ds.scores.DISCRETE
    made = {"mechanism": "discrete"} if is_discrete else {"standardise": True}
    table = ds.datasets.simulate(n_nodes, 100, n_edges=_EDGES_OF_WARM_UP, random_state=0, **made)
    small = clone(model)
    if "edge_budget" in work.problem.settings:
        small.set_params(edge_budget=_EDGES_OF_WARM_UP)
    small.fit(table)


def _rival(name: str, **method: Any) -> Method:
    """A search of another package; see `search_study.rival`."""
    package = rival.METHODS[name][1]

    def fit(work: Work, begun: Callable[[], None]) -> Found:
        penalty = work.problem.penalty_of_rivals(work.data)
        # Isolated, since our own modules would be in the way of theirs.
        command = [work.means.pythons[package], "-I", rival.__file__, name, str(work.seed), repr(penalty)]
        answer = _answer(command, _table_for_rivals(work.data, work.problem), begun)
        return Found(
            _graph_of(answer["pairs"], work.data.names),
            _FINISHED,
            Spent(*(answer[name] for name in Spent._fields)),
            gain=answer["gain"],
            versions=answer["versions"],
        )

    return Method(fit, package, **method)


def _table_for_rivals(data: ds.Dataset, problem: Problem) -> NDArray[Any]:
    """The columns that our score sees: standardised, or as the codes of levels."""
    return data.codes().astype(np.int64) if problem.score in ds.scores.DISCRETE else data.standardised()


def _answer(command: list[str], values: NDArray[Any], begun: Callable[[], None]) -> dict[str, Any]:
    """What a rival says of a table."""
    table = io.BytesIO()
    np.save(table, values)
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages)
        with contextlib.suppress(BrokenPipeError):  # it died: its message says why
            process.stdin.write(table.getvalue())
            process.stdin.close()
        if process.stdout.readline().strip() == b"begun":
            begun()
        answer = process.stdout.read()
        if process.wait() != 0:
            messages.seek(0)
            last_line = messages.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise RuntimeError(last_line or f"its process died, with exit code {process.returncode}")
    return json.loads(answer)


def _graph_of(pairs: Iterable[tuple[int, int]], names: tuple[str, ...]) -> ds.PDAG:
    adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
    for cause, effect in pairs:
        adjacency[cause, effect] = 1
    return ds.PDAG(adjacency, names)


METHODS = {
    "OrderSearch": _ours("OrderSearch"),
    "CDUCT": _ours("CDUCT"),
    "GreedySearch": _ours("GreedySearch"),
    "ExactSearch": _ours("ExactSearch", repeats=True),
    "boss": _rival("boss"),
    "grasp": _rival("grasp"),
    "xges": _rival("xges", repeats=True),
    "hill-climbing": _rival("hill-climbing", repeats=True),
}
"""By the names that the command line takes; rivals last."""

PACKAGES = tuple(dict.fromkeys(package for _, package in rival.METHODS.values()))
"""Packages of rivals."""


def why_not(name: str, means: Means) -> str | None:
    """Why a method cannot be run here; None: it can."""
    package = METHODS[name].package
    if package is None:
        return None if hasattr(ds, name) else f"dagsearch {ds.__version__} does not have it"
    return None if package in means.pythons else f"no Python with {package} is named by --rivals"


def takes(name: str, problem: Problem) -> bool:
    """Whether a method has all settings of a problem."""
    if METHODS[name].package is None:
        return set(problem.settings) <= set(getattr(ds, name)().get_params())
    return not problem.settings


def pythons_of(texts: Iterable[str]) -> dict[str, str]:
    """By package the Python that has it, from ``PYTHON`` (which has all) or ``PACKAGE=PYTHON``.

    Raises
    ------
    UnknownNameError
        If there is no rival of such a package.
    """
    pythons: dict[str, str] = {}
    for text in texts:
        package, is_one, python = text.rpartition("=")
        if is_one and package not in PACKAGES:
            raise UnknownNameError("package of a rival", package, PACKAGES)
        pythons.update(dict.fromkeys([package] if is_one else PACKAGES, python))
    return pythons
