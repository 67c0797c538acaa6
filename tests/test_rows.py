"""Scores on tables in which not all rows count for all local scores: missing cells, and variables that were set."""

from __future__ import annotations

import math
import pickle
from itertools import combinations

import numpy as np
import pytest
from common import discrete_frame, every_dag, normal_frame
from naive_rows import NaiveRows, rows_that_count

import dagsearch as ds
from dagsearch import scores
from dagsearch.data import as_dataset
from dagsearch.errors import DataError, InputError
from dagsearch.scores.rows import PartialScore

FITTED = ("evidence", "bic-quadratic", "bic-gp", "bic-gam")
ALL = (*scores.CONTINUOUS, *scores.DISCRETE)
every_score = pytest.mark.parametrize("name", ALL)


def table_for(name, n_samples=150, seed=0):
    """A complete table of four variables that suits a score."""
    make = discrete_frame if name in scores.DISCRETE else normal_frame
    return make(n_samples, 4, seed).astype(float)


def with_gaps(table, share=0.1, seed=0, columns=slice(None)):
    gaps = np.random.default_rng(seed).random(table.shape) < share
    gaps[:, [k for k in range(table.shape[1]) if k not in range(table.shape[1])[columns]]] = False
    return table.mask(gaps)


def with_settings(table, seed=0):
    """A table of which two variables were set in some rows, at random; returns it with what was set."""
    rng = np.random.default_rng(seed)
    was_set = np.zeros(table.shape, dtype=bool)
    was_set[:40, 0] = was_set[30:70, 2] = True
    values = table.to_numpy().copy()
    for node in (0, 2):
        values[was_set[:, node], node] = rng.permutation(values[:, node])[: was_set[:, node].sum()]
    return table.__class__(values, columns=table.columns), was_set


def families(n_nodes=4):
    for node in range(n_nodes):
        others = [k for k in range(n_nodes) if k != node]
        for size in range(n_nodes):
            for parents in combinations(others, size):
                yield node, parents


def in_nats_per_row(score, n_rows):
    return score.nats / n_rows


# ---------------------------------------------------------------- missing cells


@every_score
def test_a_complete_table_has_the_ordinary_score(name):
    assert not isinstance(scores.make(name, table_for(name)), PartialScore)


def test_local_scores_are_those_of_a_slow_twin():
    table = with_gaps(table_for("bic-discrete", 200), 0.15)
    score, twin = scores.make("bic-discrete", table), NaiveRows(table.to_numpy())
    for node, parents in families():
        assert score.local(node, parents) == pytest.approx(twin.local(node, parents), abs=1e-12)


def test_local_scores_with_gaps_and_interventions_are_those_of_a_slow_twin():
    table, was_set = with_settings(table_for("bic-discrete", 200))
    table = with_gaps(table, 0.15, columns=slice(1, 3))
    score = scores.make("bic-discrete", table, interventions=was_set)
    twin = NaiveRows(table.to_numpy(), was_set)
    for node, parents in families():
        assert score.local(node, parents) == pytest.approx(twin.local(node, parents), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in ALL if name != "bic-linear"])
def test_what_a_single_cause_gains_is_what_it_gains_on_the_rows_that_have_both(name):
    table = with_gaps(table_for(name), 0.2)
    score = scores.make(name, table)
    for node, parent in ((0, 1), (1, 0), (2, 3)):
        both = table.iloc[:, [node, parent]].dropna()
        levels = dict(zip(table, table.nunique(), strict=True)) if name in scores.DISCRETE else {}
        given = {"levels": {column: levels[column] for column in both}} if levels else {}
        part = scores.make(name, both, **given)
        gain = part.terms(np.array([0, 0]), np.array([2, 0], dtype=np.uint64))[:, 0]
        scale = 1.0 if score.is_per_row else len(table) / len(both)
        found = score.terms(np.array([node, node]), np.array([1 << parent, 0], dtype=np.uint64))[:, 0]
        assert found[0] - found[1] == pytest.approx(scale * (gain[0] - gain[1]), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in ALL if name != "bic-linear"])
