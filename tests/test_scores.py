"""Scores against other libraries, slow twins, and the numbers in ../shared/oracles where they are at hand."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections import Counter
from functools import cache

import naive
import numpy as np
import pandas as pd
import pytest
from common import DATA, families, normal_table, oracle, standardised
from sklearn.base import clone
from sklearn.preprocessing import PolynomialFeatures

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.scores import CONTINUOUS, DISCRETE, REGRESSIONS

# ---------------------------------------------------------------- tables and slow twins


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


def least_squares_rss(x, node, parents, degree):
    """Residual sum of squares by numpy on scikit-learn's monomials."""
    z = standardised(x)
    if not parents:
        return float(z[:, node] @ z[:, node])
    features = PolynomialFeatures(degree).fit_transform(z[:, parents])
    fitted = features @ np.linalg.lstsq(features, z[:, node], rcond=None)[0]
    return float(np.square(z[:, node] - fitted).sum())


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


# ---------------------------------------------------------------- residual sums of squares


@pytest.mark.parametrize(("name", "degree", "tolerance"), [("bic-linear", 1, 1e-9), ("bic-quadratic", 2, 1e-8)])
def test_rss_equals_least_squares_of_numpy(name, degree, tolerance):
    x = normal_table(200, 7) * [1, 1e4, 1e-4, 3, 1, 1, 1] + [0, 5, 0, -1e3, 2, 0, 0]
    score = ds.scores.make(name, x)
    for node, parents in families(7, 40, max_parents=6):
        expected = least_squares_rss(x, node, parents, degree)
        assert score.rss(node, parents) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize(("name", "degree"), [("bic-linear", 1), ("bic-quadratic", 2)])
def test_collinear_parents_explain_nothing_and_cost_one_parameter(name, degree):
    x = normal_table(150, 4, seed=1)
    x = np.column_stack([x, 2 * x[:, 0] - 3, x[:, 1] + x[:, 2]])
    score = ds.scores.make(name, x)
    for parents in ([0, 4], [1, 2, 5], [0, 1, 2, 4, 5]):
        expected = least_squares_rss(x, 3, parents, degree)
        assert score.rss(3, parents) == pytest.approx(expected, rel=1e-7)
    parameters = ds.scores.make(name, x, penalty="parameters")
    one = math.log(150) / 150
    assert parameters.local(3, [0, 4]) == pytest.approx(parameters.local(3, [0]) - one, rel=1e-7)
    assert parameters.local(3, [1, 2, 5]) == pytest.approx(parameters.local(3, [1, 2]) - one, rel=1e-7)


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
    assert score.local(0, [3, 1, 4]) == score.local(0, iter([1, 3, 4]))
    if name in REGRESSIONS:
        assert score.rss(0, [3, 1, 4]) == score.rss(0, [1, 3, 4]) == score.rss(0, (4, 3, 1))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_scale_and_offset_of_columns_are_irrelevant(name):
    x = normal_table(80, 4)
    moved = x * [3.0, 1e-3, 1e5, 1.0] + [7.0, 1.0, -5.0, 100.0]
    for node, parents in ((0, [1, 2]), (3, [2]), (1, [])):
        here, there = (ds.scores.make(name, table) for table in (x, moved))
        assert here.local(node, parents) == pytest.approx(there.local(node, parents), rel=1e-3, abs=1e-6)
        if name in REGRESSIONS:
            assert here.rss(node, parents) == pytest.approx(there.rss(node, parents), rel=1e-3)


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


@pytest.mark.parametrize("name", REGRESSIONS)
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
    for edges in naive.all_dags(4):
        dag = ds.DAG.from_adjacency(naive.adjacency_of(edges, 4))
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
    for name in ("bic-quadratic", "bic-gp", "bic-gam"):
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


@pytest.mark.parametrize("n_nodes", [18, 70])
def test_the_memo_stays_right_when_it_grows(monkeypatch, n_nodes):
    monkeypatch.setattr("dagsearch.scores.cache._FIRST_CAPACITY", 512)
    x = normal_table(100, n_nodes, seed=9)
    score = ds.scores.make("bic-linear", x)
    asked = {}
    for node, parents in families(n_nodes, 4096, max_parents=8):
        asked[node, tuple(parents)] = score.local(node, parents)
    assert len(asked) > 4 * 512
    assert score.n_evaluations == len(asked)
    for node, parents in list(asked)[::13]:
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


@pytest.mark.parametrize("name", ["bic-linear", "bic-gp", "bic-gam"])
def test_an_estimator_that_holds_a_score_can_be_cloned(name):
    x = normal_table(60, 4)
    model = ds.GreedySearch(score=ds.scores.make(name, x), edge_budget=3, random_state=0).fit(x)
    twin = clone(model)
    assert twin.score is not model.score
    assert twin.fit(x).dag_ == model.dag_
    assert pickle.loads(pickle.dumps(model)).score_.reward(model.dag_) == model.reward_


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


# ---------------------------------------------------------------- numbers from other programs


@cache
def shared_score(name, file):
    path = DATA / file
    return ds.scores.make(name, np.load(path) if path.suffix == ".npy" else pd.read_csv(path))


@pytest.mark.parametrize(
    ("key", "name", "tolerance"),
    [
        ("rss_linear", "bic-linear", 1e-6),
        ("rss_quadratic", "bic-quadratic", 1e-5),
    ],
)
def test_rss_equals_the_oracles(key, name, tolerance):
    cases = [case for case in json.loads(oracle("local_rss.json").read_text()) if key in case]
    assert len(cases) > 10
    for case in cases:
        file = case["data"].partition("data/")[2]
        score = shared_score(name, file)
        assert score.rss(case["target"], case["parents"]) == pytest.approx(case[key], rel=tolerance), case


def test_discrete_bic_equals_pgmpy():
    cases = json.loads(oracle("local_bic_discrete.json").read_text())
    assert len(cases) > 100
    for case in cases:
        local = 1000 * shared_score("bic-discrete", case["data"]).local(case["node"], case["parents"])
        assert local == pytest.approx(case["bic_seen_levels"], rel=1e-9, abs=1e-9), case


@pytest.mark.usefixtures("data_folder")
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
