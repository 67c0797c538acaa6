"""One of several independent runs: chains at several temperatures, and the records of the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.confidence.chains.settings import ChainSettings
from dagsearch.kernels.partition_chains import N_MOVES, Records, enter, run_chains
from dagsearch.kernels.partition_moves import Chains
from dagsearch.kernels.partition_reversal import Graph
from dagsearch.kernels.partition_sums import ParentTables

BLOCK_LENGTH = 50
"""Records whose probabilities are kept as one sum."""


@dataclass(frozen=True)
class Kept:
    """What is kept of a run.

    Attributes
    ----------
    parents
        (n_records, n_nodes) sampled DAGs: each node's parents as a set of its candidates.
    log_scores
        (n_records,) log scores of the partitions they were drawn from, up to a constant.
    shares
        (n_nodes, n_candidates) probability of each candidate to be a parent.
    """

    parents: NDArray[np.int32]
    log_scores: NDArray[np.float64]
    shares: NDArray[np.float64]


class Replica:
    """Chains that go on whenever they are told to.

    Parameters
    ----------
    tables
        Weights of parent sets.
    layers
        (n_nodes,) layer of each node at the start.
    seed
        Of the kernel's random generator.
    settings
        Temperatures and moves.
    """

    def __init__(self, tables: ParentTables, layers: NDArray[np.int64], seed: int, settings: ChainSettings) -> None:
        self._tables = tables
        self._settings = settings
        self._cumulative = settings.cumulative_moves()
        self._n_steps = settings.steps_between_records(len(layers))
        self._chains = new_chains(settings.inverse_temperatures(), len(layers), seed)
        self._graph = new_graph(tables.candidates)
        self._blocks: list[Records] = []
        self.counts = np.zeros((settings.n_temperatures, N_MOVES + 1, 2), dtype=np.int64)
        self.start_score = float(enter(tables, self._chains, layers))

    @property
    def n_records(self) -> int:
        """Number of records so far."""
        return sum(int(block.n_made[0]) for block in self._blocks)

    def advance(self, n_records: int) -> int:
        """Make at most so many records more; returns how many were made."""
        if not self._blocks or self._blocks[-1].n_made[0] == BLOCK_LENGTH:
            self._blocks.append(new_records(*self._tables.candidates.shape))
        block = self._blocks[-1]
        n_now = min(n_records, BLOCK_LENGTH - int(block.n_made[0]))
        run_chains(
            self._tables, self._chains, self._graph, block, self._cumulative, self._settings.n_reversals,
            self._n_steps, n_now, self.counts,
        )  # fmt: skip
        return n_now

    def kept(self) -> Kept:
        """Records after the burn-in, which is a share of all blocks."""
        blocks = self._blocks[int(self._settings.burn_in * len(self._blocks)) :]
        lengths = [int(block.n_made[0]) for block in blocks]
        return Kept(
            parents=np.concatenate([block.parents[:n] for block, n in zip(blocks, lengths, strict=True)]),
            log_scores=np.concatenate([block.log_score[:n] for block, n in zip(blocks, lengths, strict=True)]),
            shares=np.sum([block.share_sum for block in blocks], axis=0) / sum(lengths),
        )


def new_chains(inverse_temperatures: NDArray[np.float64], n_nodes: int, seed: int) -> Chains:
    """Arrays of chains at these temperatures; `enter` puts them at a start."""
    shape = (len(inverse_temperatures) + 1, n_nodes)
    return Chains(
        inverse_temperatures=inverse_temperatures,
        random=np.array([seed], dtype=np.uint64),
        layer=np.zeros(shape, dtype=np.int64),
        n_layers=np.zeros(shape[0], dtype=np.int64),
        earlier=np.zeros(shape, dtype=np.int64),
        adjacent=np.zeros(shape, dtype=np.int64),
        score=np.zeros(shape),
        total=np.zeros(shape[0]),
        is_bound=np.zeros(n_nodes, dtype=bool),
    )


def new_graph(candidates: NDArray[np.int64]) -> Graph:
    """An empty graph."""
    n_nodes = len(candidates)
    n_words = (n_nodes + 63) // 64
    place = np.full((n_nodes, n_nodes), -1, dtype=np.int64)
    for node, row in enumerate(candidates):
        given = row[row >= 0]
        place[given, node] = np.arange(len(given))
    return Graph(
        parents=np.zeros(n_nodes, dtype=np.int64),
        children=np.zeros((n_nodes, n_words), dtype=np.uint64),
        reached=np.zeros(n_words, dtype=np.uint64),
        stack=np.zeros(n_nodes, dtype=np.int64),
        n_open=np.zeros(n_nodes, dtype=np.int64),
        place=place,
    )


def new_records(n_nodes: int, n_candidates: int) -> Records:
    """Room for a block of records."""
    return Records(
        n_made=np.zeros(1, dtype=np.int64),
        parents=np.zeros((BLOCK_LENGTH, n_nodes), dtype=np.int32),
        log_score=np.zeros(BLOCK_LENGTH),
        share_sum=np.zeros((n_nodes, n_candidates)),
        share=np.zeros((n_nodes, n_candidates)),
        earlier=np.full(n_nodes, -1, dtype=np.int64),
        adjacent=np.full(n_nodes, -1, dtype=np.int64),
    )
