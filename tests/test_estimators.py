"""The estimators' contract: scikit-learn's habits, budgets, seeds, automatic choices, pruning, knowledge, errors."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import math
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.preprocessing import PolynomialFeatures

import dagsearch as ds
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.estimators import METHODS
from dagsearch.pruning import prune

ESTIMATORS = list(METHODS.values())
every_method = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.method)


def normal_table(n_samples=150, n_nodes=6, seed=0):
    """Columns a, b, ... of which each depends on earlier ones."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_samples, n_nodes))
    for j in range(1, n_nodes):
        x[:, j] += 0.8 * x[:, j - 1] + np.tanh(x[:, rng.integers(j)]) ** 2
    return pd.DataFrame(x, columns=list("abcdefghijklmnop"[:n_nodes]))


def discrete_table(n_samples=200, n_nodes=5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (n_samples, n_nodes))
    for j in range(1, n_nodes):
        x[:, j] = np.where(rng.random(n_samples) < 0.6, x[:, j - 1], x[:, j])
    return pd.DataFrame(x, columns=list("abcdefghij"[:n_nodes]))


def make(kind, **settings):
    """An estimator with few simulations, where the method has any, and seed 0."""
    taken = inspect.signature(kind).parameters
    defaults = {"sims_per_node": 5, "random_state": 0}
    return kind(**{name: value for name, value in {**defaults, **settings}.items() if name in taken})


TABLE = normal_table()


# ---------------------------------------------------------------- scikit-learn's habits


@every_method
def test_init_only_stores_its_arguments(kind):
    nonsense = {name: object() for name in inspect.signature(kind).parameters}
    model = kind(**nonsense)
    for name, value in nonsense.items():
        assert getattr(model, name) is value
    assert model.get_params(deep=False) == nonsense
    assert set(vars(model)) == set(nonsense)


@every_method
def test_parameters_can_be_read_set_and_cloned(kind):
    model = make(kind, edge_budget=3)
    twin = clone(model)
    assert twin is not model
    assert twin.get_params() == model.get_params()
    assert model.set_params(edge_budget=5, prune="none") is model
    assert (model.edge_budget, model.prune, twin.edge_budget) == (5, "none", 3)
    with pytest.raises(ValueError, match="nosuch"):
        model.set_params(nosuch=1)


@every_method
def test_fit_returns_self_changes_no_parameter_and_can_be_repeated(kind):
    model = make(kind, edge_budget=4)
    before = model.get_params()
    assert model.fit(TABLE) is model
    assert model.get_params() == before
    first = model.dag_
    assert model.fit(TABLE, None).dag_ == first
    assert not [name for name in vars(clone(model)) if name.endswith("_")]


def test_the_contract_names_the_arguments_of_cduct_in_this_order():
    expected = ["score", "edge_budget", "sims_per_node", "horizon", "exploration", "final_move", "prune", "knowledge"]
    expected += ["time_limit", "random_state", "n_jobs", "progress"]
    assert list(inspect.signature(ds.CDUCT).parameters)[: len(expected)] == expected


# ---------------------------------------------------------------- the input


@every_method
def test_pandas_input_is_not_changed_and_names_are_kept(kind):
    table = TABLE.copy()
    model = make(kind, edge_budget=4).fit(table)
    pd.testing.assert_frame_equal(table, TABLE)
    assert model.dag_.names == model.pruned_dag_.names == tuple("abcdef")
    assert model.feature_names_in_.tolist() == list("abcdef")


def test_polars_input_is_not_changed_and_names_are_kept():
    table = pl.DataFrame({name: TABLE[name].to_numpy() for name in TABLE})
    before = table.clone()
    model = make(ds.CDUCT, edge_budget=4).fit(table)
    assert table.equals(before)
    assert model.dag_ == make(ds.CDUCT, edge_budget=4).fit(TABLE).dag_


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("score", ["bic-linear", "bic-quadratic", "bic-gp"])
def test_arrays_are_not_changed_even_if_they_may_not_be_written_to(score, order):
    x = np.array(TABLE, order=order)
    before = x.copy()
    x.setflags(write=False)
    model = make(ds.GreedySearch, score=score, edge_budget=4).fit(x)
    np.testing.assert_array_equal(x, before)
    assert model.dag_.names == ("x0", "x1", "x2", "x3", "x4", "x5")
    assert (model.dag_.adjacency == make(ds.GreedySearch, score=score, edge_budget=4).fit(TABLE).dag_.adjacency).all()


