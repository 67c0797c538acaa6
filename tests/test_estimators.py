"""The estimators' contract: scikit-learn's habits, budgets, seeds, automatic choices, knowledge."""

from __future__ import annotations

import copy
import dataclasses
import inspect

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import discrete_frame, make, normal_frame, quick
from sklearn.base import clone

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.estimators import METHODS, SEARCHES
from dagsearch.scores.evidence import DEFAULT_MIN_EFFECT


def name_of(value):
    return getattr(value, "method", None)


def with_policies_marked(*cases):
    """Cases of a parametrised test; compiling the networks of RL-BIC takes as long as hundreds of other fits."""
    return [pytest.param(*case, marks=pytest.mark.long) if ds.RLBIC in case else pytest.param(*case) for case in cases]


every_method = pytest.mark.parametrize("kind", with_policies_marked(*zip(METHODS.values())), ids=name_of)
every_search = pytest.mark.parametrize("kind", SEARCHES.values(), ids=name_of)
with_and_without_a_budget = pytest.mark.parametrize(
    ("kind", "edge_budget"),
    [*((kind, edge_budget) for kind in SEARCHES.values() for edge_budget in (8, None)), (ds.CAM, None)],
    ids=name_of,
)

TABLE = normal_frame()


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
    model = make(kind, alpha=0.01)
    twin = clone(model)
    assert twin is not model
    assert twin.get_params() == model.get_params()
    assert model.set_params(alpha=0.05, prune="none") is model
    assert (model.alpha, model.prune, twin.alpha) == (0.05, "none", 0.01)
    with pytest.raises(ValueError, match="nosuch"):
        model.set_params(nosuch=1)


@every_method
def test_fit_returns_self_changes_no_parameter_and_can_be_repeated(kind):
    model = quick(kind, edge_budget=4)
    before = model.get_params()
    assert model.fit(TABLE) is model
    assert model.get_params() == before
    first = model.dag_
    assert model.fit(TABLE, None).dag_ == first
    assert not [name for name in vars(clone(model)) if name.endswith("_")]


# ---------------------------------------------------------------- the input


@every_method
def test_pandas_input_is_not_changed_and_names_are_kept(kind):
    table = TABLE.copy()
    model = quick(kind, edge_budget=4).fit(table)
    pd.testing.assert_frame_equal(table, TABLE)
    assert model.dag_.names == model.pruned_dag_.names == tuple("abcdef")
    assert model.feature_names_in_.tolist() == list("abcdef")


def test_polars_input_is_not_changed_and_names_are_kept():
    table = pl.DataFrame({name: TABLE[name].to_numpy() for name in TABLE})
    before = table.clone()
    model = quick(ds.CDUCT, edge_budget=4).fit(table)
    assert table.equals(before)
    assert model.dag_ == quick(ds.CDUCT, edge_budget=4).fit(TABLE).dag_


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("score", ds.scores.CONTINUOUS)
def test_arrays_are_not_changed_even_if_they_may_not_be_written_to(score, order):
    x = np.array(TABLE, order=order)
    before = x.copy()
    x.setflags(write=False)
    model = make(ds.GreedySearch, score=score, edge_budget=4).fit(x)
    np.testing.assert_array_equal(x, before)
    assert model.dag_.names == ("x0", "x1", "x2", "x3", "x4", "x5")
    assert (model.dag_.adjacency == make(ds.GreedySearch, score=score, edge_budget=4).fit(TABLE).dag_.adjacency).all()


def test_lists_and_datasets_are_taken_too():
    reference = quick(ds.CDUCT, edge_budget=4).fit(TABLE.to_numpy()).dag_
    assert quick(ds.CDUCT, edge_budget=4).fit(TABLE.to_numpy().tolist()).dag_ == reference
    data = ds.as_dataset(TABLE)
    assert quick(ds.CDUCT, edge_budget=4).fit(data).dag_ == reference.with_names(TABLE.columns)


def test_knowledge_start_and_kinds_are_not_changed():
    knowledge = ds.Knowledge(required=[("a", "b")], forbidden=[("c", "d")], tiers=[["a"], ["b", "c"]])
    start, kinds = np.zeros((6, 6), dtype=int), {"a": "continuous"}
    start[4, 5] = 1
    before = copy.deepcopy((knowledge, start, kinds))
    quick(ds.CDUCT, edge_budget=5, knowledge=knowledge, start=start, kinds=kinds).fit(TABLE)
    assert (knowledge, kinds) == (before[0], before[2])
    np.testing.assert_array_equal(start, before[1])


