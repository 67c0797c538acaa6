"""NOTEARS, LiNGAM, GES and PC as estimators: results, knowledge, scores, kinds of columns, early ends, extras."""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import replace

import linear_models
import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, make, normal_frame
from sklearn.base import clone

import dagsearch as ds
from dagsearch.baselines.notears import NotearsFit
from dagsearch.data import as_dataset
from dagsearch.errors import DataError, InputError, MissingExtraError
from dagsearch.graph import CyclicGraph
from dagsearch.report.text import as_json, as_text
from dagsearch.search.monitor import Monitor, OutOfTimeError

TABLE = normal_frame()
NAMES = list("abcdef")
KINDS = [ds.NOTEARS, ds.LiNGAM, ds.GES, ds.PC]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.method)
LINEAR = pd.DataFrame(linear_models.uniform_table(1000, seed=1), columns=NAMES)
CROSS = "\u00d7"
TRUE_EDGES = {(NAMES[i], NAMES[j]) for i, j in linear_models.edges(linear_models.WEIGHTS)}


# ---------------------------------------------------------------- what they find


@pytest.mark.parametrize(("kind", "tpr", "fdr", "shd"), [(ds.NOTEARS, 2 / 17, 0.5, 15), (ds.LiNGAM, 4 / 17, 5 / 9, 14)])
def test_sachs_after_pruning_has_the_metrics_of_the_paper(kind, tpr, fdr, shd):
    data = ds.datasets.load("sachs")
    model = kind(random_state=0).fit(data)
    assert model.result_.settings["prune"] == "cam"
    found = ds.metrics.compare(model.pruned_dag_, data.truth)
    assert (found["tpr"], found["fdr"], found["shd"]) == (pytest.approx(tpr), pytest.approx(fdr), shd)


@pytest.mark.parametrize("kind", [ds.NOTEARS, ds.LiNGAM], ids=lambda kind: kind.method)
def test_weights_lead_from_cause_to_effect(kind):
    noise = np.random.default_rng(0).uniform(-1, 1, size=(1000, 3))
    table = pd.DataFrame({"a": noise[:, 0], "b": noise.sum(axis=1), "c": noise[:, 2]})
    # On standardised data NOTEARS explains as much the other way round.
    tiers = {"knowledge": ds.Knowledge(tiers=[["a", "c"], ["b"]])} if kind is ds.NOTEARS else {}
    model = kind(random_state=0, **tiers).fit(table)
    assert set(model.dag_.edges) == {("a", "b"), ("c", "b")}
    # Each of three independent parts of b has a third of its variance; the penalty of NOTEARS makes weights smaller.
    expected = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]]) * 3**-0.5
    np.testing.assert_allclose(model.weights_, expected, rtol=0, atol=0.15 if kind is ds.NOTEARS else 0.03)


def test_lingam_recovers_a_linear_model():
    model = ds.LiNGAM(random_state=0).fit(LINEAR)
    assert set(model.dag_.edges) == TRUE_EDGES
    scale = LINEAR.std().to_numpy()
    on_raw_data = model.weights_ * scale[np.newaxis, :] / scale[:, np.newaxis]
    np.testing.assert_allclose(on_raw_data, linear_models.WEIGHTS, rtol=0, atol=0.1)


def test_the_causal_order_of_lingam_has_causes_before_effects():
    model = ds.LiNGAM(random_state=0).fit(LINEAR)
    place = {name: position for position, name in enumerate(model.causal_order_)}
    assert sorted(place) == NAMES
    assert all(place[cause] < place[effect] for cause, effect in model.dag_.edges)


@pytest.mark.parametrize("kind", [ds.GES, ds.PC], ids=lambda kind: kind.method)
def test_a_linear_model_is_found_up_to_equivalence(kind):
    model = kind().fit(LINEAR)
    truth = ds.DAG.from_edges(TRUE_EDGES, names=NAMES)
    assert model.dag_ == truth.to_cpdag()
    assert model.dag_.to_dag().to_cpdag() == model.dag_


