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
from dagsearch.kernels.local import LINEAR, QUADRATIC, Family, regression_terms_of, residual_sum_of_squares
from dagsearch.kernels.refit import NO_FACTOR, Refit
from dagsearch.scores.base import NO_REFIT, Score, empty_family
from dagsearch.scores.moments import moments

_MAX_GRAM_BYTES = 2**30
_MAX_FULL_NODES = 25
_MAX_LINEAR_NODES = 500
EXTENSION = 3.0
"""Of extended BIC for graphs, 4 gamma of Foygel and Drton (2010): among many candidates, some fit well by chance."""
_QUICK_PRODUCTS = 10**10  # multiplications of a matrix product that takes about a second
_MOST_REFIT_WORK = 10**8
"""Rows times the square of columns of a fit that goes back to the columns: more would take seconds."""
_NEAR_COLLINEAR = 3e-5  # least eigenvalue of correlations: of second differences, the square of it is left
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


def _squares_of_two_values(x: NDArray[np.float64]) -> NDArray[np.intp]:
    """Columns of the quadratic Gram matrix that are squares of variables with two values: these determine them."""
    has_two = ((x == x.min(axis=0)) | (x == x.max(axis=0))).all(axis=0)
    low, high = np.triu_indices(x.shape[1])
    squares: NDArray[np.intp] = x.shape[1] + np.flatnonzero((low == high) & has_two[low])
    return squares


def _refit(x: NDArray[np.float64], n_columns: int) -> Refit:
    """The columns behind a Gram matrix, with room for as many of them as a fit of a tenth of a second has."""
    n_samples, n_nodes = x.shape
    low, high = np.triu_indices(n_nodes)
    variables = np.column_stack([np.arange(n_nodes), np.full(n_nodes, NO_FACTOR)])
    room = min(n_columns, math.isqrt(_MOST_REFIT_WORK // n_samples))
    return Refit(
        variables=np.ascontiguousarray(x.T),
        factors=np.concatenate([variables, np.column_stack([low, high])])[:n_columns],
        basis=np.empty((room + 1, n_samples)),
    )


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
        refit: Refit | None = None,
        searches_refit: bool = True,
    ) -> None:
        n_columns = len(gram) if family_code == QUADRATIC else data.n_nodes
        self._refit = refit or NO_REFIT
        super().__init__(
            data.n_nodes,
            empty_family(
                data.n_nodes,
                code=family_code,
                gram=gram,
                work=np.empty((n_columns + 1, n_columns + 1)),
                columns=np.empty(n_columns + 1, dtype=np.int64),
                refit=self._refit if searches_refit else NO_REFIT,
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
        """Values given all other nodes, or of a perfect fit if so many columns would take long."""
        if self._cannot_fit_all():
            residuals = [0.0] * self.n_nodes
        else:
            residuals = [self._rss_given_all_others(node) for node in range(self.n_nodes)]
        least = np.maximum(np.array(residuals) - _ROUNDING * self.family.n_samples, 0.0)
        return np.array([regression_terms_of(self.family, rss, 0, 0.0)[0] for rss in least])

    def _cannot_fit_all(self) -> bool:
        """Whether a fit on all other nodes would take seconds, or not go back to the columns as those of fewer do."""
        if self.n_nodes > (_MAX_FULL_NODES if self.family.code == QUADRATIC else _MAX_LINEAR_NODES):
            return True
        refit = self.family.refit
        return len(refit.variables) > 0 and len(self.family.columns) > len(refit.basis)

    def _rss_given_all_others(self, node: int) -> float:
        look()
        return self._rss(self.family, node, [p for p in range(self.n_nodes) if p != node])

    def rss(self, node: int, parents: Iterable[int]) -> float:
        """Residual sum of squares of the standardised ``node`` regressed on its parents (indices)."""
        parents = list(parents)
        self._check_family(node, parents)
        return self._rss(self.family._replace(refit=self._refit), node, parents)

    def _rss(self, family: Family, node: int, parents: list[int]) -> float:
        with self.cache.lock:
            return float(residual_sum_of_squares(family, node, row_of(parents, self.n_nodes), self.cache.words))


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
            x = data.standardised()
            super().__init__(data, LINEAR, _gram(x), variances, penalty, min_effect, refit=_refit(x, data.n_nodes))
            return
        data.require_numbers()
        found = moments(data.values, data.names)
        super().__init__(data, LINEAR, found.correlations, variances, penalty, min_effect, found.n_rows)


class QuadraticScore(GramScore):
    """BIC with least squares on all monomials of degree at most two of the parents.

    Monomials of heavy-tailed columns may be near-collinear though the columns are not, without any telling much beside
    the others. Searches go back to the columns only where these are near-collinear themselves; `rss` always does.
    """

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
        gram = _gram(np.hstack([x, _products(x)]))
        for square in _squares_of_two_values(x):
            gram[square], gram[:, square] = 0.0, 0.0
        is_near_collinear = bool(np.linalg.eigvalsh(gram[: data.n_nodes, : data.n_nodes])[0] < _NEAR_COLLINEAR)
        super().__init__(
            data,
            QUADRATIC,
            gram,
            variances,
            penalty,
            min_effect,
            refit=_refit(x, n_columns),
            searches_refit=is_near_collinear,
        )