def test_lists_and_datasets_are_taken_too():
    reference = make(ds.CDUCT, edge_budget=4).fit(TABLE.to_numpy()).dag_
    assert make(ds.CDUCT, edge_budget=4).fit(TABLE.to_numpy().tolist()).dag_ == reference
    data = ds.as_dataset(TABLE)
    assert make(ds.CDUCT, edge_budget=4).fit(data).dag_ == reference.with_names(TABLE.columns)


def test_knowledge_start_and_kinds_are_not_changed():
    knowledge = ds.Knowledge(required=[("a", "b")], forbidden=[("c", "d")], tiers=[["a"], ["b", "c"]])
    start, kinds = np.zeros((6, 6), dtype=int), {"a": "continuous"}
    start[4, 5] = 1
    before = copy.deepcopy((knowledge, start, kinds))
    make(ds.CDUCT, edge_budget=5, knowledge=knowledge, start=start, kinds=kinds).fit(TABLE)
    assert (knowledge, kinds) == (before[0], before[2])
    np.testing.assert_array_equal(start, before[1])


# ---------------------------------------------------------------- what a fit leaves behind


@every_method
def test_learnt_attributes_fit_together(kind):
    model = make(kind, edge_budget=7).fit(TABLE)
    result = model.result_
    assert isinstance(model.dag_, ds.DAG)
    assert model.n_features_in_ == 6
    assert model.reward_ == result.reward == model.score_.reward(model.dag_)
    assert result.method == kind.method
    assert result.edges == model.dag_.edges
    assert result.pruned_edges == model.pruned_dag_.edges
    assert set(result.pruned_edges) <= set(result.edges)
    assert result.n_edges == model.dag_.n_edges == 7
    assert result.n_score_evaluations > 0
    assert 0 < result.seconds < 60
    assert result.status == "finished"
    assert result.seed == 0
    assert result.settings["score"] == model.score_.name == "bic-quadratic"
    assert result.settings["edge_budget"] == 7


@every_method
def test_the_record_is_frozen(kind):
    result = make(kind, edge_budget=2).fit(TABLE).result_
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)
    assert repr(result).startswith("Result(method=")


@pytest.mark.parametrize("score", ["bic-linear", "bic-quadratic", "bic-gp", "bic-discrete", "bdeu"])
@every_method
def test_reward_is_that_of_the_graph_on_a_fresh_score(kind, score):
    table = discrete_table(100, 4) if score in ("bic-discrete", "bdeu") else normal_table(60, 4)
    model = make(kind, score=score, edge_budget=4).fit(table)
    assert model.reward_ == pytest.approx(ds.scores.make(score, table).reward(model.dag_), rel=1e-12)


def test_simulations_are_counted_as_in_the_paper():
    model = make(ds.CDUCT, edge_budget=4, sims_per_node=5).fit(TABLE)
    assert model.result_.n_simulations == 2 * 4 * 5 * 6
    assert model.result_.n_calibration_simulations == 5 * 6
    assert make(ds.RandomSearch, edge_budget=4, sims_per_node=5).fit(TABLE).result_.n_simulations == 2 * 4 * 5 * 6
    assert make(ds.RandomSampling, edge_budget=4).fit(TABLE).result_.n_simulations == 1


def test_settings_in_force_are_recorded_with_defaults_resolved():
    settings = make(ds.CDUCT).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["penalty"]) == (6, 4, "parameters")
    settings = make(ds.CDUCT, edge_budget=3, horizon=2).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["penalty"]) == (2, 1, "edges")
    assert settings["prune"] == "coefficients"


# ---------------------------------------------------------------- seeds