@every_kind
@pytest.mark.parametrize("seed", range(2))
def test_columns_in_another_order_give_the_same_edges_by_name(kind, seed):
    order = np.random.default_rng(seed).permutation(6)
    model = kind(random_state=0).fit(LINEAR)
    other = kind(random_state=0).fit(LINEAR.iloc[:, order])
    assert other.dag_.names == tuple(LINEAR.columns[order])
    assert set(other.dag_.directed_edges) == set(model.dag_.directed_edges)
    assert pairs(other.dag_) == pairs(model.dag_)
    assert other.reward_ == pytest.approx(model.reward_, rel=1e-9)


def pairs(graph):
    return {frozenset(pair) for pair in graph.undirected_edges}


@every_kind
def test_arrays_are_taken_too_and_an_estimator_can_be_cloned_and_fitted_again(kind):
    model = make(kind).fit(TABLE.to_numpy())
    assert model.dag_.names == tuple(f"x{j}" for j in range(6))
    again = clone(model).fit(TABLE)
    assert again.dag_ == model.dag_.with_names(NAMES)
    assert not {"dag_", "weights_", "causal_order_"} & set(vars(clone(model)))


def test_seeds_of_lingam_may_differ_where_the_data_do_not_fit_its_model():
    table = np.random.default_rng(0).normal(size=(150, 6))
    orders = {tuple(ds.LiNGAM(random_state=seed).fit(table).causal_order_) for seed in range(3)}
    assert len(orders) > 1
    repeated = {tuple(ds.LiNGAM(random_state=3).fit(table).causal_order_) for _ in range(2)}
    assert len(repeated) == 1


def test_too_few_iterations_of_ica_are_noted():
    assert "did not converge" in ds.LiNGAM(max_iter=1, random_state=0).fit(TABLE).result_.notes[-1]


# ---------------------------------------------------------------- cycles of NOTEARS


CYCLE = np.zeros((6, 6))
CYCLE[0, 1], CYCLE[1, 2], CYCLE[2, 0], CYCLE[3, 4] = 0.9, 0.8, -0.4, 0.7


@pytest.fixture
def with_a_cycle(monkeypatch):
    """Weights that are left above the threshold form the cycle a -> b -> c -> a."""

    def notears(*_, **__):
        return NotearsFit(CYCLE, CYCLE, 0.1, 5, False)

    monkeypatch.setattr("dagsearch.estimators.notears.notears", notears)


def judged_data():
    return replace(as_dataset(TABLE), truth=ds.DAG.from_edges([("a", "b")], names=NAMES))


@pytest.mark.usefixtures("with_a_cycle")
def test_a_graph_with_a_cycle_is_marked_and_has_no_reward():
    model = ds.NOTEARS().fit(TABLE)
    assert model.result_.status == "cyclic"
    assert isinstance(model.dag_, CyclicGraph)
    assert model.pruned_dag_ == model.dag_
    assert model.evidence_ is None
    assert math.isnan(model.reward_)
    assert math.isnan(model.result_.reward)
    assert set(model.result_.edges) == {("a", "b"), ("b", "c"), ("c", "a"), ("d", "e")}
    assert model.result_.n_edges == 4
    np.testing.assert_array_equal(model.weights_, CYCLE)
    assert any("not acyclic: a -> b -> c -> a; repair=True" in note for note in model.result_.notes)
    assert any("h = 0.1" in note for note in model.result_.notes)


@pytest.mark.usefixtures("with_a_cycle")
def test_repair_drops_the_smallest_weights_on_cycles_and_names_them():
    model = ds.NOTEARS(repair=True).fit(TABLE)
    assert model.result_.status == "finished"
    assert isinstance(model.dag_, ds.DAG)
    assert set(model.dag_.edges) == {("a", "b"), ("b", "c"), ("d", "e")}
    assert "repaired: dropped c -> a, the smallest weights on cycles" in model.result_.notes
    assert model.weights_[2, 0] == 0.0
    assert CYCLE[2, 0] == -0.4
    assert math.isfinite(model.reward_)


def test_repair_leaves_a_dag_as_it_is():
    plain, repaired = (make(ds.NOTEARS, repair=repair).fit(TABLE) for repair in (False, True))
    assert plain.dag_.n_edges > 0
    assert repaired.dag_ == plain.dag_
    assert repaired.result_.notes == plain.result_.notes