def test_a_gap_in_another_column_changes_nothing(name):
    table = with_gaps(table_for(name), columns=slice(0, 3))
    fewer = table.copy()
    fewer.iloc[:25, 3] = np.nan
    one, other = scores.make(name, table), scores.make(name, fewer)
    for parents in ((), (1,), (0, 1)):
        node = 2
        assert other.local(node, parents) == pytest.approx(one.local(node, parents), rel=1e-12)


@every_score
def test_local_scores_are_finite_whatever_is_missing(name):
    table = table_for(name)
    table.iloc[:75, 0] = table.iloc[75:, 1] = np.nan  # never seen together
    table.iloc[20:, 2] = np.nan
    score = scores.make(name, table)
    for node, parents in families():
        assert math.isfinite(score.local(node, parents))


@every_score
def test_columns_that_are_never_seen_together_have_no_edge_and_a_note_says_so(name):
    table = table_for(name)
    table["b2"] = table.iloc[:, 0] + (0.0 if name in scores.DISCRETE else 0.1 * table.iloc[:, 1])
    table.iloc[:75, 0] = table.iloc[75:, 4] = np.nan
    model = ds.GreedySearch(score=name, prune="none").fit(table)
    first = table.columns[0]
    assert {first, "b2"} not in [set(edge) for edge in model.dag_.edges]
    assert any(
        f"never seen together, so that there is no edge between them: {first!r} and 'b2'" in note
        for note in model.result_.notes
    )


@every_score
def test_exact_search_finds_the_best_of_all_dags_with_gaps(name):
    score = scores.make(name, with_gaps(table_for(name), 0.15))
    best = max(score.reward(dag) for dag in every_dag(4))
    model = ds.ExactSearch(score=score, prune="none").fit(with_gaps(table_for(name), 0.15))
    assert model.reward_ == pytest.approx(best, abs=1e-9)
    assert model.certificate_.is_optimal


@pytest.mark.parametrize("name", FITTED[:2])
def test_threads_and_copies_change_nothing(name):
    table = with_gaps(table_for(name), 0.15)
    one, two = scores.make(name, table), scores.make(name, table, n_jobs=2)
    copied = pickle.loads(pickle.dumps(one))
    with two.session():
        for node, parents in families():
            assert one.local(node, parents) == two.local(node, parents) == copied.local(node, parents)


def test_a_needless_cause_seldom_pays_although_its_cells_are_missing():
    n_paid = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x, noise, needless = rng.normal(size=(3, 400))
        table = with_gaps(ds.Dataset.to_pandas(as_dataset(np.column_stack([2.0 * x + noise, x, needless]))), 0.2, seed)
        score = scores.make("bic-quadratic", table, penalty="parameters")
        n_paid += score.local(0, (1, 2)) > score.local(0, (1,))
    assert n_paid <= 2


def test_equal_variances_need_all_rows():
    with pytest.raises(InputError, match="variances='equal' needs every row of every variable"):
        scores.make("bic-quadratic", with_gaps(table_for("bic-quadratic")), variances="equal")


def test_a_column_with_too_few_values_is_named():
    table = table_for("evidence")
    table.iloc[7:, 2] = np.nan
    with pytest.raises(DataError, match=f"column {table.columns[2]!r} has 7 rows in which it was seen and not set"):
        scores.make("evidence", table)


@pytest.mark.parametrize("name", scores.DISCRETE)
def test_a_level_that_the_rows_of_a_set_lack_still_counts(name):
    rng = np.random.default_rng(0)
    table = discrete_frame(200, 3, 0).astype(float)
    rare = np.zeros(200)
    rare[rng.permutation(200)[:3]] = 1.0
    table["rare"] = rare
    table.iloc[rare == 1.0, 0] = np.nan
    score = scores.make(name, table)
    assert math.isfinite(score.local(3, (0,)))
    assert score.local(3, (0,)) < score.local(3, ())  # one level is left, which is nothing to explain


