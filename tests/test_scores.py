"""Scores against other libraries, slow twins, and the numbers in ../shared/oracles where they are at hand."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import math
import os
import pickle
from collections import Counter
from functools import cache
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.preprocessing import PolynomialFeatures

import dagsearch as ds
from dagsearch.errors import CycleError, DataError, InputError, UnknownNameError
from dagsearch.kernels.rbf import exp_negative
from dagsearch.scores.cache import _FIRST_CAPACITY
from dagsearch.scores.gp import MedianDistance

CONTINUOUS = ("bic-linear", "bic-quadratic", "bic-gp")
DISCRETE = ("bic-discrete", "bdeu")

data_folder = os.environ.get("DAGSEARCH_DATA")
needs_data_folder = pytest.mark.skipif(not data_folder, reason="DAGSEARCH_DATA is not set")


# ---------------------------------------------------------------- tables and slow twins


def normal_table(n_samples, n_nodes, seed=0):
    """Variables that depend on earlier ones, linearly and by squares."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_samples, n_nodes))
    for j in range(1, n_nodes):
        x[:, j] += 0.8 * x[:, j - 1] + np.tanh(x[:, rng.integers(j)]) ** 2
    return x


def discrete_table(n_samples, levels, seed=0):
    """Integer columns with the given numbers of levels, each depending on the one before."""
    rng = np.random.default_rng(seed)
    columns = []
    for j, r in enumerate(levels):
        column = rng.integers(0, r, n_samples)
        if j:
            column = np.where(rng.random(n_samples) < 0.5, columns[-1] % r, column)
        columns.append(column)
    return pd.DataFrame({f"v{j}": column for j, column in enumerate(columns)})


def discrete_score(name, table, **options):
    """A score that takes all columns as discrete."""
    kinds = dict.fromkeys(table.columns, "discrete")
    return ds.scores.make(name, ds.as_dataset(table, kinds=kinds), **options)


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def least_squares_rss(x, node, parents, degree):
    """Residual sum of squares by numpy on scikit-learn's monomials."""
    z = standardised(x)
    if not parents:
        return float(z[:, node] @ z[:, node])
    features = PolynomialFeatures(degree).fit_transform(z[:, parents])
    fitted = features @ np.linalg.lstsq(features, z[:, node], rcond=None)[0]
    return float(np.square(z[:, node] - fitted).sum())


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


def counts_of(table, node, parents):
    """Counts of (parents' values, node's value) and of the parents' values."""
    rows = table.to_numpy()
    joint = Counter((tuple(row[parents]), row[node]) for row in rows)
    return joint, Counter(tuple(row[parents]) for row in rows)


def n_configurations(table, parents):
    return math.prod(table.iloc[:, p].nunique() for p in parents)


def discrete_bic_twin(table, node, parents):
    joint, marginal = counts_of(table, node, parents)
    log_likelihood = sum(n * math.log(n / marginal[values]) for (values, _), n in joint.items())
    n_parameters = n_configurations(table, parents) * (table.iloc[:, node].nunique() - 1)
    return (log_likelihood - 0.5 * math.log(len(table)) * n_parameters) / len(table)


def bdeu_twin(table, node, parents, sample_size=1.0):
    joint, marginal = counts_of(table, node, parents)
    prior = sample_size / n_configurations(table, parents)
    cell_prior = prior / table.iloc[:, node].nunique()
    total = sum(math.lgamma(prior) - math.lgamma(prior + n) for n in marginal.values())
    total += sum(math.lgamma(cell_prior + n) - math.lgamma(cell_prior) for n in joint.values())
    return total / len(table)


def families(n_nodes, n_families, max_parents, seed=0):
    """Random (node, parents) with up to so many parents, the empty set included."""
    rng = np.random.default_rng(seed)
    for k in range(n_families):
        order = rng.permutation(n_nodes).tolist()
        yield order[0], sorted(order[1 : 1 + k % (max_parents + 1)])


