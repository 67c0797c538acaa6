"""CAM: which causes boosting lets through, the order search, and the numbers that are known for real tables."""

from __future__ import annotations

import inspect
import math
import time

import naive
import naive_boosting
import naive_search
import numpy as np
import pytest
from common import is_dag, make, normal_frame, normal_table, standardised

import dagsearch as ds
from dagsearch.baselines import neighbours
from dagsearch.baselines.neighbours import possible_causes
from dagsearch.errors import DataError, InputError

both_ways = pytest.mark.parametrize("neighbour_selection", [True, False])

TABLE = normal_frame(200, 6)


def smoother_of(column):
    """The learner's n x n matrix."""
    learner = neighbours._learner(column)
    return (learner.basis * learner.shrinkage) @ learner.basis.T


SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n),
    "ties": lambda rng, n: rng.integers(0, 12, n).astype(float),
}


# ---------------------------------------------------------------- neighbour selection


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_samples", [40, 300])
def test_a_learner_has_four_degrees_of_freedom(shape, n_samples):
    column = standardised(SHAPES[shape](np.random.default_rng(0), n_samples))
    smoother = smoother_of(column)
    assert 2 * np.trace(smoother) - np.trace(smoother.T @ smoother) == pytest.approx(4.0, abs=1e-6)


@pytest.mark.parametrize("n_values", [2, 3])
def test_a_learner_of_few_values_has_a_degree_of_freedom_for_each(n_values):
    column = standardised(np.arange(60) % n_values)
    smoother = smoother_of(column)
    assert np.trace(smoother) == pytest.approx(n_values, abs=1e-6)
    means = np.array([column[np.arange(60) % n_values == k] for k in range(n_values)]).mean(axis=1)
    assert smoother @ np.sin(column) == pytest.approx(np.sin(means)[np.arange(60) % n_values], abs=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_learner_equals_the_penalised_spline_written_out(shape):
    column = standardised(SHAPES[shape](np.random.default_rng(1), 90))
    np.testing.assert_allclose(smoother_of(column), naive_boosting.spline_smoother(column), rtol=0, atol=1e-8)


@pytest.mark.parametrize(("n_nodes", "seed"), [(3, 0), (6, 1), (14, 2)])
def test_boosting_by_inner_products_equals_boosting_of_residuals(monkeypatch, n_nodes, seed):
    x = standardised(normal_table(120, n_nodes, seed))
    smoothers = [smoother_of(column) for column in x.T]
    expected = [naive_boosting.boosting_counts(smoothers, x[:, target], target) for target in range(n_nodes)]
    counted, count = [], neighbours._selection_counts

    def recorded(*arguments):
        counted.append(count(*arguments).tolist())
        return np.array(counted[-1])

    monkeypatch.setattr(neighbours, "_selection_counts", recorded)
    chosen = possible_causes(x)
    assert counted == expected
    for target, counts in enumerate(expected):
        eleventh = sorted(counts, reverse=True)[10] if n_nodes > 10 else 0
        assert chosen[:, target].tolist() == [count > max(2, eleventh) for count in counts]


def test_at_most_ten_neighbours_are_kept():
    x = np.random.default_rng(3).normal(size=(400, 18))
    x[:, 17] = x[:, :17].sum(axis=1) + 0.1 * x[:, 17]
    chosen = possible_causes(standardised(x))
    assert 5 <= chosen[:, 17].sum() <= 10
    assert chosen.sum(axis=0).max() <= 10


@pytest.mark.parametrize(
    ("counts", "kept"),
    [
        ([30, 20, 15, 10, 5, 5, 4, 4, 4, 3], [30, 20, 15, 10, 5, 5, 4, 4, 4, 3]),
        ([30, 20, 15, 10, 5, 5, 5, 4, 2, 2, 1, 1], [30, 20, 15, 10, 5, 5, 5, 4]),
        ([20, 19, 18, 10, 5, 5, 5, 4, 4, 4, 3, 3], [20, 19, 18, 10, 5, 5, 5, 4, 4, 4]),
        ([20, 19, 18, 10, 5, 5, 5, 4, 4, 4, 4, 2], [20, 19, 18, 10, 5, 5, 5]),
        ([10] * 10 + [0], [10] * 10),
        ([9] * 11 + [1], []),
    ],
)
def test_of_those_that_tie_for_the_last_places_none_is_kept(counts, kept):
    least = neighbours._least_count(np.array(counts))
    assert [count for count in counts if count > least] == kept


@pytest.mark.parametrize("n_nodes", [2, 3, 10, 11])
def test_few_columns_are_no_obstacle(n_nodes):
    chosen = possible_causes(standardised(normal_table(150, n_nodes)))
    assert chosen.shape == (n_nodes, n_nodes)
    assert not np.diag(chosen).any()
    assert (chosen[np.arange(n_nodes - 1), np.arange(1, n_nodes)]).all()


def test_two_valued_columns_are_chosen_and_have_causes_chosen_for_them():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 4))
    x[:, 1] = x[:, 0] + 0.3 * rng.normal(size=300) > 0
    x[:, 2] = 3 * x[:, 1] + rng.normal(size=300)
    chosen = possible_causes(standardised(x))
    assert chosen[0, 1]
    assert chosen[1, 2]
    assert is_dag(make(ds.CAM).fit(x).dag_)