# ---------------------------------------------------------------- what a fit leaves behind


SCORE_OF = {"cam": "bic-gam", "ges": "bic-linear", "pc": "bic-linear"}


@every_method
@pytest.mark.parametrize("making", [make, quick])
def test_learnt_attributes_fit_together(kind, making):
    model = making(kind, edge_budget=7).fit(TABLE)
    result = model.result_
    assert type(model.dag_) is type(model.pruned_dag_) is (ds.PDAG if kind in (ds.GES, ds.PC) else ds.DAG)
    assert model.n_features_in_ == 6
    member = model.dag_ if isinstance(model.dag_, ds.DAG) else model.dag_.to_dag()
    assert model.reward_ == result.reward == model.score_.reward(member)
    assert result.method == kind.method
    assert result.edges == model.dag_.directed_edges
    assert result.undirected_edges == model.dag_.undirected_edges
    assert result.pruned_edges == model.pruned_dag_.directed_edges
    assert result.pruned_undirected_edges == model.pruned_dag_.undirected_edges
    assert set(result.pruned_edges) <= set(result.edges)
    assert set(result.pruned_undirected_edges) <= set(result.undirected_edges)
    assert result.n_edges == model.dag_.n_edges == len(result.edges) + len(result.undirected_edges) > 0
    assert result.n_score_evaluations > 0
    assert 0 < result.seconds < 60
    assert result.status == "finished"
    assert result.seed == 0
    by_default = "evidence" if making is make else "bic-quadratic"
    assert result.settings["score"] == model.score_.name == SCORE_OF.get(kind.method, by_default)
    if kind is ds.OrderSearch:  # its score decides which edges there are
        assert model.evidence_ is None
        return
    by_significance = making is make or kind in (ds.CAM, ds.NOTEARS, ds.LiNGAM, ds.GES, ds.PC)
    assert model.evidence_.measure == ("p-value" if by_significance else "coefficient")
    both_ways = {pair[::-1] for pair in result.undirected_edges}
    assert set(model.evidence_.by_edge()) == {*result.edges, *result.undirected_edges, *both_ways}
    assert result.p_values == (model.evidence_.by_edge() if by_significance else {})
    assert kind.method not in SEARCHES or result.n_edges == result.settings["edge_budget"] == 7


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.PC], ids=name_of)
def test_the_record_is_frozen(kind):
    result = quick(kind, edge_budget=2).fit(TABLE).result_
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)
    assert repr(result).startswith("Result(method=")


@pytest.mark.parametrize("score", ds.scores.names())
@every_search
def test_reward_is_that_of_the_graph_on_a_fresh_score(kind, score):
    table = discrete_frame(100, 4) if score in ("bic-discrete", "bdeu") else normal_frame(60, 4)
    model = make(kind, score=score, edge_budget=4).fit(table)
    assert model.reward_ == pytest.approx(ds.scores.make(score, table).reward(model.dag_), rel=1e-12)


def test_simulations_are_counted_as_in_the_paper():
    model = quick(ds.CDUCT, edge_budget=4, sims_per_node=5).fit(TABLE)
    assert model.result_.n_simulations == 2 * 4 * 5 * 6
    assert model.result_.n_calibration_simulations == 5 * 6
    assert quick(ds.RandomSearch, edge_budget=4, sims_per_node=5).fit(TABLE).result_.n_simulations == 2 * 4 * 5 * 6
    assert quick(ds.RandomSampling, edge_budget=4).fit(TABLE).result_.n_simulations == 1


