"""The regressions behind a fitted model: each variable on its causes, as `effects_` has them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from dagsearch.causal_effects.family import Family, usable_rows
from dagsearch.causal_effects.fit import Fit
from dagsearch.data import Dataset
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator

Floats = NDArray[np.float64]

# Relations are asked for edge by edge: those of one variable share a regression. More would fill the memory.
_MOST_KEPT = 2
_Key = tuple[int, tuple[int, ...], bool]
_kept: WeakKeyDictionary[Dataset, OrderedDict[_Key, Fit]] = WeakKeyDictionary()


def require_fitted(model: Any) -> DagEstimator:
    """A fitted estimator, or an error that says what was given."""
    if not isinstance(model, DagEstimator):
        raise InputError(f"model must be a fitted estimator of dagsearch, got {model!r}")
    if not hasattr(model, "pruned_dag_"):
        raise InputError(f"model must be fitted: call {type(model).__name__}(...).fit(data) first")
    return model


def causes_of(model: DagEstimator, node: int) -> list[int]:
    """Positions of the causes of a variable in the graph after pruning; undirected neighbours count among them."""
    return [int(cause) for cause in np.flatnonzero(model.pruned_dag_.adjacency[:, node])]


def fit_of(model: DagEstimator, node: int) -> Fit:
    """The regression of a variable on its causes; the last ones of a table are kept for whoever asks again."""
    causes = causes_of(model, node)
    key = (node, tuple(causes), not model.is_linear)
    kept = _kept.setdefault(model.data_, OrderedDict())
    if key not in kept:
        kept[key] = _fitted(model.data_, node, causes, not model.is_linear)
        if len(kept) > _MOST_KEPT:
            kept.popitem(last=False)
    return kept[key]


def _fitted(data: Dataset, node: int, causes: Sequence[int], additive: bool) -> Fit:
    return Fit(Family(data, node, causes, usable_rows(data, node, causes), additive))


def mean_of(values: Floats) -> float:
    """The mean, of the largest numbers that there are, too."""
    size = float(np.abs(values).max(initial=0.0))
    return size * float((values / size).mean()) if size else 0.0


def sampled(n_rows: int, most: int) -> NDArray[np.intp]:
    """Positions of at most so many rows, ascending: the same ones each time."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))