def test_the_chosen_do_not_depend_on_the_units_of_columns():
    x = normal_table(150, 7, seed=5)
    moved = x * [1e3, 1e-3, 5, -1, 1, 2, 0.1] + [1e3, 0, -5, 3, 0, 0, 7]
    np.testing.assert_array_equal(possible_causes(standardised(moved)), possible_causes(standardised(x)))


# ---------------------------------------------------------------- the search


def test_cam_takes_no_score_budget_start_variances_or_penalty():
    taken = set(inspect.signature(ds.CAM).parameters)
    assert not taken & {"score", "edge_budget", "start", "variances", "penalty", "sims_per_node"}
    assert {"neighbour_selection", "prune", "alpha", "max_parents", "knowledge", "random_state", "n_jobs"} <= taken


@pytest.mark.parametrize("seed", range(3))
def test_without_selection_the_search_adds_the_edge_that_fits_best_by_brute_force(seed):
    x = normal_table(150, 4, seed)
    score = ds.scores.make("bic-gam", x)

    def fit_of(edges):
        return -sum(math.log(score.rss(node, naive.parents_of(edges, node)) / 150 + 1e-8) for node in range(4))

    model = make(ds.CAM, neighbour_selection=False).fit(x)
    slow = naive_search.naive_greedy(naive.NaiveRules(4), fit_of, edge_budget=6)
    assert naive.edges_of(model.dag_.adjacency) == slow.edges


@pytest.mark.parametrize("n_nodes", [2, 5, 8])
def test_without_selection_every_pair_of_variables_is_joined(n_nodes):
    model = make(ds.CAM, neighbour_selection=False).fit(normal_table(200, n_nodes))
    assert model.dag_.n_edges == n_nodes * (n_nodes - 1) // 2
    assert model.result_.status == "finished"
    assert model.result_.notes == ()


def test_with_selection_only_chosen_neighbours_are_joined():
    x = normal_table(200, 14, seed=6)
    model = make(ds.CAM).fit(x)
    chosen = possible_causes(standardised(x))
    adjacency = model.dag_.adjacency.astype(bool)
    assert not (adjacency & ~chosen).any()
    # The search goes on until no allowed edge is left that would close no cycle.
    edges = naive.edges_of(adjacency)
    assert not naive.NaiveRules(14, chosen, model.result_.settings["max_parents"]).legal(edges)


