"""How cyclic graphs are weighed, and the rewards of graphs with cycles."""

from __future__ import annotations

import numpy as np
import pytest
from common import discrete_frame, normal_frame
from scipy.linalg import expm

import dagsearch as ds
from dagsearch.kernels.cycles import weigh_cycles


def h(adjacencies):
    """What the kernel makes of a stack of graphs; the scratch space holds rubbish before."""
    stack = np.asarray(adjacencies, dtype=np.int8)
    weights = np.full(len(stack), np.nan)
    weigh_cycles(stack, np.full((2, stack.shape[1], stack.shape[1]), np.nan), weights)
    return weights


def random_digraphs(n_graphs, n_nodes, density, seed=0):
    graphs = np.random.default_rng(seed).random((n_graphs, n_nodes, n_nodes)) < density
    graphs[:, np.arange(n_nodes), np.arange(n_nodes)] = False
    return graphs.astype(np.int8)


def random_dags(n_graphs, n_nodes, density, seed=0):
    rng = np.random.default_rng(seed)
    for upper in np.triu(random_digraphs(n_graphs, n_nodes, density, seed), 1):
        order = rng.permutation(n_nodes)
        yield upper[np.ix_(order, order)]


def ring(n_nodes):
    return np.roll(np.eye(n_nodes, dtype=np.int8), 1, axis=1)


# ---------------------------------------------------------------- the weight of cycles


@pytest.mark.parametrize(("n_nodes", "density"), [(2, 0.7), (4, 0.3), (7, 0.2), (7, 1.0), (12, 0.1), (20, 0.5)])
def test_the_weight_is_the_trace_of_the_exponential_less_the_number_of_nodes(n_nodes, density):
    graphs = random_digraphs(40, n_nodes, density)
    expected = [np.trace(expm(graph.astype(float))) - n_nodes for graph in graphs]
    np.testing.assert_allclose(h(graphs), expected, rtol=1e-10, atol=1e-12)


def test_the_weight_of_every_dag_of_four_nodes_is_zero_to_the_last_bit_and_of_no_other_graph():
    bits = np.arange(2**12)[:, np.newaxis] >> np.arange(12) & 1
    graphs = np.zeros((2**12, 4, 4), dtype=np.int8)
    graphs[:, ~np.eye(4, dtype=bool)] = bits
    acyclic = h(graphs) == 0.0
    assert acyclic.sum() == 543
    assert {graph.tobytes() for graph in graphs[acyclic]} == {dag.astype(np.int8).tobytes() for dag in naive_dags()}
    assert (h(graphs)[~acyclic] > 0.0).all()


def naive_dags():
    """By trying: a matrix without closed walks of up to four steps."""
    bits = np.arange(2**12)[:, np.newaxis] >> np.arange(12) & 1
    for row in bits:
        graph = np.zeros((4, 4), dtype=int)
        graph[~np.eye(4, dtype=bool)] = row
        if all(np.trace(np.linalg.matrix_power(graph, k)) == 0 for k in range(1, 5)):
            yield graph


@pytest.mark.parametrize(("n_nodes", "density"), [(10, 1.0), (30, 0.5), (50, 1.0), (80, 0.2)])
def test_the_weight_of_bigger_dags_is_zero_to_the_last_bit(n_nodes, density):
    assert (h(list(random_dags(10, n_nodes, density))) == 0.0).all()


@pytest.mark.parametrize("n_nodes", [2, 3, 8, 15, 18])
def test_one_long_cycle_is_not_taken_for_none(n_nodes):
    # n_nodes / n_nodes! and beyond: far below what trace(expm) - d can tell from rounding.
    expected = n_nodes / float(np.prod(np.arange(1.0, n_nodes + 1.0)))
    assert h([ring(n_nodes)])[0] >= expected * (1.0 - 1e-12) > 0.0
    assert h([ring(n_nodes)])[0] == pytest.approx(expected, rel=0.1 if n_nodes < 4 else 1e-3)


