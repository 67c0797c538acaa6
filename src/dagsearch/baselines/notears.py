r"""NOTEARS for linear models: a DAG as the solution of a smooth problem with one constraint (Zheng et al. 2018).

::

    minimise    1/(2n) ||X - X W||_F^2  +  l1 ||W||_1
    subject to  h(W) = tr exp(W o W) - d = 0,    where o is the product by entries

An augmented Lagrangian turns the constraint into a penalty (their algorithm 1). W is split into two parts that are at
least zero, W = W+ - W-, which makes the l1 term linear, so that L-BFGS-B solves each step. The loss sees the data
only by its covariances: an evaluation costs nothing in the number of observations.

What is known beforehand are bounds: an edge that is not allowed has weight zero, and so has one that would close a
cycle with required edges. A required edge has an absolute weight of at least the threshold, with the sign that it has
in the regression of its effect on all allowed causes: with either sign possible the problem would fall apart in two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fmin_l_bfgs_b

from dagsearch.baselines.exponential import exponential
from dagsearch.blas import one_blas_thread
from dagsearch.errors import InputError
from dagsearch.graph.order import edges_on_cycles
from dagsearch.interruption import look

Floats = NDArray[np.float64]

_H_TOLERANCE = 1e-8
_RHO_MAX = 1e16
_RHO_GROWTH = 10.0
_PROGRESS_RATE = 0.25  # a step must bring h below this share of what it was, or rho grows
_LEAST_REQUIRED = 0.01  # absolute weight of a required edge, should the threshold be smaller
_MOST_WALKS = 1e100  # far beyond any solution, and its square times rho is a number still


@dataclass(frozen=True)
class NotearsState:
    """Where the optimisation stands at one evaluation.

    Parameters
    ----------
    step
        Number of the step of the augmented Lagrangian, from 1.
    rho
        Weight of the squared constraint.
    h
        Distance from acyclicity, 0 for a DAG.
    objective
        Loss and l1 term, without the constraint.
    weights
        (n_nodes, n_nodes), not thresholded; a copy that the receiver may keep.
    """

    step: int
    rho: float
    h: float
    objective: float
    weights: Floats


@dataclass(frozen=True)
class NotearsFit:
    """Outcome of `notears`.

    Parameters
    ----------
    weights
        (n_nodes, n_nodes): [i, j] is the effect of i on j, 0 where it is below the threshold. The graph of the
        others need not be acyclic: see `without_cycles`.
    raw_weights
        The same before the threshold.
    h
        Distance of the raw weights from acyclicity.
    n_steps
        Steps of the augmented Lagrangian.
    converged
        Whether ``h`` came down to 1e-8.
    """

    weights: Floats
    raw_weights: Floats
    h: float
    n_steps: int
    converged: bool


Listener = Callable[[NotearsState], None]


def notears(
    values: Floats,
    l1: float = 0.1,
    threshold: float = 0.3,
    allowed: NDArray[np.bool_] | None = None,
    max_steps: int = 100,
    on_evaluation: Listener | None = None,
    required: NDArray[np.bool_] | None = None,
) -> NotearsFit:
    """Fit a linear model whose graph is acyclic, up to numerical precision.

    Parameters
    ----------
    values
        (n_samples, n_nodes) standardised table.
    l1
        Weight of the sum of absolute weights, at least 0.
    threshold
        Weights smaller than this become zero in the end.
    allowed
        (n_nodes, n_nodes) of bool, [i, j]: i may be a cause of j. By default all pairs; the diagonal never is.
    max_steps
        Most steps of the augmented Lagrangian.
    on_evaluation
        Called at every evaluation of the Lagrangian. An exception that it raises ends the fit and reaches the
        caller, who has the weights of the last state, to be cut by `thresholded`.
    required
        (n_nodes, n_nodes) of bool, [i, j]: i is a cause of j, with a weight of at least the threshold in absolute
        value. Acyclic and allowed; by default there is none.

    Raises
    ------
    InputError
        If a setting is out of its range, `allowed` does not fit the table, or required edges are not allowed.
    """
    _require_settings(l1, threshold, max_steps)
    covariance = _covariance(values)
    lower, upper = np.zeros((2, *covariance.shape)), _upper_bounds(values.shape[1], allowed)
    if required is not None and required.any():
        lower, upper = _bounds_of_required(covariance, required, max(threshold, _LEAST_REQUIRED), upper)
    problem = _Problem(covariance, l1, _pairs(lower, upper), on_evaluation)
    iterate = _Iterate(lower.copy(), h=np.inf, rho=1.0, multiplier=0.0)
    n_steps = 0
    with one_blas_thread():
        while n_steps < max_steps and iterate.h > _H_TOLERANCE and iterate.rho < _RHO_MAX:
            n_steps += 1
            iterate = _next_iterate(problem, iterate, n_steps)
    raw = _joined(iterate.parts)
    return NotearsFit(thresholded(raw, threshold), raw, iterate.h, n_steps, converged=iterate.h <= _H_TOLERANCE)


def thresholded(weights: Floats, threshold: float) -> Floats:
    """Return the weights with those below the threshold, in absolute value, set to zero.

    Parameters
    ----------
    weights
        Any shape.
    threshold
        Smallest absolute value that stays.
    """
    return np.where(np.abs(weights) < threshold, 0.0, weights)


def without_cycles(weights: Floats, required: NDArray[np.bool_] | None = None) -> Floats:
    """Return the weights without the smallest ones of cycles.

    While there is a directed cycle, the edge with the smallest absolute weight of all that lie on one is dropped;
    among equals the first by rows. Required edges stay.

    Parameters
    ----------
    weights
        (n_nodes, n_nodes): [i, j] is the effect of i on j, 0 for no edge.
    required
        (n_nodes, n_nodes): edges that must stay, without a cycle; by default none.
    """
    acyclic, may_go = weights.copy(), True if required is None else ~required
    while (on_cycle := edges_on_cycles(acyclic != 0.0)).any():
        look()
        sizes = np.where(on_cycle & may_go, np.abs(acyclic), np.inf)
        acyclic[np.unravel_index(sizes.argmin(), sizes.shape)] = 0.0
    return acyclic


# ---------------------------------------------------------------- the augmented Lagrangian


class _Problem(NamedTuple):
    """What stays the same from step to step."""

    covariance: Floats  # (n_nodes, n_nodes)
    l1: float
    bounds: list[tuple[float, float]]  # of the two parts of W, entry by entry
    on_evaluation: Listener | None


class _Iterate(NamedTuple):
    """What a step changes."""

    parts: Floats  # (2, n_nodes, n_nodes), W+ and W-
    h: float
    rho: float
    multiplier: float  # alpha in the paper


def _next_iterate(problem: _Problem, last: _Iterate, step: int) -> _Iterate:
    """Minimise the Lagrangian with the smallest rho that brings h down enough, and update the multiplier."""
    rho = last.rho
    while True:
        parts = _minimise(problem, last._replace(rho=rho), step)
        h = _acyclicity(_joined(parts))[0]
        if h <= _PROGRESS_RATE * last.h:
            break
        rho *= _RHO_GROWTH
        if rho >= _RHO_MAX:
            break
    return _Iterate(parts, h, rho, last.multiplier + rho * h)


def _minimise(problem: _Problem, start: _Iterate, step: int) -> Floats:
    """Minimise the Lagrangian over the two parts of W, for the rho and the multiplier of ``start``."""

    def lagrangian(flat: Floats) -> tuple[float, Floats]:
        return _lagrangian(problem, start._replace(parts=flat.reshape(start.parts.shape)), step)

    solution, _, _ = fmin_l_bfgs_b(lagrangian, start.parts.ravel(), bounds=problem.bounds)
    parts: Floats = solution.reshape(start.parts.shape)
    return parts


def _lagrangian(problem: _Problem, at: _Iterate, step: int) -> tuple[float, Floats]:
    """Value and flat gradient of the augmented Lagrangian; tells the listener."""
    weights = _joined(at.parts)
    loss, loss_gradient = _loss(problem.covariance, weights)
    h, h_gradient = _acyclicity(weights)
    objective = loss + problem.l1 * float(at.parts.sum())
    if problem.on_evaluation is not None:
        problem.on_evaluation(NotearsState(step, at.rho, h, objective, weights))
    smooth_gradient = loss_gradient + (at.rho * h + at.multiplier) * h_gradient
    gradient = np.stack([smooth_gradient, -smooth_gradient]) + problem.l1
    return objective + (0.5 * at.rho * h + at.multiplier) * h, gradient.ravel()


def _loss(covariance: Floats, weights: Floats) -> tuple[float, Floats]:
    """Value and gradient of 1/(2n) ||X - X W||_F^2."""
    residual = np.eye(len(weights)) - weights
    spread = covariance @ residual
    return 0.5 * float((residual * spread).sum()), -spread


def _acyclicity(weights: Floats) -> tuple[float, Floats]:
    """Value and gradient of h(W) = tr exp(W o W) - d."""
    # Between columns that are nearly the same, a line search may try weights whose walks overflow; it then steps back.
    with np.errstate(over="ignore", invalid="ignore"):
        walks = np.fmin(exponential(weights * weights), _MOST_WALKS)
    return float(np.trace(walks)) - len(weights), 2.0 * walks.T * weights


def _joined(parts: Floats) -> Floats:
    joined: Floats = parts[0] - parts[1]
    return joined


# ---------------------------------------------------------------- input


def _covariance(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    covariance: Floats = centred.T @ centred / len(values)
    return covariance


def _upper_bounds(n_nodes: int, allowed: NDArray[np.bool_] | None) -> Floats:
    """Zero for entries that must stay so: the diagonal and what is not allowed."""
    free = np.ones((n_nodes, n_nodes), dtype=bool) if allowed is None else allowed
    if free.shape != (n_nodes, n_nodes):
        raise InputError(f"allowed must have shape {(n_nodes, n_nodes)} for {n_nodes} variables, got {free.shape}")
    bounds = np.where(free & ~np.eye(n_nodes, dtype=bool), np.inf, 0.0)
    return np.stack([bounds, bounds])


def _bounds_of_required(
    covariance: Floats, required: NDArray[np.bool_], floor: float, upper: Floats
) -> tuple[Floats, Floats]:
    """Lower and upper bounds of the two parts of W that keep required edges, and none that closes a cycle of them."""
    upper = np.where(_reachable(required).T, 0.0, upper)
    lower = np.zeros_like(upper)
    if (required & (upper[0] == 0.0)).any():
        raise InputError("required edges must be allowed, and must not form a cycle")
    for effect in np.flatnonzero(required.any(axis=0)):
        causes = np.flatnonzero(upper[0, :, effect])
        coefficients = np.linalg.lstsq(covariance[np.ix_(causes, causes)], covariance[causes, effect], rcond=None)[0]
        for cause in np.flatnonzero(required[:, effect]):
            kept = int(coefficients[causes == cause][0] < 0.0)
            lower[kept, cause, effect] = floor
            upper[1 - kept, cause, effect] = 0.0
    return lower, upper


def _pairs(lower: Floats, upper: Floats) -> list[tuple[float, float]]:
    """Bounds as SciPy takes them; equal ones are one tuple, since a million take the garbage collector seconds."""
    kinds: dict[tuple[float, float], tuple[float, float]] = {}
    return [kinds.setdefault(pair, pair) for pair in zip(lower.ravel().tolist(), upper.ravel().tolist(), strict=True)]


def _reachable(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[i, j]: a directed path leads from i to j."""
    reached = edges.copy()
    for node in range(len(edges)):
        reached |= reached[:, [node]] & reached[[node]]
    return reached


def _require_settings(l1: float, threshold: float, max_steps: int) -> None:
    """Raise where a setting is out of its range."""
    for name, value, least in (("l1", l1, 0.0), ("threshold", threshold, 0.0), ("max_steps", max_steps, 1)):
        if not value >= least:
            raise InputError(f"{name} must be at least {least}, got {value}")
