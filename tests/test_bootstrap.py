"""The bootstrap: counts by hand, and the same whoever carries it out."""

from __future__ import annotations

import sys
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from bootstrap_runs import ByMeans, assert_same, linear_frame, rows_by_hand, uniform_table
from sklearn.base import BaseEstimator

import dagsearch as ds
from dagsearch.confidence.frequencies import FoundGraph, frequencies, graph_of, reachable

module = sys.modules["dagsearch.confidence.bootstrap"]


@pytest.fixture
def processes_at_once(monkeypatch):
    monkeypatch.setattr(module, "_SECONDS_ALONE", 0.0)


# ---------------------------------------------------------------- counting


@pytest.mark.parametrize("how", ["rows", "subsample"])
def test_frequencies_are_those_counted_by_hand(how):
    table = uniform_table()
    found = ds.bootstrap(ByMeans(), table, n=25, how=how, random_state=7)
    edges, paths = np.zeros((3, 3)), np.zeros((3, 3))
    for number in range(25):
        mean = table[rows_by_hand(7, number, 40, how)].mean(axis=0)
        graph = nx.DiGraph()
        graph.add_nodes_from(range(3))
        pairs = [(i, j) for i in range(3) for j in range(3) if mean[i] < mean[j] and {i, j} != {0, 1}]
        graph.add_edges_from(pairs)
        for i, j in pairs:
            edges[i, j] += 1 / 25
        for i in range(3):
            for j in nx.descendants(graph, i):
                paths[i, j] += 1 / 25
    assert np.allclose(found.edge_probability, edges, rtol=0, atol=1e-12)
    assert np.allclose(found.path_probability, paths, rtol=0, atol=1e-12)
    assert np.allclose(found.adjacency_probability, edges + edges.T, rtol=0, atol=1e-12)
    assert 0 < edges[0, 2] < 1
    assert found.method == "bootstrap"
    assert found.names == ("x0", "x1", "x2")
    assert found.details["n_replicates"] == found.details["n_asked"] == 25
    assert np.allclose(found.samples.mean(axis=0), edges, rtol=0, atol=1e-12)
    assert len(found.sample(3, random_state=0)) == 3


def test_an_open_edge_counts_half_each_way_and_is_on_no_path():
    graphs = [
        FoundGraph(((0, 1),), ((1, 2),)),  # 0 -> 1 -- 2
        FoundGraph(((0, 1), (1, 2))),
        FoundGraph((), ((0, 1), (1, 2))),
        FoundGraph(((2, 1),)),
    ]
    found = frequencies(graphs, 3)
    assert np.array_equal(found.edges, [[0, 0.625, 0], [0.125, 0, 0.5], [0, 0.5, 0]])
    assert np.array_equal(found.adjacent, [[0, 0.75, 0], [0.75, 0, 1], [0, 1, 0]])
    assert np.array_equal(found.paths, [[0, 0.5, 0.25], [0, 0, 0.25], [0, 0.25, 0]])


def test_both_edges_of_a_cycle_of_two_count_and_nothing_leads_to_itself():
    found = frequencies([FoundGraph(((0, 1), (1, 0)), acyclic=False)], 2)
    assert np.array_equal(found.edges, [[0, 1], [1, 0]])
    assert np.array_equal(found.adjacent, [[0, 1], [1, 0]])
    assert np.array_equal(found.paths, [[0, 1], [1, 0]])


def test_reachable_nodes_are_the_descendants():
    rng = np.random.default_rng(3)
    for density in (0.1, 0.2, 0.4):
        matrix = rng.random((8, 8)) < density
        np.fill_diagonal(matrix, val=False)
        graph = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
        expected = [[j in nx.descendants(graph, i) for j in range(8)] for i in range(8)]
        assert np.array_equal(reachable(matrix), expected)


class Offers:
    """A fitted estimator, or what is taken for one."""

    def __init__(self, **graphs):
        vars(self).update(graphs)


def test_the_pruned_graph_is_taken_where_there_is_one_and_nodes_are_found_by_name():
    names = ("a", "b", "c")
    full, pruned = ds.DAG.from_edges([("a", "b"), ("b", "c")], names), ds.DAG.from_edges([("b", "c")], ("c", "b"))
    assert graph_of(Offers(dag_=full), names) == FoundGraph(((0, 1), (1, 2)))
    assert graph_of(Offers(dag_=full, pruned_dag_=pruned), names) == FoundGraph(((1, 2),))
    assert graph_of(Offers(dag_=full, pruned_dag_=None), names) == FoundGraph(((0, 1), (1, 2)))
    assert graph_of(Offers(dag_=ds.DAG([[0, 0, 1], [0, 0, 0], [0, 0, 0]])), names) == FoundGraph(((0, 2),))
    open_edge = ds.PDAG([[0, 1, 0], [1, 0, 0], [0, 1, 0]], names)
    assert graph_of(Offers(dag_=open_edge), names) == FoundGraph(((2, 1),), ((0, 1),))
    cyclic = ds.CyclicGraph([[0, 1, 0], [1, 0, 0], [0, 1, 0]], names)
    assert graph_of(Offers(dag_=cyclic), names) == FoundGraph(((0, 1), (1, 0), (2, 1)), acyclic=False)
    assert graph_of(Offers(dag_=[[0, 1, 0], [0, 0, 0], [0, 0, 0]]), names) == FoundGraph(((0, 1),))
    with pytest.raises(ds.DagsearchError, match="node 'z', which is no column"):
        graph_of(Offers(dag_=ds.DAG.from_edges([("a", "z")])), names)
    with pytest.raises(ds.DagsearchError, match="dag_ or pruned_dag_ after fit, Offers has neither"):
        graph_of(Offers(), names)