@every_method
@pytest.mark.parametrize("edge_budget", [8, None])
def test_one_seed_gives_one_graph(kind, edge_budget):
    runs = [make(kind, edge_budget=edge_budget, random_state=7).fit(TABLE) for _ in range(2)]
    assert runs[0].dag_ == runs[1].dag_
    assert runs[0].reward_ == runs[1].reward_
    assert runs[0].result_.n_simulations == runs[1].result_.n_simulations
    assert runs[0].result_.n_score_evaluations == runs[1].result_.n_score_evaluations


@every_method
def test_two_seeds_differ_somewhere(kind):
    # Discrete BIC is score-equivalent, so that even the greedy search has ties to break.
    table = discrete_table(n_nodes=8)
    graphs = {make(kind, edge_budget=10, sims_per_node=1, random_state=seed).fit(table).dag_ for seed in range(5)}
    assert len(graphs) > 1


@every_method
def test_n_jobs_changes_nothing(kind):
    table = normal_table(80, 5)
    runs = [make(kind, score="bic-gp", edge_budget=6, n_jobs=n_jobs).fit(table) for n_jobs in (1, 2, 3, -1)]
    assert len({run.dag_ for run in runs}) == 1
    assert len({run.reward_ for run in runs}) == 1
    assert len({run.result_.n_score_evaluations for run in runs}) == 1


@every_method
def test_the_recorded_seed_repeats_a_fit_without_one(kind):
    model = make(kind, edge_budget=6, random_state=None).fit(TABLE)
    assert make(kind, edge_budget=6, random_state=model.result_.seed).fit(TABLE).dag_ == model.dag_
    other = make(kind, edge_budget=6, random_state=None).fit(TABLE)
    assert other.result_.seed != model.result_.seed


def test_generators_are_taken_as_seeds():
    runs = [
        make(ds.CDUCT, edge_budget=6, random_state=np.random.default_rng(5)).fit(TABLE),
        make(ds.CDUCT, edge_budget=6, random_state=np.random.default_rng(5)).fit(TABLE),
    ]
    assert runs[0].result_.seed == runs[1].result_.seed
    assert runs[0].dag_ == runs[1].dag_
    generator = np.random.default_rng(5)
    seeds = {make(ds.CDUCT, edge_budget=2, random_state=generator).fit(TABLE).result_.seed for _ in range(2)}
    assert len(seeds) == 2
    assert make(ds.CDUCT, edge_budget=6, random_state=np.random.RandomState(5)).fit(TABLE).dag_.n_edges == 6
    assert make(ds.CDUCT, edge_budget=6, random_state=np.int64(5)).fit(TABLE).result_.seed == 5


def test_numpys_global_state_is_neither_used_nor_changed():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    make(ds.CDUCT, edge_budget=4, random_state=None).fit(TABLE)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


# ---------------------------------------------------------------- the budget


@every_method
@pytest.mark.parametrize("edge_budget", [0, 1, 5, 14, 15])
def test_the_edge_budget_is_met_exactly(kind, edge_budget):
    for table in (TABLE, discrete_table(n_nodes=6)):
        model = make(kind, edge_budget=edge_budget, sims_per_node=2, prune="none").fit(table)
        assert model.dag_.n_edges == edge_budget
        assert model.pruned_dag_ == model.dag_


@every_method
@pytest.mark.parametrize("score", ["bic-linear", "bic-quadratic", "bic-gp"])
def test_without_a_budget_the_score_decides_and_no_graph_is_worse_than_the_empty_one(kind, score):
    table = normal_table(80, 5)
    model = make(kind, score=score).fit(table)
    empty = np.zeros((5, 5), dtype=int)
    assert model.reward_ >= model.score_.reward(empty)
    assert model.result_.status == "finished"
    assert model.result_.settings["prune"] == "none"


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch], ids=lambda kind: kind.method)
def test_without_a_budget_noise_stays_without_edges_and_a_strong_chain_is_found(kind):
    noise = np.random.default_rng(0).normal(size=(2000, 5))
    assert make(kind, score="bic-linear").fit(noise).dag_.n_edges == 0
    chain = np.cumsum(noise, axis=1)
    model = make(kind, score="bic-linear", sims_per_node=30).fit(chain)
    skeleton = model.dag_.adjacency + model.dag_.adjacency.T
    assert (skeleton[np.arange(4), np.arange(1, 5)] == 1).all()


