"""Probabilities against what is true, by bins: reliability, calibration error, Brier score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

N_BINS = 10
_INNER_BOUNDS = np.arange(1, N_BINS) / N_BINS


@dataclass(frozen=True, eq=False)
class Reliability:
    """Sums over pairs of variables, by the bins of their probabilities; all measures follow from these.

    A bin has its upper bound and not its lower one, so that the last one is what is above 90%; the first one has 0.

    Attributes
    ----------
    counts
        (10,) number of pairs.
    probabilities
        (10,) sum of their probabilities.
    truths
        (10,) how many of them are true.
    squares
        Sum over all pairs of (probability - truth)^2.
    """

    counts: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    truths: NDArray[np.float64]
    squares: float

    @classmethod
    def of(cls, probabilities: NDArray[np.float64], truths: NDArray[np.bool_]) -> Self:
        """Put pairs into bins; both arrays are of one dimension."""
        bins = np.searchsorted(_INNER_BOUNDS, probabilities, side="left")
        return cls(
            *(
                np.bincount(bins, weights, minlength=N_BINS).astype(np.float64)
                for weights in (None, probabilities, truths)
            ),
            squares=float(np.sum((probabilities - truths) ** 2)),
        )

    @classmethod
    def of_edges(cls, edge_probability: NDArray[np.float64], adjacency: NDArray[np.int8]) -> Self:
        """Of ordered pairs: whether there is an edge from the first to the second."""
        pairs = ~np.eye(len(adjacency), dtype=bool)
        return cls.of(edge_probability[pairs], adjacency[pairs] != 0)

    @classmethod
    def of_adjacencies(cls, adjacency_probability: NDArray[np.float64], adjacency: NDArray[np.int8]) -> Self:
        """Of unordered pairs: whether there is an edge, whatever its direction."""
        pairs = np.triu_indices(len(adjacency), k=1)
        return cls.of(adjacency_probability[pairs], (adjacency + adjacency.T)[pairs] != 0)

    @classmethod
    def total(cls, parts: Sequence[Self], weights: NDArray[np.float64] | None = None) -> Self:
        """The sum of parts, each taken as often as its weight says."""
        often = np.ones(len(parts)) if weights is None else weights
        names = ("counts", "probabilities", "truths", "squares")
        counts, probabilities, truths, squares = (
            np.tensordot(often, np.array([getattr(part, name) for part in parts]), axes=1) for name in names
        )
        return cls(counts, probabilities, truths, float(squares))

    @property
    def n_pairs(self) -> float:
        """Number of pairs."""
        return float(self.counts.sum())

    @property
    def base_rate(self) -> float:
        """Share of the pairs that are true."""
        return float(self.truths.sum() / self.n_pairs)

    @property
    def calibration_error(self) -> float:
        """Mean over pairs of how far the mean probability of their bin is from the share of it that is true."""
        return float(np.abs(self.probabilities - self.truths).sum() / self.n_pairs)

    @property
    def error_above_lowest(self) -> float:
        """The calibration error without the lowest bin, which most pairs are in; NaN if there are no others."""
        n_pairs = self.counts[1:].sum()
        return float(np.abs(self.probabilities - self.truths)[1:].sum() / n_pairs) if n_pairs else float("nan")

    @property
    def brier(self) -> float:
        """Mean squared difference of probability and truth."""
        return self.squares / self.n_pairs

    @property
    def base_brier(self) -> float:
        """The Brier score of giving every pair the share that is true as its probability."""
        return self.base_rate * (1.0 - self.base_rate)

    @property
    def n_sure(self) -> float:
        """Number of pairs above 90%."""
        return float(self.counts[-1])

    @property
    def right_of_sure(self) -> float:
        """Share of the pairs above 90% that are true; NaN without any."""
        return float(self.truths[-1] / self.n_sure) if self.n_sure else float("nan")

    @property
    def claimed_of_sure(self) -> float:
        """Mean probability of the pairs above 90%: the share that should be true; NaN without any."""
        return float(self.probabilities[-1] / self.n_sure) if self.n_sure else float("nan")

    def to_json(self) -> list[Any]:
        """Sums of squares, and then of each bin that is not empty: its position, count, probabilities, truths."""
        filled = np.flatnonzero(self.counts)
        bins = [
            [int(k), int(self.counts[k]), round(float(self.probabilities[k]), 3), int(self.truths[k])] for k in filled
        ]
        return [round(self.squares, 4), *bins]

    @classmethod
    def from_json(cls, stored: Sequence[Any]) -> Self:
        """What `to_json` wrote."""
        squares, *bins = stored
        sums = np.zeros((3, N_BINS))
        for k, *values in bins:
            sums[:, k] = values
        return cls(*sums, squares=float(squares))
