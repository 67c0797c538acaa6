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
the order is looked for; and along the order only allowed causes are candidates, to which required ones are added. What
comes after the order is that of all variants: see `non_gaussian`.

The literature's B[j, i] is the effect of i on j; outside of formulas we have it as [i, j].
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import FastICA

from dagsearch.baselines.non_gaussian import (
    BoolMatrix,
    Floats,
    Known,
    LingamFit,
    Listener,
    convergence_warnings,
    standardised_table,
    weights_along,
)
from dagsearch.blas import one_blas_thread
from dagsearch.graph.order import topological_order


def lingam(
    values: Floats,
    seed: int | np.random.Generator,
    max_iter: int = 1000,
    names: Sequence[str] | None = None,
    allowed: BoolMatrix | None = None,
    required: BoolMatrix | None = None,
    on_effects: Listener | None = None,
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
    standardised = standardised_table(values, names)
    with one_blas_thread(), convergence_warnings() as notes:
        unmixing, n_iterations = _unmixing(values, seed, max_iter)
        known = Known.over(values.shape[1], allowed, required)
        order = _causal_order(_effects(unmixing), known)
        weights = weights_along(order, values, standardised, known, on_effects)
    return LingamFit(weights, tuple(order), n_iterations, converged=not notes)


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


def _causal_order(effects: Floats, known: Known) -> list[int]:
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
