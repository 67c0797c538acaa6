"""Scores of discrete tables by counting: BIC (F_DV of the paper, with parameter counts) and BDeu, divided by n."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset
from dagsearch.errors import InputError
from dagsearch.kernels.local import BDEU, DISCRETE_BIC
from dagsearch.scores.base import Score, empty_family
from dagsearch.scores.levels import Levels, cardinalities, known_levels

_MIN_CELLS = 1 << 12


class CountingScore(Score):
    """A score that is a function of the counts of (parents' joint value, node's value).

    The levels of a column that could have been seen matter to the penalty and to the prior alone: what is counted are
    those that were seen, and so a column may have far more.
    """

    def __init__(self, data: Dataset, family_code: int, penalty_weight: float, levels: Levels) -> None:
        codes = data.codes()
        n_seen = codes.max(axis=0).astype(np.int64) + 1
        known = known_levels(data, levels)
        # Equal rows are counted once with a weight: a table of few binary columns has few distinct rows.
        rows, weights = np.unique(codes, axis=0, return_counts=True)
        counts = np.arange(1, data.n_samples + 1)
        # Joint values of parents are renumbered when they outgrow the scratch, and there are no more than rows.
        n_cells = max(_MIN_CELLS, len(rows)) * int(n_seen.max())
        super().__init__(
            data.n_nodes,
            empty_family(
                data.n_nodes,
                code=family_code,
                n_samples=float(data.n_samples),
                penalty_weight=penalty_weight,
                codes=np.ascontiguousarray(rows.T, dtype=np.int32),
                weights=weights.astype(np.int64),
                levels=n_seen,
                cardinalities=cardinalities(data, known),
                x_log_x=np.concatenate([[0.0], counts * np.log(counts)]),
                columns=np.empty(data.n_nodes + 1, dtype=np.int64),
                cells=np.empty(len(rows), dtype=np.int64),
                relabel=np.empty(n_cells, dtype=np.int64),
                table=np.empty(n_cells, dtype=np.int64),
            ),
        )
        self.penalty = "parameters"
        self.levels = levels if isinstance(levels, str) else known

    @property
    def nats(self) -> float:
        """The number of rows: rewards are log probabilities of the table divided by it."""
        return float(self.family.n_samples)

    @property
    def is_equivalent(self) -> bool:
        """Both scores are."""
        return True

    @property
    def constant_nodes(self) -> NDArray[np.bool_]:
        """Nodes whose column holds one value only, (n_nodes,)."""
        constant: NDArray[np.bool_] = self.family.codes.max(axis=1) == 0
        return constant


class DiscreteBICScore(CountingScore):
    """Log-likelihood minus half log(n) per free parameter."""

    name: ClassVar[str] = "bic-discrete"
    approximates: ClassVar[bool] = True

    def __init__(self, data: Dataset, levels: Levels = "seen") -> None:
        super().__init__(data, DISCRETE_BIC, 0.5 * math.log(data.n_samples) / data.n_samples, levels)


class BDeuScore(CountingScore):
    """Log marginal likelihood under a uniform Dirichlet prior worth ``sample_size`` observations."""

    name: ClassVar[str] = "bdeu"
    affordable: ClassVar[int] = 2_000_000

    def __init__(self, data: Dataset, sample_size: float = 1.0, levels: Levels = "seen") -> None:
        if not isinstance(sample_size, int | float) or not 0 < sample_size < math.inf:
            raise InputError(f"sample_size must be a positive number, got {sample_size!r}")
        super().__init__(data, BDEU, float(sample_size), levels)

    def best_values(self) -> NDArray[np.float64]:
        """The logarithm of a probability is never positive; surveys find sharper bounds."""
        return np.zeros(self.n_nodes)
