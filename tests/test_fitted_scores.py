"""Scores that are expensive to fit: Gaussian processes, additive models, and the threads that fit them ahead."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import math
import pickle
import threading
import time
from functools import cache

import numba
import numpy as np
import pytest
from common import DATA, families, normal_table, oracle, standardised
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.gam import AdditiveModels
from dagsearch.kernels.elementary import exp_negative
from dagsearch.scores.fitpool import FitPool
from dagsearch.scores.gp import MedianDistance

FITTED = ("bic-gp", "bic-gam")
every_fitted_score = pytest.mark.parametrize("name", FITTED)


def wait_until(condition, seconds=30.0):
    """Wait for what other threads do, and a little longer in case they do too much."""
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end
        time.sleep(0.005)
    time.sleep(0.05)


@cache
def shared_score(name, file):
    return ds.scores.make(name, np.load(DATA / file))


# ---------------------------------------------------------------- Gaussian processes against scikit-learn


def pairwise_distances(z):
    difference = z[:, None, :] - z[None, :, :]
    return np.sqrt(np.square(difference).sum(axis=2))[np.triu_indices(len(z), 1)]


def gaussian_process_rss(x, node, parents):
    """Residual sum of squares by scikit-learn, plus the paper's 1.0."""
    z = standardised(x)
    inputs = z[:, parents]
    kernel = RBF(np.median(pairwise_distances(inputs)), length_scale_bounds="fixed")
    model = GaussianProcessRegressor(kernel, alpha=1e-10, optimizer=None).fit(inputs, z[:, node])
    return float(np.square(z[:, node] - model.predict(inputs)).sum() + 1.0)


# A kernel matrix with noise 1e-10 has a condition number of up to n * 1e10, so two correct programs agree on the
# weights to about 1e-16 * 1e12 = 1e-4 only; 1e-2 is what the contract asks for.
GP_TOLERANCE = 1e-2


@pytest.mark.parametrize("n_samples", [60, 101, 150])
@pytest.mark.parametrize("n_parents", [1, 2, 3, 4])
def test_gaussian_process_rss_equals_scikit_learn(n_samples, n_parents):
    x = normal_table(n_samples, 6, seed=n_samples + n_parents)
    score = ds.scores.make("bic-gp", x)
    for node in range(n_parents, 6):
        parents = list(range(n_parents))
        expected = gaussian_process_rss(x, node, parents)
        assert score.rss(node, parents) == pytest.approx(expected, rel=GP_TOLERANCE)


def test_gaussian_process_rss_is_typically_far_closer_than_its_tolerance():
    x = normal_table(100, 6, seed=5)
    score = ds.scores.make("bic-gp", x)
    errors = [
        abs(score.rss(node, parents) / gaussian_process_rss(x, node, parents) - 1)
        for node, parents in families(6, 40, max_parents=4)
        if parents
    ]
    assert np.median(errors) < 1e-4


def test_gaussian_process_without_parents_leaves_the_whole_variance_plus_one():
    assert ds.scores.make("bic-gp", normal_table(60, 3)).rss(1, []) == pytest.approx(61.0, rel=1e-12)


def test_gaussian_process_takes_integers_with_ties():
    table = np.random.default_rng(6).integers(0, 12, (80, 3)).astype(float)
    score = ds.scores.make("bic-gp", table)
    for parents in ([0], [0, 1]):
        assert score.rss(2, parents) == pytest.approx(gaussian_process_rss(table, 2, parents), rel=GP_TOLERANCE)


def test_gaussian_process_takes_or_refuses_a_column_whose_median_distance_is_zero():
    x = normal_table(60, 2)
    x[:, 0] = np.arange(60) % 10 == 0
    with contextlib.suppress(ds.DagsearchError):
        assert math.isfinite(ds.scores.make("bic-gp", x).rss(1, [0]))


def test_gaussian_process_rss_equals_the_oracle():
    cases = [case for case in json.loads(oracle("local_rss.json").read_text()) if "rss_gp_plus_one" in case]
    assert len(cases) > 10
    for case in cases:
        score = shared_score("bic-gp", case["data"].partition("data/")[2])
        rss = score.rss(case["target"], case["parents"])
        assert rss == pytest.approx(case["rss_gp_plus_one"], rel=GP_TOLERANCE), case