@cache
def dags_of_four_nodes():
    """All 543 DAGs of four nodes."""
    pairs = list(itertools.combinations(range(4), 2))
    dags = []
    for states in itertools.product((0, 1, 2), repeat=len(pairs)):
        edges = [(i, j) if s == 1 else (j, i) for (i, j), s in zip(pairs, states, strict=True) if s]
        try:
            dags.append(ds.DAG.from_edges(edges, names=list("abcd")))
        except CycleError:
            continue
    return dags


# ---------------------------------------------------------------- residual sums of squares


@pytest.mark.parametrize(("name", "degree", "tolerance"), [("bic-linear", 1, 1e-9), ("bic-quadratic", 2, 1e-8)])
def test_rss_equals_least_squares_of_numpy(name, degree, tolerance):
    x = normal_table(200, 7) * [1, 1e4, 1e-4, 3, 1, 1, 1] + [0, 5, 0, -1e3, 2, 0, 0]
    score = ds.scores.make(name, x)
    for node, parents in families(7, 40, max_parents=6):
        expected = least_squares_rss(x, node, parents, degree)
        assert score.rss(node, parents) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize(("name", "degree"), [("bic-linear", 1), ("bic-quadratic", 2)])
def test_collinear_parents_count_once(name, degree):
    x = normal_table(150, 4, seed=1)
    x = np.column_stack([x, 2 * x[:, 0] - 3, x[:, 1] + x[:, 2]])
    score = ds.scores.make(name, x)
    for parents in ([0, 4], [1, 2, 5], [0, 1, 2, 4, 5]):
        expected = least_squares_rss(x, 3, parents, degree)
        assert score.rss(3, parents) == pytest.approx(expected, rel=1e-7)
    parameters = ds.scores.make(name, x, penalty="parameters")
    assert parameters.local(3, [0, 4]) == pytest.approx(parameters.local(3, [0]), rel=1e-7)


def test_binary_parents_whose_squares_are_redundant_fit_as_in_numpy():
    x = normal_table(150, 4, seed=2)
    x[:, 0], x[:, 1] = x[:, 0] > 0.3, x[:, 1] > 0
    score = ds.scores.make("bic-quadratic", x)
    for parents in ([0], [0, 1], [0, 1, 2]):
        assert score.rss(3, parents) == pytest.approx(least_squares_rss(x, 3, parents, 2), rel=1e-8)
    # x0, x1 and x0 x1 are independent; their squares bring nothing new.
    with_parameters = ds.scores.make("bic-quadratic", x, penalty="parameters")
    expected = -math.log(score.rss(3, [0, 1]) / 150 + 1e-8) - 3 * math.log(150) / 150
    assert with_parameters.local(3, [0, 1]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("name", "n_samples", "n_parents"), [("bic-linear", 6, 8), ("bic-quadratic", 12, 5)])
def test_more_columns_than_rows_fit_perfectly(name, n_samples, n_parents):
    x = np.random.default_rng(3).normal(size=(n_samples, n_parents + 1))
    score = ds.scores.make(name, x)
    assert score.rss(n_parents, range(n_parents)) == pytest.approx(0.0, abs=1e-8 * n_samples)
    assert math.isfinite(score.local(n_parents, range(n_parents)))


def test_rss_is_right_beyond_sixty_four_variables():
    x = normal_table(300, 70, seed=4)
    score = ds.scores.make("bic-linear", x)
    for node, parents in ((0, [63, 64, 65, 69]), (69, [0, 1, 62, 63, 64]), (64, [65])):
        assert score.rss(node, parents) == pytest.approx(least_squares_rss(x, node, parents, 1), rel=1e-9)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_order_of_parents_is_irrelevant(name):
    score = ds.scores.make(name, normal_table(60, 5))
    assert score.rss(0, [3, 1, 4]) == score.rss(0, [1, 3, 4]) == score.rss(0, (4, 3, 1))
    assert score.local(0, [3, 1, 4]) == score.local(0, iter([1, 3, 4]))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_scale_and_offset_of_columns_are_irrelevant(name):
    x = normal_table(80, 4)
    moved = x * [3.0, 1e-3, 1e5, 1.0] + [7.0, 1.0, -5.0, 100.0]
    for node, parents in ((0, [1, 2]), (3, [2]), (1, [])):
        here, there = (ds.scores.make(name, table).rss(node, parents) for table in (x, moved))
        assert here == pytest.approx(there, rel=1e-3)


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


