"""Certificates: how far the graphs of all methods are from the best of those that they could have returned."""

from __future__ import annotations

import dataclasses
import math

import naive
import networkx as nx
import numpy as np
import pytest
from common import discrete_frame, make, normal_frame

import dagsearch as ds
from dagsearch.baselines.notears import NotearsFit
from dagsearch.errors import InputError
from dagsearch.estimators import METHODS

TABLE = normal_frame()
CHAIN = normal_frame(150, 4, seed=3)
TINY = 1e-6  # a time limit that is over at once


def exact(table=TABLE, **settings):
    return ds.ExactSearch(**{"random_state": 0, **settings}).fit(table)


def all_rewards(score, n_nodes):
    """(n_edges, reward) of every DAG."""
    graphs = naive.all_dags(n_nodes)
    return [(len(edges), score.reward(ds.DAG(naive.adjacency_of(edges, n_nodes)))) for edges in graphs]


QUICK = [kind for kind in METHODS.values() if kind not in (ds.CAM, ds.RLBIC)]


@pytest.mark.parametrize("edge_budget", [None, 3])
@pytest.mark.parametrize("kind", QUICK, ids=lambda kind: kind.method)
def test_every_method_is_certified_among_the_graphs_it_could_have_returned(kind, edge_budget):
    model = make(kind, edge_budget=edge_budget).fit(CHAIN)
    before = model.result_
    proof = ds.certify(model)
    takes_a_budget = edge_budget is not None and "edge_budget" in model.get_params()
    rewards = [r for n_edges, r in all_rewards(model.score_, 4) if not takes_a_budget or n_edges == edge_budget]
    assert proof.optimum == proof.bound == pytest.approx(max(rewards), abs=1e-9)
    assert proof.reward == model.reward_
    assert proof.gap == proof.optimum - model.reward_ >= -1e-9
    assert proof.is_optimal is bool(proof.gap < 1e-9)
    assert proof.among == (f"DAGs with exactly {edge_budget} edges" if takes_a_budget else "all DAGs")
    if proof.is_optimal:
        assert str(proof).startswith("proven optimal among")
    else:
        assert str(proof).startswith(f"optimum {proof.optimum:.6f} among {proof.among}, gap {proof.gap:.6f} (dynamic")
    assert model.result_ is before
    assert kind is not ds.ExactSearch or proof.is_optimal


def test_a_graph_with_cycles_has_no_gap_but_an_optimum(monkeypatch):
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[1, 2] = weights[2, 0] = 0.9
    fit = NotearsFit(weights, weights, 1e-9, 5, True)
    monkeypatch.setattr("dagsearch.estimators.notears.notears", lambda *_, **__: fit)
    model = ds.NOTEARS().fit(CHAIN)
    proof = ds.certify(model)
    assert math.isnan(proof.reward)
    assert math.isnan(proof.gap)
    assert not proof.is_optimal
    assert proof.optimum == pytest.approx(exact(CHAIN).reward_, abs=1e-9)
    assert str(proof) == f"optimum {proof.optimum:.6f} among all DAGs (dynamic programming, {proof.seconds:.1f} s)"


def test_certificates_respect_what_is_known_and_the_number_of_causes():
    quadratic = {"score": "bic-quadratic"}
    free = exact(CHAIN, **quadratic)
    known = ds.Knowledge(forbidden=free.dag_.edges[:1])
    forbidden = ds.certify(make(ds.GreedySearch, knowledge=known, **quadratic).fit(CHAIN))
    assert forbidden.optimum < free.reward_
    assert forbidden.optimum == pytest.approx(exact(CHAIN, knowledge=known, **quadratic).reward_, abs=1e-9)
    assert forbidden.among == "all DAGs that fit what is known"
    narrow = ds.certify(make(ds.CDUCT, edge_budget=5, max_parents=2, **quadratic).fit(CHAIN), solver="highs")
    crowded, best = (exact(CHAIN, edge_budget=5, max_parents=most, **quadratic) for most in (None, 2))
    assert narrow.optimum == pytest.approx(best.reward_, abs=1e-9)
    assert best.reward_ < crowded.reward_ - 1e-6
    assert narrow.among == "DAGs with exactly 5 edges and at most 2 causes per variable"
    assert narrow.ways == ("cutting planes (HiGHS)",)