def test_more_simulations_do_not_fall_behind_random_sampling():
    sampled = np.mean([make(ds.RandomSampling, edge_budget=8, random_state=s).fit(TABLE).reward_ for s in range(10)])
    searched = make(ds.RandomSearch, edge_budget=8, sims_per_node=20).fit(TABLE).reward_
    uct = make(ds.CDUCT, edge_budget=8, sims_per_node=20).fit(TABLE).reward_
    assert uct >= searched > sampled


# ---------------------------------------------------------------- the automatic score


def text_table():
    return normal_table(300, 4).assign(b=["low", "high", "middle"] * 100)


@pytest.mark.parametrize(
    ("table", "score", "reason"),
    [
        (normal_table(100, 4), "bic-quadratic", "all columns are continuous"),
        (normal_table(99, 4), "bic-linear", "all columns are continuous, and 99 rows are few"),
        (normal_table(150, 16).T.T, "bic-quadratic", "all columns are continuous"),
        (discrete_table(), "bic-discrete", "all columns are discrete"),
        (
            text_table()[["a", "b"]],
            "bic-discrete",
            "1 columns hold text, so the 1 continuous ones were cut into 5 bins",
        ),
        (normal_table(100, 4).assign(b=[0, 1] * 50), "bic-quadratic", "all columns are numbers (1 with few levels)"),
    ],
)
def test_the_automatic_score_suits_the_columns_and_says_why(table, score, reason):
    model = make(ds.CDUCT, edge_budget=1).fit(table)
    assert model.score_.name == model.result_.settings["score"] == score
    assert len(model.result_.notes) == 1
    assert model.result_.notes[0].startswith(f"score: {score}, since {reason}")


def test_wide_tables_get_a_linear_score():
    wide = np.random.default_rng(0).normal(size=(120, 101))
    model = make(ds.RandomSampling, edge_budget=1).fit(wide)
    assert model.score_.name == "bic-linear"
    assert "too many of them" in model.result_.notes[0]


def test_a_score_that_was_asked_for_needs_no_note():
    assert make(ds.CDUCT, score="bic-linear", edge_budget=1).fit(TABLE).result_.notes == ()


def test_continuous_columns_beside_text_are_cut_into_bins():
    table = text_table()
    model = make(ds.GreedySearch, edge_budget=3).fit(table)
    binned = ds.as_dataset(table).binned(["a", "c", "d"], 5)
    assert model.reward_ == pytest.approx(ds.scores.make("bic-discrete", binned).reward(model.dag_), rel=1e-12)
    assert model.dag_.names == tuple("abcd")


def test_kinds_override_what_was_inferred():
    table = discrete_table()
    kinds = dict.fromkeys(table, "continuous")
    assert make(ds.CDUCT, edge_budget=1, kinds=kinds).fit(table).score_.name == "bic-quadratic"
    counts = pd.DataFrame(np.random.default_rng(0).integers(0, 30, (300, 3)), columns=list("abc"))
    assert make(ds.CDUCT, edge_budget=1).fit(counts).score_.name == "bic-quadratic"
    kinds = dict.fromkeys(counts, "discrete")
    assert make(ds.CDUCT, edge_budget=1, kinds=kinds).fit(counts).score_.name == "bic-discrete"


# ---------------------------------------------------------------- variances, penalties, scores


@every_method
def test_equal_variances_reach_the_score(kind):
    model = make(kind, score="bic-linear", variances="equal", edge_budget=4).fit(TABLE)
    expected = ds.scores.make("bic-linear", TABLE, variances="equal").reward(model.dag_)
    assert model.reward_ == pytest.approx(expected, rel=1e-12)
    assert model.result_.settings["variances"] == "equal"
    assert make(kind, score="bic-linear", edge_budget=4).fit(TABLE).result_.settings["variances"] == "different"


