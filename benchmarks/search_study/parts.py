"""The problems: tables with a score, in parts, and what a search should reach on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import dagsearch as ds
from dagsearch import scores
from dagsearch.errors import InputError
from search_study.networks import read_network

_ROWS_OF_NETWORKS = 2000
_ROWS_OF_WIDE_TABLES = 1000


@dataclass(frozen=True)
class Goal:
    """What a run should reach; what is None does not matter.

    Attributes
    ----------
    reward, tolerance
        The reward must be greater than this minus the tolerance: a number, the reward of the true graph, or the one
        that `ExactSearch` finds on the same table.
    shd, cpdag_shd, seconds, gigabytes
        At most so much.
    """

    reward: float | Literal["truth", "exact"] | None = None
    tolerance: float = 0.0
    shd: int | None = None
    cpdag_shd: int | None = None
    seconds: float | None = None
    gigabytes: float | None = None

    @property
    def in_words(self) -> str:
        """As a table shows it."""
        named = {"truth": "reward of the truth", "exact": "reward of ExactSearch", None: ""}
        reward = f"reward {self.reward:g}" if isinstance(self.reward, float) else named[self.reward]
        limits = [("SHD", self.shd, ""), ("CPDAG SHD", self.cpdag_shd, ""), ("", self.seconds, " s")]
        limits.append(("", self.gigabytes, " GB"))
        words = [f"{what} ≤ {most:g}{unit}".strip() for what, most, unit in limits if most is not None]
        return ", ".join([reward, *words] if reward else words)


@dataclass(frozen=True)
class Problem:
    """A table with a score and a goal.

    Attributes
    ----------
    name
        Of the problem, within its part.
    table
        From a seed and the file or folder of networks to the data with the true graph.
    score
        Name of the score.
    goal
        What should be reached.
    penalty
        What a BIC of continuous data counts, as `dagsearch.scores.make` takes it; None for other scores.
    settings
        Further settings of our searches.
    size
        Numbers of variables and true edges, if a search that takes too long here would do so on problems that are
        larger and denser.
    seed_draws_data
        Whether each seed has another table; otherwise the seed is of the method alone.
    """

    name: str
    table: Callable[[int, Path | None], ds.Dataset]
    score: str
    goal: Goal
    penalty: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    size: tuple[int, int] | None = None
    seed_draws_data: bool = False

    def judge(self, data: ds.Dataset) -> scores.Score:
        """The score that all methods are judged by."""
        return scores.make(self.score, data, penalty=self.penalty)

    def penalty_of_rivals(self, data: ds.Dataset) -> float:
        """The same penalty per edge, in units of log(n)/2."""
        family = self.judge(data).family
        return 1.0 if self.penalty is None else 1.0 + family.edge_price / family.penalty_weight


@dataclass(frozen=True)
class Part:
    """Problems of one kind.

    Attributes
    ----------
    title
        As a heading.
    problems
        Small ones first.
    methods
        Those that are run on it.
    n_seeds, time_limit
        Unless others are asked for; seconds of one fit.
    columns
        What its table shows, of `search_study.tables.COLUMNS`.
    most_nodes
        More variables are not tried, by method.
    """

    title: str
    problems: tuple[Problem, ...]
    methods: tuple[str, ...]
    n_seeds: int
    time_limit: float
    columns: tuple[str, ...]
    most_nodes: Mapping[str, int] = field(default_factory=dict)

    def problem(self, name: str) -> Problem:
        """A problem by its name."""
        return next(problem for problem in self.problems if problem.name == name)


def _loaded(name: str, _seed: int, _networks: Path | None) -> ds.Dataset:
    return ds.datasets.load(name)


def _sampled(name: str, _seed: int, networks: Path | None) -> ds.Dataset:
    if networks is None:
        raise InputError("networks of the repository are not bundled: say where they are by --networks")
    return read_network(networks, name).sample(_ROWS_OF_NETWORKS, random_state=0)


def _simulated(n_nodes: int, n_edges: int, seed: int, _networks: Path | None) -> ds.Dataset:
    return ds.datasets.simulate(n_nodes, _ROWS_OF_WIDE_TABLES, n_edges=n_edges, standardise=True, random_state=seed)


def _network_problem(name: str, optimum: float, size: tuple[int, int]) -> Problem:
    return Problem(name, partial(_loaded, name), "bic-discrete", Goal(optimum, tolerance=2e-6), size=size)


def _linear_problem(name: str, seconds: float, size: tuple[int, int]) -> Problem:
    goal = Goal(cpdag_shd=0, seconds=seconds)
    return Problem(name, partial(_loaded, name), "bic-linear", goal, "parameters", size=size)


def _repository_problem(name: str, size: tuple[int, int], optimum: float | None = None) -> Problem:
    goal = Goal("truth", 1e-9, seconds=300.0) if optimum is None else Goal(optimum, 1e-4, seconds=10.0)
    return Problem(name, partial(_sampled, name), "bic-discrete", goal, size=size)


def _wide_problem(n_nodes: int, degree: int, seconds: float) -> Problem:
    n_edges = n_nodes * degree // 2
    table, goal = partial(_simulated, n_nodes, n_edges), Goal(seconds=seconds, gigabytes=4.0)
    size = (n_nodes, n_edges)
    return Problem(f"{n_nodes}-{degree}", table, "bic-linear", goal, "parameters", size=size, seed_draws_data=True)


def _with_both_penalties(*problems: Problem) -> tuple[Problem, ...]:
    """Each problem with the ordinary penalty, and with the one that our searches have by default."""
    extended = [replace(problem, name=f"{problem.name}-extended", penalty="extended") for problem in problems]
    return tuple(each for pair in zip(problems, extended, strict=True) for each in pair)


_QUADRATIC = partial(_loaded, "er50-quadratic")
_OURS = ("OrderSearch", "CDUCT")

PARTS = {
    "networks": Part(
        "Proven optima of three networks, 1,000 rows",
        (
            _network_problem("asia", -2.164532, (8, 8)),
            _network_problem("child", -12.972274, (20, 25)),
            _network_problem("insurance", -14.302414, (27, 52)),
        ),
        _OURS,
        n_seeds=20,
        time_limit=300.0,
        columns=("reached", "worst_difference", "seconds", "slowest", "cpu_seconds"),
    ),
    "linear": Part(
        "Linear Gaussian data of the paper",
        _with_both_penalties(
            _linear_problem("er30-linear", 1.0, (30, 38)),
            _linear_problem("er40-linear", 2.0, (40, 80)),
            _linear_problem("er50-linear", 4.0, (50, 118)),
        ),
        (*_OURS, "boss", "grasp", "xges"),
        n_seeds=3,
        time_limit=600.0,
        columns=("reached", "cpdag_shd", "reward", "true_reward", "n_edges", "seconds", "slowest", "cpu_seconds"),
    ),
    "quadratic": Part(
        "Quadratic data of the paper, 50 variables",
        (
            *_with_both_penalties(
                Problem("er50-quadratic", _QUADRATIC, "bic-quadratic", Goal(shd=16, seconds=10.0), "parameters")
            ),
            Problem(
                "er50-quadratic-113-edges",
                _QUADRATIC,
                "bic-quadratic",
                Goal(315.22),
                "edges",
                {"edge_budget": 113},
            ),
        ),
        (*_OURS, "GreedySearch"),
        n_seeds=3,
        time_limit=600.0,
        columns=("reached", "shd", "reward", "n_edges", "seconds", "slowest", "cpu_seconds"),
    ),
    "repository": Part(
        "Networks of the repository, 2,000 rows",
        (
            _repository_problem("water", (32, 66), -13.0737),
            _repository_problem("alarm", (37, 46), -11.1326),
            _repository_problem("barley", (48, 84), -64.7535),
            _repository_problem("hepar2", (70, 123), -33.1153),
            _repository_problem("andes", (223, 338)),
            _repository_problem("pigs", (441, 592)),
            _repository_problem("link", (724, 1125)),
            _repository_problem("munin", (1041, 1397)),
        ),
        (*_OURS, "GreedySearch", "hill-climbing"),
        n_seeds=3,
        time_limit=300.0,
        columns=("reached", "reward", "difference", "skeleton_f1", "n_edges", "seconds", "slowest", "cpu_seconds"),
    ),
    "wide": Part(
        "Linear Gaussian data of random graphs, 1,000 rows, by number of variables and average degree",
        _with_both_penalties(
            _wide_problem(100, 4, 1.0),
            _wide_problem(100, 10, 10.0),
            _wide_problem(200, 6, 10.0),
            _wide_problem(500, 4, 60.0),
            _wide_problem(1000, 4, 300.0),
        ),
        (*_OURS, "boss", "xges"),
        n_seeds=3,
        time_limit=600.0,
        columns=(
            "reached",
            "skeleton_f1",
            "arrowhead_f1",
            "reward",
            "true_reward",
            "seconds",
            "slowest",
            "cpu_seconds",
            "gigabytes",
        ),
        most_nodes={"CDUCT": 100},
    ),
    "syntren": Part(
        "SynTReN, evidence score, at most 3 causes",
        tuple(
            Problem(name, partial(_loaded, name), "evidence", Goal("exact", 1e-6), settings={"max_parents": 3})
            for name in (f"syntren-{k}" for k in range(1, 11))
        ),
        ("ExactSearch", *_OURS),
        n_seeds=1,
        time_limit=3600.0,
        columns=("reached", "reward", "difference", "gap", "shd", "seconds", "cpu_seconds"),
    ),
}
"""By the names that the command line takes."""
