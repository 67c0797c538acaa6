"""How chains behave: seeds, threads, limits, what they refuse, what they say when they disagree; candidate parents."""

from __future__ import annotations

import numpy as np
import pytest
from chain_samples import random_weights, sampled
from naive_partitions import all_candidates

import dagsearch as ds
from dagsearch.confidence.candidates import choose_candidates, weigh_subsets
from dagsearch.confidence.chains.agreement import split_r_hat
from dagsearch.errors import InputError
from dagsearch.graph.bitset import membership_from_rows, rows_from_membership


def test_one_seed_repeats_two_differ_and_threads_change_nothing():
    log_weights = random_weights(6, 1.5, seed=0)
    first, again, other, threaded = (
        sampled(log_weights, seed=seed, n_records=200, n_jobs=n_jobs)
        for seed, n_jobs in [(1, 1), (1, 1), (2, 1), (1, 3)]
    )
    for same in (again, threaded):
        np.testing.assert_array_equal(first.parents, same.parents)
        np.testing.assert_array_equal(first.edge_probabilities, same.edge_probabilities)
    assert not np.array_equal(first.parents, other.parents)


def test_chains_that_do_not_get_away_from_their_starts_say_so():
    """Swaps alone never change the sizes of layers, so what starts from the empty graph stays there."""
    only_swaps = (0.0, 0.0, 0.0, 1.0, 0.0)
    starts = [np.zeros((5, 5)), np.triu(np.ones((5, 5)), 1)]
    found = sampled(np.zeros((5, 16)), starts=starts, n_records=100, n_temperatures=1, moves=only_swaps)
    assert found.edge_probabilities_by_chain[0].max() == 0.0
    assert found.agreement.largest_difference > 0.3
    assert not found.agrees
    assert "DISAGREE" in found.notes[0]
    assert "Run them longer" in found.notes[0]


def test_r_hat_is_one_for_equal_chains_and_large_for_chains_that_differ():
    rng = np.random.default_rng(0)
    alike = [rng.normal(size=500) for _ in range(4)]
    assert split_r_hat(alike) == pytest.approx(1.0, abs=0.01)
    assert split_r_hat([alike[0], alike[1] + 3.0]) > 1.5
    assert split_r_hat([np.linspace(0.0, 5.0, 500)]) > 1.5
    assert split_r_hat([np.ones(10), np.ones(10)]) == 1.0
    assert split_r_hat([np.ones(10), np.zeros(10)]) == np.inf


def test_r_hat_is_that_of_the_formula():
    halves = np.random.default_rng(1).normal(size=(2, 20))
    within, between = halves.var(axis=1, ddof=1).mean(), 20 * halves.mean(axis=1).var(ddof=1)
    assert split_r_hat([halves.ravel()]) == pytest.approx(np.sqrt((19 / 20 * within + between / 20) / within))


def test_a_time_limit_ends_chains_early_and_keeps_what_there_is():
    found = sampled(random_weights(8, 1.0, seed=1), n_records=10_000_000, time_limit=0.3)
    assert found.status == "time-limit"
    assert found.n_samples >= 4
    assert np.isfinite(found.log_scores).all()
    assert any("ended early (time-limit)" in note for note in found.notes)


def test_an_interrupt_keeps_what_there_is(monkeypatch):
    calls = []

    def interrupt_the_tenth(_monitor, _report):
        calls.append(1)
        if len(calls) == 10:
            raise KeyboardInterrupt

    monkeypatch.setattr("dagsearch.search.monitor.Monitor.check", interrupt_the_tenth)
    found = sampled(random_weights(5, 1.0, seed=2), n_records=10_000_000)
    assert found.status == "interrupted"
    assert set(found.chain) == {0, 1, 2, 3}


def test_sampled_log_scores_are_those_of_the_sampled_graphs():
    log_weights = random_weights(5, 1.0, seed=3)
    found = sampled(log_weights, n_records=60)
    for graph, log_score in zip(found.adjacencies(slice(0, 10)), found.log_scores, strict=False):
        sets = [int(np.delete(graph[:, v], v) @ (1 << np.arange(4))) for v in range(5)]
        assert log_score == pytest.approx(sum(log_weights[v, s] for v, s in enumerate(sets)))


def gaussian_table(n_nodes=7, n_rows=200):
    rng = np.random.default_rng(4)
    values = rng.normal(size=(n_rows, n_nodes))
    for v in range(1, n_nodes):
        values[:, v] += 0.8 * values[:, v - 1]
    return values


def nats_of(values):
    score = ds.scores.make("bic-linear", values)

    def local_nats(nodes, rows):
        terms = score.terms(nodes, rows)
        return len(values) / 2 * (terms[:, 0] - terms[:, 1])

    return local_nats


def knowledge(n_nodes):
    allowed, required = ~np.eye(n_nodes, dtype=bool), np.zeros((n_nodes, n_nodes), dtype=bool)
    allowed[:, 0] = False
    allowed[3, 4] = False
    required[6, 1] = True
    return allowed, required


