"""The benchmark of experiments: what a method is told, and what is counted."""

import numpy as np
import pytest
from tables_study.interventions import experiment, f1, rows, versions


def test_half_of_the_rows_are_observed_and_five_variables_are_set_in_a_tenth_each():
    data = experiment(0)
    assert data.values.shape == (1000, 10)
    assert data.truth.n_edges == 15
    assert sorted(data.was_set.sum(axis=0)) == [0] * 5 + [100] * 5


def test_versions_of_a_table_differ_in_what_a_method_is_told():
    given = versions(data := experiment(1))
    assert given["interventions"] is data
    assert given["nothing"].was_set is None
    assert np.array_equal(given["nothing"].values, data.values)
    assert given["observed rows"].n_samples == 500
    assert given["observed rows"].was_set is None


def test_directions_are_found_where_methods_are_told_what_was_set():
    told, *others = rows(1, ["bic-linear"], ["order"])
    assert [row.told for row in (told, *others)] == ["interventions", "nothing", "observed rows"]
    assert told.arrowhead_f1 > 0.9
    assert all(row.arrowhead_f1 < told.arrowhead_f1 for row in others)
    assert all(0 <= row.decided_f1 <= 1 and row.skeleton_f1 >= row.arrowhead_f1 for row in (told, *others))


@pytest.mark.parametrize(("found", "true", "value"), [({1, 2}, {2, 3}, 0.5), (set(), {1}, 0.0), (set(), set(), 1.0)])
def test_f1_is_the_harmonic_mean_of_precision_and_recall(found, true, value):
    assert f1(found, true) == value