def test_settings_in_force_are_recorded_with_defaults_resolved():
    settings = make(ds.CDUCT).fit(TABLE).result_.settings
    assert (settings["score"], settings["models"]) == ("evidence", ["linear", "additive", "joint"])
    assert (settings["noise"], settings["min_effect"], settings["penalty"]) == ("any", DEFAULT_MIN_EFFECT, "parameters")
    assert (settings["horizon"], settings["n_restarts"], settings["refine"]) == (6, 1, True)
    assert (settings["rollout"], settings["tree_policy"]) == ("uniform", "ucb1")
    assert (settings["prune"], settings["alpha"], settings["max_parents"]) == ("none", None, None)
    settings = (
        make(ds.CDUCT, models=["linear"], noise="gaussian", min_effect=0, refine="off").fit(TABLE).result_.settings
    )
    assert (settings["models"], settings["noise"], settings["min_effect"]) == (["linear"], "gaussian", 0.0)
    assert settings["refine"] is False
    settings = make(ds.CDUCT, edge_budget=3, sims_per_node=1).fit(TABLE).result_.settings
    assert (settings["score"], settings["prune"], settings["alpha"]) == ("evidence", "cam", 0.001)


@pytest.mark.parametrize(
    ("rollout", "expected"),
    [
        ("uniform", {(5, None): 2500, (40, None): 4000, (40, 1): 20_000}),
        ("guided", {(5, None): 200, (40, None): 25, (40, 1): 20_000}),
    ],
)
def test_without_a_budget_wide_tables_get_fewer_simulations_by_default(rollout, expected):
    in_force = {}
    plain = {"score": "bic-linear", "n_restarts": 1, "refine": "off", "rollout": rollout, "random_state": 0}
    for n_nodes, edge_budget in expected:
        table = np.random.default_rng(0).normal(size=(5000, n_nodes))  # in which nothing is found
        model = ds.CDUCT(edge_budget=edge_budget, **plain).fit(table)
        in_force[n_nodes, edge_budget] = model.result_.n_calibration_simulations
        assert model.result_.settings["sims_per_node"] * n_nodes == pytest.approx(in_force[n_nodes, edge_budget])
    assert in_force == expected
    assert ds.CDUCT(sims_per_node=300, **plain).fit(table).result_.settings["sims_per_node"] == 300


def test_settings_in_force_of_regressions_are_recorded_with_defaults_resolved():
    settings = quick(ds.CDUCT).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["refine"]) == (30, 8, True)
    assert (settings["rollout"], settings["tree_policy"], settings["temperature"]) == ("guided", "puct", 0.1)
    assert (settings["penalty"], settings["prune"], settings["alpha"]) == ("extended", "none", None)
    assert not {"models", "noise"} & settings.keys()
    settings = quick(ds.CDUCT, edge_budget=3, horizon=2).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["refine"]) == (2, 1, False)
    assert (settings["rollout"], settings["tree_policy"]) == ("uniform", "ucb1")
    settings = quick(ds.CDUCT, rollout="uniform", edge_budget=None).fit(TABLE).result_.settings
    assert (settings["horizon"], settings["n_restarts"], settings["tree_policy"]) == (6, 4, "ucb1")
    settings = quick(ds.CDUCT, edge_budget=3, horizon=2).fit(TABLE).result_.settings
    assert (settings["penalty"], settings["prune"], settings["alpha"]) == ("edges", "coefficients", None)
    settings = make(ds.CAM, alpha=0.01).fit(TABLE).result_.settings
    assert (settings["prune"], settings["alpha"], settings["neighbour_selection"]) == ("cam", 0.01, True)
    assert settings["max_parents"] == 5


# ---------------------------------------------------------------- seeds


@pytest.mark.parametrize(
    ("kind", "edge_budget"),
    with_policies_marked(*((kind, 8) for kind in SEARCHES.values()), *((kind, None) for kind in METHODS.values())),
    ids=name_of,
)
def test_one_seed_gives_one_graph(kind, edge_budget):
    making = make if edge_budget is None else quick
    runs = [making(kind, edge_budget=edge_budget, random_state=7).fit(TABLE) for _ in range(2)]
    assert runs[0].dag_ == runs[1].dag_
    assert runs[0].reward_ == runs[1].reward_
    assert runs[0].result_.n_simulations == runs[1].result_.n_simulations
    assert runs[0].result_.n_score_evaluations == runs[1].result_.n_score_evaluations


@pytest.mark.parametrize("kind", [*SEARCHES.values(), ds.CAM], ids=name_of)
def test_two_seeds_differ_somewhere(kind):
    # Discrete BIC is score-equivalent, so that even the greedy search has ties to break.
    table = discrete_frame(n_nodes=8)
    graphs = {make(kind, edge_budget=10, sims_per_node=1, random_state=seed).fit(table).dag_ for seed in range(5)}
    assert len(graphs) > 1


