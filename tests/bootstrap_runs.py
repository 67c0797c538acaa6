"""What tests of the bootstrap share: tables, a method that can be followed by hand, and what is drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator


def uniform_table(n_rows=40, n_columns=3, seed=0):
    return np.random.default_rng(seed).random((n_rows, n_columns))


class ByMeans(BaseEstimator):
    """Columns cause those with a higher mean in the rows at hand; the first two are only compared with the others."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X):
        self.seen_ = X
        mean = np.asarray(X).mean(axis=0)
        adjacency = (mean[:, None] < mean[None, :]).astype(int)
        adjacency[0, 1] = adjacency[1, 0] = 0
        self.dag_ = adjacency
        return self


def rows_by_hand(seed, number, n_rows, how):
    """What a replicate draws, by the children that numpy's own spawn gives."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(number + 1)[number])
    return rng.integers(0, n_rows, n_rows) if how == "rows" else rng.permutation(n_rows)[: n_rows // 2]


def linear_frame(n=200, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = 1.2 * a + rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "c": b + 0.3 * rng.normal(size=n), "d": rng.normal(size=n)})


def assert_same(one, other):
    assert one.names == other.names
    for name in ("edge_probability", "adjacency_probability", "path_probability"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert one.notes == other.notes
    assert one.details == other.details
    assert (one.samples is None) == (other.samples is None)
    assert one.samples is None or np.array_equal(one.samples, other.samples)
