"""Ancestors, d-separation and adjustment sets, against networkx, the populations of linear models, and brute force."""

from itertools import chain, combinations, product

import naive_classes
import networkx as nx
import numpy as np
import pytest

from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import DAG, PDAG


def random_dag(rng, n_nodes, density=0.4):
    order = rng.permutation(n_nodes)
    upper = np.triu(rng.random((n_nodes, n_nodes)) < density, 1).astype(np.int8)
    return DAG(upper[np.ix_(order, order)], [f"v{k}" for k in range(n_nodes)])


def subsets(items):
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def linear_model(rng, dag):
    """Random weights, the covariance of the population, and its total effects."""
    weights = dag.adjacency * rng.uniform(0.5, 1.5, dag.adjacency.shape) * rng.choice([-1, 1], dag.adjacency.shape)
    total = np.linalg.inv(np.eye(dag.n_nodes) - weights)
    return total.T @ np.diag(rng.uniform(0.5, 2.0, dag.n_nodes)) @ total, total


def slope(covariance, cause, effect, given):
    """The coefficient of the cause in the regression of the effect on it and on what is given."""
    columns = [cause, *given]
    return np.linalg.solve(covariance[np.ix_(columns, columns)], covariance[columns, effect])[0]


@pytest.mark.parametrize("seed", range(100))
def test_ancestors_descendants_and_d_separation_are_those_of_networkx(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, int(rng.integers(2, 12)), rng.uniform(0.1, 0.6))
    graph = dag.to_networkx()
    for name in dag.names:
        assert dag.ancestors(name) == [each for each in dag.names if each in nx.ancestors(graph, name)]
        assert dag.descendants(name) == [each for each in dag.names if each in nx.descendants(graph, name)]
    for _ in range(20):
        group = rng.integers(0, 4, dag.n_nodes)
        a, b, given = ([name for name, k in zip(dag.names, group, strict=True) if k == each] for each in range(3))
        assert dag.d_separated(a, b, given) == nx.is_d_separator(graph, set(a), set(b), set(given))
        assert dag.d_separated(b, a, given) == dag.d_separated(a, b, given)


def test_every_pair_and_every_set_of_five_nodes_agrees_with_networkx():
    for seed in range(5):
        dag = random_dag(np.random.default_rng(seed), 5, 0.5)
        graph = dag.to_networkx()
        for a, b in combinations(dag.names, 2):
            for given in subsets([name for name in dag.names if name not in (a, b)]):
                assert dag.d_separated(a, b, given) == nx.is_d_separator(graph, a, b, set(given))
                assert dag.to_cpdag().d_separated(a, b, given) == dag.d_separated(a, b, given)


@pytest.mark.parametrize("seed", range(25))
def test_a_set_is_valid_exactly_if_adjusting_for_it_gives_the_total_effect_in_the_population(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 5, 0.5)
    covariance, total = linear_model(rng, dag)
    for cause, effect in product(range(5), repeat=2):
        others = [node for node in range(5) if node not in (cause, effect)]
        if cause == effect:
            continue
        for given in subsets(others):
            is_equal = abs(slope(covariance, cause, effect, given) - total[cause, effect]) < 1e-9
            assert dag.is_adjustment_set(cause, effect, given) == is_equal
    assert not dag.is_adjustment_set(0, 1, [1])


@pytest.mark.parametrize("seed", range(25))
def test_adjustment_sets_of_all_kinds_are_valid_and_there_is_one_exactly_where_one_exists(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 6, 0.5)
    for cause, effect in product(dag.names, repeat=2):
        if cause == effect:
            continue
        others = [name for name in dag.names if name not in (cause, effect)]
        valid = [set(given) for given in subsets(others) if dag.is_adjustment_set(cause, effect, given)]
        for kind in ("parents", "minimal", "optimal"):
            found = dag.adjustment_set(cause, effect, kind=kind)
            assert (found is None) == (not valid) == (cause in dag.children(effect))
            assert found is None or set(found) in valid
        if valid:
            minimal = set(dag.adjustment_set(cause, effect, kind="minimal"))
            assert not any(each < minimal for each in valid)
            assert minimal <= set(dag.parents(cause)) == set(dag.adjustment_set(cause, effect))