# ---------------------------------------------------------------- counting


DISCRETE_TABLES = {
    "mixed": discrete_table(300, [2, 3, 4, 2, 5]),
    "constant column": discrete_table(120, [3, 1, 2, 2], seed=1),
    "many levels": discrete_table(400, [40, 60, 2, 25], seed=2),
    "repeated rows": discrete_table(1000, [2, 2, 2], seed=3),
}


@pytest.mark.parametrize("which", DISCRETE_TABLES)
@pytest.mark.parametrize(("name", "twin"), [("bic-discrete", discrete_bic_twin), ("bdeu", bdeu_twin)])
def test_discrete_scores_equal_their_slow_twins(name, twin, which):
    table = DISCRETE_TABLES[which]
    score = discrete_score(name, table)
    n_nodes = table.shape[1]
    for node, parents in families(n_nodes, 25, max_parents=n_nodes - 1):
        assert score.local(node, parents) == pytest.approx(twin(table, node, parents), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(("name", "twin"), [("bic-discrete", discrete_bic_twin), ("bdeu", bdeu_twin)])
@pytest.mark.parametrize("n_levels", [3, 5])
def test_twelve_parents_whose_cells_have_to_be_renumbered_score_right(name, twin, n_levels):
    table = discrete_table(500, [n_levels] * 14, seed=4)
    score = discrete_score(name, table)
    assert n_levels**12 > len(score.family.relabel), "the scratch would hold all cells: nothing is renumbered"
    for node, parents in ((13, list(range(12))), (0, list(range(2, 14))), (5, [0, 1, 2, *range(6, 14)])):
        assert score.local(node, parents) == pytest.approx(twin(table, node, parents), rel=1e-9)


def test_an_edge_at_a_constant_discrete_column_is_free():
    score = discrete_score("bic-discrete", DISCRETE_TABLES["constant column"])
    assert score.local(1, []) == score.local(1, [0, 2, 3]) == 0.0
    assert score.local(0, [1]) == pytest.approx(score.local(0, []), rel=1e-12)


def test_levels_are_those_seen_in_the_data_whatever_their_numbers_are():
    table = DISCRETE_TABLES["mixed"]
    spread = table.replace({k: 7 * k - 3 for k in range(5)})
    for name in DISCRETE:
        assert discrete_score(name, spread).local(4, [0, 2]) == discrete_score(name, table).local(4, [0, 2])


@pytest.mark.parametrize("sample_size", [0.1, 1.0, 10.0])
def test_bdeu_takes_an_equivalent_sample_size(sample_size):
    table = DISCRETE_TABLES["mixed"]
    score = discrete_score("bdeu", table, sample_size=sample_size)
    assert score.local(2, [0, 4]) == pytest.approx(bdeu_twin(table, 2, [0, 4], sample_size), rel=1e-10)


def test_a_discrete_column_of_thousands_of_levels_fits_into_memory():
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"zip": rng.integers(0, 3000, 10_000), "b": rng.integers(0, 2, 10_000)})
    assert math.isfinite(discrete_score("bic-discrete", table).local(0, [1]))


# ---------------------------------------------------------------- rewards


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.parametrize("variances", ["different", "equal"])
def test_reward_follows_the_formulas_of_the_paper(name, variances):
    x = normal_table(90, 5)
    n, d = x.shape
    score = ds.scores.make(name, x, variances=variances)
    dag = ds.DAG.from_edges([("x0", "x1"), ("x1", "x2"), ("x0", "x2"), ("x4", "x3")], names=[f"x{j}" for j in range(d)])
    rss = [score.rss(j, np.flatnonzero(dag.adjacency[:, j]).tolist()) for j in range(d)]
    if variances == "different":
        bic = sum(math.log(r / n + 1e-8) for r in rss) + 4 * math.log(n) / n
    else:
        bic = math.log(sum(rss) / n + 1e-8) + 4 * math.log(n) / (n * d)
    assert score.reward(dag) == pytest.approx(-bic, rel=1e-10)
    assert score.reward(dag.adjacency) == score.reward(dag)


