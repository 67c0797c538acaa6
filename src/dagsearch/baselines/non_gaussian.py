"""What the variants of LiNGAM share: the outcome, what is known of edges, the effects along an order, the input.

Causes are found along a causal order by adaptive lasso with the penalty by BIC; effects are those of least squares on
the causes that are left. Only allowed causes are candidates, to which required ones are added.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoLarsIC

from dagsearch._twins import proportional
from dagsearch.errors import DataError

Floats = NDArray[np.float64]
BoolMatrix = NDArray[np.bool_]
Listener = Callable[[list[int], Floats], None]
"""Called with the order so far and the weights so far, which are written to; may raise."""
Selection = Callable[[Floats, Floats], NDArray[np.bool_]]
"""Tells which columns of a standardised table, (n_samples, n_columns), are causes of a standardised variable."""

# Relative to the largest one: what rounding leaves of a singular value that is zero.
_NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class LingamFit:
    """Outcome of `lingam` or `direct_lingam`.

    Parameters
    ----------
    weights
        (n_nodes, n_nodes): [i, j] is the effect of i on j, 0 for no edge.
    order
        The variables, causes before effects.
    n_iterations
        Iterations of FastICA; 0 where there is none.
    converged
        Whether FastICA and all lasso paths came to their end.
    """

    weights: Floats
    order: tuple[int, ...]
    n_iterations: int
    converged: bool


class Known(NamedTuple):
    """What is known of edges, (n_nodes, n_nodes) each."""

    allowed: BoolMatrix
    required: BoolMatrix

    @classmethod
    def over(cls, n_nodes: int, allowed: BoolMatrix | None = None, required: BoolMatrix | None = None) -> Known:
        """Knowledge as it was given, or none."""
        everything = np.ones((n_nodes, n_nodes), dtype=bool)
        return cls(everything if allowed is None else allowed, ~everything if required is None else required)


# ---------------------------------------------------------------- the effects along an order


def weights_along(
    order: list[int],
    values: Floats,
    standardised: Floats,
    known: Known,
    on_effects: Listener | None,
    select: Selection | None = None,
) -> Floats:
    """Estimate the effect of each variable on the later ones, (n_nodes, n_nodes): [i, j] that of i on j.

    Causes are those that ``select`` tells; by default those that are `relevant`.
    """
    select = select or relevant
    weights = np.zeros((len(order), len(order)))
    for position in range(1, len(order)):
        if on_effects is not None:
            on_effects(order, weights)
        target, earlier = order[position], np.array(order[:position])
        earlier = earlier[known.allowed[earlier, target]]
        if len(earlier) == 0:
            continue
        is_relevant = select(standardised[:, earlier], standardised[:, target])
        parents = earlier[is_relevant | known.required[earlier, target]]
        weights[parents, target] = _least_squares(values[:, parents], values[:, target])
    return weights


def relevant(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Tell which columns the adaptive lasso keeps: each is scaled by its coefficient of least squares (Zou 2006)."""
    lasso = LassoLarsIC(criterion="bic").fit(x * np.abs(_least_squares(x, y)), y)
    kept: NDArray[np.bool_] = lasso.coef_ != 0.0
    return kept


def _least_squares(x: Floats, y: Floats) -> Floats:
    """Coefficients of a regression with intercept."""
    coefficients: Floats = np.linalg.lstsq(x - x.mean(axis=0), y - y.mean(), rcond=None)[0]
    return coefficients


# ---------------------------------------------------------------- warnings and input


@contextmanager
def convergence_warnings() -> Iterator[list[str]]:
    """Collect warnings of algorithms that did not converge, from the end of the context on; let others pass."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield notes
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            notes.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def standardised_table(values: Floats, names: Sequence[str] | None) -> Floats:
    """Return the table with columns of mean 0 and variance 1.

    Raises
    ------
    DataError
        If there are too few rows, or if columns are constant or linearly dependent; the message names them.
    """
    _require_more_rows_than_columns(values)
    labels = [f"column {k}" for k in range(values.shape[1])] if names is None else [repr(name) for name in names]
    _require_variation(values, labels)
    standardised: Floats = (values - values.mean(axis=0)) / values.std(axis=0)
    _require_independence(standardised, values, labels)
    return standardised


def _require_more_rows_than_columns(values: Floats) -> None:
    n_samples, n_nodes = values.shape
    if n_samples <= n_nodes:
        raise DataError(f"LiNGAM needs more rows than columns, got {n_samples} rows and {n_nodes} columns")


def _require_variation(values: Floats, labels: Sequence[str]) -> None:
    constant = np.flatnonzero(np.ptp(values, axis=0) == 0.0)
    if len(constant):
        raise DataError(f"LiNGAM needs columns that vary; constant: {_listed(constant, labels)}")


def _require_independence(standardised: Floats, values: Floats, labels: Sequence[str]) -> None:
    """Raise where a column is a linear combination of others, naming all that take part, or the first twins."""
    for group in proportional(standardised, values):
        named = _listed(np.array(group), labels)
        raise DataError(
            f"LiNGAM needs linearly independent columns; the same up to their units: {named}; drop all but one of them"
        )
    _, sizes, directions = np.linalg.svd(standardised, full_matrices=False)
    vanishing = directions[sizes <= _NEGLIGIBLE * sizes[0]]
    if len(vanishing):
        involved = np.flatnonzero(np.abs(vanishing).max(axis=0) > np.sqrt(_NEGLIGIBLE))
        named = _listed(involved, labels)
        raise DataError(f"LiNGAM needs linearly independent columns; dependent: {named}; drop one of them")


def _listed(columns: NDArray[np.int64], labels: Sequence[str]) -> str:
    return ", ".join(labels[column] for column in columns.tolist())