def test_penalty_of_parameters_is_the_trace_of_the_smoother_for_gaussian_processes():
    x = normal_table(80, 3, seed=7)
    z = standardised(x)[:, [0, 1]]
    distances = np.square(z[:, None] - z[None]).sum(axis=2)
    kernel = np.exp(-0.5 * distances / np.median(pairwise_distances(z)) ** 2)
    # n - a tr((K + a I)^-1), since the trace of K (K + a I)^-1 itself would lose the small eigenvalues.
    values = np.maximum(np.linalg.eigvalsh(kernel), 0.0)
    n_effective = 80 - (1e-10 / (values + 1e-10)).sum()
    parameters, edges = (
        ds.scores.make("bic-gp", x, penalty=penalty).local(2, [0, 1]) for penalty in ("parameters", "edges")
    )
    assert edges - parameters == pytest.approx((n_effective - 2) * math.log(80) / 80, rel=1e-3)


def test_one_gaussian_process_fit_serves_all_nodes():
    score = ds.scores.make("bic-gp", normal_table(60, 5))
    for node in range(2, 5):
        score.local(node, [0, 1])
    assert score.n_evaluations == 3
    assert score.n_fits == 1


# ---------------------------------------------------------------- additive models


def test_additive_rss_equals_that_of_r():
    cases = json.loads(oracle("gam_mgcv.json").read_text())
    n_rows = {case["data"]: len(np.load(DATA / case["data"])) for case in cases}
    whole = [case for case in cases if case["n_rows"] == n_rows[case["data"]]][::3]
    assert len(whole) > 100
    errors = []
    for case in whole:
        rss = shared_score("bic-gam", case["data"]).rss(case["target"], case["parents"])
        assert rss == pytest.approx(case["rss"], rel=1e-3), case
        errors.append(abs(rss / case["rss"] - 1))
    assert np.median(errors) < 1e-8


@pytest.mark.parametrize("n_samples", [30, 120])
def test_additive_scores_are_those_of_additive_models(n_samples):
    x = normal_table(n_samples, 6, seed=1)
    z = standardised(x)
    models = AdditiveModels(z, z)
    edges, parameters = (ds.scores.make("bic-gam", x, penalty=penalty) for penalty in ("edges", "parameters"))
    for node, parents in families(6, 20, max_parents=5):
        if not parents:
            continue
        fit = models.fit(node, parents)
        value = -math.log(fit.rss / n_samples + 1e-8)
        weight = math.log(n_samples) / n_samples
        assert edges.rss(node, parents) == pytest.approx(fit.rss, rel=1e-9)
        assert edges.local(node, parents) == pytest.approx(value - weight * len(parents), rel=1e-9, abs=1e-12)
        expected = value - weight * (fit.total_edf - 1.0)
        assert parameters.local(node, parents) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n_samples", [12, 60, 200])
def test_additive_rss_lies_between_nothing_and_the_whole_variance(n_samples):
    score = ds.scores.make("bic-gam", normal_table(n_samples, 7, seed=2))
    for node, parents in families(7, 60, max_parents=6):
        rss = score.rss(node, parents)
        assert 0.0 <= rss <= n_samples * (1.0 + 1e-9)
        assert parents or rss == n_samples


def test_additive_models_leave_less_the_more_a_parent_explains():
    rng = np.random.default_rng(3)
    cause = rng.normal(size=400)
    noise = rng.normal(size=400)
    rss = [
        ds.scores.make("bic-gam", np.column_stack([cause, np.sin(3 * cause) + scale * noise])).rss(1, [0])
        for scale in (0.01, 0.3, 3.0)
    ]
    assert rss == sorted(rss)
    assert rss[0] < 0.02 * 400
    assert 0.5 * 400 < rss[2] < 400


def test_the_penalty_of_parameters_grows_with_the_wiggles_of_a_smooth_term():
    rng = np.random.default_rng(4)
    cause = rng.uniform(-2, 2, 500)
    noise = 0.1 * rng.normal(size=500)
    effects = [cause, cause**2, np.sin(2 * cause), np.sin(5 * cause)]
    n_parameters = []
    for effect in effects:
        table = np.column_stack([cause, effect + noise])
        by_edges, by_parameters = (
            ds.scores.make("bic-gam", table, penalty=p).local(1, [0]) for p in ("edges", "parameters")
        )
        n_parameters.append(1 + (by_edges - by_parameters) * 500 / math.log(500))
    assert n_parameters == sorted(n_parameters)
    assert n_parameters[0] == pytest.approx(1.0, abs=0.5)
    assert 3.0 < n_parameters[1] < n_parameters[-1] < 9.0 + 1e-9


