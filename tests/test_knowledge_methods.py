"""What is known beforehand, and every method: whatever is required, forbidden or in tiers, results obey it."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np
import pytest
from common import FEW_STEPS, every_dag, linear_table, make, normal_frame
from knowledge_cases import assert_obeys, random_frame, random_knowledge, ruled_out_by_tiers

import dagsearch as ds
from dagsearch.baselines.lingam import lingam
from dagsearch.baselines.notears import notears, without_cycles
from dagsearch.baselines.rl_bic import TrainingState
from dagsearch.errors import InputError
from dagsearch.estimators import METHODS, rl_bic

CHEAP = {"score": "bic-linear", "prune": "coefficients", "sims_per_node": 2, "n_restarts": 1, "n_kicks": 1}
ALL_BUT_NETWORKS = [kind for kind in METHODS.values() if kind is not ds.RLBIC]


def fitted(kind, seed):
    """A method told something random about a random table, and what it was told; None if it says that it cannot."""
    frame = random_frame(seed, 4 + seed % 3)
    knowledge = random_knowledge(seed, list(frame.columns))
    model = make(kind, knowledge=knowledge, **CHEAP)
    if nx.is_directed_acyclic_graph(nx.DiGraph(only_directions(knowledge, frame.columns))) or kind is not ds.PC:
        return model.fit(frame), knowledge
    try:
        return model.fit(frame), knowledge
    except InputError as error:
        message = str(error)
    assert message.startswith("knowledge leaves only directions that form a cycle")
    return None, knowledge


def only_directions(knowledge, names):
    """Edges whose reversal is ruled out, and which are not themselves."""
    ruled_out = set(knowledge.forbidden) | ruled_out_by_tiers(knowledge.tiers, knowledge.forbid_within)
    ruled_out |= {(effect, cause) for cause, effect in knowledge.required}
    return [(a, b) for a, b in product(names, names) if (b, a) in ruled_out and (a, b) not in ruled_out]


def check(kind, seeds):
    for seed in seeds:
        model, knowledge = fitted(kind, seed)
        if model is not None:
            assert_obeys(model.dag_, knowledge)
            assert_obeys(model.pruned_dag_, knowledge)


@pytest.mark.parametrize("kind", ALL_BUT_NETWORKS, ids=lambda kind: kind.method)
def test_every_method_obeys_what_is_known(kind):
    check(kind, range(15))


@pytest.mark.long
@pytest.mark.parametrize("kind", ALL_BUT_NETWORKS, ids=lambda kind: kind.method)
def test_every_method_obeys_two_hundred_sets_of_knowledge(kind):
    check(kind, range(1000, 1200))


@pytest.mark.parametrize("seed", range(15))
def test_policy_networks_decide_about_allowed_edges_only(seed, monkeypatch):
    names = list("abcdef")
    knowledge = random_knowledge(seed, names)
    allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)

    def train(values, score, settings, rng, on_iteration, free, forced):  # noqa: ARG001 - as that of the networks
        assert np.array_equal(forced, required)
        assert not (free & (~allowed | required | required.T)).any()
        everything = ~np.eye(6, dtype=bool) & allowed & ~required & ~required.T
        assert np.array_equal(free & ~np.eye(6, dtype=bool), everything)
        on_iteration(TrainingState(1, None, -np.inf, 1.0))

    monkeypatch.setattr(rl_bic, "train", train)
    model = ds.RLBIC(knowledge=knowledge, score="bic-linear", prune="coefficients").fit(random_frame(seed, 6))
    assert_obeys(model.dag_, knowledge)
    assert_obeys(model.pruned_dag_, knowledge)


@pytest.mark.long
def test_policy_networks_obey_two_hundred_sets_of_knowledge():
    pytest.importorskip("jax")
    frame = normal_frame()
    for seed in range(200):
        knowledge = random_knowledge(seed, list(frame.columns))
        settings = {**FEW_STEPS, "score": "bic-linear", "prune": "coefficients", "random_state": seed}
        model = ds.RLBIC(knowledge=knowledge, **settings).fit(frame)
        assert_obeys(model.dag_, knowledge)
        assert_obeys(model.pruned_dag_, knowledge)


@pytest.mark.parametrize("kind", [ds.GES, ds.PC, ds.NOTEARS, ds.LiNGAM], ids=lambda kind: kind.method)
def test_knowledge_that_says_nothing_changes_nothing(kind):
    frame = random_frame(3, 6)
    without, empty = (make(kind, knowledge=known, **CHEAP).fit(frame) for known in (None, ds.Knowledge()))
    assert without.dag_ == empty.dag_
    assert without.result_.pruned_edges == empty.result_.pruned_edges
    assert without.reward_ == empty.reward_


@pytest.mark.parametrize("kind", ALL_BUT_NETWORKS, ids=lambda kind: kind.method)
def test_every_method_refuses_contradictions_and_names_the_nearest_name(kind):
    frame = random_frame(0, 4)
    contradiction = ds.Knowledge(required=[("a", "b")], forbidden=[("a", "b")])
    with pytest.raises(InputError, match="knowledge both requires and rules out the edge a -> b"):
        make(kind, knowledge=contradiction, **CHEAP).fit(frame)
    capitals = frame.set_axis(["Age", "BMI", "Sex", "Dose"], axis=1)
    with pytest.raises(InputError, match=r"unknown node 'BMI2': choose from .* Did you mean 'BMI'"):
        make(kind, knowledge=ds.Knowledge(forbidden=[("BMI2", "Age")]), **CHEAP).fit(capitals)
    with pytest.raises(InputError, match=r"knowledge must be a dagsearch.Knowledge or None, got \{\}"):
        make(kind, knowledge={}, **CHEAP).fit(frame)


KEPT_APART = ds.Knowledge(required=[("a", "c")], tiers=[["a", "b"], ["c", "d"]], forbid_within=[1])


def test_how_sure_methods_are_goes_by_what_is_known():
    frame = random_frame(1, 4)
    names = list(frame.columns)
    allowed, required = KEPT_APART.allowed_edges(names), KEPT_APART.required_edges(names)
    for sure in (
        ds.posterior(frame, "bic-linear", knowledge=KEPT_APART),
        ds.bootstrap(make(ds.GES, knowledge=KEPT_APART), frame, n=5, random_state=0),
        ds.bootstrap(make(ds.LiNGAM, knowledge=KEPT_APART), frame, n=5, random_state=0),
        make(ds.GES, knowledge=KEPT_APART, confidence="posterior").fit(frame).confidence_,
    ):
        assert not sure.edge_probability[~allowed].any()
        assert sure.edge_probability[required] == pytest.approx(1.0)


def test_a_proof_goes_by_tiers_without_edges_within():
    frame = random_frame(1, 4)
    model = make(ds.GreedySearch, knowledge=KEPT_APART, score="bic-linear", penalty="parameters").fit(frame)
    proof = ds.certify(model)
    assert proof.optimum == pytest.approx(best_reward(model.score_, KEPT_APART, list(frame.columns)), abs=1e-9)
    assert "that fit what is known" in str(proof.among)


def best_reward(score, knowledge, names):
    """The best of all DAGs that obey."""
    allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)
    dags = [
        dag for dag in every_dag(len(names)) if (required <= dag.adjacency).all() and (dag.adjacency <= allowed).all()
    ]
    return max(score.reward(dag) for dag in dags)


# ---------------------------------------------------------------- NOTEARS


def negative_pair():
    """x0 lowers x1; x2 has nothing to do with either."""
    rng = np.random.default_rng(0)
    x0 = rng.normal(size=300)
    table = np.column_stack([x0, -x0 + rng.normal(size=300), rng.normal(size=300)])
    return (table - table.mean(axis=0)) / table.std(axis=0)


def edge(cause, effect, n_nodes=3):
    matrix = np.zeros((n_nodes, n_nodes), dtype=bool)
    matrix[cause, effect] = True
    return matrix


def test_notears_gives_required_edges_the_sign_of_least_squares_and_a_weight_at_the_threshold():
    effect = notears(negative_pair(), required=edge(0, 1)).weights
    assert effect[0, 1] < -0.5
    assert effect[1, 0] == 0.0
    none = notears(negative_pair(), required=edge(2, 1)).weights
    assert abs(none[2, 1]) == 0.3
    small = notears(negative_pair(), threshold=0.0, required=edge(2, 1)).weights
    assert abs(small[2, 1]) == 0.01


def test_notears_bounds_what_would_close_a_cycle_with_required_edges():
    chain = edge(0, 1) | edge(1, 2)
    weights = notears(negative_pair(), threshold=0.0, required=chain).weights
    assert not weights[[1, 2, 2], [0, 1, 0]].any()
    for impossible in (edge(0, 1) | edge(1, 0), edge(0, 1) | edge(1, 2) | edge(2, 0)):
        with pytest.raises(InputError, match="required edges must be allowed, and must not form a cycle"):
            notears(negative_pair(), required=impossible)
    with pytest.raises(InputError, match="required edges must be allowed"):
        notears(negative_pair(), allowed=~edge(0, 1), required=edge(0, 1))


def test_repair_drops_no_required_edge():
    weights = np.array([[0.0, 0.3, 0.0], [0.0, 0.0, 0.9], [0.8, 0.0, 0.0]])
    assert without_cycles(weights)[0, 1] == 0.0
    repaired = without_cycles(weights, edge(0, 1))
    assert (repaired != 0.0).tolist() == [[False, True, False], [False, False, True], [False, False, False]]


def test_notears_that_is_stopped_at_once_has_the_required_edges():
    model = make(ds.NOTEARS, time_limit=1e-9, knowledge=ds.Knowledge(required=[(2, 1)]), prune="none")
    assert ("x2", "x1") in model.fit(negative_pair()).dag_.directed_edges


# ---------------------------------------------------------------- LiNGAM


def test_the_order_of_lingam_keeps_to_tiers_and_to_required_edges():
    names = [f"x{k}" for k in range(5)]
    for seed in range(5):
        tiers = [[4, 2], [0], [1, 3]]
        knowledge = ds.Knowledge(required=[(2, 4)], tiers=tiers)
        allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)
        order = lingam(linear_table(60, 5, seed), 0, allowed=allowed, required=required).order
        assert [set(order[:2]), set(order[2:3]), set(order[3:])] == [set(tier) for tier in tiers]
        assert order[:2] == (2, 4)


def test_lingam_fits_effects_to_allowed_and_required_causes():
    table = linear_table(200, 4, 1)
    knowledge = ds.Knowledge(required=[(0, 3), (1, 3)], forbidden=[(2, 3), (3, 2)], tiers=[[0, 1, 2], [3]])
    names = [f"x{k}" for k in range(4)]
    fit = lingam(table, 0, allowed=knowledge.allowed_edges(names), required=knowledge.required_edges(names))
    centred = table - table.mean(axis=0)
    expected = np.linalg.lstsq(centred[:, :2], centred[:, 3], rcond=None)[0]
    assert fit.weights[:, 3] == pytest.approx([*expected, 0.0, 0.0], abs=1e-9)
