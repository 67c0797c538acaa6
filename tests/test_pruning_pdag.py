"""Pruning of partially directed graphs: which pairs stay adjacent, with or without a direction."""

import numpy as np
import pytest
from common import normal_frame

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.pruning import EdgeEvidence, evidence, prune

TABLE = normal_frame()
MIXED = ds.PDAG.from_edges(
    [("a", "c"), ("b", "d"), ("f", "d")], [("a", "b"), ("c", "d"), ("d", "e"), ("e", "f")], names=list("abcdef")
)


def random_pdag(rng, n_nodes=6):
    """Arrows along the order of the columns, half of them without a head."""
    upper = np.triu(rng.random((n_nodes, n_nodes)) < 0.5, 1)
    lines = upper & (rng.random(upper.shape) < 0.5)
    return ds.PDAG((upper | lines.T).astype(int), list("abcdef"))


def naive_pruned(pdag, table, alpha):
    """Edge by edge, from the p-values of the additive model of each end."""
    z = ds.as_dataset(table).standardised()
    names = list(pdag.names)

    def significant(cause, effect):
        explaining = sorted({*pdag.parents(effect), *pdag.neighbours(effect)}, key=names.index)
        p_values = ds.gam_pvalues(z[:, names.index(effect)], z[:, [names.index(name) for name in explaining]])
        return p_values[explaining.index(cause)] < alpha

    arrows = [(cause, effect) for cause, effect in pdag.directed_edges if significant(cause, effect)]
    lines = [(i, j) for i, j in pdag.undirected_edges if significant(i, j) or significant(j, i)]
    return ds.PDAG.from_edges(arrows, lines, names)


@pytest.mark.parametrize("alpha", [0.001, 0.2])
def test_pruning_equals_a_naive_computation_edge_by_edge(alpha):
    rng, gone = np.random.default_rng(0), []
    for _ in range(8):
        pdag = random_pdag(rng)
        pruned = prune(pdag, TABLE, alpha=alpha)
        assert pruned == naive_pruned(pdag, TABLE, alpha)
        gone += {*pdag.directed_edges, *pdag.undirected_edges} - {*pruned.directed_edges, *pruned.undirected_edges}
    assert len(gone) > 5


def test_p_values_are_those_of_the_model_with_parents_and_neighbours():
    found = evidence(MIXED, TABLE)
    z = ds.as_dataset(TABLE).standardised()
    np.testing.assert_array_equal(~np.isnan(found.values), MIXED.adjacency == 1)
    # d has the parents b and f and the neighbours c and e.
    expected = ds.gam_pvalues(z[:, 3], z[:, [1, 2, 4, 5]])
    np.testing.assert_allclose(found.values[[1, 2, 4, 5], 3], expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2])
def test_coefficients_are_those_of_the_regression_on_parents_and_neighbours(degree):
    found = evidence(MIXED, TABLE, method="coefficients", degree=degree)
    explaining = MIXED.adjacency.copy()
    explaining[3, :], explaining[:, [0, 1, 2, 4, 5]] = 0, 0
    alone = evidence(ds.DAG(explaining, MIXED.names), TABLE, method="coefficients", degree=degree)
    np.testing.assert_array_equal(found.values[:, 3], alone.values[:, 3])


def test_each_direction_of_an_undirected_edge_has_its_own_value():
    found = evidence(MIXED, TABLE).by_edge()
    both = {(i, j) for edge in MIXED.undirected_edges for i, j in (edge, edge[::-1])}
    assert set(found) == both | set(MIXED.directed_edges)
    assert all(found[i, j] != found[j, i] for i, j in MIXED.undirected_edges)


@pytest.mark.parametrize(
    ("p_values", "kept"),
    [
        ((0.01, 0.01), [("a", "b")]),
        ((0.01, 0.5), [("a", "b")]),
        ((0.5, 0.01), [("a", "b")]),
        ((0.1, 0.5), []),
    ],
)
def test_one_supported_direction_keeps_an_undirected_edge_undirected(p_values, kept):
    values = np.array([[np.nan, p_values[0]], [p_values[1], np.nan]])
    supported = EdgeEvidence("p-value", 0.1, values, ("a", "b"), ds.PDAG).supported
    assert supported.undirected_edges == kept
    assert supported.directed_edges == []


def test_a_directed_edge_is_judged_in_its_direction_only():
    values = np.array([[np.nan, 0.5], [np.nan, np.nan]])
    assert EdgeEvidence("p-value", 0.1, values, ("a", "b"), ds.PDAG).supported.n_edges == 0


@pytest.mark.parametrize("method", ["cam", "coefficients", "none"])
def test_the_result_is_of_the_type_that_was_given(method):
    dag = ds.DAG.from_edges([("a", "b"), ("b", "c"), ("a", "f")], names=list("abcdef"))
    as_dag, as_pdag = prune(dag, TABLE, method), prune(ds.PDAG(dag.adjacency, dag.names), TABLE, method)
    assert (type(as_dag), type(as_pdag)) == (ds.DAG, ds.PDAG)
    np.testing.assert_array_equal(as_dag.adjacency, as_pdag.adjacency)
    assert as_dag.names == as_pdag.names == dag.names


def test_a_graph_with_undirected_edges_is_pruned_from_a_matrix_too():
    assert prune(MIXED.adjacency, TABLE.to_numpy()).with_names(MIXED.names) == prune(MIXED, TABLE)


def test_threads_change_nothing():
    one, two = evidence(MIXED, TABLE, n_jobs=1), evidence(MIXED, TABLE, n_jobs=2)
    np.testing.assert_array_equal(one.values, two.values)


def test_neighbours_count_where_a_node_has_too_many_to_test():
    star = ds.PDAG.from_edges([], [(0, j) for j in range(1, 10)], names=[f"x{j}" for j in range(10)])
    with pytest.raises(InputError, match="'x0' has 9 causes, of which 10 rows can test at most 8"):
        prune(star, np.random.default_rng(0).normal(size=(10, 10)))
