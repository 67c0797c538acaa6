"""The evidence of a parent set: one score for linear and non-linear mechanisms, Gaussian and other noise.

The value of (variable, parents) is the log evidence of the models of the mean (`mean_models`) above that of a Gaussian
variable without parents, plus what the shape and the scale of the noise gain (`noise`). The penalty is minus the log
prior of the parents: `EDGE_PRIOR` log(n)/2 per edge, all sizes of parent sets alike, and the price of ``min_effect``.

Both are in nats (natural log units), not divided by the number of rows: a graph whose reward is higher by 1 is e = 2.7
times as probable, by 4.6 a hundred times.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dagsearch._twins import Twins
from dagsearch.blas import one_blas_thread
from dagsearch.data import Dataset
from dagsearch.graph.bitset import Rows, members_of_each
from dagsearch.scores.base import empty_family
from dagsearch.scores.fitpool import Key
from dagsearch.scores.mean_models import MODELS, RATIOS, MeanFit, MeanModels, Model, ParentSet
from dagsearch.scores.noise import MOST_GAIN, Noise, gain_of_prediction, scale_gain, shape_gain
from dagsearch.scores.pooled import PooledScore
from dagsearch.scores.regression import price_of

EDGE_PRIOR = 1.0
DEFAULT_MIN_EFFECT = 0.01
ROWS_PER_PARENT = 20

_ALL_NODES = -1  # stands for the node in the key of a fit of all nodes on one parent set


class EvidenceScore(PooledScore):
    """Log evidence of a DAG above that of independent Gaussian variables, in nats.

    Parameters
    ----------
    data
        Table of continuous columns; units do not matter.
    models
        Models of the mean that are averaged.
    noise
        ``"any"``: its shape, and a scale that depends on the parents; ``"shape"``: its shape; or ``"gaussian"``.
    min_effect
        Share of what the other parents leave unexplained that an edge must explain.
    n_jobs
        Fits at a time.
    """

    name: ClassVar[str] = "evidence"
    fits_all_nodes: ClassVar[bool] = False
    is_per_row: ClassVar[bool] = False

    def __init__(
        self,
        data: Dataset,
        models: tuple[Model, ...] = MODELS,
        noise: Noise = "any",
        min_effect: float = DEFAULT_MIN_EFFECT,
        n_jobs: int = 1,
    ) -> None:
        self.models, self.noise, self.min_effect = models, noise, min_effect
        with one_blas_thread():  # more would change the rounding
            self._mean_models = self._mean_models_of(data)
        self._means: dict[Key, MeanFit] = {}
        self._penalties = self._prices(data)
        family = empty_family(data.n_nodes, n_samples=float(data.n_samples), penalise_parameters=True)
        super().__init__(data.n_nodes, family, n_jobs, self._twins_in(data))

    def _prices(self, data: Dataset) -> NDArray[np.float64]:
        """Minus the log prior of a parent set by its size."""
        per_edge = 0.5 * EDGE_PRIOR * math.log(data.n_samples) + 0.5 * data.n_samples * price_of(self.min_effect)
        return prices(data.n_variables, per_edge)

    def _mean_models_of(self, data: Dataset) -> MeanModels:
        return MeanModels(np.ascontiguousarray(data.standardised().T), self.models)

    def _twins_in(self, data: Dataset) -> Twins:
        return Twins.among(self.columns.T, data.values)

    @property
    def settings(self) -> dict[str, Any]:
        """Further settings in force, as `make` takes them."""
        return {"models": list(self.models), "noise": self.noise, "min_effect": self.min_effect}

    @property
    def max_parents(self) -> int:
        """The most parents that so few rows can tell apart."""
        n_samples: int = self._mean_models.n_samples
        return max(1, n_samples // ROWS_PER_PARENT)

    @property
    def columns(self) -> NDArray[np.float64]:
        """Standardised columns, (n_nodes, n_samples)."""
        return self._mean_models.columns

    def best_values(self) -> NDArray[np.float64]:
        """Bounds for any parents: no eigenvalue of a kernel matrix is above its trace, and no density too sharp."""
        n_nodes, n = self.columns.shape
        largest = n * (n_nodes - 1)
        of_noise = 0.0 if self.noise == "gaussian" else n * MOST_GAIN
        return np.full(n_nodes, 0.5 * (n - 1) * math.log1p(largest / RATIOS[0]) + of_noise)

    def survey(
        self, node: int, rows: Rows, best_value: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """As of `Score`; whoever surveys one node will survey the others, so a set is fitted for all nodes at once."""
        with self.cache.lock:
            sets = members_of_each(rows, len(rows) // self.cache.n_words)
            known = self.cache.look_up(self.family, np.full(len(sets), node), rows)[1]
            self._fitted([(_ALL_NODES, *self._twins.needed(node, sets[k])) for k in np.flatnonzero(~known)])
            return super().survey(node, rows, best_value)

    def _least_penalties(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Least penalty of any superset: beyond half of all variables, there are fewer sets of a size again."""
        suffix_minimum = np.minimum.accumulate(self._penalties[::-1])[::-1]
        sizes = np.searchsorted(self._penalties[: self.n_nodes // 2 + 1], terms[:, 1] - 1e-9)
        return np.minimum(suffix_minimum[np.minimum(sizes, self.n_nodes - 1)], terms[:, 1])

    def _key(self, node: int, parents: Key) -> Key:
        """The key of a fit that has the node; one of all nodes if there is one."""
        of_all = (_ALL_NODES, *self._twins.needed(node, parents))
        return of_all if of_all in self._fits.known else self._fits.key(node, parents)

    def _terms_of(self, fit: NDArray[np.float64], node: int, n_parents: int, n_needless: int) -> tuple[float, float]:  # noqa: ARG002 - the prior is of all parents
        return float(fit[0 if len(fit) == 1 else node]), float(self._penalties[n_parents])

    def _fit(self, key: Key) -> NDArray[np.float64]:
        """Value of a node, the first of the key, given its parents, the rest; or those of all nodes."""
        node, parents = key[0], key[1:]
        models = self._mean_models.on(parents)
        if node != _ALL_NODES:
            return np.array([self._value(node, parents, models)])
        values = np.full(self.n_nodes, np.nan)
        for target in set(range(self.n_nodes)).difference(parents):
            values[target] = self._value(target, parents, models)
        return values

    def _mean_fit(self, parents: Key, models: ParentSet) -> MeanFit:
        """The gains of all targets on one parent set."""
        # Two threads may both fit a set, to the same result.
        return self._means[parents] if parents in self._means else self._means.setdefault(parents, models.fit())

    def _value(self, node: int, parents: Key, models: ParentSet) -> float:
        """Log evidence of a node above that of a Gaussian variable without parents."""
        mean = self._mean_fit(parents, models)
        gain = float(mean.gain[node])
        if self.noise == "gaussian":
            return gain
        if not parents:
            return gain + shape_gain(self.columns[node])
        smoother = models.smoother(int(mean.member[node]))
        residuals = smoother.residuals(self.columns[node], smoother.products[:, node], RATIOS[mean.ratio[node]])
        # Evidence does not see that a few rows are predicted badly by all others, and their residuals would then pass
        # for a heavy-tailed shape: what the errors of prediction do not support is not gained.
        gain = min(gain, gain_of_prediction(residuals))
        of_shape = shape_gain(residuals)
        if self.noise == "shape":
            return gain + of_shape
        return gain + float(np.logaddexp(of_shape, scale_gain(residuals, smoother))) - math.log(2.0)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_means": {}}


def prices(n_nodes: int, per_edge: float) -> NDArray[np.float64]:
    """Minus the log prior of a parent set by its size, 0 to n_nodes - 1: all sets of one size share its probability."""
    sizes = np.arange(n_nodes)
    log_sets = gammaln(n_nodes) - gammaln(sizes + 1) - gammaln(n_nodes - sizes)
    penalties: NDArray[np.float64] = sizes * per_edge + log_sets
    return penalties