@pytest.mark.parametrize(
    ("penalty", "edge_budget", "in_force"),
    [
        ("auto", None, "parameters"),
        ("auto", 3, "edges"),
        ("edges", None, "edges"),
        ("parameters", 3, "parameters"),
    ],
)
def test_the_penalty_counts_parameters_where_it_decides_the_number_of_edges(penalty, edge_budget, in_force):
    model = make(ds.GreedySearch, score="bic-quadratic", penalty=penalty, edge_budget=edge_budget).fit(TABLE)
    assert model.result_.settings["penalty"] == in_force
    expected = ds.scores.make("bic-quadratic", TABLE, penalty=in_force).reward(model.dag_)
    assert model.reward_ == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch, ds.RandomSearch], ids=lambda kind: kind.method)
@pytest.mark.parametrize("name", ["bic-linear", "bic-gp"])
def test_a_second_fit_on_the_same_score_evaluates_less(kind, name):
    table = normal_table(80, 5)
    score = ds.scores.make(name, table)
    first = make(kind, score=score, edge_budget=6).fit(table)
    second = make(kind, score=score, edge_budget=6).fit(table)
    other = make(kind, score=score, edge_budget=6, random_state=1).fit(table)
    assert first.result_.n_score_evaluations > 0
    assert second.result_.n_score_evaluations == 0
    assert other.result_.n_score_evaluations < first.result_.n_score_evaluations
    assert second.dag_ == first.dag_
    assert first.score_ is second.score_ is score


@every_method
def test_a_users_own_scores_are_maximised(kind):
    wanted = {("a", "b"), ("b", "c"), ("a", "c")}
    weights = np.array([[float((i, j) in wanted) for j in "abcd"] for i in "abcd"])

    class Local:
        def local(self, node, parents):
            return sum(weights[p, node] for p in parents)

    class Whole:
        def reward(self, adjacency):
            return float((adjacency * weights).sum())

    for score in (Local(), Whole()):
        model = make(kind, score=score, edge_budget=3, sims_per_node=50).fit(normal_table(30, 4))
        assert model.reward_ == len(wanted & set(model.dag_.edges))
        if kind is not ds.RandomSampling:
            assert set(model.dag_.edges) == wanted
        assert model.result_.settings["score"] == "custom"


# ---------------------------------------------------------------- pruning


def pruned_by_hand(table, dag, degree):
    """Edges that stay, with scikit-learn's table of exponents to say which monomial contains which parent."""
    z = ((table - table.mean()) / table.std(ddof=0)).to_numpy()
    kept = []
    for effect in range(dag.n_nodes):
        parents = np.flatnonzero(dag.adjacency[:, effect])
        if not len(parents):
            continue
        features = PolynomialFeatures(degree)
        coefficients = np.linalg.lstsq(features.fit_transform(z[:, parents]), z[:, effect], rcond=None)[0]
        large = features.powers_[1:][np.abs(coefficients[1:]) > 0.3]
        kept += [(dag.names[p], dag.names[effect]) for p in parents[(large > 0).any(axis=0)]]
    return set(kept)


@pytest.mark.parametrize(("score", "degree"), [("bic-linear", 1), ("bic-quadratic", 2)])
@pytest.mark.parametrize("prune", ["auto", "coefficients"])
def test_pruning_keeps_the_parents_with_a_coefficient_above_three_tenths(score, degree, prune):
    model = make(ds.CDUCT, score=score, edge_budget=12, prune=prune).fit(TABLE)
    expected = pruned_by_hand(TABLE, model.dag_, degree)
    assert set(model.pruned_dag_.edges) == expected
    assert 0 < len(expected) < 12
    assert model.result_.settings["prune"] == "coefficients"


@pytest.mark.parametrize("degree", [1, 2])
def test_twelve_parents_are_not_mixed_up(degree):
    # Named x0..x12: a search for "x1" in the names of monomials would also find x10, x11 and x12.
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 13))
    strong = (1, 5, 11) if degree == 1 else (1, 11)
    x[:, 12] = sum(x[:, p] for p in strong) if degree == 1 else 2 * x[:, 1] * x[:, 11] + 0.1 * x[:, 10]
    x[:, 12] += 0.5 * rng.normal(size=600)
    table = pd.DataFrame(x, columns=[f"x{j}" for j in range(13)])
    star = ds.DAG.from_edges([(f"x{p}", "x12") for p in range(12)], names=list(table))
    pruned = prune(star, table, degree=degree)
    assert pruned.edges == [(f"x{p}", "x12") for p in strong]
    assert set(pruned.edges) == pruned_by_hand(table, star, degree)


