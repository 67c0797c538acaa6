"""Problems that tests give to searches, and graphs and orders within them."""

from __future__ import annotations

from dataclasses import replace

import naive
import networkx as nx
import numpy as np
from hypothesis import strategies as st

from dagsearch.search.protocol import Problem


def problem_of(n_nodes, start=frozenset(), allowed=None, max_parents=None, edge_budget=None):
    return Problem(
        start=naive.adjacency_of(start, n_nodes).astype(bool),
        allowed=np.ones((n_nodes, n_nodes), dtype=bool) if allowed is None else allowed,
        edge_budget=edge_budget,
        max_parents=n_nodes - 1 if max_parents is None else max_parents,
    )


@st.composite
def problems(draw, sizes=(4, 7)):
    """Any required edges, any forbidden ones, any limit on parents, without an edge budget."""
    n_nodes = draw(st.integers(*sizes))
    choose = draw(st.randoms(use_true_random=False))
    order = choose.sample(range(n_nodes), n_nodes)
    pairs = [(order[a], order[b]) for a in range(n_nodes) for b in range(a + 1, n_nodes)]
    max_parents = draw(st.sampled_from([None, 1, 2]))
    drawn = choose.sample(pairs, draw(st.integers(0, min(3, len(pairs)))))
    start = frozenset({effect: (cause, effect) for cause, effect in drawn}.values() if max_parents else drawn)
    density = draw(st.sampled_from([0.4, 0.7, 1.0]))
    allowed = np.array([[choose.random() < density for _ in range(n_nodes)] for _ in range(n_nodes)])
    return problem_of(n_nodes, start, allowed | naive.adjacency_of(start, n_nodes).astype(bool), max_parents)


@st.composite
def budgeted_problems(draw):
    """Any start graph, any forbidden edges, any edge budget or none, any limit on parents, on 4 to 6 nodes."""
    n_nodes = draw(st.integers(4, 6))
    choose = draw(st.randoms(use_true_random=False))
    order = choose.sample(range(n_nodes), n_nodes)
    pairs = [(order[a], order[b]) for a in range(n_nodes) for b in range(a + 1, n_nodes)]
    max_parents = draw(st.sampled_from([None, 1, 2]))
    drawn = choose.sample(pairs, draw(st.integers(0, 3)))
    start = frozenset({effect: (cause, effect) for cause, effect in drawn}.values() if max_parents else drawn)
    density = draw(st.sampled_from([0.5, 1.0]))
    allowed = np.array([[choose.random() < density for _ in range(n_nodes)] for _ in range(n_nodes)])
    without_budget = problem_of(n_nodes, start, allowed, max_parents)
    edge_budget = draw(st.one_of(st.none(), st.integers(len(start), without_budget.max_edges)))
    return replace(without_budget, edge_budget=edge_budget)


def fits(problem, edges):
    """Whether a graph is a DAG that the problem allows."""
    adjacency = naive.adjacency_of(edges, problem.n_nodes).astype(bool)
    return (
        nx.is_directed_acyclic_graph(nx.DiGraph(edges))
        and adjacency[problem.start].all()
        and not (adjacency & ~problem.allowed).any()
        and adjacency.sum(axis=0).max() <= problem.max_parents
    )


def some_graph(problem, rng):
    """A random DAG within the problem: its required edges and others that may be added."""
    rules = naive.NaiveRules(problem.n_nodes, problem.allowed, problem.max_parents)
    edges = naive.edges_of(problem.start)
    for _ in range(int(rng.integers(2 * problem.n_nodes))):
        legal = list(naive.legal_pairs(rules, edges))
        if not legal:
            break
        edges |= {legal[rng.integers(len(legal))]}
    return edges


def some_order(problem, rng):
    """A random order in which required causes come before their effects."""
    graph = nx.DiGraph(naive.edges_of(problem.start))
    graph.add_nodes_from(range(problem.n_nodes))
    ranks = rng.permutation(problem.n_nodes)
    return list(nx.lexicographical_topological_sort(graph, key=lambda node: ranks[node]))