@pytest.mark.long
def test_two_seeds_of_a_policy_sample_other_graphs():
    assert len({quick(ds.RLBIC, random_state=seed).fit(TABLE).dag_ for seed in range(2)}) == 2


@every_method
def test_n_jobs_changes_nothing(kind):
    score = "bic-linear" if kind in (ds.GES, ds.PC) else "bic-gp"
    runs = [make(kind, score=score, edge_budget=6, n_jobs=n_jobs).fit(TABLE) for n_jobs in (1, 2, -1)]
    assert len({run.dag_ for run in runs}) == 1
    assert len({run.reward_ for run in runs}) == 1
    assert len({run.result_.n_score_evaluations for run in runs}) == 1


@every_method
def test_the_recorded_seed_repeats_a_fit_without_one(kind):
    model = quick(kind, edge_budget=6, random_state=None).fit(TABLE)
    assert quick(kind, edge_budget=6, random_state=model.result_.seed).fit(TABLE).dag_ == model.dag_
    other = quick(kind, edge_budget=6, random_state=None).fit(TABLE)
    assert other.result_.seed != model.result_.seed


def test_generators_are_taken_as_seeds():
    runs = [
        quick(ds.CDUCT, edge_budget=6, random_state=np.random.default_rng(5)).fit(TABLE),
        quick(ds.CDUCT, edge_budget=6, random_state=np.random.default_rng(5)).fit(TABLE),
    ]
    assert runs[0].result_.seed == runs[1].result_.seed
    assert runs[0].dag_ == runs[1].dag_
    generator = np.random.default_rng(5)
    seeds = {quick(ds.CDUCT, edge_budget=2, random_state=generator).fit(TABLE).result_.seed for _ in range(2)}
    assert len(seeds) == 2
    assert quick(ds.CDUCT, edge_budget=6, random_state=np.random.RandomState(5)).fit(TABLE).dag_.n_edges == 6
    assert quick(ds.CDUCT, edge_budget=6, random_state=np.int64(5)).fit(TABLE).result_.seed == 5


def test_numpys_global_state_is_neither_used_nor_changed():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    quick(ds.CDUCT, edge_budget=4, random_state=None).fit(TABLE)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


# ---------------------------------------------------------------- the budget


@every_search
@pytest.mark.parametrize("edge_budget", [0, 1, 5, 14, 15])
def test_the_edge_budget_is_met_exactly(kind, edge_budget):
    for table, score in ((TABLE, "bic-quadratic"), (discrete_frame(n_nodes=6), "bic-discrete")):
        model = make(kind, score=score, edge_budget=edge_budget, sims_per_node=2, prune="none").fit(table)
        assert model.dag_.n_edges == edge_budget
        assert model.pruned_dag_ == model.dag_


@every_search
@pytest.mark.parametrize("score", ds.scores.CONTINUOUS)
def test_without_a_budget_the_score_decides_and_no_graph_is_worse_than_the_empty_one(kind, score):
    table = normal_frame(80, 5)
    model = make(kind, score=score).fit(table)
    empty = np.zeros((5, 5), dtype=int)
    assert model.reward_ >= model.score_.reward(empty)
    assert model.result_.status == "finished"


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch], ids=lambda kind: kind.method)
def test_without_a_budget_noise_stays_without_edges_and_a_strong_chain_is_found(kind):
    noise = np.random.default_rng(0).normal(size=(2000, 5))
    assert make(kind, score="bic-linear").fit(noise).dag_.n_edges == 0
    chain = np.cumsum(noise, axis=1)
    model = make(kind, score="bic-linear", sims_per_node=30).fit(chain)
    skeleton = model.dag_.adjacency + model.dag_.adjacency.T
    assert (skeleton[np.arange(4), np.arange(1, 5)] == 1).all()


def test_more_simulations_do_not_fall_behind_random_sampling():
    sampled = np.mean([quick(ds.RandomSampling, edge_budget=8, random_state=s).fit(TABLE).reward_ for s in range(10)])
    searched = quick(ds.RandomSearch, edge_budget=8, sims_per_node=20).fit(TABLE).reward_
    uct = quick(ds.CDUCT, edge_budget=8, sims_per_node=20).fit(TABLE).reward_
    assert uct >= searched > sampled


# ---------------------------------------------------------------- the automatic score