def test_a_long_cycle_behind_many_short_paths_is_found():
    graph = np.zeros((24, 24), dtype=np.int8)
    graph[:12, :12] = np.triu(np.ones((12, 12), dtype=np.int8), 1)
    graph[:12, 12:] = 1
    assert h([graph])[0] == 0.0
    graph[12:, 12:] = ring(12)
    assert h([graph])[0] > 0.0


def test_an_empty_stack_and_empty_graphs_are_weighed():
    assert h(np.zeros((0, 3, 3))).shape == (0,)
    assert h(np.zeros((2, 3, 3))).tolist() == [0.0, 0.0]


# ---------------------------------------------------------------- rewards of graphs with cycles


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic", "bic-gp", "bic-gam"])
def test_the_reward_of_any_digraph_is_the_sum_of_its_local_terms(name):
    score = ds.scores.make(name, normal_frame(80, 4))
    graphs = random_digraphs(12, 4, 0.5)
    assert (h(graphs) > 0.0).any()
    rewards = score.rewards_of(graphs)
    fresh = ds.scores.make(name, normal_frame(80, 4))
    expected = [sum(fresh.local(j, np.flatnonzero(graph[:, j]).tolist()) for j in range(4)) for graph in graphs]
    np.testing.assert_allclose(rewards, expected, rtol=1e-10)


def test_the_reward_of_a_digraph_with_discrete_columns_is_the_sum_of_its_local_terms():
    score = ds.scores.make("bdeu", discrete_frame(100, 4))
    graphs = random_digraphs(12, 4, 0.5)
    expected = [sum(score.local(j, np.flatnonzero(graph[:, j]).tolist()) for j in range(4)) for graph in graphs]
    np.testing.assert_allclose(score.rewards_of(graphs), expected, rtol=1e-10)


@pytest.mark.parametrize("variances", ["different", "equal"])
def test_the_rewards_of_many_dags_are_those_of_each(variances):
    score = ds.scores.make("bic-linear", normal_frame(80, 6), variances)
    dags = np.array(list(random_dags(20, 6, 0.5)))
    np.testing.assert_allclose(score.rewards_of(dags), [score.reward(dag) for dag in dags], rtol=1e-12)


def test_with_equal_variances_a_digraphs_residuals_are_pooled():
    score = ds.scores.make("bic-linear", normal_frame(80, 4), "equal")
    # As many edges, so that the penalties are the same.
    cyclic, dag = ring(4), np.zeros((4, 4), dtype=np.int8)
    dag[0, 1:], dag[1, 2] = 1, 1
    pooled = [sum(score.rss(j, np.flatnonzero(graph[:, j]).tolist()) for j in range(4)) for graph in (cyclic, dag)]
    rewards = score.rewards_of(np.array([cyclic, dag]))
    assert rewards[0] - rewards[1] == pytest.approx(np.log(pooled[1] / pooled[0]), rel=1e-5)


class Counting:
    """A user's score that notes each question."""

    def __init__(self):
        self.asked = []

    def local(self, node, parents):
        self.asked.append((node, tuple(sorted(parents))))
        return node + 0.1 * len(parents)


def test_a_family_that_many_graphs_share_is_evaluated_once():
    own = Counting()
    score = ds.scores.adapt(own, 5)
    graphs = np.repeat(random_digraphs(6, 5, 0.4), 3, axis=0)
    score.rewards_of(graphs)
    families = {(j, tuple(np.flatnonzero(graph[:, j]).tolist())) for graph in graphs for j in range(5)}
    assert len(own.asked) == len(set(own.asked)) == len(families) == score.n_evaluations
    assert set(own.asked) == families
    score.rewards_of(graphs)
    assert len(own.asked) == len(families)


def test_repeated_families_get_their_own_rewards():
    score = ds.scores.adapt(Counting(), 3)
    graphs = random_digraphs(30, 3, 0.5)
    np.testing.assert_allclose(score.rewards_of(graphs), 3 + 0.1 * graphs.sum(axis=(1, 2)), rtol=1e-12)
