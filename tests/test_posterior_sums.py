"""Sums over all DAGs and samples from them, against lists of all DAGs and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import naive_posterior as naive
import numpy as np
import pytest
from scipy.stats import chisquare

from dagsearch.confidence import exact
from dagsearch.confidence.exact import PrecisionError, sum_over_dags
from dagsearch.confidence.sampling import ExactSampler
from dagsearch.kernels.dag_weights import ParentSums, add_up_parent_sets


def quiet(share, what):
    assert 0.0 <= share <= 1.0
    assert what


def solved(log_weights, n_jobs=1):
    return sum_over_dags(np.asarray(log_weights, dtype=float), n_jobs, quiet)


def random_weights(n_nodes, spread, seed, share_ruled_out=0.0):
    """Random log weights; the empty set is always allowed, so that there is a DAG."""
    rng = np.random.default_rng(seed)
    log_weights = rng.normal(size=(n_nodes, 2 ** (n_nodes - 1))) * spread
    log_weights[rng.random(log_weights.shape) < share_ruled_out] = -np.inf
    log_weights[:, 0] = np.where(np.isinf(log_weights[:, 0]), 0.0, log_weights[:, 0])
    return log_weights


def uniform_weights(n_nodes):
    return np.zeros((n_nodes, 2 ** (n_nodes - 1)))


def dominated_by_the_empty_graph(n_nodes):
    """Each edge makes a graph e^30 times less likely."""
    sizes = np.bitwise_count(np.arange(2 ** (n_nodes - 1)))
    return np.tile(-30.0 * sizes, (n_nodes, 1))


@pytest.mark.parametrize("n_nodes", [2, 3, 4, 5])
@pytest.mark.parametrize(("spread", "share_ruled_out"), [(1.0, 0.0), (20.0, 0.0), (1e4, 0.0), (3.0, 0.4)])
def test_probabilities_equal_those_of_all_dags_listed(n_nodes, spread, share_ruled_out):
    log_weights = random_weights(n_nodes, spread, n_nodes, share_ruled_out)
    sums = solved(log_weights)
    dags, probabilities = naive.listed(log_weights)
    np.testing.assert_allclose(sums.edge_probability, np.tensordot(probabilities, dags, 1), rtol=0, atol=1e-9)
    paths = np.tensordot(probabilities, naive.closure(dags).astype(float), 1)
    np.testing.assert_allclose(sums.path_probability, paths, rtol=0, atol=1e-9)
    assert sums.log_total == pytest.approx(naive.log_total(log_weights), rel=1e-12, abs=1e-9)
    assert sums.error < 1e-12


@pytest.mark.parametrize("share_ruled_out", [0.0, 0.5])
def test_parent_sets_have_the_probabilities_of_all_dags_listed(share_ruled_out):
    log_weights = random_weights(4, 2.0, 1, share_ruled_out)
    sums = solved(log_weights)
    dags, probabilities = naive.listed(log_weights)
    for node in range(4):
        numbers = naive.squeezed((dags[:, :, node] << np.arange(4)).sum(axis=1), node)
        expected = np.bincount(numbers, weights=probabilities, minlength=8)
        np.testing.assert_allclose(sums.family_probability(node), expected, rtol=0, atol=1e-12)


def test_edges_follow_from_parent_sets():
    log_weights = random_weights(9, 5.0, 2)
    sums = solved(log_weights)
    for node in range(9):
        families = sums.family_probability(node)
        assert families.sum() == pytest.approx(1.0, abs=1e-12)
        contains = np.arange(len(families))[:, None] >> np.arange(8) & 1
        others = np.arange(9) != node
        np.testing.assert_allclose(families @ contains, sums.edge_probability[others, node], rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_nodes", [1, 6, 11, 14])
def test_uniform_weights_count_dags(n_nodes):
    assert solved(uniform_weights(n_nodes)).log_total == pytest.approx(math.log(naive.n_dags(n_nodes)), rel=1e-14)


def test_exact_fractions_agree_where_the_empty_graph_dominates_and_where_one_relation_is_deterministic():
    rng = np.random.default_rng(3)
    for sizes_cost, pair_gain in ((9, 0), (2, 60)):
        logs = np.round(rng.normal(size=(5, 16)) - sizes_cost * np.bitwise_count(np.arange(16)))
        logs[0, np.arange(16) & 1 > 0] += pair_gain  # node 1 is the first bit of the sets of node 0
        logs[1, np.arange(16) & 1 > 0] += pair_gain
        weights = [[Fraction(2) ** int(log) for log in row] for row in logs]
        expected = np.array(naive.edges_in_fractions(weights), dtype=float)
        found = solved(logs * math.log(2.0)).edge_probability
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    "log_weights",
    [
        dominated_by_the_empty_graph(14),
        uniform_weights(14),
        random_weights(14, 1.0, 0),
        random_weights(14, 1e4, 0),
        random_weights(13, 100.0, 0, share_ruled_out=0.7),
    ],
    ids=["empty graph", "uniform", "random", "thousands of nats", "ruled out"],
)
def test_sums_from_both_sides_agree_and_probabilities_add_up_to_one(log_weights):
    sums = solved(log_weights)
    assert sums.error < 10 * 3 ** len(log_weights) * np.finfo(float).eps
    assert sums.edge_probability.min() >= 0.0


def test_terms_that_do_not_matter_may_be_left_out(monkeypatch):
    log_weights = random_weights(9, 60.0, 4)
    sums = solved(log_weights)
    monkeypatch.setattr(exact, "_NEGLECTED_BITS", 1_000_000)
    every_term = solved(log_weights)
    np.testing.assert_allclose(sums.edge_probability, every_term.edge_probability, rtol=1e-12, atol=1e-15)


def test_the_number_of_threads_changes_nothing():
    log_weights = random_weights(10, 3.0, 5)
    one, two = solved(log_weights, n_jobs=1), solved(log_weights, n_jobs=2)
    assert np.array_equal(one.edge_probability, two.edge_probability)
    assert np.array_equal(one.non_descendants, two.non_descendants)


def test_errors_beyond_the_tolerance_are_signalled(monkeypatch):
    log_weights = dominated_by_the_empty_graph(8)
    monkeypatch.setattr(exact, "TOLERANCE", -1.0)
    with pytest.raises(PrecisionError, match="error of"):
        solved(log_weights)
    with pytest.raises(PrecisionError, match="differ by"):
        solved(random_weights(3, 1e12, 0))


def test_wrong_sums_are_noticed(monkeypatch):
    right_pull = exact.pull

    def wrong_pull(problem, *rest):
        problem.z.values[:] *= 1.0 + 1e-5 * np.random.default_rng(0).random(len(problem.z.values))
        right_pull(problem, *rest)

    monkeypatch.setattr(exact, "pull", wrong_pull)
    with pytest.raises(PrecisionError):
        solved(random_weights(6, 1.0, 0))


def test_sums_over_parent_sets_are_those_of_all_subsets():
    log_weights = random_weights(6, 50.0, 6, share_ruled_out=0.3)
    sums = ParentSums(*(np.empty(log_weights.shape, dtype=kind) for kind in (float, np.int32)))
    add_up_parent_sets(log_weights, sums, 2)
    numbers = np.arange(32)
    expected = [np.logaddexp.reduce(log_weights[2, numbers & ~members == 0]) for members in numbers]
    np.testing.assert_allclose(np.log(sums.values[2]) + sums.exponents[2] * math.log(2.0), expected, rtol=1e-13)


# ---------------------------------------------------------------- samples


@pytest.mark.parametrize(("spread", "share_ruled_out"), [(1.0, 0.0), (4.0, 0.3)])
def test_samples_have_the_frequencies_of_all_dags_listed(spread, share_ruled_out):
    log_weights = random_weights(4, spread, 7, share_ruled_out)
    dags, probabilities = naive.listed(log_weights)
    n = 40_000
    drawn = ExactSampler(solved(log_weights))(n, np.random.default_rng(0))
    position = {dag.astype(np.int8).tobytes(): k for k, dag in enumerate(dags)}
    counts = np.bincount([position[dag.tobytes()] for dag in drawn], minlength=len(dags))
    frequent = probabilities * n >= 5
    assert frequent.sum() > 20
    assert counts[probabilities == 0.0].sum() == 0
    observed = np.append(counts[frequent], counts[~frequent].sum())
    expected = np.append(probabilities[frequent], probabilities[~frequent].sum()) * n
    assert chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.parametrize(
    "log_weights",
    [random_weights(10, 3.0, 8), dominated_by_the_empty_graph(9) * 0.05, uniform_weights(10)],
    ids=["random", "sparse", "uniform"],
)
def test_samples_have_the_exact_probabilities_of_edges_and_paths(log_weights):
    sums, n = solved(log_weights), 4000
    drawn = ExactSampler(sums)(n, np.random.default_rng(1))
    for sampled, expected in ((drawn, sums.edge_probability), (naive.closure(drawn), sums.path_probability)):
        deviation = np.sqrt(expected * (1.0 - expected) / n) + 1e-12
        assert (np.abs(sampled.mean(axis=0) - expected) / deviation).max() < 4.5


def test_one_seed_repeats_and_two_differ():
    sampler = ExactSampler(solved(random_weights(6, 1.0, 9)))
    one, again, other = (sampler(50, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.long
def test_twenty_nodes_keep_their_precision_or_say_that_they_lost_it():
    assert solved(random_weights(20, 1.0, 0), n_jobs=2).error < 1e-9
    with pytest.raises(PrecisionError):
        solved(dominated_by_the_empty_graph(20), n_jobs=2)