def text_table():
    return normal_frame(300, 4).assign(b=["low", "high", "middle"] * 100)


@pytest.mark.parametrize(
    ("table", "score", "reason"),
    [
        (normal_frame(100, 4), "evidence", "all columns are continuous"),
        (normal_frame(320, 16).T.T, "evidence", "all columns are continuous"),
        (discrete_frame(), "bic-discrete", "all columns are discrete"),
        (
            text_table()[["a", "b"]],
            "bic-discrete",
            "1 columns hold text, so the 1 continuous ones were cut into 5 bins",
        ),
        (normal_frame(100, 4).assign(b=[0, 1] * 50), "evidence", "all columns are numbers (1 with few levels)"),
    ],
)
def test_the_automatic_score_suits_the_columns_and_says_why(table, score, reason):
    model = make(ds.CDUCT, edge_budget=1).fit(table)
    assert model.score_.name == model.result_.settings["score"] == score
    assert len(model.result_.notes) == 1
    assert model.result_.notes[0].startswith(f"score: {score}, since {reason}")


@pytest.mark.parametrize("settings", [{"variances": "equal"}, {"penalty": "edges"}, {"penalty": "parameters"}])
@pytest.mark.parametrize(
    ("table", "score", "reason"),
    [
        (normal_frame(100, 4), "bic-quadratic", "all columns are continuous"),
        (normal_frame(99, 4), "bic-linear", "all columns are continuous, and 99 rows are few"),
        (
            np.random.default_rng(0).normal(size=(120, 101)),
            "bic-linear",
            "all columns are continuous, too many of them for products",
        ),
        (normal_frame(100, 4).assign(b=[0, 1] * 50), "bic-quadratic", "all columns are numbers (1 with few levels)"),
    ],
)
def test_what_only_regressions_have_gets_one_of_them(table, score, reason, settings):
    model = make(ds.RandomSampling, edge_budget=1, **settings).fit(table)
    assert model.score_.name == score
    assert model.result_.notes == (f"score: {score}, since {reason}",)
    assert settings.items() <= model.result_.settings.items()


def test_a_score_that_was_asked_for_needs_no_note():
    assert make(ds.CDUCT, score="bic-linear", edge_budget=1).fit(TABLE).result_.notes == ()


def test_continuous_columns_beside_text_are_cut_into_bins():
    table = text_table()
    model = make(ds.GreedySearch, edge_budget=3).fit(table)
    binned = ds.as_dataset(table).binned(["a", "c", "d"], 5)
    assert model.reward_ == pytest.approx(ds.scores.make("bic-discrete", binned).reward(model.dag_), rel=1e-12)
    assert model.dag_.names == tuple("abcd")


def test_kinds_override_what_was_inferred():
    table = discrete_frame()
    kinds = dict.fromkeys(table, "continuous")
    assert make(ds.CDUCT, edge_budget=1, kinds=kinds).fit(table).score_.name == "evidence"
    counts = pd.DataFrame(np.random.default_rng(0).integers(0, 30, (300, 3)), columns=list("abc"))
    assert make(ds.CDUCT, edge_budget=1).fit(counts).score_.name == "evidence"
    kinds = dict.fromkeys(counts, "discrete")
    assert make(ds.CDUCT, edge_budget=1, kinds=kinds).fit(counts).score_.name == "bic-discrete"


# ---------------------------------------------------------------- variances, penalties, scores


@every_search
def test_equal_variances_reach_the_score(kind):
    model = make(kind, score="bic-linear", variances="equal", edge_budget=4).fit(TABLE)
    expected = ds.scores.make("bic-linear", TABLE, variances="equal").reward(model.dag_)
    assert model.reward_ == pytest.approx(expected, rel=1e-12)
    assert model.result_.settings["variances"] == "equal"
    assert make(kind, score="bic-linear", edge_budget=4).fit(TABLE).result_.settings["variances"] == "different"


@pytest.mark.parametrize(
    ("penalty", "edge_budget", "in_force"),
    [
        ("auto", None, "extended"),
        ("auto", 3, "edges"),
        ("edges", None, "edges"),
        ("parameters", 3, "parameters"),
    ],
)
def test_the_penalty_stands_up_to_many_candidates_where_it_decides_the_number_of_edges(penalty, edge_budget, in_force):
    model = make(ds.GreedySearch, score="bic-quadratic", penalty=penalty, edge_budget=edge_budget).fit(TABLE)
    assert model.result_.settings["penalty"] == in_force
    expected = ds.scores.make("bic-quadratic", TABLE, penalty=in_force).reward(model.dag_)
    assert model.reward_ == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch, ds.RandomSearch], ids=lambda kind: kind.method)