@pytest.mark.parametrize("seed", range(10))
def test_the_optimal_set_has_the_least_variance_of_all_valid_ones(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 6, 0.5)
    covariance, _ = linear_model(rng, dag)

    def variance(cause, effect, given):
        """Of the estimated coefficient, up to the number of rows."""
        columns = [cause, *given]
        inverse = np.linalg.inv(covariance[np.ix_(columns, columns)])
        left = covariance[effect, effect] - covariance[effect, columns] @ inverse @ covariance[columns, effect]
        return left * inverse[0, 0]

    for cause, effect in product(range(6), repeat=2):
        if dag.names[effect] not in dag.descendants(cause):
            continue
        others = [node for node in range(6) if node not in (cause, effect)]
        valid = [given for given in subsets(others) if dag.is_adjustment_set(cause, effect, given)]
        best = [dag.index(name) for name in dag.adjustment_set(cause, effect, kind="optimal")]
        assert variance(cause, effect, best) <= min(variance(cause, effect, given) for given in valid) + 1e-9


def members_of(pdag):
    """All DAGs of an equivalence class, by trying every direction of its lines."""
    lines = pdag.undirected_edges
    found = []
    for turned in product((False, True), repeat=len(lines)):
        edges = pdag.directed_edges + [(b, a) if turn else (a, b) for (a, b), turn in zip(lines, turned, strict=True)]
        graph = nx.DiGraph(edges)
        if nx.is_directed_acyclic_graph(graph):
            dag = DAG.from_edges(edges, names=pdag.names)
            if np.array_equal(naive_classes.cpdag(dag.adjacency), pdag.adjacency):
                found.append(dag)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_possible_parents_and_descendants_are_those_of_the_members_of_the_class(seed):
    rng = np.random.default_rng(seed)
    pdag = random_dag(rng, int(rng.integers(3, 7)), 0.45).to_cpdag()
    members = members_of(pdag)
    for name in pdag.names:
        listed = [frozenset(parents) for parents in pdag.possible_parents(name)]
        assert len(listed) == len(set(listed))
        assert set(listed) == {frozenset(dag.parents(name)) for dag in members}
        ever = set().union(*(dag.descendants(name) for dag in members))
        assert ever <= set(pdag.possible_descendants(name))


def test_in_a_graph_with_lines_only_directed_paths_count():
    pdag = PDAG.from_edges([("a", "c"), ("b", "c"), ("c", "d")], [("d", "e")])
    assert pdag.ancestors("d") == ["a", "c", "b"]
    assert pdag.descendants("a") == ["c", "d"]
    assert pdag.possible_descendants("a") == ["c", "d", "e"]


def test_a_neighbour_that_would_make_a_v_structure_is_no_possible_parent():
    pdag = PDAG.from_edges([("a", "x"), ("c", "x")], [("x", "b"), ("a", "b"), ("b", "c"), ("x", "d")])
    assert pdag.possible_parents("x") == [["a", "c"], ["a", "c", "b"]]


def test_too_many_sets_of_parents_are_refused():
    complete = PDAG(1 - np.eye(14, dtype=int))
    with pytest.raises(InputError, match="more than 4096"):
        complete.possible_parents(0)


def test_wrong_questions_are_refused():
    dag = DAG.from_edges([("a", "b"), ("b", "c")])
    with pytest.raises(UnknownNameError, match="unknown node 'z'"):
        dag.ancestors("z")
    with pytest.raises(UnknownNameError, match="unknown node 'z'"):
        dag.d_separated("a", "c", ["z"])
    with pytest.raises(InputError, match="no node in common, got 'a' more than once"):
        dag.d_separated("a", ["c", "a"])
    with pytest.raises(InputError, match="no node in common, got 'c' more than once"):
        dag.d_separated("a", "c", "c")
    with pytest.raises(InputError, match="two different nodes, got 'a' for both"):
        dag.adjustment_set("a", "a")
    with pytest.raises(UnknownNameError, match="unknown kind of adjustment set 'best'"):
        dag.adjustment_set("a", "b", kind="best")
