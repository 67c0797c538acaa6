"""A user's own score: any object with ``local(node, parents)`` or ``reward(adjacency)``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.graph.bitset import Rows, members_of_each
from dagsearch.scores.base import Score


def _checked(value: Any, call: str) -> float:
    """A user's number as a float; NaN or something else is an error that names the call."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"your score's {call} must return a number, got {value!r}") from None
    if not math.isfinite(number):
        raise InputError(
            f"your score's {call} must return a finite number, got {number}; to rule edges out use Knowledge"
        )
    return number


class CustomLocalScore(Score):
    """A decomposable score of the user's: the reward is the sum of ``local(node, parents)``."""

    name: ClassVar[str] = "custom"
    affordable: ClassVar[int] = 1_000_000

    def __init__(self, user_score: Any, n_nodes: int) -> None:
        super().__init__(n_nodes)
        self.user_score = user_score

    def best_values(self) -> NDArray[np.float64]:
        """Nothing is known of a user's score."""
        return np.full(self.n_nodes, np.inf)

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Terms of each (node, parent set), from the user's ``local``."""
        local: Callable[[int, tuple[int, ...]], Any] = self.user_score.local
        sets = members_of_each(rows, len(nodes))
        values = [_checked(local(*family), "local(node, parents)") for family in zip(nodes.tolist(), sets, strict=True)]
        terms = np.zeros((len(values), 2))
        terms[:, 0] = values
        return terms


class CustomGraphScore(Score):
    """Any function of the whole DAG: ``reward(adjacency)``, called once for each graph met."""

    name: ClassVar[str] = "custom"
    decomposable: ClassVar[bool] = False
    no_probability: ClassVar[str] = "it does not split into one number per variable and its causes"

    def __init__(self, user_score: Any, n_nodes: int) -> None:
        super().__init__(n_nodes)
        self.user_score = user_score
        self._known: dict[bytes, float] = {}

    @property
    def n_evaluations(self) -> int:
        """Number of distinct graphs scored so far."""
        return len(self._known)

    def memory(self) -> dict[str, NDArray[Any]]:
        """Graphs scored so far, as bits, and their rewards."""
        known = dict(self._known)
        bits = np.frombuffer(b"".join(known), dtype=np.uint8).reshape(len(known), (self.n_nodes**2 + 7) // 8)
        return {"graphs": bits, "rewards": np.array(list(known.values()), dtype=np.float64)}

    def recall(self, memory: dict[str, NDArray[Any]]) -> None:
        """Learn the rewards of graphs."""
        keys = [bits.tobytes() for bits in memory["graphs"]]
        self._known |= dict(zip(keys, memory["rewards"].tolist(), strict=True))

    def reward_of(self, adjacency: NDArray[Any]) -> float:
        """The user's reward of an adjacency matrix that is known to be acyclic."""
        key = np.packbits(adjacency).tobytes()
        if key not in self._known:
            value = self.user_score.reward(adjacency.astype(np.int8))
            self._known[key] = _checked(value, "reward(adjacency)")
        return self._known[key]
