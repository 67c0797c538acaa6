"""Correlations of tables with missing cells."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from dagsearch.errors import DataError
from dagsearch.scores import moments as module
from dagsearch.scores.moments import moments

NAMES = ("a", "b", "c")
TRUE = np.array([[1.0, 0.8, 0.4], [0.8, 1.0, 0.5], [0.4, 0.5, 1.0]])


def table(n_samples, seed=0):
    return np.random.default_rng(seed).multivariate_normal(np.zeros(3), TRUE, n_samples)


def with_gaps(values, share=0.25, seed=1):
    return np.where(np.random.default_rng(seed).random(values.shape) < share, np.nan, values)


def log_likelihood(values, mean, covariance):
    """Of what was seen, row by row."""
    total = 0.0
    for row in values:
        seen = ~np.isnan(row)
        if seen.any():
            total += multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)]).logpdf(row[seen])
    return total


def test_a_complete_table_has_its_own_correlations():
    values = table(50)
    found = moments(values, NAMES)
    assert found.correlations == pytest.approx(np.corrcoef(values.T), abs=1e-3)
    assert found.n_rows == 50.0


@pytest.mark.long
def test_no_correlations_nearby_are_more_likely(monkeypatch):
    monkeypatch.setattr(module, "_TOLERANCE", 1e-10)
    values = with_gaps(table(80))
    found = moments(values, NAMES).correlations
    standardised = (values - np.nanmean(values, axis=0)) / np.nanstd(values, axis=0)

    def best_with(correlations):
        """Likelihood at the best means and scales, by a few rounds of Newton's method on a grid of one at a time."""
        from scipy.optimize import minimize

        def minus(parameters):
            scale = np.exp(parameters[3:])
            return -log_likelihood(standardised, parameters[:3], correlations * np.outer(scale, scale))

        return -minimize(minus, np.zeros(6), method="BFGS").fun

    at_best = best_with(found)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for change in (-0.03, 0.03):
            other = found.copy()
            other[i, j] = other[j, i] = found[i, j] + change
            assert best_with(other) < at_best


def test_cells_that_go_missing_by_what_was_seen_do_not_mislead():
    values = table(20_000, seed=2)
    values[values[:, 0] > 0.0, 1] = np.nan  # b is seen only where a is low
    found = moments(values, NAMES).correlations
    assert found == pytest.approx(TRUE, abs=0.03)
    seen = values[~np.isnan(values[:, 1])]
    assert np.corrcoef(seen[:, 0], seen[:, 1])[0, 1] < 0.68


def test_wide_tables_go_by_pairs_and_stay_those_of_a_table(monkeypatch):
    monkeypatch.setattr(module, "MOST_COLUMNS", 2)
    values = with_gaps(table(400))
    found = moments(values, NAMES).correlations
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = values[~np.isnan(values[:, [i, j]]).any(axis=1)][:, [i, j]]
        assert found[i, j] == pytest.approx(np.corrcoef(both.T)[0, 1], abs=1e-9)
    few = with_gaps(table(8), 0.4, seed=5)
    assert np.linalg.eigvalsh(moments(few, NAMES).correlations).min() > 0.0


def test_the_number_of_rows_is_that_of_pairs():
    values = table(100)
    values[:40, 0] = np.nan
    assert moments(values, NAMES).n_rows == pytest.approx((60 + 60 + 100) / 3)


def test_a_column_that_is_constant_where_it_was_seen_is_named():
    values = table(20)
    values[:10, 1] = np.nan
    values[10:, 1] = 3.0
    with pytest.raises(DataError, match="column 'b' is constant"):
        moments(values, NAMES)