@pytest.mark.usefixtures("with_a_cycle")
def test_json_of_a_graph_with_a_cycle_has_null_for_what_it_does_not_have():
    def refuse(constant):
        raise ValueError(constant)

    data = judged_data()
    text = json.dumps(as_json(ds.NOTEARS(random_state=0).fit(data), data, "table"))
    record = json.loads(text, parse_constant=refuse)
    assert record["reward"] is None
    assert record["metrics"] is None
    assert record["pruned_metrics"] is None
    assert record["status"] == "cyclic"
    assert ["c", "a"] in record["edges"]
    assert "p_values" not in record


@pytest.mark.usefixtures("with_a_cycle")
def test_text_of_a_graph_with_a_cycle_says_so_and_has_crosses_for_metrics():
    data = judged_data()
    text = as_text(ds.NOTEARS(score="bic-quadratic", random_state=0).fit(data), data, "table")
    assert "NOT ACYCLIC" in text
    assert f"reward {CROSS} (bic-quadratic)" in text
    row = next(line for line in text.splitlines() if line.startswith("constructed"))
    assert row.split() == ["constructed", *[CROSS] * 5]
    assert "After pruning" not in text
    assert "a <- c" in text


# ---------------------------------------------------------------- knowledge


def test_notears_finds_no_forbidden_edge():
    found = ds.NOTEARS(prune="none").fit(LINEAR).dag_.edges
    forbidden = found[:3]
    model = ds.NOTEARS(knowledge=ds.Knowledge(forbidden=forbidden), prune="none").fit(LINEAR)
    assert not set(model.dag_.edges) & set(forbidden)
    assert (forbidden[0][1], forbidden[0][0]) in model.dag_.edges
    cause, effect = found[0]
    tiers = ds.NOTEARS(knowledge=ds.Knowledge(tiers=[[effect], [cause]]), prune="none").fit(LINEAR)
    assert (cause, effect) not in tiers.dag_.edges


def test_pc_obeys_knowledge_even_where_pruning_would_not():
    knowledge = ds.Knowledge(required=[("e", "a")], forbidden=[("d", "a"), ("a", "d"), ("e", "c")])
    model = ds.PC(knowledge=knowledge).fit(LINEAR)
    assert ("e", "a") in model.dag_.directed_edges
    assert ("e", "a") in model.pruned_dag_.directed_edges
    assert not model.dag_.adjacency[[3, 0, 4], [0, 3, 2]].any()
    assert ("e", "a") not in ds.PC().fit(LINEAR).dag_.directed_edges


# ---------------------------------------------------------------- scores and kinds of columns


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (ds.NOTEARS, ["bic-linear", "bic-gp"]),
        (ds.LiNGAM, ["bic-linear", "bic-gp"]),
        (ds.PC, ["auto", "bic-linear"]),
    ],
)
def test_the_score_judges_the_graph_but_does_not_change_it(kind, names):
    models = [make(kind, score=name, prune="none").fit(TABLE) for name in names]
    own = make(kind, score=ConstantScore(), prune="none").fit(TABLE)
    assert len({model.dag_ for model in (*models, own)}) == 1
    assert own.reward_ == pytest.approx(-6.0)
    assert own.result_.settings["score"] == "custom"
    member = models[1].dag_.to_dag() if kind is ds.PC else models[1].dag_
    penalty = "edges" if kind is ds.PC else "parameters"
    expected = ds.scores.make(names[1], TABLE, penalty=penalty).reward(member)
    assert models[1].reward_ == pytest.approx(expected, rel=1e-12)


class ConstantScore:
    def local(self, _node, _parents):
        return -1.0