def test_equivalence_classes_are_counted_as_they_are_found():
    frame = linear_frame()
    found = ds.bootstrap(ds.GES(), frame, n=8, random_state=0)
    classes = [ds.GES().fit(frame.iloc[rows_by_hand(0, number, 200, "rows")]).dag_ for number in range(8)]
    assert any(each.undirected_edges for each in classes)
    assert any(each.directed_edges for each in classes)
    for i, j in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 3)):
        pair = (frame.columns[i], frame.columns[j])
        n_directed = sum(pair in each.directed_edges for each in classes)
        n_open = sum(pair in each.undirected_edges or pair[::-1] in each.undirected_edges for each in classes)
        assert found.edge_probability[i, j] == (n_directed + n_open / 2) / 8
    assert found.adjacency_probability[0, 1] == 1.0
    assert found.samples is None
    n_open = sum(bool(each.undirected_edges) for each in classes)
    assert f"{n_open} of 8 graphs leave directions open" in found.notes[0]


# ---------------------------------------------------------------- the same wherever


def test_one_seed_repeats_two_differ_and_more_replicates_begin_with_the_same():
    table = linear_frame(60)
    model = ds.GreedySearch(score="bic-linear")
    one, again, other = (ds.bootstrap(model, table, n=10, random_state=seed) for seed in (1, 1, 2))
    assert_same(one, again)
    assert not np.array_equal(one.samples, other.samples)
    more = ds.bootstrap(model, table, n=15, random_state=1)
    assert np.array_equal(more.samples[:10], one.samples)
    assert not hasattr(model, "dag_")


@pytest.mark.long
@pytest.mark.usefixtures("processes_at_once")
@pytest.mark.parametrize("model", [ds.RandomSampling(score="bic-linear", n_jobs=2), ds.GES()])
def test_processes_change_nothing(model):
    table = linear_frame(80)
    alone = ds.bootstrap(model, table, n=9, random_state=3)
    assert_same(ds.bootstrap(model, table, n=9, random_state=3, n_jobs=2), alone)


def test_processes_take_over_when_replicates_take_longer_than_starting_them(monkeypatch):
    handed_on = []

    class Noted(module.LocalEngine):
        def run_all(self, tasks):
            handed_on.extend(tasks)
            return iter([module.attempt(self.work, task) for task in handed_on])

    monkeypatch.setattr(module, "LocalEngine", Noted)
    ds.bootstrap(ByMeans(), uniform_table(), n=5, random_state=0, n_jobs=2)
    assert handed_on == []
    monkeypatch.setattr(module, "_SECONDS_ALONE", 0.0)
    ds.bootstrap(ByMeans(), uniform_table(), n=5, random_state=0, n_jobs=2)
    assert [task.number for task in handed_on] == [0, 1, 2, 3, 4]


@pytest.mark.long
def test_a_cluster_changes_nothing():
    distributed = pytest.importorskip("distributed")
    table = linear_frame(80)
    options = {"n_workers": 2, "processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options, silence_logs=50) as running:
        far = ds.bootstrap(ds.GES(), table, n=6, random_state=3, engine=running.scheduler_address)
    assert_same(far, ds.bootstrap(ds.GES(), table, n=6, random_state=3))


class Settings(BaseEstimator):
    """Notes how it was set."""

    noted: ClassVar[list] = []

    def __init__(self, random_state=None, n_jobs=4):
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X):
        self.noted.append((self.random_state, self.n_jobs, type(X)))
        self.dag_ = np.zeros((3, 3), dtype=int)
        return self


def test_each_replicate_has_a_random_state_of_its_own_and_one_thread_beside_others(monkeypatch):
    monkeypatch.setattr(Settings, "noted", [])
    ds.bootstrap(Settings(random_state=5), uniform_table(), n=4, random_state=0)
    ds.bootstrap(Settings(random_state=5), uniform_table(), n=4, random_state=0, n_jobs=2)
    states = [state for state, _, _ in Settings.noted]
    assert states[:4] == states[4:]
    assert len(set(states)) == 4
    assert [n_jobs for _, n_jobs, _ in Settings.noted] == [4] * 4 + [1] * 4


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, lambda x: pl.DataFrame(x, schema=["a", "b", "c"])])
def test_an_estimator_of_a_user_is_given_rows_of_what_the_user_gave(make, monkeypatch):
    monkeypatch.setattr(Settings, "noted", [])
    table = make(uniform_table())
    found = ds.bootstrap(Settings(), table, n=2, random_state=0)
    assert [kind for _, _, kind in Settings.noted] == [type(table)] * 2
    assert found.edge_probability.sum() == 0


def test_an_object_without_get_params_is_copied():
    class Plain:
        n_fits = 0

        def fit(self, X):
            self.n_fits += 1
            self.dag_ = np.eye(len(X[0]), k=self.n_fits, dtype=int)

    model = Plain()
    found = ds.bootstrap(model, uniform_table(), n=3, random_state=0)
    assert model.n_fits == 0
    assert found.edge_probability[0, 1] == 1.0