def test_a_parent_that_matters_only_in_a_product_stays_with_degree_two_alone():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(500, 3))
    x[:, 2] = x[:, 0] * x[:, 1] + 0.1 * x[:, 2]
    dag = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    assert prune(dag, x, degree=2).n_edges == 2
    assert prune(dag, x, degree=1).n_edges == 0


def test_the_threshold_decides_what_stays():
    x = np.random.default_rng(3).normal(size=(5000, 2))
    x[:, 1] = 0.5 * x[:, 0] + math.sqrt(0.75) * x[:, 1]
    edge = [[0, 1], [0, 0]]
    assert [prune(edge, x, threshold=t).n_edges for t in (0.0, 0.3, 0.45, 0.55)] == [1, 1, 1, 0]


@pytest.mark.parametrize(("score", "edge_budget"), [("bic-gp", 6), ("bic-linear", None), ("bic-quadratic", None)])
def test_automatic_pruning_leaves_alone_what_no_budget_or_linear_score_constructed(score, edge_budget):
    model = make(ds.GreedySearch, score=score, edge_budget=edge_budget).fit(normal_table(80, 4))
    assert model.pruned_dag_ == model.dag_
    assert model.result_.settings["prune"] == "none"


def test_no_pruning_gives_the_very_same_graph():
    model = make(ds.CDUCT, score="bic-linear", edge_budget=12, prune="none").fit(TABLE)
    assert model.pruned_dag_ == model.dag_
    assert prune(model.dag_, TABLE, method="none") == model.dag_


def test_required_edges_survive_pruning():
    noise = pd.DataFrame(np.random.default_rng(4).normal(size=(500, 4)), columns=list("abcd"))
    knowledge = ds.Knowledge(required=[("d", "a"), ("b", "a")])
    model = make(ds.CDUCT, score="bic-linear", edge_budget=5, knowledge=knowledge).fit(noise)
    assert set(model.pruned_dag_.edges) == {("d", "a"), ("b", "a")}


@pytest.mark.parametrize("first", ["CDUCT", "prune"])
def test_prune_is_the_function_whatever_was_used_before(first):
    program = f"import dagsearch as ds; ds.{first}; assert callable(ds.prune), ds.prune"
    run = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "cofficients"}, "unknown pruning method 'cofficients'.*Did you mean 'coefficients'"),
        ({"threshold": -0.1}, r"threshold must not be negative, got -0\.1"),
        ({"threshold": math.nan}, "threshold must not be negative, got nan"),
        ({"degree": 3}, "degree must be 1 or 2, got 3"),
        ({"dag": np.zeros((3, 3))}, "the graph has 3 nodes, the data have 6 variables"),
    ],
)
def test_wrong_arguments_of_prune_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        prune(**{"dag": np.zeros((6, 6)), "data": TABLE, **arguments})


# ---------------------------------------------------------------- knowledge, start, max_parents


@every_method
@pytest.mark.parametrize("edge_budget", [8, None])
def test_knowledge_is_obeyed(kind, edge_budget):
    knowledge = ds.Knowledge(
        required=[("f", "a"), ("a", "c")], forbidden=[("a", "b"), ("d", "e"), ("e", "d")], tiers=[["f"], ["a", "d"]]
    )
    for seed in range(4):
        model = make(kind, edge_budget=edge_budget, knowledge=knowledge, random_state=seed).fit(TABLE)
        edges = set(model.dag_.edges)
        assert {("f", "a"), ("a", "c")} <= edges
        assert not edges & {("a", "b"), ("d", "e"), ("e", "d"), ("a", "f"), ("d", "f")}
        assert edge_budget is None or len(edges) == edge_budget


