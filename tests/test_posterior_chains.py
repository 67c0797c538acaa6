"""The posterior by chains: against exact sums, and what it says of itself."""

import sys

import numpy as np
import pytest

import dagsearch as ds
from dagsearch.confidence import by_chains, exact


def linear_table(n_nodes, n_rows=300, seed=3):
    return ds.datasets.simulate(n_nodes, n_rows, n_edges=n_nodes, standardise=True, random_state=seed)


def by_chains_instead(monkeypatch, table, **chosen):
    """The posterior as if the table were too wide for exact sums."""
    monkeypatch.setattr(sys.modules["dagsearch.confidence.posterior"], "MOST_NODES", 2)
    return ds.posterior(table, score="bic-linear", random_state=0, **chosen)


def test_chains_agree_with_exact_sums(monkeypatch):
    table = linear_table(7)
    expected = ds.posterior(table, score="bic-linear", random_state=0)
    assert expected.method == "posterior, exact"
    found = by_chains_instead(monkeypatch, table)
    assert found.method == by_chains.METHOD
    assert np.abs(found.edge_probability - expected.edge_probability).max() < 0.05
    assert np.abs(found.path_probability - expected.path_probability).max() < 0.06
    assert found.details["chains_agree"]
    assert any("The chains agree" in note for note in found.notes)
    assert any("sums over all graphs are out of reach" in note for note in found.notes)
    assert any("approximates" in note for note in found.notes)
    assert len(found.sample(10, random_state=1)) == 10


def test_chains_obey_knowledge(monkeypatch):
    table = linear_table(6)
    names = table.names
    knowledge = ds.Knowledge(required=[(names[0], names[1])], forbidden=[(names[2], names[3]), (names[3], names[2])])
    found = by_chains_instead(monkeypatch, table, knowledge=knowledge, max_parents=2)
    assert found.edge_probability[0, 1] == pytest.approx(1.0, abs=1e-9)
    assert found.adjacency_probability[2, 3] == 0.0
    assert all((dag.adjacency.sum(axis=0) <= 2).all() for dag in found.sample(50, random_state=0))


def test_the_same_seed_gives_the_same_probabilities_whatever_the_number_of_threads(monkeypatch):
    table = linear_table(6)
    one, two = (by_chains_instead(monkeypatch, table, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert np.array_equal(one.edge_probability, two.edge_probability)
    assert np.array_equal(one.samples, two.samples)


@pytest.mark.long
def test_wide_tables_are_sampled_around_what_a_search_finds():
    table = linear_table(exact.MOST_NODES + 2, n_rows=500)
    found = ds.posterior(table, score="bic-linear", random_state=0, n_jobs=2)
    assert found.method == by_chains.METHOD
    assert any("of all ordered pairs" in note for note in found.notes)
    metrics = ds.metrics.compare(found.graph(), table.truth)
    assert metrics["recall"] > 0.7


def test_a_time_limit_that_leaves_nothing_is_an_error(monkeypatch):
    with pytest.raises(ds.DagsearchError, match="time_limit"):
        by_chains_instead(monkeypatch, linear_table(6), time_limit=1e-6)
