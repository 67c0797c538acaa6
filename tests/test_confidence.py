"""The confidence object: consensus graphs, the best DAG, samples, and what it shows."""

from __future__ import annotations

import json
from itertools import permutations, product

import naive
import networkx as nx
import numpy as np
import pytest

import dagsearch as ds
from dagsearch.confidence import consensus
from dagsearch.confidence.result import Confidence


def made(edges, names=None, **further):
    """A result from P(i -> j) alone."""
    edges = np.asarray(edges, dtype=float)
    names = tuple(names or "abcdefghijklmnopqrstuvwxyz"[: len(edges)])
    return Confidence(names, edges, edges, "made up", **further)


def random_result(n_nodes, seed):
    """Probabilities of random DAGs, with these as samples."""
    rng = np.random.default_rng(seed)
    dags = naive.all_dags(n_nodes)
    chosen = rng.choice(len(dags), 5, replace=False)
    samples = np.array([naive.adjacency_of(dags[k], n_nodes) for k in chosen], dtype=np.int8)
    samples = samples[rng.integers(0, 5, 40)]
    return made(samples.mean(axis=0), samples=samples)


# ---------------------------------------------------------------- consensus


def test_edges_are_drawn_above_the_threshold_and_directed_where_one_direction_has_the_share():
    edges = [[0.0, 0.95, 0.3, 0.1], [0.0, 0.0, 0.5, 0.0], [0.3, 0.4, 0.0, 0.0], [0.2, 0.0, 0.0, 0.0]]
    sure = made(edges)
    graph = sure.graph()
    assert graph.directed_edges == [("a", "b")]
    assert graph.undirected_edges == [("a", "c"), ("b", "c")]
    assert sure.graph(threshold=0.25).n_edges == 4
    assert sure.graph(direction=0.55).directed_edges == [("a", "b"), ("b", "c")]
    assert sure.graph(threshold=0.99).n_edges == 0


def test_a_cycle_of_likely_directions_is_opened_at_its_least_sure_edge_and_said():
    sure = made([[0, 0.66, 0.01], [0, 0, 0.64], [0.60, 0, 0]])
    found = sure.consensus()
    assert found.opened == (("c", "a"),)
    assert found.graph.directed_edges == [("a", "b"), ("b", "c")]
    assert found.graph.undirected_edges == [("a", "c")]
    assert "c -> a" in found.notes[0]
    assert found.notes[0] in str(sure)


def test_a_graph_without_a_member_is_said_to_have_none():
    ring = np.zeros((4, 4))
    for i in range(4):
        ring[i, (i + 1) % 4] = ring[(i + 1) % 4, i] = 0.5
    found = made(ring).consensus()
    assert not found.has_member
    assert "no DAG" in found.notes[0]
    assert made(np.triu(np.ones((3, 3)), 1)).consensus().notes == ()


@pytest.mark.parametrize("seed", range(20))
def test_any_probabilities_give_a_graph(seed):
    rng = np.random.default_rng(seed)
    forward = rng.random((7, 7))
    edges = np.where(rng.random((7, 7)) < 0.5, forward, 0.0)
    np.fill_diagonal(edges, 0.0)
    edges /= np.maximum(edges + edges.T, 1.0)
    found = made(edges).consensus(threshold=0.2, direction=0.5)
    directed = nx.DiGraph(found.graph.directed_edges)
    assert nx.is_directed_acyclic_graph(directed)
    assert found.graph.n_edges == np.triu(edges + edges.T > 0.2, 1).sum()


# ---------------------------------------------------------------- the best DAG


@pytest.mark.parametrize("seed", range(4))
def test_expected_shd_is_the_mean_distance_to_the_samples(seed):
    sure = random_result(4, seed)
    graphs = [sure.best_dag(), sure.graph(), ds.DAG(np.triu(np.ones((4, 4), dtype=int), 1), sure.names)]
    members = [ds.DAG(sample, sure.names) for sample in sure.samples]
    for graph in graphs:
        assert sure.expected_shd(graph) == pytest.approx(
            np.mean([ds.metrics.compare(graph, member)["shd"] for member in members])
        )
    assert sure.expected_shd(graphs[2].adjacency) == pytest.approx(sure.expected_shd(graphs[2]))