def test_a_fit_of_one_node_does_not_serve_another_in_additive_models():
    score = ds.scores.make("bic-gam", normal_table(60, 5))
    for node in range(2, 5):
        score.local(node, [0, 1])
    assert score.n_evaluations == score.n_fits == 3


@pytest.mark.parametrize("kind", [ds.GreedySearch, ds.CDUCT], ids=lambda kind: kind.method)
def test_too_few_rows_for_all_parents_limit_the_search_and_refuse_what_was_asked_for(kind):
    x = np.random.default_rng(5).normal(size=(6, 8))
    model = kind(score="bic-gam", random_state=0).fit(x)
    assert model.dag_.adjacency.sum(axis=0).max() <= 4 == model.result_.settings["max_parents"]
    assert "at most 4 causes of a variable, as bic-gam can tell no more apart on so few rows" in model.result_.notes
    model = kind(score="bic-gam", max_parents=5)
    with pytest.raises(InputError, match=r"max_parents must be at most 4: bic-gam can tell no more causes .*, got 5"):
        model.fit(x)
    assert not hasattr(model, "dag_")


def test_too_many_parents_for_the_rows_are_refused_by_a_single_score_too():
    score = ds.scores.make("bic-gam", np.random.default_rng(5).normal(size=(6, 8)))
    assert math.isfinite(score.local(0, [1, 2, 3, 4]))
    for ask in (score.local, score.rss):
        with pytest.raises(InputError, match="an additive model of 5 parents needs at least 7 rows, got 6"):
            ask(0, [1, 2, 3, 4, 5])
    assert math.isfinite(score.local(0, [1, 2]))


# ---------------------------------------------------------------- laws of both


@every_fitted_score
def test_n_jobs_does_not_change_values_bit_for_bit(name):
    x = normal_table(200, 6, seed=10)
    sets = [parents for k in range(1, 5) for parents in itertools.combinations(range(5), k)]

    def values(n_jobs):
        score = ds.scores.make(name, x, n_jobs=n_jobs)
        with score.session():
            score.anticipate(5, (), [0, 1, 2, 3, 4])
            return [score.local(5, parents) for parents in sets], [score.rss(5, parents) for parents in sets]

    assert values(1) == values(2) == values(4)


@every_fitted_score
def test_values_are_the_same_in_a_session_and_outside(name):
    x = normal_table(200, 5, seed=12)
    inside, outside = (ds.scores.make(name, x) for _ in range(2))
    asked = [family for family in families(5, 20, max_parents=4, seed=1) if family[1]]
    with inside.session():
        values = [inside.local(*family) for family in asked]
    assert [outside.local(*family) for family in asked] == values


@every_fitted_score
def test_values_do_not_depend_on_who_asked_before(name):
    x = normal_table(150, 5, seed=11)
    fresh, used = ds.scores.make(name, x), ds.scores.make(name, x)
    for node, parents in families(5, 20, max_parents=4):
        used.rss(node, parents)
    assert fresh.rss(4, [0, 1, 2]) == used.rss(4, [0, 1, 2])


@every_fitted_score
def test_columns_and_rows_in_another_order_give_the_same_rss(name):
    x = normal_table(120, 6, seed=13)
    rng = np.random.default_rng(0)
    order, rows = rng.permutation(6), rng.permutation(120)
    here, there = ds.scores.make(name, x), ds.scores.make(name, x[rows][:, order])
    for node, parents in families(6, 15, max_parents=4):
        moved = there.rss(np.flatnonzero(order == node)[0], [np.flatnonzero(order == p)[0] for p in parents])
        assert moved == pytest.approx(here.rss(node, parents), rel=GP_TOLERANCE if name == "bic-gp" else 1e-6)