@every_method
def test_the_start_graph_is_kept_and_counts_towards_the_budget(kind):
    start = ds.DAG.from_edges([("f", "e"), ("e", "d"), ("f", "a")], names=list("abcdef"))
    for given in (start, start.adjacency, start.to_networkx(), start.edges):
        model = make(kind, edge_budget=5, start=given).fit(TABLE)
        assert set(start.edges) <= set(model.dag_.edges)
        assert model.dag_.n_edges == 5
    assert make(kind, edge_budget=3, start=start).fit(TABLE).dag_ == start
    with pytest.raises(InputError, match="edge_budget must be between 3 and 15 for 6 variables, got 2"):
        make(kind, edge_budget=2, start=start).fit(TABLE)


@every_method
@pytest.mark.parametrize("edge_budget", [8, None])
def test_no_variable_gets_more_parents_than_allowed(kind, edge_budget):
    for max_parents in (2, 3):
        model = make(kind, edge_budget=edge_budget, max_parents=max_parents).fit(TABLE)
        assert model.dag_.adjacency.sum(axis=0).max() <= max_parents
        assert edge_budget is None or model.dag_.n_edges == edge_budget


def test_cycle_tracking_changes_nothing_but_time():
    runs = [make(ds.CDUCT, edge_budget=9, cycle_tracking=c).fit(TABLE).dag_ for c in ("incremental", "traversal")]
    assert runs[0] == runs[1]


# ---------------------------------------------------------------- time


def test_a_time_limit_ends_the_search_with_its_best_graph():
    table = normal_table(200, 12)
    model = make(ds.CDUCT, score="bic-linear", edge_budget=30, sims_per_node=1e5, time_limit=0.3).fit(table)
    assert model.result_.status == "time-limit"
    assert model.result_.seconds < 5
    assert model.dag_.n_edges == 30
    assert model.reward_ == model.score_.reward(model.dag_)


# ---------------------------------------------------------------- errors

WRONG_FOR_ALL = [
    ("edge_budget", 16, "edge_budget must be between 0 and 15 for 6 variables, got 16"),
    ("edge_budget", -1, "edge_budget must be a whole number of at least 0, or None, got -1"),
    ("edge_budget", 2.5, "edge_budget must be a whole number of at least 0, or None, got 2.5"),
    ("edge_budget", "3", "edge_budget must be a whole number of at least 0, or None, got '3'"),
    ("edge_budget", True, "edge_budget must be a whole number of at least 0, or None, got True"),
    ("max_parents", 0, "max_parents must be a whole number of at least 1, or None, got 0"),
    ("time_limit", 0, "time_limit must be a number above 0, or None, got 0"),
    ("time_limit", math.nan, "time_limit must be a number above 0, or None, got nan"),
    ("random_state", -1, "random_state must be a whole number of at least 0, got -1"),
    ("random_state", "one", "random_state must be a whole number of at least 0, got 'one'"),
    ("n_jobs", 0, "n_jobs must be a whole number of at least 1, got 0"),
    ("n_jobs", 1.5, "n_jobs must be a whole number of at least 1, got 1.5"),
    ("variances", "equals", "unknown variances 'equals': choose from different, equal. Did you mean 'equal'?"),
    ("penalty", "nodes", "unknown penalty 'nodes': choose from auto, edges, parameters."),
    ("prune", "coeficients", "'coeficients': choose from auto, coefficients, none. Did you mean 'coefficients'?"),
    ("knowledge", {"required": []}, "knowledge must be a dagsearch.Knowledge or None, got {'required': []}"),
    ("score", "bic-quadratik", "unknown score 'bic-quadratik'"),
    ("score", 3, "score must be a name, a score made by dagsearch.scores.make, or an object with local"),
    ("kinds", {"z": "discrete"}, "unknown column 'z': choose from a, b, c, d, e, f."),
    ("kinds", {"a": "ordinal"}, "the kind of column 'a' must be 'continuous' or 'discrete', got 'ordinal'"),
    ("start", "abc", "got 'abc'"),
    ("start", [("a", "b"), ("b", "a")], "cycle, got a -> b -> a"),
    ("start", ds.DAG.from_edges([("p", "q")]), "start must be a DAG over the columns of the table"),
]
WRONG_FOR_CDUCT = [
    ("sims_per_node", 0, "sims_per_node must be a number above 0, got 0"),
    ("sims_per_node", math.inf, "sims_per_node must be a number above 0, got inf"),
    ("sims_per_node", "many", "sims_per_node must be a number above 0, got 'many'"),
    ("horizon", 0, "horizon must be a whole number of at least 1, or None, got 0"),
    ("exploration", -1, "exploration must be a number of at least 0, got -1"),
    ("exploration", math.nan, "exploration must be a number of at least 0, got nan"),
    ("n_restarts", 0, "n_restarts must be a whole number of at least 1, or None, got 0"),
    ("final_move", "most-visit", "unknown final_move 'most-visit'"),
    ("exploration_scale", "mean", "unknown exploration_scale 'mean': choose from root-mean, none."),
    ("cycle_tracking", "naive", "unknown cycle_tracking 'naive': choose from incremental, traversal."),
]