def test_candidates_and_samples_keep_to_knowledge_and_to_the_number_of_parents():
    nats, (allowed, required) = nats_of(gaussian_table()), knowledge(7)
    candidates = choose_candidates(nats, [np.eye(7, k=1)], 4, allowed, required, max_parents=2)
    assert candidates.shape == (7, 4)
    assert (candidates[0] == -1).all()
    assert 3 not in candidates[4]
    assert candidates[1, 0] == 6
    log_weights = weigh_subsets(nats, candidates, required, 2, lambda _share: None)
    found = sampled(log_weights, candidates, starts=[np.zeros((7, 7))], n_records=300)
    graphs = found.adjacencies()
    assert (graphs[:, 6, 1] == 1).all()
    assert not graphs[:, ~(allowed | required)].any()
    assert graphs.sum(axis=1).max() == 2
    assert found.edge_probabilities[6, 1] == pytest.approx(1.0)


def test_candidates_are_parents_children_and_their_parents_before_others():
    found = np.zeros((9, 9), dtype=np.int8)
    found[2, 0] = found[0, 5] = found[7, 5] = 1
    gains = np.array([0.0, 9.0, 0.0, 5.0, 1.0, 0.0, 7.0, 0.0, 2.0])

    def local_nats(_nodes, rows):
        return membership_from_rows(rows, 9) @ gains

    anything, nothing = ~np.eye(9, dtype=bool), np.zeros((9, 9), dtype=bool)
    chosen = choose_candidates(local_nats, [found], 6, anything, nothing, max_parents=8)
    assert chosen[0].tolist() == [2, 5, 7, 1, 6, 3]
    alone = choose_candidates(local_nats, [], 3, anything, nothing, max_parents=8)
    assert alone[0].tolist() == [1, 6, 3]


def test_a_candidate_that_helps_only_beside_found_parents_is_chosen():
    def local_nats(_nodes, rows):
        members = membership_from_rows(rows, 8)
        return 3.0 * members[:, 1] + 2.0 * (members[:, 1] & members[:, 6]) - 1.0 * members[:, 6]

    found = np.zeros((8, 8), dtype=np.int8)
    found[1, 0] = 1
    anything, nothing = ~np.eye(8, dtype=bool), np.zeros((8, 8), dtype=bool)
    assert choose_candidates(local_nats, [found], 2, anything, nothing, max_parents=3)[0].tolist() == [1, 6]


def test_weights_of_subsets_are_those_of_the_score():
    values = gaussian_table()
    nats, nothing = nats_of(values), np.zeros((7, 7), dtype=bool)
    candidates = choose_candidates(nats, [], 5, ~np.eye(7, dtype=bool), nothing, max_parents=3)
    log_weights = weigh_subsets(nats, candidates, nothing, 3, lambda _share: None)
    for node, parents in [(0, 0b00000), (3, 0b10100), (6, 0b00111)]:
        members = np.zeros((1, 7), dtype=bool)
        members[0, [candidates[node, c] for c in range(5) if parents >> c & 1]] = True
        expected = nats(np.array([node]), rows_from_membership(members))[0]
        assert log_weights[node, parents] == pytest.approx(expected)
    assert np.isneginf(log_weights[:, [k for k in range(32) if k.bit_count() > 3]]).all()


def test_a_start_that_the_weights_do_not_allow_is_mended():
    log_weights = random_weights(5, 1.0, seed=5)
    log_weights[:, [k for k in range(16) if k.bit_count() > 1]] = -np.inf
    complete = np.triu(np.ones((5, 5), dtype=np.int8), 1)
    found = sampled(log_weights, starts=[complete], n_records=100)
    assert found.adjacencies().sum(axis=1).max() == 1


def without_any(log_weights):
    log_weights[2] = -np.inf


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_any, "finite for at least one parent set of node 2"),
        (lambda w: w.__setitem__((1, 3), np.nan), "numbers or -inf"),
    ],
)
def test_weights_that_are_none_are_refused(change, message):
    log_weights = random_weights(4, 1.0, seed=6)
    change(log_weights)
    with pytest.raises(InputError, match=message):
        sampled(log_weights)


def test_arguments_that_do_not_fit_are_refused():
    log_weights = random_weights(4, 1.0, seed=7)
    with pytest.raises(InputError, match=r"log_weights must have the shape \(4, 8\)"):
        sampled(log_weights[:, :4])
    for row in ([0, 1, 2], [1, 1, 2], [1, -1, 2], [1, 2, 4]):
        candidates = all_candidates(4)
        candidates[0] = row
        with pytest.raises(InputError, match="candidates of node 0"):
            sampled(log_weights, candidates)
    with pytest.raises(InputError, match="starts must be acyclic"):
        sampled(log_weights, starts=[np.ones((4, 4)) - np.eye(4)])
    with pytest.raises(InputError, match=r"starts must have the shape \(4, 4\), got \(3, 3\)"):
        sampled(log_weights, starts=[np.zeros((3, 3))])
    log_weights[0, [k for k in range(8) if not k & 1]] = -np.inf
    with pytest.raises(InputError, match="starts must go together with required edges, got 0 -> 1 -> 0"):
        sampled(log_weights, starts=[np.eye(4, k=1)])
    with pytest.raises(InputError, match="n_replicas must be at least 2"):
        sampled(log_weights, n_replicas=1)
    required = np.zeros((4, 4), dtype=bool)
    required[:3, 3] = True
    with pytest.raises(InputError, match="n_candidates must be at least 3"):
        choose_candidates(lambda nodes, _rows: nodes, [], 2, ~np.eye(4, dtype=bool), required, 3)


def test_weights_that_allow_no_dag_are_refused():
    """Each of two nodes must have the other as a parent."""
    with pytest.raises(InputError, match="must allow some DAG"):
        sampled(np.array([[-np.inf, 0.0], [-np.inf, 0.0]]))