# ---------------------------------------------------------------- interventions


@every_score
def test_a_variable_is_judged_by_the_rows_in_which_it_was_not_set(name):
    table, was_set = with_settings(table_for(name))
    score = scores.make(name, table, interventions=was_set)
    for node, parents in families():
        rows = rows_that_count(table.to_numpy(), was_set, node, ())
        given = {}
        if name in scores.DISCRETE:
            given["levels"] = dict(zip(table, table.nunique().tolist(), strict=True))
        part = scores.make(name, table.iloc[rows], **given)
        scale = len(rows) / len(table) if score.is_per_row else 1.0
        assert score.local(node, parents) == pytest.approx(scale * part.local(node, parents), rel=1e-9)


def test_nothing_set_is_the_ordinary_score():
    table = table_for("bic-linear")
    score = scores.make("bic-linear", table, interventions=np.zeros(table.shape, dtype=bool))
    assert not isinstance(score, PartialScore)


@pytest.mark.parametrize("name", ["bic-linear", "bdeu"])
def test_exact_search_and_posterior_go_by_interventions(name):
    table, was_set = with_settings(table_for(name))
    score = scores.make(name, table, interventions=was_set)
    rewards = {dag: score.reward(dag) for dag in every_dag(4)}
    data = as_dataset(table, interventions=was_set)
    assert ds.ExactSearch(score=name, prune="none", penalty="edges" if name == "bic-linear" else "auto").fit(
        data
    ).reward_ == pytest.approx(max(rewards.values()), abs=1e-9)
    sure = ds.posterior(data, score=score, n_samples=0)
    weights = np.exp(score.nats * (np.array(list(rewards.values())) - max(rewards.values())))
    edges = sum(weight * dag.adjacency for weight, dag in zip(weights, rewards, strict=True)) / weights.sum()
    assert sure.edge_probability == pytest.approx(edges, abs=1e-9)


def test_interventions_decide_directions_that_observations_cannot():
    rng = np.random.default_rng(0)
    n = 600
    a, noise = rng.normal(size=(2, n))
    was_set = np.zeros((n, 2), dtype=bool)
    was_set[:100, 1] = True
    b = np.where(was_set[:, 1], rng.normal(size=n), 0.8 * a + 0.6 * noise)
    score = scores.make("bic-linear", np.column_stack([a, b]), interventions=was_set)
    forward, backward = (score.reward(np.array(graph)) for graph in ([[0, 1], [0, 0]], [[0, 0], [1, 0]]))
    assert score.nats * (forward - backward) > 10.0
    observed = scores.make("bic-linear", np.column_stack([a, b])[100:])
    assert observed.reward(np.array([[0, 1], [0, 0]])) == pytest.approx(observed.reward(np.array([[0, 0], [1, 0]])))


# ---------------------------------------------------------------- what such values are


@pytest.mark.parametrize("name", ["evidence", "bdeu"])
def test_values_with_gaps_approximate_probabilities_and_those_with_interventions_are_what_they_are(name):
    table, was_set = with_settings(table_for(name))
    assert scores.make(name, with_gaps(table)).approximates
    assert not scores.make(name, table, interventions=was_set).approximates


def test_a_handful_of_rows_tells_nothing_however_well_they_fit():
    table = table_for("bic-quadratic")
    names = list(table)
    table[names[1]] = np.where(np.arange(150) < 19, 2.0 * table[names[0]], np.nan)
    table.iloc[100:, 1] = np.random.default_rng(0).normal(size=50)
    table.iloc[19:, 0] = np.where(np.arange(19, 150) < 100, table.iloc[19:, 0], np.nan)
    score = scores.make("bic-quadratic", table)
    assert len(table.iloc[:, :2].dropna()) == 19
    assert score.local(1, (0,)) < score.local(1, ()) - 1.0
