"""What a search works on and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.graph.bitset import Rows
from dagsearch.kernels.forest import NEGLIGIBLE

FINISHED = "finished"
TIME_LIMIT = "time-limit"
INTERRUPTED = "interrupted"

OnBetter = Callable[[float, int], None]
"""Hears reward and number of edges of a graph that may be the best so far."""


def pays(reward: float, than: float) -> bool:
    """Whether a reward is higher by more than rounding: sums of the same terms in another order differ a little."""
    return reward > than + NEGLIGIBLE * (1.0 + abs(than))


class ScoreLike(Protocol):
    """What a search needs of a score.

    If ``decomposable``, rewards are made of local terms (value, penalty) that lie in ``cache`` or are supplied to it;
    otherwise only ``reward_of`` is called.
    """

    n_nodes: int
    family: Any
    cache: Any

    @property
    def affordable(self) -> int:
        """How many local scores a survey of all parent sets may take."""

    @property
    def is_fitted(self) -> bool:
        """Whether a local score takes milliseconds."""

    @property
    def is_equivalent(self) -> bool:
        """Whether graphs of an equivalence class have the same reward."""

    @property
    def decomposable(self) -> bool:
        """Whether rewards are made of local terms."""

    @property
    def n_evaluations(self) -> int:
        """Local scores (or whole graphs) evaluated so far."""

    def memory(self) -> dict[str, NDArray[Any]]:
        """What was learnt so far, as arrays."""

    def recall(self, memory: dict[str, NDArray[Any]]) -> None:
        """Learn what another score of the kind had learnt on the same table."""

    def anticipate(self, node: int, parents: tuple[int, ...], candidates: list[int]) -> None:
        """Hear which local terms will probably be asked for."""

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Local terms that are not in the cache."""

    def terms(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Local terms of each (node, parent set)."""

    def best_values(self) -> NDArray[np.float64]:
        """Bounds of the value of each node, whatever its parents."""

    def survey(
        self, node: int, rows: Rows, best_value: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Local terms of many parent sets of a node; bounds of value and penalty of all their supersets."""

    def combine(self, values: Any, penalties: Any) -> Any:
        """Rewards from sums of values and of penalties."""

    def reward_of(self, adjacency: NDArray[np.int8]) -> float:
        """Reward of an adjacency matrix known to be acyclic."""

    def rewards_of(self, adjacencies: NDArray[Any], penalised: bool = True) -> NDArray[np.float64]:
        """Rewards of many adjacency matrices."""


@dataclass(frozen=True)
class Problem:
    """The decision process: where it starts, which edges may be added, when it ends.

    Attributes
    ----------
    start
        Adjacency of the start graph, (n_nodes, n_nodes) bool.
    allowed
        Edges that may be added, (n_nodes, n_nodes) bool; the diagonal does not matter.
    edge_budget
        Number of edges of the result, the start graph's included; None lets the score decide.
    max_parents
        No node gets more parents than this by an added edge.
    incremental
        Track cycles by Algorithm 1 of the paper, or else by traversals.
    """

    start: NDArray[np.bool_]
    allowed: NDArray[np.bool_]
    edge_budget: int | None
    max_parents: int
    incremental: bool = True

    def __post_init__(self) -> None:
        if self.edge_budget is not None and not self.n_start_edges <= self.edge_budget <= self.max_edges:
            limits = "" if self.max_edges == self.n_nodes * (self.n_nodes - 1) // 2 else " under these restrictions"
            raise InputError(
                f"edge_budget must be between {self.n_start_edges} and {self.max_edges} for {self.n_nodes} "
                f"variables{limits}, got {self.edge_budget}"
            )

    @property
    def n_nodes(self) -> int:
        """Number of variables."""
        return len(self.start)

    @property
    def n_start_edges(self) -> int:
        """Number of edges of the start graph."""
        return int(self.start.sum())

    @property
    def max_edges(self) -> int:
        """No DAG that this process can reach has more edges (with forbidden edges there may be fewer)."""
        by_pairs = int(np.triu(self.allowed | self.allowed.T | self.start | self.start.T, 1).sum())
        by_parents = sum(min(node, self.max_parents) for node in range(self.n_nodes))
        beyond = int(np.maximum(self.start.sum(axis=0) - self.max_parents, 0).sum())
        return min(by_pairs, max(by_parents + beyond, self.n_start_edges))


@dataclass(frozen=True)
class Outcome:
    """What a search found.

    ``status`` is ``"finished"``, or says why the search ended early: ``"time-limit"`` or ``"interrupted"``; the graph
    is then the best one met so far.
    """

    adjacency: NDArray[np.int8]
    reward: float
    n_simulations: int
    n_calibration_simulations: int
    n_steps: int
    status: str