@both_ways
def test_the_reward_is_that_of_the_additive_score(neighbour_selection):
    model = make(ds.CAM, neighbour_selection=neighbour_selection).fit(TABLE)
    assert model.reward_ == pytest.approx(ds.scores.make("bic-gam", TABLE).reward(model.dag_), rel=1e-12)
    assert model.result_.settings["score"] == "bic-gam"
    assert model.result_.settings["neighbour_selection"] is neighbour_selection


@both_ways
def test_knowledge_is_respected_and_required_edges_survive_pruning(neighbour_selection):
    noise = np.random.default_rng(7).normal(size=(300, 6))
    required = [("x5", "x0"), ("x0", "x3")]
    forbidden = [(f"x{i}", "x4") for i in range(6) if i != 4] + [("x1", "x2"), ("x2", "x1")]
    knowledge = ds.Knowledge(required=required, forbidden=forbidden)
    model = make(ds.CAM, neighbour_selection=neighbour_selection, knowledge=knowledge).fit(noise)
    assert set(required) <= set(model.dag_.edges)
    assert set(model.pruned_dag_.edges) == set(required)
    assert not set(forbidden) & set(model.dag_.edges)
    assert min(model.result_.p_values[edge] for edge in required) > 0.001
    assert model.dag_.n_edges > len(required)


@pytest.mark.parametrize(("n_samples", "most"), [(200, 7), (70, 4), (50, 2), (30, 2), (20, 1), (12, 1)])
def test_a_variable_gets_one_cause_for_twenty_rows_unless_told_otherwise(n_samples, most):
    table = normal_table(n_samples, 8)
    model = make(ds.CAM, neighbour_selection=False).fit(table)
    assert model.dag_.adjacency.sum(axis=0).max() == model.result_.settings["max_parents"] == most
    given = make(ds.CAM, neighbour_selection=False, max_parents=3).fit(table)
    assert given.dag_.adjacency.sum(axis=0).max() == given.result_.settings["max_parents"] == 3


@both_ways
def test_neither_the_seed_nor_n_jobs_changes_a_graph_without_ties(neighbour_selection):
    runs = [
        ds.CAM(neighbour_selection=neighbour_selection, n_jobs=n_jobs, random_state=seed).fit(TABLE)
        for n_jobs, seed in ((1, 0), (2, 0), (-1, 0), (1, 1), (3, 2))
    ]
    for run in runs[1:]:
        assert run.dag_ == runs[0].dag_
        assert run.pruned_dag_ == runs[0].pruned_dag_
        assert run.reward_ == runs[0].reward_
        assert run.result_.p_values == runs[0].result_.p_values
        assert run.result_.n_score_evaluations == runs[0].result_.n_score_evaluations


@both_ways
def test_pruning_follows_the_p_values(neighbour_selection):
    for alpha in (1e-8, 0.001, 0.5):
        model = make(ds.CAM, neighbour_selection=neighbour_selection, alpha=alpha).fit(TABLE)
        p_values = model.result_.p_values
        assert set(p_values) == set(model.dag_.edges)
        assert set(model.pruned_dag_.edges) == {edge for edge, p in p_values.items() if p < alpha}
    kept = make(ds.CAM, neighbour_selection=neighbour_selection, prune="none").fit(TABLE)
    assert kept.pruned_dag_ == kept.dag_ == model.dag_
    assert kept.evidence_ is None
    assert kept.result_.p_values == {}


# ---------------------------------------------------------------- time


@both_ways
def test_the_time_limit_ends_the_search_early_and_says_so(neighbour_selection):
    knowledge = ds.Knowledge(required=[("a", "f")])
    model = make(ds.CAM, neighbour_selection=neighbour_selection, time_limit=1e-6, knowledge=knowledge).fit(TABLE)
    assert model.result_.status == "time-limit"
    assert model.dag_.edges == model.pruned_dag_.edges == [("a", "f")]
    patient = make(ds.CAM, neighbour_selection=neighbour_selection, time_limit=600, knowledge=knowledge).fit(TABLE)
    assert patient.result_.status == "finished"
    assert patient.dag_.n_edges > 5


