"""The total effect of one variable on another one, by a fitted model or by a graph and a table."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from dagsearch import checks
from dagsearch.causal_effects import TotalEffect, total_effect
from dagsearch.causal_effects.total import Settings
from dagsearch.data import Dataset, as_dataset
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator
from dagsearch.estimators.directions import class_of
from dagsearch.graph import DAG, PDAG, CyclicGraph, as_graph
from dagsearch.graph.queries import ADJUSTMENT_KINDS, AdjustmentKind

FITS = ("auto", "linear", "additive")


class _Basis(NamedTuple):
    """What an effect is computed from."""

    graph: DAG | PDAG
    data: Dataset
    graph_class: PDAG | None
    linear: bool


def effects(
    model: Any,
    cause: str,
    effect: str,
    data: Any = None,
    *,
    n_bootstrap: int = 200,
    level: float = 0.95,
    adjust: AdjustmentKind = "parents",
    fit: Literal["auto", "linear", "additive"] = "auto",
    random_state: Any = None,
) -> TotalEffect:
    """The total effect of a cause on an effect: what one unit more of the one does to the other, along all paths.

    The effect is regressed on the cause and on an adjustment set that the graph gives. The number is as good as the
    graph: it is wrong if edges or common causes are missing from it, and its interval does not know that the graph was
    chosen by the same rows.

    Parameters
    ----------
    model
        A fitted estimator, whose graph after pruning counts; or a graph, with `data`; or a pair (graph, table).
    cause, effect
        Names of two different variables.
    data
        The table; by default the one that the model was fitted to.
    n_bootstrap
        Bootstrap samples of the rows for the interval; 0: no interval.
    level
        Share of the bootstrap samples within the interval.
    adjust
        The adjustment set: ``"parents"`` of the cause, a ``"minimal"`` or the ``"optimal"`` one; see
        `DAG.adjustment_set`.
    fit
        ``"linear"``: the coefficient of a linear regression. ``"additive"``: a spline for each continuous variable that
        needs one by BIC; the effect is the mean of its slope over the rows. ``"auto"``: linear if the model is,
        otherwise additive.
    random_state
        Seed or generator of the bootstrap.

    Returns
    -------
    TotalEffect
        Prints as a few sentences.

    Raises
    ------
    InputError
        If the model is not fitted or has a cycle, if there is no table, or if cause and effect are the same.
    UnknownNameError
        If one of them is not in the graph.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> table = np.column_stack([x, -0.8 * x + rng.normal(size=500)])
    >>> found = effects((DAG.from_edges([(0, 1)]), table), "x0", "x1", fit="linear", random_state=0)
    >>> round(found.estimate, 1)
    -0.8
    """
    basis = _basis(model, data)
    checks.integer("n_bootstrap", n_bootstrap, 0)
    checks.between("level", level, 0.0, 1.0)
    checks.one_of("adjust", adjust, ADJUSTMENT_KINDS)
    checks.one_of("fit", fit, FITS)
    additive = fit == "additive" or (fit == "auto" and not basis.linear)
    settings = Settings(additive, adjust, int(n_bootstrap), float(level), checks.seed_of(random_state))
    return total_effect(basis.graph, basis.data, cause, effect, settings, basis.graph_class)


def _basis(model: Any, data: Any) -> _Basis:
    """Graph and table, from whatever is given."""
    if isinstance(model, DagEstimator):
        if not hasattr(model, "pruned_dag_"):
            raise InputError(f"model must be fitted: call {type(model).__name__}(...).fit(data) first")
        graph = model.pruned_dag_
        table = model.data_ if data is None else as_dataset(data, kinds=model.kinds, may_miss=True)
        graph_class = class_of(model, graph) if isinstance(graph, DAG) else None
        return _Basis(_acyclic(graph), _matching(table, graph), graph_class, model.is_linear)
    if isinstance(model, tuple) and len(model) == 2 and data is None:
        model, data = model
    if data is None:
        raise InputError("data must be the table that the graph is about; only a fitted model brings its own")
    table = as_dataset(data, may_miss=True)
    given = model if isinstance(model, CyclicGraph) else as_graph(model)
    return _Basis(_acyclic(given), _matching(table, given), None, False)


def _acyclic(graph: DAG | PDAG | CyclicGraph) -> DAG | PDAG:
    if isinstance(graph, CyclicGraph):
        raise InputError(f"effects need a graph without cycles, this one has {' -> '.join(graph.cycle)} -> ...")
    return graph


def _matching(data: Dataset, graph: DAG | PDAG | CyclicGraph) -> Dataset:
    """The table, checked to have all nodes of the graph."""
    missing = [name for name in graph.names if name not in data.names]
    if missing:
        raise InputError(f"data must have a column for each node of the graph, there is none for {missing[0]!r}")
    return data
