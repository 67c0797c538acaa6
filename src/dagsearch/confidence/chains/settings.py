"""Settings of the chains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError

_RECORDS_TIMES_NODES, _FEWEST_LONGEST, _MOST_LONGEST = 400_000, 4_000, 20_000


@dataclass(frozen=True)
class ChainSettings:
    """Settings of the chains.

    Attributes
    ----------
    n_replicas
        Independent runs, whose agreement is reported.
    n_temperatures
        Chains of each run at different temperatures, which exchange their places; only the first is sampled.
    hottest
        Inverse temperature of the last of them; the others lie between it and 1.
    n_records
        Length of each run: records made, the burn-in included. None: until the runs agree.
    fewest_records, most_records
        Limits of the length if it is not given. The upper one may be None: fewer the more nodes there are, so that 50
        nodes take minutes.
    aim
        The length, if it is not given, is doubled until edge probabilities of the runs differ by no more than this.
    sweeps
        Moves between two records, divided by the number of nodes.
    burn_in
        Share of the records, at the beginning, that are not used.
    moves
        Relative frequencies of: splitting and joining layers, relocating a node, swapping nodes of neighbouring layers,
        swapping nodes of any layers, reversing edges.
    warm_reversals
        How often edges are reversed at higher temperatures, relative to temperature 1: reversals draw parents by their
        full weights, which warm chains reject more often, and take as long as tens of other moves.
    n_reversals
        Edges that are tried in one DAG.
    n_jobs
        Threads for the runs; the result is the same whatever their number.
    """

    n_replicas: int = 4
    n_temperatures: int = 8
    hottest: float = 0.2
    n_records: int | None = None
    fewest_records: int = 1000
    most_records: int | None = None
    aim: float = 0.06
    sweeps: float = 2.0
    burn_in: float = 0.3
    moves: tuple[float, float, float, float, float] = (0.25, 0.43, 0.15, 0.1, 0.07)
    warm_reversals: float = 0.15
    n_reversals: int = 10
    n_jobs: int = 1

    def __post_init__(self) -> None:
        if self.n_replicas < 2:
            raise InputError(f"n_replicas must be at least 2, since their agreement is judged, got {self.n_replicas}")
        if self.n_temperatures < 1:
            raise InputError(f"n_temperatures must be at least 1, got {self.n_temperatures}")
        if not 0.0 <= self.burn_in < 1.0:
            raise InputError(f"burn_in must be at least 0 and below 1, got {self.burn_in}")
        if not 0.0 < self.warm_reversals <= 1.0:
            raise InputError(f"warm_reversals must be above 0 and at most 1, got {self.warm_reversals}")
        if min(self.moves) < 0.0 or sum(self.moves) <= 0.0:
            raise InputError(f"moves must be non-negative and not all zero, got {self.moves}")

    def cumulative_moves(self) -> NDArray[np.float64]:
        """Cumulative probabilities of the kinds of moves in each chain, (n_temperatures, 5)."""
        moves = np.tile(np.array(self.moves, dtype=float), (self.n_temperatures, 1))
        moves[1:, -1] *= self.warm_reversals
        cumulative: NDArray[np.float64] = np.cumsum(moves, axis=1) / moves.sum(axis=1, keepdims=True)
        # Rounding must not leave a gap at the end that belongs to no move, or to one that is never to be made.
        cumulative[:, np.flatnonzero(self.moves)[-1] :] = 1.0
        return cumulative

    def inverse_temperatures(self) -> NDArray[np.float64]:
        """Inverse temperatures from 1 downwards in equal ratios, (n_temperatures,)."""
        return np.geomspace(1.0, self.hottest, self.n_temperatures) if self.n_temperatures > 1 else np.ones(1)

    def longest(self, n_nodes: int) -> int:
        """The most records of a run if their number is not given."""
        if self.most_records is not None:
            return self.most_records
        return min(max(_RECORDS_TIMES_NODES // n_nodes, _FEWEST_LONGEST), _MOST_LONGEST)

    def steps_between_records(self, n_nodes: int) -> int:
        """Moves of each chain between two records."""
        return max(1, round(self.sweeps * n_nodes))