def test_neighbour_selection_counts_towards_the_time(monkeypatch):
    def slow(x):
        time.sleep(0.2)
        return possible_causes(x)

    make(ds.CAM).fit(TABLE)
    monkeypatch.setattr("dagsearch.estimators.cam.possible_causes", slow)
    assert make(ds.CAM).fit(TABLE).result_.seconds > 0.2
    assert make(ds.CAM, time_limit=0.19).fit(TABLE).result_.status == "time-limit"


# ---------------------------------------------------------------- tables that are small or wrong


@both_ways
@pytest.mark.parametrize(("n_samples", "n_nodes"), [(12, 8), (3, 4), (5, 2)])
def test_few_rows_are_enough(neighbour_selection, n_samples, n_nodes):
    table = np.random.default_rng(8).normal(size=(n_samples, n_nodes))
    model = make(ds.CAM, neighbour_selection=neighbour_selection).fit(table)
    assert is_dag(model.dag_)
    assert set(model.pruned_dag_.edges) <= set(model.dag_.edges)
    assert all(0.0 <= p <= 1.0 for p in model.result_.p_values.values())


@both_ways
def test_more_causes_than_the_rows_can_bear_are_refused(neighbour_selection):
    table = np.random.default_rng(8).normal(size=(6, 8))
    message = "max_parents must be at most 4: bic-gam can tell no more causes of a variable apart on so few rows, got 7"
    with pytest.raises(InputError, match=message):
        make(ds.CAM, neighbour_selection=neighbour_selection, max_parents=7).fit(table)


@both_ways
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["low", "high"] * 100, "column 'c' holds text"),
        (1.5, "column 'c' is constant"),
    ],
)
def test_a_column_that_cannot_be_used_is_refused_by_name(neighbour_selection, column, message):
    with pytest.raises(DataError, match=message):
        make(ds.CAM, neighbour_selection=neighbour_selection).fit(TABLE.assign(c=column))


# ---------------------------------------------------------------- known numbers


@pytest.mark.parametrize(("neighbour_selection", "n_edges"), [(True, 33), (False, 55)])
def test_cam_on_sachs_reaches_its_known_numbers(neighbour_selection, n_edges):
    data = ds.datasets.load("sachs")
    model = make(ds.CAM, neighbour_selection=neighbour_selection).fit(data)
    found = ds.metrics.compare(model.pruned_dag_, data.truth)
    assert (round(found["tpr"], 3), round(found["fdr"], 3), found["shd"]) == (0.353, 0.4, 12)
    assert (model.dag_.n_edges, model.pruned_dag_.n_edges) == (n_edges, 10)


@pytest.mark.long
@pytest.mark.usefixtures("data_folder")
def test_cam_on_syntren_reaches_its_known_means():
    found = []
    for number in range(1, 11):
        data = ds.datasets.load(f"syntren-{number}")
        model = make(ds.CAM, n_jobs=2).fit(data)
        found.append(ds.metrics.compare(model.pruned_dag_, data.truth))
    tpr, fdr, shd = (float(np.mean([each[key] for each in found])) for key in ("tpr", "fdr", "shd"))
    assert (round(tpr, 3), round(fdr, 3), round(shd, 1)) == (0.329, 0.794, 41.3)


@pytest.mark.long
@pytest.mark.usefixtures("data_folder")
def test_cam_without_selection_on_the_eighth_of_syntren_reaches_its_known_numbers():
    data = ds.datasets.load("syntren-8")
    model = make(ds.CAM, neighbour_selection=False, n_jobs=2).fit(data)
    found = ds.metrics.compare(model.pruned_dag_, data.truth)
    assert (round(found["tpr"], 3), round(found["fdr"], 3), found["shd"]) == (0.053, 0.958, 38)
    assert model.dag_.n_edges == 190
