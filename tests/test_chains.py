"""Chains over partitions sample DAGs by their weights: against enumeration of all of them."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from chain_samples import random_weights, sampled
from naive_partitions import (
    all_candidates,
    all_dags,
    as_node_sets,
    edge_probabilities,
    exact_edge_probabilities,
    layers,
    log_sum_meeting,
)
from scipy.stats import chisquare

from dagsearch.confidence.chains import ChainSettings
from dagsearch.confidence.chains.replica import Replica, new_chains, new_graph, new_records
from dagsearch.confidence.chains.tables import parent_tables
from dagsearch.kernels.partition_chains import N_MOVES, enter, run_chains
from dagsearch.kernels.partition_sums import log_sum, sum_over_subsets

MOVES = ("split or join", "relocate", "swap neighbours", "swap any", "reverse")


def p_value(parents: np.ndarray, all_parents: np.ndarray, probability: np.ndarray) -> float:
    """Of the hypothesis that DAGs were drawn with these probabilities; those expected rarely are taken together."""
    place = {tuple(row): k for k, row in enumerate(all_parents.tolist())}
    observed = np.bincount([place[tuple(row)] for row in parents.tolist()], minlength=len(all_parents))
    expected = probability * len(parents)
    rare = expected < 8
    groups = [np.append(counts[~rare], counts[rare].sum()) for counts in (observed, expected)]
    enough = groups[1] > 0
    return float(chisquare(groups[0][enough], groups[1][enough]).pvalue)


def normalised(log_weight: np.ndarray) -> np.ndarray:
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def after_one_move(kind: int, beta: float, log_weights: np.ndarray, n_draws: int, seed: int):
    """DAGs drawn by w P^(beta - 1), their partitions moved once, and DAGs drawn again; and what they should be."""
    candidates = all_candidates(len(log_weights))
    all_parents, log_weight = all_dags(candidates, log_weights)
    partition = [layers(tuple(row)) for row in as_node_sets(candidates, all_parents).tolist()]
    log_score = dict.fromkeys(partition, -np.inf)
    for key, weight in zip(partition, log_weight, strict=True):
        log_score[key] = np.logaddexp(log_score[key], weight)
    scores = np.array([log_score[key] for key in partition])
    probability = normalised(log_weight + (beta - 1.0) * scores)

    rng = np.random.default_rng(seed)
    tables = parent_tables(candidates, log_weights)
    chains = new_chains(np.array([beta]), len(candidates), int(rng.integers(2**63)))
    graph, counts = new_graph(candidates), np.zeros((1, N_MOVES + 1, 2), dtype=np.int64)
    records, drawn = new_records(*candidates.shape), np.zeros((n_draws, len(candidates)), dtype=np.int64)
    cumulative = (np.arange(N_MOVES) >= kind).astype(float)[np.newaxis]
    for k, start in enumerate(rng.choice(len(probability), size=n_draws, p=probability)):
        enter(tables, chains, np.array(partition[start]))
        records.n_made[0] = 0
        run_chains(tables, chains, graph, records, cumulative, 2, 1, 1, counts)
        drawn[k] = records.parents[0]
    assert counts[0, kind, 1] > 0.01 * n_draws
    return drawn, all_parents, probability


@pytest.mark.parametrize("beta", [1.0, 0.4])
@pytest.mark.parametrize("kind", range(N_MOVES), ids=MOVES)
def test_every_move_alone_keeps_the_distribution_over_all_dags_of_four_nodes(kind, beta):
    drawn, all_parents, probability = after_one_move(kind, beta, random_weights(4, 1.2, seed=kind), 20_000, seed=kind)
    assert p_value(drawn, all_parents, probability) > 1e-4


@pytest.mark.parametrize("n_temperatures", [1, 3])
@pytest.mark.parametrize("n_nodes", [3, 4])
def test_thinned_samples_have_the_distribution_over_all_dags(n_nodes, n_temperatures):
    log_weights = random_weights(n_nodes, 1.0, seed=n_nodes)
    all_parents, log_weight = all_dags(all_candidates(n_nodes), log_weights)
    found = sampled(log_weights, n_records=5000, sweeps=12, n_replicas=2, n_temperatures=n_temperatures)
    assert p_value(found.parents, all_parents, normalised(log_weight)) > 1e-4


def peaked(n_nodes: int) -> np.ndarray:
    """One DAG, a path, has far more weight than all others."""
    log_weights = random_weights(n_nodes, 1.0, seed=1)
    log_weights[0, 0] += 300.0
    for node in range(1, n_nodes):
        log_weights[node, 1 << node - 1] += 300.0
    return log_weights


def sparse(n_nodes: int) -> np.ndarray:
    """The empty graph dominates: every parent costs much."""
    sizes = np.array([k.bit_count() for k in range(2 ** (n_nodes - 1))])
    return random_weights(n_nodes, 0.5, seed=2) - 4.0 * sizes


def deterministic(n_nodes: int) -> np.ndarray:
    """Half of the parent sets are impossible, the empty one is not."""
    log_weights = random_weights(n_nodes, 1.5, seed=3)
    impossible = np.random.default_rng(4).random(log_weights.shape) < 0.5
    impossible[:, 0] = False
    log_weights[impossible] = -np.inf
    return log_weights


def equivalent(n_nodes: int) -> np.ndarray:
    """Weights of Gaussian data: a node's weight given parents is that of all together minus that of the parents."""
    data = np.random.default_rng(5).normal(size=(40, n_nodes)) @ (np.eye(n_nodes) + 0.8 * np.eye(n_nodes, k=1))
    log_weights = np.zeros((n_nodes, 2 ** (n_nodes - 1)))
    for node, others in enumerate(all_candidates(n_nodes)):
        for k in range(2 ** (n_nodes - 1)):
            chosen = [cause for place, cause in enumerate(others) if k >> place & 1]
            covariance = np.cov(data[:, [node, *chosen]].T).reshape(len(chosen) + 1, -1)
            left = np.linalg.slogdet(covariance)[1] - np.linalg.slogdet(covariance[1:, 1:])[1]
            log_weights[node, k] = -20.0 * left - 1.8 * len(chosen)
    return log_weights