@pytest.mark.parametrize("seed", range(6))
def test_no_dag_has_a_smaller_expected_shd_than_the_best(seed):
    edges = np.random.default_rng(seed).random((4, 4))
    np.fill_diagonal(edges, 0.0)
    edges /= np.maximum(edges + edges.T, 1.0)
    sure = made(edges)
    best = sure.best()
    every = [sure.expected_shd(ds.DAG(naive.adjacency_of(dag, 4), sure.names)) for dag in naive.all_dags(4)]
    assert best.is_optimal
    assert best.expected_shd == pytest.approx(min(every))


def test_many_nodes_on_cycles_are_ordered_well_and_not_said_to_be_optimal(monkeypatch):
    edges = np.random.default_rng(0).random((9, 9)) * 0.4 + 0.1
    np.fill_diagonal(edges, 0.0)
    edges /= (edges + edges.T + np.eye(9)) / 0.98
    exact = made(edges).best()
    monkeypatch.setattr(consensus, "_MOST_ORDERED_EXACTLY", 2)
    good = made(edges).best()
    assert exact.is_optimal
    assert not good.is_optimal
    assert exact.expected_shd <= good.expected_shd <= 1.05 * exact.expected_shd


# ---------------------------------------------------------------- samples and features


def test_features_are_means_over_the_samples():
    sure = random_result(4, 0)
    assert sure.probability(lambda dag: ("a", "b") in dag.edges) == pytest.approx(sure.edge_probability[0, 1])
    assert sure.probability(lambda dag: dag.n_edges) == pytest.approx(sure.samples.sum() / 40)


def test_samples_come_from_the_sampler_or_else_from_those_there_are():
    def sampler(n, rng):
        return rng.integers(0, 2, (n, 2, 2)).astype(np.int8) * np.array([[0, 1], [0, 0]], dtype=np.int8)

    endless = made(np.zeros((2, 2)), sampler=sampler)
    assert len(endless.sample(100, random_state=0)) == 100
    assert endless.sample(5, random_state=0) == endless.sample(5, random_state=0)
    finite = random_result(3, 0)
    assert len(finite.sample(40)) == 40
    with pytest.raises(ds.InputError, match="at most 40"):
        finite.sample(41)
    with pytest.raises(ds.InputError, match="no sampled graphs"):
        made(np.zeros((2, 2))).sample(1)
    with pytest.raises(ds.InputError, match="no sampled graphs"):
        made(np.zeros((2, 2))).probability(lambda dag: True)  # noqa: ARG005


def test_adjacency_may_count_open_edges_that_have_no_direction():
    adjacent = np.array([[0.0, 0.9], [0.9, 0.0]])
    sure = made([[0.0, 0.1], [0.1, 0.0]], adjacency_probability=adjacent)
    assert sure.graph().undirected_edges == [("a", "b")]
    assert made([[0.0, 0.1], [0.1, 0.0]]).adjacency_probability[0, 1] == pytest.approx(0.2)


# ---------------------------------------------------------------- what it shows


def test_it_can_be_read_and_written():
    sure = made([[0, 0.95, 0.2], [0.03, 0, 0], [0.1, 0, 0]], names=["rain", "wet", "x"], notes=("a note",))
    text = str(sure)
    assert "rain -> wet" in text
    assert "rain .. x" in text
    assert "wet .. x" not in text
    assert "0.98" in text
    assert text.endswith("a note")
    assert repr(sure) == "Confidence(made up: 3 variables, 1 edges more likely than not)"
    written = json.loads(json.dumps(sure.to_dict()))
    assert written["pairs"][0] == {"a": "rain", "b": "wet", "forward": 0.95, "backward": 0.03, "adjacent": 0.98}
    assert "no pair" in str(made(np.zeros((3, 3))))


def test_probabilities_cannot_be_changed():
    sure = made(np.zeros((2, 2)))
    for name in ("edge_probability", "adjacency_probability", "path_probability"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(sure, name)[0, 1] = 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda sure: sure.graph(threshold=1.5), "threshold"),
        (lambda sure: sure.graph(direction=0.3), "direction"),
        (lambda sure: sure.sample(0), "k must be"),
        (lambda sure: sure.expected_shd([("a", "zzz")]), "'zzz'"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ds.InputError, match=message):
        call(random_result(3, 0))


def test_best_orders_of_all_permutations():
    rng = np.random.default_rng(1)
    gains = rng.random((5, 5))
    np.fill_diagonal(gains, 0.0)
    order = consensus._best_order(gains)

    def total(order):
        return sum(gains[order[i], order[j]] for i, j in product(range(5), repeat=2) if i < j)

    assert total(order) == pytest.approx(max(map(total, permutations(range(5)))))