def test_columns_that_are_neither_node_nor_parents_do_not_matter_to_additive_models():
    x = normal_table(120, 9, seed=14)
    few, many = ds.scores.make("bic-gam", x[:, :4]), ds.scores.make("bic-gam", x)
    for node, parents in families(4, 15, max_parents=3):
        assert many.rss(node, parents) == pytest.approx(few.rss(node, parents), rel=1e-8)


@every_fitted_score
@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch], ids=lambda kind: kind.method)
@pytest.mark.parametrize("edge_budget", [8, None])
def test_n_jobs_does_not_change_a_search(name, kind, edge_budget):
    x = normal_table(100, 6, seed=15)
    few = {"sims_per_node": 10} if kind is ds.CDUCT else {}
    runs = [kind(score=name, edge_budget=edge_budget, n_jobs=n_jobs, random_state=0, **few).fit(x) for n_jobs in (1, 2)]
    assert runs[0].dag_ == runs[1].dag_
    assert runs[0].pruned_dag_ == runs[1].pruned_dag_
    assert runs[0].reward_ == runs[1].reward_
    assert runs[0].result_.p_values == runs[1].result_.p_values
    assert runs[0].result_.n_score_evaluations == runs[1].result_.n_score_evaluations


@every_fitted_score
@pytest.mark.parametrize(
    "copied",
    [
        copy.deepcopy,
        lambda score: pickle.loads(pickle.dumps(score)),
        lambda score: pickle.loads(pytest.importorskip("cloudpickle").dumps(score)),
    ],
    ids=["deepcopy", "pickle", "cloudpickle"],
)
def test_copies_keep_the_fits_and_make_new_ones(name, copied):
    score = ds.scores.make(name, normal_table(80, 5), n_jobs=2)
    asked = [score.rss(4, [0, 1]), score.rss(3, [2]), score.local(0, [1, 2, 3])]
    twin = copied(score)
    assert twin.n_fits == score.n_fits == 3
    assert [twin.rss(4, [0, 1]), twin.rss(3, [2]), twin.local(0, [1, 2, 3])] == asked
    assert twin.n_fits == 3
    assert twin.rss(1, [0, 4]) == score.rss(1, [0, 4])
    assert twin.n_fits == score.n_fits == 4
    with twin.session():
        assert math.isfinite(twin.rss(2, [0, 1, 4]))


# ---------------------------------------------------------------- threads that fit ahead