@pytest.mark.parametrize("variances", ["different", "equal"])
@pytest.mark.parametrize(("name", "n_parameters"), [("bic-linear", 1 + 3), ("bic-quadratic", 2 + 9)])
def test_penalty_of_parameters_counts_coefficients(name, n_parameters, variances):
    x = normal_table(90, 5)
    n, d = x.shape
    dag = ds.DAG.from_edges([(0, 1), (0, 4), (2, 4), (3, 4)], names=range(d))
    by_edges = ds.scores.make(name, x, variances, "edges").reward(dag)
    by_parameters = ds.scores.make(name, x, variances, "parameters").reward(dag)
    share = 1 if variances == "different" else d
    expected = (n_parameters - 4) * math.log(n) / (n * share)
    assert by_edges - by_parameters == pytest.approx(expected, rel=1e-9)


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


@pytest.mark.parametrize("name", DISCRETE)
def test_reward_of_a_discrete_score_is_the_sum_of_local_scores(name):
    table = DISCRETE_TABLES["mixed"]
    twin = discrete_bic_twin if name == "bic-discrete" else bdeu_twin
    dag = ds.DAG.from_edges([("v0", "v1"), ("v0", "v4"), ("v2", "v4")], names=table.columns)
    expected = sum(twin(table, j, np.flatnonzero(dag.adjacency[:, j]).tolist()) for j in range(5))
    assert discrete_score(name, table).reward(dag) == pytest.approx(expected, rel=1e-10)


def test_local_scores_sum_to_the_reward():
    score = ds.scores.make("bic-quadratic", normal_table(90, 4))
    total = score.local(0, []) + score.local(1, [0]) + score.local(2, [0, 1]) + score.local(3, [])
    adjacency = np.zeros((4, 4), dtype=int)
    adjacency[[0, 0, 1], [1, 2, 2]] = 1
    assert score.reward(adjacency) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("name", ["bic-linear", "bic-discrete", "bdeu"])
def test_markov_equivalent_graphs_score_the_same(name):
    if name == "bic-linear":
        score, tolerance = ds.scores.make(name, normal_table(100, 4)), 1e-6  # the floor 1e-8 breaks exactness
    else:
        score, tolerance = discrete_score(name, discrete_table(200, [2, 3, 4, 2])), 1e-10
    rewards = {}
    for dag in dags_of_four_nodes():
        rewards.setdefault(dag.to_cpdag(), []).append(score.reward(dag))
    assert sum(map(len, rewards.values())) == 543
    assert len(rewards) == 185
    for members in rewards.values():
        assert members == pytest.approx([members[0]] * len(members), rel=tolerance)
    assert len({round(members[0], 9) for members in rewards.values()}) > 100


def test_scores_that_are_not_linear_tell_the_directions_apart():
    rng = np.random.default_rng(8)
    cause = rng.normal(size=150)
    x = np.column_stack([cause, cause**2 + 0.1 * rng.normal(size=150)])
    forth, back = [[0, 1], [0, 0]], [[0, 0], [1, 0]]
    for name in ("bic-quadratic", "bic-gp"):
        score = ds.scores.make(name, x)
        assert score.reward(forth) > score.reward(back) + 0.1


# ---------------------------------------------------------------- the memo


@pytest.fixture(params=[*CONTINUOUS, *DISCRETE])
def score(request):
    """A fresh score of each kind, over five variables."""
    if request.param in CONTINUOUS:
        return ds.scores.make(request.param, normal_table(60, 5))
    return discrete_score(request.param, DISCRETE_TABLES["mixed"])


