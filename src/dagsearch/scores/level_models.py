"""Models of a discrete variable given its parents, and their evidence: what `mean_models` are to a continuous one.

- linear: logistic regression on the coordinates of the parents (`coordinates`);
- additive: on a few smooth functions of each number or ordered parent, and the coordinates of the others;
- joint: on a few smooth functions of all parents; or, if all parents are discrete, counts of their combinations.

A single parent that is a category leaves nothing to choose: the counts alone speak, which say the same about both
directions. Everything is averaged, nothing maximised; gains are log evidence above that of no parents.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset
from dagsearch.scores.counts import counts_gain, log_mean_exp
from dagsearch.scores.logistic import Target, multinomial_gains, ordered_gains
from dagsearch.scores.mean_models import MeanModels, Model, Stack

LENGTH = 1
"""Of smooth functions, the number of one of `mean_models.LENGTHS`: the longer one needs fewer of them."""

MOST_FUNCTIONS = 4
"""Smooth functions of one parent."""

MOST_JOINT_FUNCTIONS = 8
MOST_COEFFICIENTS = 64
"""Of a logistic regression: beyond, each parent has fewer features, those that vary most."""

Matrix = NDArray[np.float64]


class LevelModels:
    """Models of discrete variables on one table.

    Parameters
    ----------
    data
        The table.
    means
        Models of the mean on it, whose features they share.
    """

    def __init__(self, data: Dataset, means: MeanModels) -> None:
        self.models = means.models
        self.is_discrete = [kind == "discrete" for kind in data.kinds]
        self.is_ordered = data.ordered
        self.targets = {
            node: Target(_codes(data.values[:, node])) for node in range(data.n_nodes) if self.is_discrete[node]
        }
        self._means = means
        self._linear = [_leading(means.stack("linear"), node, data.n_samples) for node in range(data.n_nodes)]
        self._smooth = self._linear
        if any(model != "linear" for model in means.models):
            self._smooth = [self._functions(node) for node in range(data.n_nodes)]

    def most_gain(self, node: int) -> float:
        """No parents gain more: they cannot do better than to know the level of each row."""
        return -self.targets[node].log_likelihood

    def gain(self, node: int, parents: tuple[int, ...]) -> float:
        """Log evidence of a discrete variable given its parents above that of none."""
        target = self.targets[node]
        if not parents or target.n_levels == 1:
            return 0.0
        shares, gains = zip(*self._members(node, parents), strict=True)
        return min(log_mean_exp(np.array(gains), np.array(shares)), self.most_gain(node))

    def _members(self, node: int, parents: tuple[int, ...]) -> list[tuple[float, float]]:
        """Shares and gains of what is averaged."""
        all_discrete = all(self.is_discrete[parent] for parent in parents)
        if all_discrete and len(parents) == 1 and not self.is_ordered[node] and not self.is_ordered[parents[0]]:
            return [(1.0, self._by_counts(node, parents))]
        shares = Counter(self._simplest(model, parents) for model in self.models)
        return [
            (
                share,
                self._by_counts(node, parents)
                if model == "joint" and all_discrete
                else self._by_regression(node, parents, model),
            )
            for model, share in shares.items()
        ]

    def _simplest(self, model: Model, parents: tuple[int, ...]) -> Model:
        """The simplest model with the same features."""
        if model == "joint" and len(parents) == 1 and not self.is_discrete[parents[0]]:
            model = "additive"
        if model == "additive" and all(self._smooth[parent] is self._linear[parent] for parent in parents):
            return "linear"
        return model

    def _by_counts(self, node: int, parents: tuple[int, ...]) -> float:
        return counts_gain(self.targets[node].codes, [self.targets[parent].codes for parent in parents])

    def _by_regression(self, node: int, parents: tuple[int, ...], model: Model) -> float:
        target = self.targets[node].most_frequent
        features = self._features(parents, model, MOST_COEFFICIENTS // (target.n_levels - 1))
        gains = multinomial_gains(target, features)
        if self.is_ordered[node]:
            gains = np.concatenate([gains, ordered_gains(self.targets[node], features)])
        return log_mean_exp(gains)

    def _features(self, parents: tuple[int, ...], model: Model, most: int) -> Matrix:
        """Features of a model, (n_features, n_samples); about ``most`` of them, at least one of each parent."""
        if model == "joint":
            factor = self._means.joint_features(parents, LENGTH)
            return _rotated(factor, factor @ factor.T, min(MOST_JOINT_FUNCTIONS, max(most, 1)))
        of_each = max(most // len(parents), 1)
        blocks = self._linear if model == "linear" else self._smooth
        return np.concatenate([blocks[parent][:of_each] for parent in parents])

    def _functions(self, node: int) -> Matrix:
        """Smooth functions of a variable, the coordinates of a category."""
        if self.is_discrete[node] and not self.is_ordered[node]:
            return self._linear[node]
        return _leading(self._means.stack("additive", LENGTH), node, MOST_FUNCTIONS)


def _codes(column: Matrix) -> NDArray[np.int64]:
    return np.unique(column, return_inverse=True)[1].astype(np.int64)


def _leading(stack: Stack, node: int, most: int) -> Matrix:
    """The features of a variable, rotated so that the first vary most; what does not vary is left out."""
    own = stack.of((node,))
    return _rotated(stack.rows[own], stack.gram[np.ix_(own, own)], most)


def _rotated(features: Matrix, gram: Matrix, most: int) -> Matrix:
    if len(features) == 1:
        return features
    values, vectors = np.linalg.eigh(gram)
    n_kept = min(most, max(int((values > 1e-9 * values[-1]).sum()), 1))
    kept: Matrix = vectors[:, ::-1][:, :n_kept].T @ features
    return kept
