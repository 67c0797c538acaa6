r"""ICA-LiNGAM: causal order of a linear model with non-Gaussian noise (Shimizu et al. 2006, their algorithms A to C).

::

    x = B x + e   =>   W x = e,  W = I - B        independent component analysis finds the rows of W,
                                                  in unknown order and scale
    permute the rows so that the diagonal is      an assignment problem on 1/|w|
    far from zero, and scale it to one
    order the variables so that B is as good      the smallest |b| are set to zero until B is acyclic
    as strictly lower triangular
    estimate the effects along the order          adaptive lasso, penalty by BIC; least squares on what is left

What is known beforehand enters twice: effects that are not allowed are none, and required ones are never dropped, when
the order is looked for; and along the order only allowed causes are candidates, to which required ones are added.

The literature's B[j, i] is the effect of i on j; outside of formulas we have it as [i, j].
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoLarsIC

from dagsearch._twins import proportional
from dagsearch.blas import one_blas_thread
from dagsearch.errors import DataError
from dagsearch.graph.order import topological_order

Floats = NDArray[np.float64]
BoolMatrix = NDArray[np.bool_]

# Relative to the largest one: what rounding leaves of a singular value that is zero.
_NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class LingamFit:
    """Outcome of `lingam`.

    Parameters
    ----------
    weights
        (n_nodes, n_nodes): [i, j] is the effect of i on j, 0 for no edge.
    order
        The variables, causes before effects.
    n_iterations
        Iterations of FastICA.
    converged
        Whether FastICA and all lasso paths came to their end.
    """

    weights: Floats
    order: tuple[int, ...]
    n_iterations: int
    converged: bool


def lingam(
    values: Floats,
    seed: int | np.random.Generator,
    max_iter: int = 1000,
    names: Sequence[str] | None = None,
    allowed: BoolMatrix | None = None,
    required: BoolMatrix | None = None,
    on_effects: Callable[[list[int], Floats], None] | None = None,
) -> LingamFit:
    """Fit a linear model with non-Gaussian noise.

    Parameters
    ----------
    values
        (n_samples, n_nodes) table with more rows than columns, standardised unless the columns share a unit: which
        effects are the smallest, and so the order, depends on the scales.
    seed
        Where FastICA starts. A number has scikit-learn's meaning; a generator is advanced.
    max_iter
        Most iterations of FastICA.
    names
        Of the columns, for messages; by default their positions.
    allowed
        (n_nodes, n_nodes) of bool, [i, j]: i may be a cause of j. By default all pairs.
    required
        (n_nodes, n_nodes) of bool, [i, j]: i is a cause of j. Acyclic and allowed; by default there is none.
    on_effects
        Called with the order, and the weights so far, which are written to, before those of each variable are
        estimated; may raise.

    Raises
    ------
    DataError
        If there are too few rows, or if columns are constant or linearly dependent; the message names them.
    """
    _require_more_rows_than_columns(values)
    labels = [f"column {k}" for k in range(values.shape[1])] if names is None else [repr(name) for name in names]
    _require_variation(values, labels)
    standardised = (values - values.mean(axis=0)) / values.std(axis=0)
    _require_independence(standardised, values, labels)
    with one_blas_thread(), _convergence_warnings() as notes:
        unmixing, n_iterations = _unmixing(values, seed, max_iter)
        known = _Known.over(values.shape[1], allowed, required)
        order = _causal_order(_effects(unmixing), known)
        weights = _weights_along(order, values, standardised, known, on_effects)
    return LingamFit(weights, tuple(order), n_iterations, converged=not notes)


class _Known(NamedTuple):
    """What is known of edges, (n_nodes, n_nodes) each."""

    allowed: BoolMatrix
    required: BoolMatrix

    @classmethod
    def over(cls, n_nodes: int, allowed: BoolMatrix | None = None, required: BoolMatrix | None = None) -> _Known:
        """Knowledge as it was given, or none."""
        everything = np.ones((n_nodes, n_nodes), dtype=bool)
        return cls(everything if allowed is None else allowed, ~everything if required is None else required)


# ---------------------------------------------------------------- the causal order


def _unmixing(values: Floats, seed: int | np.random.Generator, max_iter: int) -> tuple[Floats, int]:
    """Return a matrix W, whitening included, for which W x has independent entries, and the iterations it took."""
    source = seed.bit_generator if isinstance(seed, np.random.Generator) else seed
    # FastICA takes no newer generator than this.
    ica = FastICA(max_iter=max_iter, random_state=np.random.RandomState(source)).fit(values)
    return ica.components_, int(ica.n_iter_)


def _effects(unmixing: Floats) -> Floats:
    """Return I - W, [i, j] for the effect of i on j, for W with its rows in the right order and scale."""
    with np.errstate(divide="ignore"):
        cost = 1.0 / np.abs(unmixing)
    component, variable = linear_sum_assignment(cost)
    rows = np.empty_like(unmixing)
    rows[variable] = unmixing[component]
    effects: Floats = np.eye(len(rows)) - rows / np.diag(rows)[:, None]
    return effects.T


def _causal_order(effects: Floats, known: _Known) -> list[int]:
    """Order the variables by the graph that is left when as few as possible of the smallest effects are dropped."""
    possible = np.where(known.required, np.inf, np.where(known.allowed, effects, 0.0))
    ascending = np.argsort(np.abs(possible), axis=None, kind="stable")

    def left(n_dropped: int) -> NDArray[np.int8]:
        adjacency: NDArray[np.int8] = (possible != 0.0).astype(np.int8)
        adjacency.flat[ascending[:n_dropped]] = 0
        return adjacency

    def is_acyclic(n_dropped: int) -> bool:
        return len(topological_order(left(n_dropped))) == len(effects)

    # A graph that is acyclic stays so when more is dropped, which lets us bisect.
    graph = left(bisect_left(range(effects.size), True, key=is_acyclic))
    return topological_order(_with_tiers(graph, known.allowed))


def _with_tiers(graph: NDArray[np.int8], allowed: BoolMatrix) -> NDArray[np.int8]:
    """Add edges to a DAG, wherever they close no cycle, between variables of which only one may cause the other.

    Among orders that suit the graph one is thus chosen in which early tiers come first, so that all their members are
    candidates for the causes of later ones.
    """
    closed = graph.copy()
    for cause, effect in np.argwhere(allowed & ~allowed.T):
        closed[cause, effect] = 1
        if len(topological_order(closed)) < len(closed):
            closed[cause, effect] = graph[cause, effect]
    return closed


# ---------------------------------------------------------------- the effects along an order


def _weights_along(
    order: list[int],
    values: Floats,
    standardised: Floats,
    known: _Known,
    on_effects: Callable[[list[int], Floats], None] | None,
) -> Floats:
    """Estimate the effect of each variable on the later ones, (n_nodes, n_nodes)."""
    weights = np.zeros((len(order), len(order)))
    for position in range(1, len(order)):
        if on_effects is not None:
            on_effects(order, weights)
        target, earlier = order[position], np.array(order[:position])
        earlier = earlier[known.allowed[earlier, target]]
        if len(earlier) == 0:
            continue
        is_relevant = _relevant(standardised[:, earlier], standardised[:, target])
        parents = earlier[is_relevant | known.required[earlier, target]]
        weights[parents, target] = _least_squares(values[:, parents], values[:, target])
    return weights


def _relevant(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Which columns the adaptive lasso keeps: each is scaled by its coefficient of least squares (Zou 2006)."""
    lasso = LassoLarsIC(criterion="bic").fit(x * np.abs(_least_squares(x, y)), y)
    relevant: NDArray[np.bool_] = lasso.coef_ != 0.0
    return relevant


def _least_squares(x: Floats, y: Floats) -> Floats:
    """Coefficients of a regression with intercept."""
    coefficients: Floats = np.linalg.lstsq(x - x.mean(axis=0), y - y.mean(), rcond=None)[0]
    return coefficients


# ---------------------------------------------------------------- warnings and input


@contextmanager
def _convergence_warnings() -> Iterator[list[str]]:
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