def test_asking_twice_does_not_evaluate_twice(score):
    first = [score.local(node, parents) for node, parents in families(5, 30, max_parents=4)]
    n_evaluations = score.n_evaluations
    assert 0 < n_evaluations <= 30
    assert [score.local(node, parents) for node, parents in families(5, 30, max_parents=4)] == first
    assert score.n_evaluations == n_evaluations
    score.reward(np.triu(np.ones((5, 5), dtype=int), 1))
    grown = score.n_evaluations
    assert n_evaluations <= grown <= n_evaluations + 5
    score.reward(np.triu(np.ones((5, 5), dtype=int), 1))
    assert score.n_evaluations == grown


def test_one_gaussian_process_fit_serves_all_nodes():
    score = ds.scores.make("bic-gp", normal_table(60, 5))
    for node in range(2, 5):
        score.local(node, [0, 1])
    assert score.n_evaluations == 3
    assert score.n_factorisations == 1


@pytest.mark.parametrize("n_nodes", [18, 70])
def test_the_memo_stays_right_when_it_grows(n_nodes):
    x = normal_table(100, n_nodes, seed=9)
    score = ds.scores.make("bic-linear", x)
    asked = {}
    for node, parents in families(n_nodes, 2 * _FIRST_CAPACITY, max_parents=8):
        asked[node, tuple(parents)] = score.local(node, parents)
    assert len(asked) > _FIRST_CAPACITY
    assert score.n_evaluations == len(asked)
    for node, parents in list(asked)[::97]:
        mean_square = least_squares_rss(x, node, list(parents), 1) / 100
        expected = -math.log(mean_square + 1e-8) - len(parents) * math.log(100) / 100
        assert asked[node, parents] == pytest.approx(expected, rel=1e-8, abs=1e-10)
        assert score.local(node, parents) == asked[node, parents]
    assert score.n_evaluations == len(asked)


def test_a_users_own_score_is_asked_once_per_family():
    asked = Counter()

    class Own:
        def local(self, node, parents):
            asked[node, tuple(parents)] += 1
            return -float(len(parents))

    score = ds.scores.adapt(Own(), 3)
    chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert score.reward(chain) == score.reward(chain) == -2.0
    assert asked == {(0, ()): 1, (1, (0,)): 1, (2, (1,)): 1}


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda score: pickle.loads(pickle.dumps(score))], ids=["deepcopy", "pickle"]
)
def test_copied_and_pickled_scores_keep_their_memo_and_go_on_by_themselves(score, copied):
    asked = [score.local(4, [0, 1]), score.local(0, [])]
    twin = copied(score)
    assert twin.n_evaluations == score.n_evaluations
    assert [twin.local(4, [0, 1]), twin.local(0, [])] == asked
    n_evaluations = score.n_evaluations
    assert twin.local(3, [0, 2, 4]) == score.local(3, [0, 2, 4])
    twin.local(1, [0, 2, 3, 4])
    assert twin.n_evaluations == score.n_evaluations + 1 == n_evaluations + 2


@pytest.mark.parametrize("name", ["bic-linear", "bic-gp"])
def test_an_estimator_that_holds_a_score_can_be_cloned(name):
    x = normal_table(60, 4)
    model = ds.GreedySearch(score=ds.scores.make(name, x), edge_budget=3, random_state=0).fit(x)
    twin = clone(model)
    assert twin.score is not model.score
    assert twin.fit(x).dag_ == model.dag_
    assert pickle.loads(pickle.dumps(model)).score_.reward(model.dag_) == model.reward_


# ---------------------------------------------------------------- the arithmetic of Gaussian processes


def test_n_jobs_does_not_change_gaussian_process_values_bit_for_bit():
    x = normal_table(200, 6, seed=10)
    sets = [parents for k in range(1, 5) for parents in itertools.combinations(range(5), k)]

    def values(n_jobs):
        score = ds.scores.make("bic-gp", x, n_jobs=n_jobs)
        with score.session():
            score.anticipate(5, (), [0, 1, 2, 3, 4])
            return [score.local(5, parents) for parents in sets], [score.rss(5, parents) for parents in sets]

    assert values(1) == values(2) == values(4)