@pytest.mark.parametrize("weights", [lambda n: random_weights(n, 2.0, 6), peaked, sparse, deterministic, equivalent])
def test_edge_probabilities_of_five_nodes_are_those_of_all_dags(weights):
    log_weights, candidates = weights(5), all_candidates(5)
    all_parents, log_weight = all_dags(candidates, log_weights)
    exact = edge_probabilities(candidates, all_parents, normalised(log_weight))
    found = sampled(log_weights, n_records=4000)
    np.testing.assert_allclose(found.edge_probabilities, exact, atol=0.02)
    np.testing.assert_allclose(found.adjacencies().mean(axis=0), exact, atol=0.03)
    assert found.agrees


def test_edge_probabilities_of_seven_nodes_are_those_of_the_recursion_over_layers():
    log_weights = 1.5 * random_weights(7, 1.0, seed=8)
    found = sampled(log_weights, n_jobs=2)
    np.testing.assert_allclose(found.edge_probabilities, exact_edge_probabilities(log_weights), atol=0.05)


@pytest.mark.long
@pytest.mark.parametrize("weights", [lambda n: random_weights(n, 2.0, 6), sparse, equivalent])
def test_edge_probabilities_of_eight_nodes_are_those_of_the_recursion_over_layers(weights):
    found = sampled(weights(8), n_jobs=2)
    np.testing.assert_allclose(found.edge_probabilities, exact_edge_probabilities(weights(8)), atol=0.03)
    assert found.agrees


@numba.njit
def log_sum_of(tables, node, inside, meeting):
    return log_sum(tables, node, inside, meeting)


@pytest.mark.parametrize("advantage", [0.0, 12.0, 25.0, 40.0, 400.0])
def test_scores_of_partitions_are_exact_where_the_adjacent_layer_hardly_matters(advantage):
    """Sets without the adjacent layer have e^advantage the weight of those with it: differences are all rounding."""
    log_weights = np.random.default_rng(9).normal(size=(4, 8)) - 5000.0
    log_weights[3, :2] += advantage
    tables, chains = parent_tables(all_candidates(4), log_weights), new_chains(np.ones(1), 4, 0)
    enter(tables, chains, np.array([0, 1, 1, 2]))
    expected = log_sum_meeting(log_weights[3], inside=7, meeting=6) - log_weights[3].max()
    assert chains.score[0, 3] == pytest.approx(expected, abs=1e-8)
    assert log_sum_of(tables, 3, 7, 6) == pytest.approx(expected, abs=1e-8)


def test_sums_over_subsets_are_those_of_a_loop_over_subsets():
    log_weights = random_weights(4, 30.0, seed=10)
    log_weights[1, [0, 3]] = -np.inf
    sums = log_weights.copy()
    sum_over_subsets(sums)
    for node in range(4):
        for k in range(8):
            inside = [log_weights[node, j] for j in range(8) if j & ~k == 0]
            assert sums[node, k] == pytest.approx(np.logaddexp.reduce(inside), abs=1e-10)


@pytest.mark.long
def test_more_nodes_than_a_word_has_bits():
    """Pairs of nodes with each other as only candidates: three graphs each, all pairs apart."""
    n_nodes = 71
    candidates = np.full((n_nodes, 1), -1)
    log_weights = np.full((n_nodes, 2), -np.inf)
    log_weights[:, 0] = 0.0
    weights = np.random.default_rng(11).normal(size=n_nodes)
    for a in range(1, n_nodes, 2):
        candidates[a, 0], candidates[a + 1, 0] = a + 1, a
        log_weights[[a, a + 1], 1] = weights[[a, a + 1]]
    found = sampled(log_weights, candidates, n_records=400)
    for a in range(1, n_nodes, 2):
        total = 1.0 + np.exp(weights[a]) + np.exp(weights[a + 1])
        assert found.edge_probabilities[a, a + 1] == pytest.approx(np.exp(weights[a + 1]) / total, abs=0.06)
        assert found.edge_probabilities[a + 1, a] == pytest.approx(np.exp(weights[a]) / total, abs=0.06)
    assert found.share_of_pairs == pytest.approx(70 / (71 * 70))


def test_a_run_goes_on_where_it_was():
    log_weights = random_weights(5, 1.0, seed=12)
    tables = parent_tables(all_candidates(5), log_weights)
    in_pieces, at_once = (Replica(tables, np.zeros(5, dtype=np.int64), 7, ChainSettings()) for _ in range(2))
    while in_pieces.n_records < 120:
        in_pieces.advance(7)
    while at_once.n_records < in_pieces.n_records:
        at_once.advance(in_pieces.n_records - at_once.n_records)
    np.testing.assert_array_equal(in_pieces.kept().parents, at_once.kept().parents)
    np.testing.assert_array_equal(in_pieces.kept().shares, at_once.kept().shares)
