"""What the chains found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagsearch.confidence.chains.agreement import Agreement

MOVES = ("split or join", "relocate", "swap neighbours", "swap any", "reverse", "exchange temperatures")
"""What `ChainsOutcome.acceptance` tells of, in this order."""


@dataclass(frozen=True)
class ChainsOutcome:
    """Sampled DAGs and what was made of them.

    Attributes
    ----------
    candidates
        (n_nodes, n_candidates) possible parents of each node, -1: none.
    parents
        (n_samples, n_nodes) the sampled DAGs: bit c of a number says whether candidate c is a parent.
    chain
        (n_samples,) which of the independent chains a DAG is from.
    log_scores
        (n_samples,) log weight of each sampled DAG, in nats.
    edge_probabilities
        (n_nodes, n_nodes) probability of each edge, the mean over visited partitions of the exact probability given the
        partition: closer than the frequency among the samples. Every chain counts the same.
    edge_probabilities_by_chain
        (n_chains, n_nodes, n_nodes) the same for each independent chain.
    agreement
        How far the chains agree.
    acceptance
        (6,) accepted shares of the moves named in `MOVES`, at temperature 1.
    share_of_pairs
        Share of the pairs (cause, effect) that could be edges; the others have probability 0 by assumption.
    n_steps
        Moves made by each chain, those at higher temperatures not counted.
    status
        ``"finished"``, or why the chains ended early: ``"time-limit"`` or ``"interrupted"``.
    """

    candidates: NDArray[np.int64]
    parents: NDArray[np.int32]
    chain: NDArray[np.int64]
    log_scores: NDArray[np.float64]
    edge_probabilities: NDArray[np.float64]
    edge_probabilities_by_chain: NDArray[np.float64]
    agreement: Agreement
    acceptance: NDArray[np.float64]
    share_of_pairs: float
    n_steps: int
    status: str

    @property
    def n_samples(self) -> int:
        """Number of sampled DAGs."""
        return len(self.parents)

    @property
    def agrees(self) -> bool:
        """Whether the chains agree well enough to go by their probabilities."""
        return self.agreement.agrees

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user must know."""
        looked_at = (
            f"Probabilities are conditional on candidate parents: {self.share_of_pairs:.0%} of all ordered pairs of "
            "variables were looked at, the others have probability 0 by assumption."
        )
        notes = (self.agreement.sentence,) if self.share_of_pairs == 1.0 else (self.agreement.sentence, looked_at)
        if self.status == "finished":
            return notes
        return (*notes, f"The chains ended early ({self.status}), after {self.n_steps} moves each.")

    def adjacencies(self, which: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.int8]:
        """Sampled DAGs, (n, n_nodes, n_nodes), or some of them."""
        return adjacencies_of(self.candidates, self.parents[which])


def adjacencies_of(candidates: NDArray[np.int64], parents: NDArray[np.int32]) -> NDArray[np.int8]:
    """Adjacency matrices, (n, n_nodes, n_nodes), of graphs given by sets of candidates, (n, n_nodes)."""
    n_nodes = len(candidates)
    adjacencies = np.zeros((len(parents), n_nodes, n_nodes), dtype=np.int8)
    for node, row in enumerate(candidates):
        for place, cause in enumerate(row[row >= 0]):
            adjacencies[:, cause, node] = parents[:, node] >> place & 1
    return adjacencies


def as_matrix(candidates: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of candidates, (n_nodes, n_candidates), as a matrix of edges, (n_nodes, n_nodes)."""
    matrix = np.zeros((len(candidates), len(candidates)))
    for node, row in enumerate(candidates):
        given = row >= 0
        matrix[row[given], node] = shares[node, given]
    return matrix