def test_values_do_not_depend_on_who_asked_before():
    x = normal_table(150, 5, seed=11)
    fresh, used = ds.scores.make("bic-gp", x), ds.scores.make("bic-gp", x)
    for node, parents in families(5, 20, max_parents=4):
        used.rss(node, parents)
    assert fresh.rss(4, [0, 1, 2]) == used.rss(4, [0, 1, 2])


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


# ---------------------------------------------------------------- errors


def test_names_lists_all_five_scores():
    assert ds.scores.names() == [*CONTINUOUS, *DISCRETE]


@pytest.mark.parametrize(
    ("given", "suggestion"),
    [("bic-linaer", "bic-linear"), ("quadratic", "bic-quadratic"), ("BDEU", "bdeu"), ("bic_gp", "bic-gp")],
)
def test_an_unknown_score_is_answered_with_the_nearest_name(given, suggestion):
    with pytest.raises(UnknownNameError, match=rf"unknown score '{given}'.*Did you mean '{suggestion}'\?"):
        ds.scores.make(given, normal_table(20, 3))


@pytest.mark.parametrize("name", [None, "", "nosuch", 3])
def test_a_hopeless_score_name_is_answered_with_all_names(name):
    with pytest.raises(UnknownNameError, match="choose from bic-linear, bic-quadratic, bic-gp, bic-discrete, bdeu"):
        ds.scores.make(name, normal_table(20, 3))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bic-linear", {"variances": "same"}, "unknown variances 'same': choose from different, equal"),
        ("bic-linear", {"penalty": "edge"}, "unknown penalty 'edge'.*Did you mean 'edges'"),
        ("bic-discrete", {"variances": "equal"}, "variances='equal' is for continuous scores, bic-discrete is"),
        ("bdeu", {"variances": "equal"}, "variances='equal' is for continuous scores, bdeu is discrete"),
        ("bdeu", {"penalty": "edges"}, "penalty='edges' is for continuous scores, bdeu is discrete"),
        ("bdeu", {"sample_size": 0}, "sample_size must be a positive number, got 0"),
        ("bdeu", {"sample_size": math.nan}, "sample_size must be a positive number, got nan"),
    ],
)
def test_wrong_options_are_named(name, options, message):
    with pytest.raises(InputError, match=message):
        ds.scores.make(name, DISCRETE_TABLES["mixed"], **options)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_a_continuous_score_refuses_text_and_constant_columns_by_name(name):
    table = pd.DataFrame(normal_table(30, 3), columns=["a", "b", "c"])
    with pytest.raises(DataError, match="column 'b' holds text"):
        ds.scores.make(name, table.assign(b=["low", "high"] * 15))
    with pytest.raises(DataError, match="column 'c' is constant"):
        ds.scores.make(name, table.assign(c=4.0))


@pytest.mark.parametrize("name", DISCRETE)
def test_a_discrete_score_refuses_a_column_without_repetitions_by_name(name):
    table = DISCRETE_TABLES["mixed"].assign(height=np.random.default_rng(0).normal(size=300))
    with pytest.raises(DataError, match="column 'height' has 300 levels in 300 rows"):
        ds.scores.make(name, table)


@pytest.mark.parametrize(
    ("node", "parents", "message"),
    [
        (5, [], "node indices must be whole numbers from 0 to 4, got 5"),
        (-1, [], "node indices must be whole numbers from 0 to 4, got -1"),
        (0, [1, 7], "node indices must be whole numbers from 0 to 4, got 7"),
        (0, [-1], "node indices must be whole numbers from 0 to 4, got -1"),
        (2, [1, 2], r"parents of node 2 must be distinct other nodes, got \[1, 2\]"),
        (2, [1, 1], r"parents of node 2 must be distinct other nodes, got \[1, 1\]"),
    ],
)
def test_wrong_node_indices_are_named(score, node, parents, message):
    with pytest.raises(InputError, match=message):
        score.local(node, parents)
    if hasattr(score, "rss"):
        with pytest.raises(InputError, match=message):
            score.rss(node, parents)


