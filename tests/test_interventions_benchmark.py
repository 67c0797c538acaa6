"""The part of the benchmark of tables that is about experiments."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from tables_study.interventions import PART, observed, table, untold


def test_half_of_the_rows_are_experiments_and_methods_are_told_different_things():
    data = table("linear Gaussian", 200, 0)
    assert data.was_set.sum(axis=0).tolist().count(20) == 5
    assert untold(data).was_set is None
    assert np.array_equal(untold(data).values, data.values)
    assert observed(data).n_samples == 100
    assert observed(data).was_set is None


def test_who_is_told_knows_more_directions():
    data = table("linear Gaussian", 1000, 3)
    right = {
        name: len(set(PART.methods[name].fit(data, 0).edges) & set(data.truth.edges)) for name in ("told", "observed")
    }
    assert right["told"] > right["observed"]
