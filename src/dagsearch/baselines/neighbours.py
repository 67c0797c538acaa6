"""Preliminary neighbour selection of CAM: component-wise L2 boosting of each variable on smooth terms of the others.

A learner is a penalised cubic spline of one variable with 4 degrees of freedom. Each of 100 steps adds a tenth of the
fit of the learner that explains most of what is left; variables chosen often enough are kept as possible causes.
All learners live in one Gram matrix, so that a step costs nothing in the number of observations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.optimize import brentq

from dagsearch._twins import Twins
from dagsearch.interruption import look
from dagsearch.memory import require

Floats = NDArray[np.float64]

_DEGREE = 3
_N_INNER_KNOTS = 20
_DEGREES_OF_FREEDOM = 4.0
_RIDGE = 1e-9  # of the penalty, where the data say nothing about a coefficient
_N_STEPS = 100
_STEP_LENGTH = 0.1
_LEAST_SHARE = 0.02
_MOST_NEIGHBOURS = 10
_QUICK_PRODUCTS = 10**10  # multiplications of a matrix product that takes about a second


class _Learner(NamedTuple):
    """A linear smoother: it fits u by basis @ (shrinkage * (basis.T @ u))."""

    basis: Floats  # (n_samples, width)
    shrinkage: Floats  # (width,)


def possible_causes(x: Floats) -> NDArray[np.bool_]:
    """Which variables boosting chooses to explain which.

    Parameters
    ----------
    x
        (n_samples, n_nodes) standardised table.

    Returns
    -------
    ndarray of bool, (n_nodes, n_nodes)
        [i, j]: i was chosen for j in more than 2% of the steps, and more often than the one in eleventh place; or the
        two are the same up to their units. Of such columns the first alone may be chosen, and none of them for each
        other: nothing else would be chosen beside it.
    """
    n_samples, n_nodes = x.shape
    width = n_nodes * (_N_INNER_KNOTS + 1 + _DEGREE)
    require(
        8.0 * (width**2 + 2 * n_samples * width),
        f"the selection of neighbours for {n_nodes:,} columns",
        "keep fewer columns, or set neighbour_selection=False (--no-selection)",
    )
    learners = [_learner(column) for column in x.T]
    stacked = np.hstack([learner.basis for learner in learners])
    gram, responses = _gram(stacked), stacked.T @ (x - x.mean(axis=0))
    shrinkage = np.stack([learner.shrinkage for learner in learners])
    first_twin = Twins.among(x, x).first
    same: NDArray[np.bool_] = first_twin[:, None] == first_twin
    chosen = same & ~np.eye(len(learners), dtype=bool)
    for target in range(len(learners)):
        left_out = same[:, target] | (first_twin != np.arange(len(learners)))
        if not left_out.all():
            counts = _selection_counts(gram, responses[:, target].copy(), shrinkage, left_out)
            chosen[:, target] |= counts > _least_count(counts)
    return chosen


def _gram(columns: Floats) -> Floats:
    """Inner products of all columns; of many, some at a time."""
    if columns.size * columns.shape[1] <= _QUICK_PRODUCTS:
        return columns.T @ columns
    gram = np.empty((columns.shape[1], columns.shape[1]))
    width = max(1, _QUICK_PRODUCTS // columns.size)
    for first in range(0, len(gram), width):
        look()
        gram[:, first : first + width] = columns.T @ columns[:, first : first + width]
    return gram


def _least_count(counts: NDArray[np.int64]) -> float:
    """A variable is kept if it was chosen more often than this; of several that tie for the last places, none is."""
    next_after_most = np.sort(counts)[::-1][_MOST_NEIGHBOURS:][:1]
    return float(max([_LEAST_SHARE * _N_STEPS, *next_after_most.tolist()]))


def _learner(x: Floats) -> _Learner:
    """The penalised spline of one variable."""
    look()
    basis = _spline_basis(x)
    differences = np.sqrt(_RIDGE) * np.diff(np.eye(basis.shape[1]), n=2, axis=0)
    # In these coordinates data and penalty are diagonal together. Squares, as in a Gram matrix, would lose the small
    # values beside those of order 1 / _RIDGE.
    factor = np.linalg.qr(np.vstack([basis, differences]))[0]
    _, values, rotation = np.linalg.svd(factor[len(basis) :])
    roughness = np.zeros(len(rotation))
    roughness[: len(values)] = values**2 / _RIDGE
    return _Learner(factor[: len(basis)] @ rotation.T, 1.0 / (1.0 + _penalty_weight(roughness) * roughness))


def _spline_basis(x: Floats) -> Floats:
    """Cubic B-splines (n_samples, 24) on equidistant knots over the range of the values."""
    inner = np.linspace(x.min(), x.max(), _N_INNER_KNOTS + 2)
    width = inner[1] - inner[0]
    knots = inner[0] + width * np.arange(-_DEGREE, _N_INNER_KNOTS + 2 + _DEGREE)
    # The last knot inside may lie a rounding error below the largest value.
    inside = np.clip(x, knots[_DEGREE], knots[-_DEGREE - 1])
    basis: Floats = BSpline.design_matrix(inside, knots, _DEGREE).toarray()
    return basis


def _penalty_weight(roughness: Floats) -> float:
    """The weight at which tr(2 S - S'S) is 4; 0 if the values are too few for so many degrees of freedom."""

    def excess(log_weight: float) -> float:
        share = 1.0 / (1.0 + np.exp(log_weight) * roughness)
        return float((2.0 * share - share**2).sum() - _DEGREES_OF_FREEDOM)

    low, high = -50.0, 50.0
    return float(np.exp(brentq(excess, low, high))) if excess(low) > 0.0 > excess(high) else 0.0


def _selection_counts(
    gram: Floats, response: Floats, shrinkage: Floats, left_out: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """How often boosting chooses each learner for a target; those in ``left_out``, (n_learners,), never.

    ``response``, (n_learners * width,), holds the inner products of the bases with the target, and is overwritten.
    """
    n_learners, width = shrinkage.shape
    blocks = gram.reshape(n_learners, width, n_learners, width)
    own = blocks[np.arange(n_learners), :, np.arange(n_learners), :]
    counts = np.zeros(n_learners, dtype=np.int64)
    for _ in range(_N_STEPS):
        look()
        products = response.reshape(n_learners, width)
        fits = shrinkage * products
        gains = 2.0 * (fits * products).sum(axis=1) - np.einsum("ia,iab,ib->i", fits, own, fits)
        gains[left_out] = -np.inf
        best = int(gains.argmax())
        counts[best] += 1
        response -= _STEP_LENGTH * (gram[:, best * width : (best + 1) * width] @ fits[best])
    return counts
