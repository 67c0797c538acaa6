"""The evidence of a parent set in tables of numbers and categories: `evidence` for both kinds of variables.

A continuous variable is judged as by `evidence`; a category among its parents is a block of coordinates. A discrete
variable is judged by logistic regressions on the same features and by counts (`level_models`). All values are log
evidence in nats above that of independent variables, and the prior of parents is the same for both kinds, so that
graphs over both are compared fairly.

Among a category and numbers, two of three edges often explain nearly as much as all three do, so that an edge must cost
little if it explains much where it stands; but one that explains little must not pay by chance. So the price of an edge
is low, and what each parent explains beside the others less than `MixedScore.least_needed` nats, it costs on top (as
non-local priors would have it, Johnson and Rossell 2012).
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagsearch._twins import Twins, coinciding, proportional
from dagsearch.data import Dataset, standardised
from dagsearch.errors import DataError
from dagsearch.graph.bitset import Rows, members_of_each
from dagsearch.scores.coordinates import coordinates_of
from dagsearch.scores.evidence import DEFAULT_MIN_EFFECT, EvidenceScore, prices
from dagsearch.scores.fitpool import Key
from dagsearch.scores.level_models import LevelModels
from dagsearch.scores.mean_models import MODELS, MeanModels, Model, ParentSet
from dagsearch.scores.noise import Noise
from dagsearch.scores.regression import price_of


class MixedScore(EvidenceScore):
    """Log evidence of a DAG above that of independent variables, in nats; columns may be numbers and categories.

    Parameters
    ----------
    data
        Table of continuous and discrete columns.
    models
        Models that are averaged.
    noise
        Of continuous variables: ``"any"``, ``"shape"`` or ``"gaussian"``, as `EvidenceScore` takes it.
    min_effect
        Share of what the other parents leave unexplained that an edge must explain; of a discrete variable, the same
        gain in nats per row.
    n_jobs
        Fits at a time.

    Raises
    ------
    DataError
        If a column is constant, or discrete with no value that repeats, unless the table is a part of another.
    """

    name: ClassVar[str] = "mixed"
    edge_prior: ClassVar[float] = 0.25
    """Minus the log prior of an edge, in units of log(n)/2."""

    def __init__(
        self,
        data: Dataset,
        models: tuple[Model, ...] = MODELS,
        noise: Noise = "any",
        min_effect: float = DEFAULT_MIN_EFFECT,
        n_jobs: int = 1,
    ) -> None:
        if data.is_whole:
            require_information(data)
        super().__init__(data, models, noise, min_effect, n_jobs)
        self._level_models = LevelModels(data, self._mean_models)

    @property
    def least_needed(self) -> float:
        """What each parent should explain beside the others, in nats; less costs as much as it falls short."""
        n_samples = self._mean_models.n_samples
        return float(math.log(n_samples) + 0.5 * n_samples * price_of(self.min_effect))

    def _prices(self, data: Dataset) -> NDArray[np.float64]:
        return prices(data.n_variables, 0.5 * self.edge_prior * math.log(data.n_samples))

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Terms (value, penalty), (n, 2), of each (node, parent set)."""
        terms = super().compute(nodes, rows)
        asked = list(zip(nodes.tolist(), members_of_each(rows, len(nodes)), strict=True))
        without = [[(node, parents[:k] + parents[k + 1 :]) for k in range(len(parents))] for node, parents in asked]
        self._fitted([self._key(*each) for subsets in without for each in subsets])
        for k, subsets in enumerate(without):
            if subsets:
                missed = terms[k, 0] - np.array([self._raw(*each) for each in subsets])
                terms[k, 1] += np.maximum(self.least_needed - missed, 0.0).sum()
        return terms

    def _raw(self, node: int, parents: Key) -> float:
        """Value of a set that is fitted."""
        (fit,) = self._fitted([self._key(node, parents)])
        return self._terms_of(fit, node, len(parents), 0)[0]

    def _least_penalties(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Least penalty of any superset, which has a parent at least."""
        least: NDArray[np.float64] = np.minimum(self._penalties[1:].min(), terms[:, 1])
        return least

    def best_values(self) -> NDArray[np.float64]:
        """Bounds for any parents: as of `evidence`, and no level is more than certain."""
        best = super().best_values()
        for node in self._level_models.targets:
            best[node] = self._level_models.most_gain(node)
        return best

    def _mean_models_of(self, data: Dataset) -> MeanModels:
        is_continuous = np.array([kind == "continuous" for kind in data.kinds])
        columns = np.zeros((data.n_nodes, data.n_samples))
        columns[is_continuous] = standardised(np.ascontiguousarray(data.values[:, is_continuous])).T
        return MeanModels(columns, self.models, None if is_continuous.all() else coordinates_of(data))

    def _twins_in(self, data: Dataset) -> Twins:
        is_discrete = np.array([kind == "discrete" for kind in data.kinds])
        groups = [group for group in coinciding(data.values, is_discrete) if is_discrete[group[0]]]
        numbers = np.flatnonzero(~is_discrete)
        if not len(numbers):
            return Twins(data.n_nodes, groups)
        groups += [numbers[group].tolist() for group in proportional(self.columns[numbers].T, data.values[:, numbers])]
        return Twins(data.n_nodes, groups)

    def _value(self, node: int, parents: Key, models: ParentSet) -> float:
        if node in self._level_models.targets:
            return self._level_models.gain(node, parents)
        return super()._value(node, parents, models)


def require_information(data: Dataset) -> None:
    """Raise `DataError` for a column that is constant, or discrete with no value that repeats; cells may be missing."""
    data.require_variation()
    for name, kind, column in zip(data.names, data.kinds, data.values.T, strict=True):
        seen = column[~np.isnan(column)]
        if kind == "discrete" and len(np.unique(seen)) == len(seen):
            raise DataError(
                f"column {name!r} has {len(seen)} levels in {len(seen)} rows; a category needs values that "
                "repeat: drop the column, or declare it continuous if it holds numbers"
            )
