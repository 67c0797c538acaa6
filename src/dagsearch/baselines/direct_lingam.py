r"""DirectLiNGAM: causal order of a linear model with non-Gaussian noise, variable by variable (Shimizu et al. 2011).

::

    of the variables that are left, the first in the order is      the one that is least the effect of another:
                                                                   sum over j of min(0, R(i -> j))^2 is smallest
    replace the others by their residuals on it, and repeat
    estimate the effects along the order                           adaptive lasso, penalty by BIC; least squares

R(i -> j) is the pairwise likelihood ratio of Hyvärinen and Smith (2013), as in the package ``lingam`` by default; see
`dagsearch.kernels.likelihood_ratios`. Nothing is random, and the scales of the columns do not matter to the order.

What is known beforehand enters twice: a variable comes next only if nothing is left that must come before it; and along
the order only allowed causes are candidates, to which required ones are added.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from dagsearch.baselines.non_gaussian import (
    BoolMatrix,
    Floats,
    Known,
    LingamFit,
    Listener,
    Selection,
    convergence_warnings,
    standardised_table,
    weights_along,
)
from dagsearch.blas import one_blas_thread
from dagsearch.graph.separation import reachable
from dagsearch.interruption import look
from dagsearch.kernels.likelihood_ratios import compare_with, entropies_of

# Rows times columns that a compiled loop goes through before somebody looks at the clock: about 20 milliseconds.
_MOST_AT_A_TIME = 2**21


def direct_lingam(
    values: Floats,
    names: Sequence[str] | None = None,
    allowed: BoolMatrix | None = None,
    required: BoolMatrix | None = None,
    on_progress: Listener | None = None,
    select: Selection | None = None,
    slope_scale: float = 1.0,
) -> LingamFit:
    """Fit a linear model with non-Gaussian noise.

    Parameters
    ----------
    values
        (n_samples, n_nodes) table with more rows than columns.
    names
        Of the columns, for messages; by default their positions.
    allowed
        (n_nodes, n_nodes) of bool, [i, j]: i may be a cause of j. By default all pairs.
    required
        (n_nodes, n_nodes) of bool, [i, j]: i is a cause of j. Acyclic and allowed; by default there is none.
    on_progress
        Called with the order so far, and weights that are all zero, before each variable is put in order; then with
        the whole order, and the weights so far, which are written to, before those of each variable are estimated. May
        raise.
    select
        Which of the earlier variables are causes; by default those that adaptive lasso keeps.
    slope_scale
        What the slopes by which one variable is taken out of another are multiplied by, in the search for the order.
        Anything but 1 is no least squares.

    Raises
    ------
    DataError
        If there are too few rows, or if columns are constant or linearly dependent; the message names them.
    """
    standardised = standardised_table(values, names)
    known = Known.over(values.shape[1], allowed, required)
    with one_blas_thread(), convergence_warnings() as notes:
        order = causal_order(standardised, precedence(known), on_progress, slope_scale)
        weights = weights_along(order, values, standardised, known, on_progress, select)
    return LingamFit(weights, tuple(order), 0, converged=not notes)


def causal_order(
    standardised: Floats, before: BoolMatrix, on_progress: Listener | None = None, slope_scale: float = 1.0
) -> list[int]:
    """Order the variables, causes before effects.

    Parameters
    ----------
    standardised
        (n_samples, n_nodes) columns of mean 0 and variance 1.
    before
        (n_nodes, n_nodes) of bool, [i, j]: i must come before j. Without cycles.
    on_progress
        Called with the order so far, before each variable.
    slope_scale
        As that of `direct_lingam`.
    """
    columns = np.array(standardised.T, order="C")
    left, order = np.arange(len(columns)), list[int]()
    nothing = np.zeros(before.shape)
    while len(left):
        if on_progress is not None:
            on_progress(order, nothing)
        first = _first(columns, left, before, slope_scale)
        order.append(first)
        left = left[left != first]
        _replace_by_residuals(columns, left, first, slope_scale)
    return order


def precedence(known: Known) -> BoolMatrix:
    """Return which variable must come before which, (n_nodes, n_nodes), by what is known.

    One comes before another if it is a required cause of it, or if it may be a cause of it, directly or through others,
    and the other one cannot be its cause even through others: so it is between tiers. A single edge that is forbidden
    leaves the order open, as its effect may be one through others.
    """
    n_nodes = len(known.allowed)
    possible = known.allowed & ~_reached(known.required).T
    _, component = connected_components(possible, directed=True, connection="strong")
    before: BoolMatrix = known.required | (_reached(possible) & (component[:, None] != component[None, :]))
    before[np.diag_indices(n_nodes)] = False
    return before


def _reached(edges: BoolMatrix) -> BoolMatrix:
    """[i, j]: j is reached from i along edges, or is i itself."""
    reached = np.zeros_like(edges)
    adjacency = edges.astype(np.int8)
    for node in range(len(edges)):
        reached[node, list(reachable(adjacency, [node]))] = True
    return reached


def _first(columns: Floats, left: NDArray[np.intp], before: BoolMatrix, slope_scale: float) -> int:
    """Which of the variables that are left comes next."""
    candidates = left[~before[np.ix_(left, left)].any(axis=0)]
    if len(candidates) == 1:
        return int(candidates[0])
    penalties = penalties_of(columns, left, candidates, slope_scale)
    return int(candidates[penalties[candidates].argmin()])


def penalties_of(
    columns: Floats, left: NDArray[np.intp], candidates: NDArray[np.intp], slope_scale: float = 1.0
) -> Floats:
    """How much speaks against candidates as the first of the variables that are left, (n_nodes,).

    That of others means nothing. ``columns`` are (n_nodes, n_samples).
    """
    penalties, entropies, ratios = (np.zeros(len(columns)) for _ in range(3))
    scratch = np.empty((4, columns.shape[1]))
    n_at_a_time = max(1, _MOST_AT_A_TIME // columns.shape[1])
    for which in _parts(left, n_at_a_time):
        look()
        entropies_of(columns, which, scratch, entropies)
    others = left
    for cause in candidates:
        others = others[others != cause]
        for compared in _parts(others, n_at_a_time):
            look()
            compare_with(columns, entropies, cause, compared, slope_scale, scratch, ratios)
            towards = ratios[: len(compared)]
            penalties[cause] += (np.minimum(towards, 0.0) ** 2).sum()
            penalties[compared] += np.maximum(towards, 0.0) ** 2
    return penalties


def _parts(nodes: NDArray[np.intp], size: int) -> list[NDArray[np.intp]]:
    """Variables in groups of at most so many."""
    return [nodes[start : start + size] for start in range(0, len(nodes), size)]


def _replace_by_residuals(columns: Floats, left: NDArray[np.intp], cause: int, slope_scale: float) -> None:
    """Replace columns by what a variable leaves unexplained of them, standardised again."""
    x = columns[cause]
    for node in left:
        residual = columns[node] - (slope_scale * (columns[node] @ x / (x @ x))) * x
        residual -= residual.mean()
        columns[node] = residual / residual.std()
