"""Cliques: against all subsets and networkx."""

import itertools

import naive
import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch.graph.cliques import largest_cliques, maximal_cliques


def test_cliques_are_all_subsets_whose_members_are_adjacent_largest_first():
    rng = np.random.default_rng(0)
    for _ in range(1500):
        n_nodes = int(rng.integers(1, 8))
        joined = np.triu(rng.random((n_nodes, n_nodes)) < rng.random(), 1)
        adjacent = [set(np.flatnonzero(row).tolist()) for row in joined | joined.T]
        members = set(np.flatnonzero(rng.random(n_nodes) < 0.8).tolist())
        expected = [
            clique
            for clique in naive.subsets(members)
            if all(other in adjacent[node] for node, other in itertools.combinations(clique, 2))
        ]
        found = largest_cliques(members, adjacent, 10_000)
        assert len(found) == len(expected)
        assert set(found) == set(expected)
        assert [len(clique) for clique in found] == sorted(map(len, expected), reverse=True)
        most = int(rng.integers(1, 10))
        assert largest_cliques(members, adjacent, most) == found[:most]


@settings(max_examples=100, deadline=None)
@given(n_nodes=st.integers(1, 12), density=st.floats(0, 1), seed=st.integers(0, 10_000))
def test_maximal_cliques_are_those_of_networkx(n_nodes, density, seed):
    graph = nx.gnp_random_graph(n_nodes, density, seed=seed)
    found = maximal_cliques(set(graph), [set(graph[node]) for node in graph])
    assert sorted(map(sorted, found)) == sorted(map(sorted, nx.find_cliques(graph)))


def test_of_no_nodes_there_is_one_clique():
    assert largest_cliques(set(), [], 5) == maximal_cliques(set(), []) == [frozenset()]