@pytest.mark.parametrize("edge_budget", [None, 3])
def test_a_score_that_tells_few_causes_apart_is_certified_among_graphs_with_as_few(edge_budget):
    short = CHAIN[:59]
    model = make(ds.CDUCT, edge_budget=edge_budget).fit(short)
    proof = ds.certify(model)
    best = exact(short, edge_budget=edge_budget)
    assert proof.optimum == pytest.approx(best.reward_, abs=1e-9)
    graphs = [naive.adjacency_of(edges, 4) for edges in naive.all_dags(4) if edge_budget in (None, len(edges))]
    narrow = [model.score_.reward(ds.DAG(graph)) for graph in graphs if graph.sum(axis=0).max() <= 2]
    assert proof.optimum == pytest.approx(max(narrow), abs=1e-9)
    assert proof.among == best.certificate_.among
    assert proof.among.endswith("at most 2 causes per variable")


@pytest.mark.parametrize("form", ["dag", "array", "digraph", None])
def test_a_start_is_part_of_what_is_compared_with(form):
    dag = ds.DAG.from_edges([("d", "a"), ("c", "a")], names=list("abcd"))
    digraph = nx.from_numpy_array(dag.adjacency, create_using=nx.DiGraph)
    start = {"dag": dag, "array": dag.adjacency, "digraph": digraph, None: None}[form]
    proof = ds.certify(make(ds.CDUCT, start=start).fit(CHAIN))
    knowledge = None if form is None else ds.Knowledge(required=dag.edges)
    assert proof.optimum == pytest.approx(exact(CHAIN, knowledge=knowledge).reward_, abs=1e-9)
    assert proof.among == ("all DAGs" if form is None else "all DAGs that contain the start")
    assert proof.gap >= -1e-9


def test_a_start_is_added_to_what_is_known():
    start = ds.DAG.from_edges([("d", "a")], names=list("abcd"))
    proof = ds.certify(make(ds.CDUCT, start=start, knowledge=ds.Knowledge(required=[("c", "a")])).fit(CHAIN))
    both = exact(CHAIN, knowledge=ds.Knowledge(required=[("d", "a"), ("c", "a")]))
    assert proof.optimum == pytest.approx(both.reward_, abs=1e-9)
    assert proof.among == "all DAGs that fit what is known and contain the start"


def test_a_budget_that_is_spent_is_compared_with_exactly_as_many_edges():
    settings = {"score": "bic-quadratic", "penalty": "parameters"}
    model = make(ds.CDUCT, edge_budget=6, **settings).fit(CHAIN)
    optimum = ds.certify(model).optimum
    assert optimum == pytest.approx(exact(CHAIN, edge_budget=6, **settings).reward_, abs=1e-9)
    assert optimum < exact(CHAIN, **settings).reward_ - 1e-6


def test_a_search_that_did_not_spend_its_budget_is_compared_with_up_to_as_many_edges():
    noise = np.random.default_rng(0).normal(size=(200, 4))
    model = make(ds.GreedySearch, score="bic-linear", edge_budget=6, time_limit=TINY).fit(noise)
    assert model.dag_.n_edges < 6
    proof = ds.certify(model)
    assert proof.among == "DAGs with at most 6 edges"
    assert proof.gap >= -1e-9


@pytest.mark.parametrize("edge_budget", [None, 3, 11, 15])
def test_edges_at_constant_columns_do_not_keep_a_graph_from_being_certified(edge_budget):
    model = make(ds.GreedySearch, edge_budget=edge_budget).fit(discrete_frame().assign(k=1))
    proof = ds.certify(model)
    assert proof.among == ("all DAGs" if edge_budget is None else f"DAGs with at most {edge_budget} edges")
    expected = exact(discrete_frame(), edge_budget=edge_budget and min(edge_budget, 10), budget="at-most")
    assert proof.optimum == pytest.approx(expected.reward_, abs=1e-9)
    assert proof.gap >= -1e-9


def test_certify_keeps_to_its_time_limit_and_refuses_wrong_arguments():
    model = make(ds.RandomSampling, edge_budget=5).fit(TABLE)
    proof = ds.certify(model, time_limit=TINY)
    assert proof.status == "time-limit"
    assert proof.best_reward >= proof.reward == model.reward_
    assert (proof.optimum, proof.is_optimal) == (None, False)
    assert f"gap {proof.bound - model.reward_:.6f}; best known {proof.best_reward:.6f} (" in str(proof)
    with pytest.raises(InputError, match="call fit first"):
        ds.certify(ds.CDUCT())
    with pytest.raises(InputError, match=r"time_limit.*0"):
        ds.certify(model, time_limit=0)
    with pytest.raises(InputError, match=r"solver 'cplex'"):
        ds.certify(model, solver="cplex")


def test_rewards_that_differ_by_rounding_are_equally_good():
    proof = ds.certify(exact())
    assert dataclasses.replace(proof, reward=proof.bound - 1e-12).is_optimal
    assert not dataclasses.replace(proof, reward=proof.bound - 1e-6).is_optimal