@pytest.mark.parametrize(
    ("kind", "argument", "value", "message"),
    [
        *((kind, *case) for kind, case in itertools.product(ESTIMATORS, WRONG_FOR_ALL)),
        *((ds.CDUCT, *case) for case in WRONG_FOR_CDUCT),
        *((ds.RandomSearch, *case) for case in WRONG_FOR_CDUCT[:3]),
    ],
)
def test_a_wrong_argument_is_answered_with_its_name_its_range_and_its_value(kind, argument, value, message):
    model = make(kind, **{argument: value})
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        model.fit(TABLE)
    assert isinstance(caught.value, ValueError)
    assert not hasattr(model, "dag_")


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'bic-quadratic'\?"):
        make(ds.CDUCT, score="bic-quadratik").fit(TABLE)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'most-visits'\?"):
        make(ds.CDUCT, final_move="most-visit").fit(TABLE)


def test_required_edges_beyond_the_budget_are_refused():
    knowledge = ds.Knowledge(required=[("a", "b"), ("b", "c")])
    with pytest.raises(InputError, match="edge_budget must be between 2 and 15 for 6 variables, got 1"):
        make(ds.CDUCT, edge_budget=1, knowledge=knowledge).fit(TABLE)


def test_contradictory_knowledge_is_refused():
    for knowledge, message in (
        (ds.Knowledge(required=[("a", "z")]), "unknown node 'z'"),
        (ds.Knowledge(required=[("a", "b"), ("b", "a")]), "cycle"),
        (ds.Knowledge(required=[("a", "b")], forbidden=[("a", "b")]), "both requires and rules out the edge a -> b"),
        (ds.Knowledge(required=[("a", "b")], tiers=[["b"], ["a"]]), "both requires and rules out the edge a -> b"),
    ):
        with pytest.raises(InputError, match=message):
            make(ds.CDUCT, knowledge=knowledge).fit(TABLE)


@pytest.mark.parametrize(
    "X", [None, 3, [1.0, 2.0], np.zeros((2, 2, 2)), TABLE[["a"]], TABLE[:2], TABLE.assign(a=np.nan)]
)
def test_a_table_that_cannot_be_used_is_refused(X):
    with pytest.raises(ds.DataError):
        make(ds.CDUCT).fit(X)


def test_equal_variances_of_discrete_columns_are_refused():
    with pytest.raises(InputError, match="variances='equal' is for continuous scores, bic-discrete is discrete"):
        make(ds.CDUCT, variances="equal").fit(discrete_table())


def test_kinds_must_be_a_mapping():
    with pytest.raises(InputError, match="kinds"):
        make(ds.CDUCT, kinds=["a"]).fit(TABLE)


def test_a_start_graph_that_knowledge_rules_out_is_refused():
    knowledge = ds.Knowledge(forbidden=[("a", "b")])
    with pytest.raises(InputError, match="a -> b"):
        make(ds.CDUCT, start=[("a", "b")], knowledge=knowledge).fit(TABLE)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_parents": 1},
        {"knowledge": ds.Knowledge(forbidden=[(0, j) for j in range(1, 6)] + [(j, 0) for j in range(1, 6)])},
    ],
)
def test_a_budget_that_cannot_be_met_is_refused_or_noted(limits):
    try:
        model = make(ds.CDUCT, score="bic-linear", edge_budget=15, **limits).fit(TABLE)
    except InputError:
        return
    assert model.dag_.n_edges == 15 or any("edge_budget" in note for note in model.result_.notes)