@pytest.mark.parametrize("name", ["bic-linear", "bic-gp", "bic-gam"])
def test_a_second_fit_on_the_same_score_evaluates_less(kind, name):
    table = normal_frame(80, 5)
    score = ds.scores.make(name, table)
    first = make(kind, score=score, edge_budget=6).fit(table)
    second = make(kind, score=score, edge_budget=6).fit(table)
    other = make(kind, score=score, edge_budget=6, random_state=1).fit(table)
    assert first.result_.n_score_evaluations > 0
    assert second.result_.n_score_evaluations == 0
    assert other.result_.n_score_evaluations < first.result_.n_score_evaluations
    assert second.dag_ == first.dag_
    assert first.score_ is second.score_ is score


@every_search
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
        model = make(kind, score=score, edge_budget=3, sims_per_node=50).fit(normal_frame(30, 4))
        assert model.reward_ == len(wanted & set(model.dag_.edges))
        if kind is not ds.RandomSampling:
            assert set(model.dag_.edges) == wanted
        assert model.result_.settings["score"] == "custom"


# ---------------------------------------------------------------- knowledge, start, max_parents


@with_and_without_a_budget
def test_knowledge_is_obeyed(kind, edge_budget):
    knowledge = ds.Knowledge(
        required=[("f", "a"), ("a", "c")], forbidden=[("a", "b"), ("d", "e"), ("e", "d")], tiers=[["f"], ["a", "d"]]
    )
    for seed in range(4):
        model = quick(kind, edge_budget=edge_budget, knowledge=knowledge, random_state=seed).fit(TABLE)
        edges = set(model.dag_.edges)
        assert {("f", "a"), ("a", "c")} <= edges
        assert not edges & {("a", "b"), ("d", "e"), ("e", "d"), ("a", "f"), ("d", "f")}
        assert edge_budget is None or len(edges) == edge_budget


@every_search
def test_the_start_graph_is_kept_and_counts_towards_the_budget(kind):
    start = ds.DAG.from_edges([("f", "e"), ("e", "d"), ("f", "a")], names=list("abcdef"))
    shuffled = nx.DiGraph([("e", "d"), ("f", "e"), ("f", "a")])
    shuffled.add_nodes_from("cb")
    numbered = nx.from_numpy_array(start.adjacency, create_using=nx.DiGraph)
    for given in (start, start.adjacency, start.to_networkx(), start.edges, shuffled, numbered):
        model = quick(kind, edge_budget=5, start=given).fit(TABLE)
        assert set(start.edges) <= set(model.dag_.edges)
        assert model.dag_.n_edges == 5
    assert quick(kind, edge_budget=3, start=start).fit(TABLE).dag_ == start
    with pytest.raises(InputError, match="edge_budget must be between 3 and 15 for 6 variables, got 2"):
        quick(kind, edge_budget=2, start=start).fit(TABLE)


@with_and_without_a_budget
def test_no_variable_gets_more_parents_than_allowed(kind, edge_budget):
    for max_parents in (2, 3):
        model = quick(kind, edge_budget=edge_budget, max_parents=max_parents).fit(TABLE)
        assert model.dag_.adjacency.sum(axis=0).max() <= max_parents
        assert edge_budget is None or model.dag_.n_edges == edge_budget


def test_cycle_tracking_changes_nothing_but_time():
    runs = [quick(ds.CDUCT, edge_budget=9, cycle_tracking=c).fit(TABLE).dag_ for c in ("incremental", "traversal")]
    assert runs[0] == runs[1]


# ---------------------------------------------------------------- time


def test_a_time_limit_ends_the_search_with_its_best_graph():
    table = normal_frame(200, 12)
    model = make(ds.CDUCT, score="bic-linear", edge_budget=30, sims_per_node=1e5, time_limit=0.3).fit(table)
    assert model.result_.status == "time-limit"
    assert model.result_.seconds < 5
    assert model.dag_.n_edges == 30
    assert model.reward_ == model.score_.reward(model.dag_)