@pytest.mark.parametrize("kind", [ds.GES, ds.PC], ids=lambda kind: kind.method)
@pytest.mark.parametrize("score", ["evidence", "bic-gp", "bic-quadratic", "bic-gam"])
def test_scores_that_tell_members_of_a_class_apart_are_refused(kind, score):
    message = (
        f"score for {kind.method} must be the same for all DAGs of an equivalence class, which {score} tells apart; "
        "choose from auto, bic-linear, bic-discrete, bdeu"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        kind(score=score).fit(TABLE)


def test_ges_maximises_a_users_local_score_and_refuses_one_of_whole_graphs():
    class Whole:
        def reward(self, _adjacency):
            return 0.0

    assert ds.GES(score=ConstantScore()).fit(TABLE).dag_.n_edges == 0
    with pytest.raises(InputError, match=r"score must have local\(node, parents\): ges compares graphs by the terms"):
        ds.GES(score=Whole()).fit(TABLE)


@pytest.mark.parametrize(("kind", "setting"), [(ds.GES, ("score", "bic-discrete")), (ds.PC, ("ci_test", "gsq"))])
def test_discrete_columns_get_what_suits_them(kind, setting):
    table = discrete_frame(2000)
    model = kind().fit(table)
    assert model.result_.settings[setting[0]] == setting[1]
    assert model.result_.settings["score"] == "bic-discrete"
    assert model.result_.settings["prune"] == "none"
    chain = ds.DAG.from_edges(list(zip("abcd", "bcde", strict=True)), names=list("abcde"))
    assert model.dag_ == chain.to_cpdag()
    as_text_columns = kind().fit(table.map(lambda level: f"level {level}"))
    assert as_text_columns.dag_ == model.dag_
    assert as_text_columns.reward_ == pytest.approx(model.reward_, rel=1e-12)


def table_with_text():
    table = normal_frame(600, 6)
    return table.assign(b=np.where(table["a"] > 0, "high", "low"))


@pytest.mark.parametrize("kind", [ds.GES, ds.PC], ids=lambda kind: kind.method)
def test_numbers_beside_text_are_cut_into_bins(kind):
    model = kind().fit(table_with_text())
    assert "5 continuous ones were cut into 5 bins" in model.result_.notes[0]
    assert {"a", "b"} in [set(pair) for pair in model.dag_.directed_edges + model.dag_.undirected_edges]
    assert kind is ds.GES or model.result_.settings["ci_test"] == "gsq"


@pytest.mark.parametrize("kind", [ds.NOTEARS, ds.LiNGAM, ds.CAM, ds.RLBIC], ids=lambda kind: kind.method)
def test_text_is_refused_by_column_with_methods_that_take_it(kind):
    message = f"column 'b' holds text/categories, {kind.method} needs numbers; .* cd-uct, greedy, ges or pc"
    with pytest.raises(DataError, match=message):
        make(kind).fit(table_with_text())


@pytest.mark.parametrize("kind", [*KINDS, ds.CAM, ds.RLBIC], ids=lambda kind: kind.method)
def test_a_constant_column_is_refused_by_name(kind):
    with pytest.raises(DataError, match=r"column 'c' is constant"):
        make(kind).fit(TABLE.assign(c=1.0))


@pytest.mark.parametrize("kind", [ds.GES, ds.PC], ids=lambda kind: kind.method)
def test_a_discrete_column_that_never_varies_is_isolated(kind):
    model = kind().fit(discrete_frame(500).assign(c=1))
    assert not model.dag_.adjacency[2].any()
    assert not model.dag_.adjacency[:, 2].any()
    assert model.dag_.n_edges > 0


@pytest.mark.parametrize("kind", [ds.NOTEARS, ds.GES], ids=lambda kind: kind.method)
def test_a_table_too_short_for_pruning_is_not_pruned_and_no_setting_is_advised_that_is_not_there(kind):
    note = kind().fit(TABLE[:6]).result_.notes[1]
    assert note == "not pruned: 6 rows can test at most 4 causes of a variable together, 5 are possible"
    with pytest.raises(InputError, match=r"5 are possible; set prune='none'$"):
        kind(prune="cam").fit(TABLE[:6])


@pytest.mark.parametrize(
    ("kind", "argument", "value", "message"),
    [
        (ds.NOTEARS, "l1", -0.1, "l1 must be a number of at least 0, got -0.1"),
        (ds.NOTEARS, "l1", math.nan, "l1 must be a number of at least 0, got nan"),
        (ds.NOTEARS, "threshold", -1, "threshold must be a number of at least 0, got -1"),
        (ds.NOTEARS, "repair", "yes", "repair must be True or False, got 'yes'"),
        (ds.LiNGAM, "max_iter", 0, "max_iter must be a whole number of at least 1, got 0"),
        (ds.GES, "phases", "forward", "phases must be a list of forward, backward, turning, got 'forward'"),
        (ds.GES, "phases", [], "phases must name at least one phase, got none"),
        (ds.GES, "phases", ["foward"], "Did you mean 'forward'?"),
        (ds.PC, "ci_test", "fisher", "unknown ci_test 'fisher': choose from auto, fisherz, gsq, chisq."),
        (ds.PC, "ci_level", 0, "ci_level must be a number above 0 and below 1, got 0"),
        (ds.PC, "ci_level", 1, "ci_level must be a number above 0 and below 1, got 1"),
        (ds.PC, "ci_level", math.nan, "ci_level must be a number above 0 and below 1, got nan"),
        (ds.RLBIC, "n_iterations", 0, "n_iterations must be a whole number of at least 1, got 0"),
        (ds.RLBIC, "batch_size", 1.5, "batch_size must be a whole number of at least 1, got 1.5"),
        (ds.RLBIC, "input_dimension", 0, "input_dimension must be a whole number of at least 1, got 0"),
        (ds.RLBIC, "learning_rate", 0, "learning_rate must be a number above 0, got 0"),
        (ds.RLBIC, "initial_bias", 100, "initial_bias must be a number of at least -50 and at most 50, got 100"),
    ],
)
def test_a_wrong_setting_is_answered_with_its_name_its_range_and_its_value(kind, argument, value, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make(kind, **{argument: value}).fit(TABLE)


# ---------------------------------------------------------------- early ends


def ending_after(n_calls, error, monkeypatch):
    """Let the monitor raise an error at a call."""
    left = [n_calls]

    def check(_self, _report):
        left[0] -= 1
        if left[0] == 0:
            raise error

    monkeypatch.setattr(Monitor, "check", check)


@pytest.mark.parametrize(("error", "status"), [(OutOfTimeError, "time-limit"), (KeyboardInterrupt, "interrupted")])
def test_ges_that_is_stopped_keeps_the_class_of_its_last_step(monkeypatch, error, status):
    assert ds.GES(prune="none").fit(TABLE).dag_.n_edges == 5
    for n_calls in (1, 2, 3):
        ending_after(n_calls, error, monkeypatch)
        model = ds.GES(prune="none").fit(TABLE)
        assert model.result_.status == status
        assert model.dag_.n_edges == n_calls
        assert math.isfinite(model.reward_)


@pytest.mark.parametrize(("error", "status"), [(OutOfTimeError, "time-limit"), (KeyboardInterrupt, "interrupted")])
def test_notears_that_is_stopped_keeps_its_last_weights_and_says_so(monkeypatch, error, status):
    ending_after(1, error, monkeypatch)
    assert ds.NOTEARS(prune="none").fit(TABLE).dag_.n_edges == 0
    ending_after(60, error, monkeypatch)
    model = ds.NOTEARS(prune="none").fit(TABLE)
    assert model.result_.n_edges > 0
    assert model.result_.status == status  # also where the last weights have cycles: the graph says so itself
    assert model.result_.notes[-1] == f"NOTEARS had not converged when it ended ({status})"
    repaired = ds.NOTEARS(prune="none", repair=True)
    ending_after(60, error, monkeypatch)
    assert repaired.fit(TABLE).result_.status == status


def test_time_limits_are_kept():
    model = ds.NOTEARS(time_limit=1e-3, prune="none").fit(normal_frame(200, 16))
    assert model.result_.notes[-1] == "NOTEARS had not converged when it ended (time-limit)"
    assert ds.GES(time_limit=1e-3).fit(normal_frame(200, 12)).result_.status == "time-limit"
    assert ds.GES(time_limit=600).fit(TABLE).result_.status == "finished"


# ---------------------------------------------------------------- extras


@pytest.mark.parametrize(
    ("kind", "package", "extra"),
    [
        (ds.PC, "causallearn", "baselines"),
        (ds.RLBIC, "jax", "rl"),
        (ds.RLBIC, "optax", "rl"),
    ],
)
def test_without_its_packages_a_method_says_what_to_install(monkeypatch, kind, package, extra):
    for name in list(sys.modules):
        if name.split(".")[0] == package or name.startswith("dagsearch.baselines.rl_bic."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=re.escape(f"pip install '.[{extra}]'")) as caught:
        make(kind).fit(TABLE)
    assert isinstance(caught.value, ImportError)
    assert kind.extra == extra