def test_a_graph_that_does_not_fit_is_refused():
    score = ds.scores.make("bic-linear", normal_table(30, 3))
    with pytest.raises(InputError, match="the graph has 4 nodes, the data have 3 variables"):
        score.reward(np.zeros((4, 4), dtype=int))
    with pytest.raises(CycleError):
        score.reward([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    with pytest.raises(InputError, match="undirected"):
        score.reward(ds.DAG.from_edges([("a", "b")], names=list("abc")).to_cpdag())


def test_equal_variances_have_no_local_scores():
    score = ds.scores.make("bic-linear", normal_table(30, 3), variances="equal")
    with pytest.raises(InputError, match="variances='equal'"):
        score.local(0, [1])


def test_quadratic_regression_of_very_many_variables_is_refused_before_memory_runs_out():
    x = np.random.default_rng(0).normal(size=(5, 400))
    with pytest.raises(InputError, match=r"bic-quadratic takes at most \d+ variables, got 400.*bic-linear"):
        ds.scores.make("bic-quadratic", x)


def test_the_score_of_another_table_is_refused():
    score = ds.scores.make("bic-linear", normal_table(30, 3))
    with pytest.raises(InputError, match="the score was made for 3 variables, the data have 4"):
        ds.scores.adapt(score, 4)
    with pytest.raises(InputError, match=r"score must be a name.*got 3\.5"):
        ds.scores.adapt(3.5, 4)


@pytest.mark.parametrize("value", ["high", None, math.nan, math.inf])
def test_a_users_own_score_must_return_numbers(value):
    class Own:
        def local(self, _node, _parents):
            return value

    class OwnReward:
        def reward(self, _adjacency):
            return value

    for own, call in ((Own(), "local"), (OwnReward(), "reward")):
        with pytest.raises(InputError, match=rf"your score's {call}\(.*must return a .*number"):
            ds.scores.adapt(own, 2).reward(np.zeros((2, 2), dtype=int))


# ---------------------------------------------------------------- numbers from other programs


def oracle(name):
    return json.loads((Path(data_folder).parent / "oracles" / name).read_text())


@cache
def shared_score(name, file):
    path = Path(data_folder) / file
    return ds.scores.make(name, np.load(path) if path.suffix == ".npy" else pd.read_csv(path))


@needs_data_folder
@pytest.mark.parametrize(
    ("key", "name", "tolerance"),
    [
        ("rss_gp_plus_one", "bic-gp", 1e-2),
        ("rss_linear", "bic-linear", 1e-6),
        ("rss_quadratic", "bic-quadratic", 1e-5),
    ],
)
def test_rss_equals_the_oracles(key, name, tolerance):
    cases = [case for case in oracle("local_rss.json") if key in case]
    assert len(cases) > 10
    for case in cases:
        file = case["data"].partition("data/")[2]
        score = shared_score(name, file)
        assert score.rss(case["target"], case["parents"]) == pytest.approx(case[key], rel=tolerance), case


@needs_data_folder
def test_discrete_bic_equals_pgmpy():
    cases = oracle("local_bic_discrete.json")
    assert len(cases) > 100
    for case in cases:
        local = 1000 * shared_score("bic-discrete", case["data"]).local(case["node"], case["parents"])
        assert local == pytest.approx(case["bic_seen_levels"], rel=1e-9, abs=1e-9), case


def test_true_graph_of_sachs_has_its_known_reward():
    data = ds.datasets.load("sachs")
    assert ds.scores.make("bic-gp", data).reward(data.truth) == pytest.approx(13.26383, abs=1e-4)


@needs_data_folder
@pytest.mark.parametrize(
    ("dataset", "score", "reward", "tolerance"),
    [
        ("asia", "bic-discrete", -2.16625, 1e-5),
        ("child", "bic-discrete", -13.02030, 1e-5),
        ("insurance", "bic-discrete", -15.62439, 1e-5),
        ("er50-quadratic", "bic-quadratic", 313.8814, 1e-3),
    ],
)
def test_true_graphs_have_their_known_rewards(dataset, score, reward, tolerance):
    data = ds.datasets.load(dataset)
    assert ds.scores.make(score, data).reward(data.truth) == pytest.approx(reward, abs=tolerance)
