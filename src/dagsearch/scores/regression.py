"""BIC from residual sums of squares: F_HV (different variances) and F_EV (equal variances) of the paper.

Linear and quadratic regression read all residuals off one Gram matrix (`kernels.gram`); the matrix is computed once,
and a local score costs nothing in the number of observations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset
from dagsearch.errors import InputError
from dagsearch.graph.bitset import row_of
from dagsearch.interruption import look
from dagsearch.kernels.local import LINEAR, QUADRATIC, regression_terms_of, residual_sum_of_squares
from dagsearch.scores.base import Score, empty_family
from dagsearch.scores.moments import moments

_MAX_GRAM_BYTES = 2**30
_MAX_FULL_NODES = 25
_MAX_LINEAR_NODES = 500
EXTENSION = 3.0
"""Of extended BIC for graphs, 4 gamma of Foygel and Drton (2010): among many candidates, some fit well by chance."""
_QUICK_PRODUCTS = 10**10  # multiplications of a matrix product that takes about a second
_ROUNDING = 1e-10  # of a mean square from a Gram matrix of unit-variance columns, generously


def price_of(min_effect: float) -> float:
    """What an edge must add to -log of the mean square of residuals to explain the share ``min_effect`` of it."""
    return -math.log1p(-min_effect)


def bic_settings(
    n_samples: float, n_variables: int, variances: str, penalty: str, min_effect: float = 0.0
) -> dict[str, Any]:
    """Fields of a `Family` that turn residual sums into the paper's scores, divided by n."""
    equal = variances == "equal"
    n_sharing = n_variables if equal else 1
    many_candidates = EXTENSION * math.log(n_variables) / n_samples if penalty == "extended" else 0.0
    return {
        "n_samples": float(n_samples),
        "equal_variances": equal,
        "penalise_parameters": penalty != "edges",
        "penalty_weight": math.log(n_samples) / n_samples / n_sharing,
        "edge_price": (price_of(min_effect) + many_candidates) / n_sharing,
    }


def _products(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """All products x_k x_l, k <= l, in the order of `kernels.gram.product_column`."""
    n_nodes = x.shape[1]
    return np.concatenate([x[:, [k]] * x[:, k:] for k in range(n_nodes)], axis=1)


def _gram(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inner products of centred, unit-variance columns divided by n; a constant column becomes zero."""
    centred = columns - columns.mean(axis=0)
    scale = centred.std(axis=0)
    scale[scale < 1e-12] = np.inf
    centred /= scale
    if centred.size * centred.shape[1] <= _QUICK_PRODUCTS:
        return np.ascontiguousarray(centred.T @ centred) / len(columns)
    gram = np.empty((centred.shape[1], centred.shape[1]))
    width = max(1, _QUICK_PRODUCTS // centred.size)
    for first in range(0, len(gram), width):
        look()
        gram[:, first : first + width] = centred.T @ centred[:, first : first + width]
    return 0.5 * (gram + gram.T) / len(columns)


class GramScore(Score):
    """BIC of a regression whose residuals follow from one Gram matrix."""

    approximates: ClassVar[bool] = True

    def __init__(
        self,
        data: Dataset,
        family_code: int,
        gram: NDArray[np.float64],
        variances: str,
        penalty: str,
        min_effect: float,
        n_samples: float | None = None,
    ) -> None:
        n_columns = len(gram) if family_code == QUADRATIC else data.n_nodes
        super().__init__(
            data.n_nodes,
            empty_family(
                data.n_nodes,
                code=family_code,
                gram=gram,
                work=np.empty((n_columns + 1, n_columns + 1)),
                columns=np.empty(n_columns + 1, dtype=np.int64),
                **bic_settings(
                    data.n_samples if n_samples is None else n_samples, data.n_variables, variances, penalty, min_effect
                ),
            ),
        )
        self.penalty = penalty

    @property
    def nats(self) -> float:
        """Half the number of rows: a reward is minus the log of the mean square, whose likelihood has a power n/2."""
        return 0.5 * float(self.family.n_samples)

    def best_values(self) -> NDArray[np.float64]:
        """Values given all other nodes, or of a perfect fit if so many columns would take minutes."""
        if self.n_nodes > (_MAX_FULL_NODES if self.family.code == QUADRATIC else _MAX_LINEAR_NODES):
            residuals = [0.0] * self.n_nodes
        else:
            residuals = [self._rss_given_all_others(node) for node in range(self.n_nodes)]
        least = np.maximum(np.array(residuals) - _ROUNDING * self.family.n_samples, 0.0)
        return np.array([regression_terms_of(self.family, rss, 0, 0.0)[0] for rss in least])

    def _rss_given_all_others(self, node: int) -> float:
        look()
        return self.rss(node, [p for p in range(self.n_nodes) if p != node])

    def rss(self, node: int, parents: Iterable[int]) -> float:
        """Residual sum of squares of the standardised ``node`` regressed on its parents (indices)."""
        parents = list(parents)
        self._check_family(node, parents)
        with self.cache.lock:
            return float(residual_sum_of_squares(self.family, node, row_of(parents, self.n_nodes), self.cache.words))


class LinearScore(GramScore):
    """BIC with ordinary least squares on the parents, with intercept; cells may be missing."""

    name: ClassVar[str] = "bic-linear"

    @property
    def is_equivalent(self) -> bool:
        """With different variances; equal ones tell graphs of a class apart."""
        return not self.equal_variances

    def __init__(
        self, data: Dataset, variances: str = "different", penalty: str = "edges", min_effect: float = 0.0
    ) -> None:
        if data.is_complete:
            super().__init__(data, LINEAR, _gram(data.standardised()), variances, penalty, min_effect)
            return
        data.require_numbers()
        found = moments(data.values, data.names)
        super().__init__(data, LINEAR, found.correlations, variances, penalty, min_effect, found.n_rows)


class QuadraticScore(GramScore):
    """BIC with least squares on all monomials of degree at most two of the parents."""

    name: ClassVar[str] = "bic-quadratic"

    def __init__(
        self, data: Dataset, variances: str = "different", penalty: str = "edges", min_effect: float = 0.0
    ) -> None:
        n_columns = data.n_nodes * (data.n_nodes + 3) // 2
        if 8 * n_columns**2 > _MAX_GRAM_BYTES:
            largest = int((math.sqrt(9 + 8 * math.sqrt(_MAX_GRAM_BYTES / 8)) - 3) / 2)
            raise InputError(
                f"bic-quadratic takes at most {largest} variables, got {data.n_nodes}: its table of moments would need "
                f"{8 * n_columns**2 / 2**30:.1f} GiB; use score='bic-linear'"
            )
        x = data.standardised()
        super().__init__(data, QUADRATIC, _gram(np.hstack([x, _products(x)])), variances, penalty, min_effect)