class Squares:
    """Squares the sum of a key, and remembers what it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, key):
        self.asked.append(key)
        return sum(key) ** 2


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_a_pool_fits_every_key_once_and_answers_in_order(n_jobs):
    fit = Squares()
    pool = FitPool(fit, n_jobs)
    keys = [(k % 7, k % 3) for k in range(60)]
    with pool.working_ahead():
        assert pool.get(keys) == [sum(key) ** 2 for key in keys]
        assert pool.get(keys[::-1]) == [sum(key) ** 2 for key in keys[::-1]]
    assert sorted(fit.asked) == sorted(set(keys))


@pytest.mark.parametrize(("shared", "expected"), [(True, (1, 4)), (False, (9, 1, 4))])
def test_the_node_is_part_of_the_key_unless_a_fit_serves_all_nodes(shared, expected):
    assert FitPool(Squares(), 1, shared).key(9, (1, 4)) == expected


@pytest.mark.parametrize("most", [None, 3, 2, 1])
def test_spare_threads_fit_what_is_anticipated_and_no_larger_sets(most):
    fit = Squares()
    pool = FitPool(fit, n_jobs=2)
    expected = {
        tuple(sorted((5, *added)))
        for k in range(1, (4 if most is None else most - 1) + 1)
        for added in itertools.combinations((1, 2, 7, 8), k)
    }
    with pool.working_ahead():
        pool.anticipate(0, (5,), [1, 2, 7, 8], most)
        wait_until(lambda: set(pool.known) >= expected)
    assert set(fit.asked) == expected
    assert len(fit.asked) == len(expected)


def test_nothing_is_fitted_ahead_by_one_thread_or_after_the_context_has_closed():
    for n_jobs, inside in ((1, True), (2, False)):
        fit = Squares()
        pool = FitPool(fit, n_jobs)
        with pool.working_ahead():
            if inside:
                pool.anticipate(0, (), [1, 2])
                time.sleep(0.05)
        if not inside:
            pool.anticipate(0, (), [1, 2])
            time.sleep(0.05)
        assert fit.asked == []


def test_small_sets_are_fitted_ahead_before_large_ones():
    fit = Squares()
    pool = FitPool(fit, n_jobs=2)
    with pool.working_ahead():
        pool.anticipate(0, (), [1, 2, 3, 4])
        wait_until(lambda: len(pool.known) == 15)
    assert [len(key) for key in fit.asked] == sorted(len(key) for key in fit.asked)


def test_a_failed_fit_is_raised_to_whoever_asks_and_the_pool_goes_on():
    def fit(key):
        if key == (3,):
            raise ArithmeticError("no fit")
        return key

    pool = FitPool(fit, n_jobs=1)
    with pool.working_ahead():
        for _ in range(2):
            with pytest.raises(ArithmeticError, match="no fit"):
                pool.get([(1,), (3,), (4,)])
        assert pool.get([(1,), (4,)]) == [(1,), (4,)]


def test_spare_threads_expect_no_more_parents_than_the_rows_can_bear(monkeypatch):
    failures = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    score = ds.scores.make("bic-gam", np.random.default_rng(5).normal(size=(6, 8)), n_jobs=2)
    n_sets = sum(math.comb(7, k) for k in range(1, 5))
    with score.session():
        score.anticipate(0, (), list(range(1, 8)))
        wait_until(lambda: failures or score.n_fits >= n_sets)
    assert failures == []
    assert score.n_fits == n_sets


# ---------------------------------------------------------------- the arithmetic of Gaussian processes


@pytest.mark.parametrize("n_samples", [3, 4, 5, 6, 7, 50, 51, 200, 301])
@pytest.mark.parametrize("shape", ["normal", "integers", "two values", "heavy tails", "mostly equal"])
def test_median_distance_equals_numpy(n_samples, shape):
    rng = np.random.default_rng(n_samples)
    points = {
        "normal": rng.normal(size=(n_samples, 3)),
        "integers": rng.integers(0, 4, (n_samples, 2)).astype(float),
        "two values": rng.integers(0, 2, (n_samples, 1)).astype(float),
        "heavy tails": rng.standard_cauchy((n_samples, 2)),
        "mostly equal": (rng.random((n_samples, 1)) < 0.05).astype(float),
    }[shape]
    squared = np.square(points[:, None] - points[None]).sum(axis=2)
    distances = np.sqrt(squared[np.triu_indices(n_samples, 1)])
    scratch = np.empty(max(len(distances) // 8, 64))
    assert MedianDistance(n_samples)(squared, scratch) == np.median(distances)


def test_median_distance_reads_only_above_the_diagonal():
    squared = np.square(np.random.default_rng(0).normal(size=(40, 40)))
    above = np.triu_indices(40, 1)
    expected = np.median(np.sqrt(squared[above]))
    squared[np.tril_indices(40)] = np.nan
    assert MedianDistance(40)(squared, np.empty(780)) == expected


@numba.njit
def _exponentials(x, out):
    for i in range(len(x)):
        out[i] = exp_negative(x[i])


def test_exponential_is_within_two_units_in_the_last_place():
    rng = np.random.default_rng(12)
    x = -np.concatenate([rng.uniform(0, 700, 50_000), 10.0 ** rng.uniform(-18, 0, 5000), np.arange(701.0)])
    x = np.concatenate([x, -math.log(2) * np.arange(1, 1000) / 2, [-0.0, 0.0]])
    found = np.empty_like(x)
    _exponentials(x, found)
    expected = np.array([math.exp(v) for v in x])
    assert (np.abs(found - expected) / np.spacing(expected)).max() <= 2.0
    assert found[-1] == found[-2] == 1.0


def test_exponential_of_a_very_negative_number_is_next_to_nothing():
    x = np.array([-708.0, -745.0, -1e4, -1e300, -np.inf])
    found = np.empty_like(x)
    _exponentials(x, found)
    assert (found >= 0).all()
    assert (found < 1e-300).all()


@pytest.mark.parametrize(("name", "reward"), [("bic-gp", 13.26383), ("bic-gam", 10.49568)])
def test_true_graph_of_sachs_has_its_known_reward(name, reward):
    data = ds.datasets.load("sachs")
    assert ds.scores.make(name, data).reward(data.truth) == pytest.approx(reward, abs=1e-4)
