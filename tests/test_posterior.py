"""The posterior of a table: which scores it takes, what restricts it, what it says, and what it refuses."""

from __future__ import annotations

import math
import signal
import threading
import time

import naive_posterior as naive
import numpy as np
import pytest
from common import discrete_frame, normal_frame
from scipy import stats
from scipy.special import gammaln
from sklearn.base import clone

import dagsearch as ds
from dagsearch.confidence import exact
from dagsearch.confidence.weights import Restrictions, most_parents


class Table:
    """A user's score: random local scores in nats."""

    def __init__(self, n_nodes, seed=0, spread=1.5):
        rng = np.random.default_rng(seed)
        self.log_weights = rng.normal(size=(n_nodes, 2 ** (n_nodes - 1))) * spread

    def local(self, node, parents):
        return self.log_weights[node, naive.squeezed(sum(1 << p for p in parents), node)]


class Slow:
    def local(self, node, parents):  # noqa: ARG002
        time.sleep(1e-3)
        return 0.0


def table(n_nodes, n_samples=30):
    return np.random.default_rng(0).normal(size=(n_samples, n_nodes))


# ---------------------------------------------------------------- nats


def test_nats_turn_differences_of_bic_rewards_into_log_likelihoods_and_penalties():
    frame = normal_frame(200, 3)
    x, n = frame.to_numpy(), 200
    score = ds.scores.make("bic-linear", frame)

    def log_likelihood(design):
        residuals = x[:, 2] - design @ np.linalg.lstsq(design, x[:, 2])[0]
        return stats.norm.logpdf(residuals, scale=residuals.std()).sum()

    one = np.ones((n, 1))
    gain = log_likelihood(np.hstack([one, x[:, :2]])) - log_likelihood(one) - 2 * 0.5 * math.log(n)
    assert score.nats * (score.local(2, [0, 1]) - score.local(2, [])) == pytest.approx(gain, rel=1e-6)


def test_nats_of_discrete_scores_are_log_probabilities_of_the_table():
    frame = discrete_frame(120, 2)
    counts = np.array([[((frame.a == a) & (frame.b == b)).sum() for b in range(3)] for a in range(3)])
    bic, bdeu = ds.scores.make("bic-discrete", frame), ds.scores.make("bdeu", frame)
    rows = counts.sum(axis=1, keepdims=True)
    expected = (counts * np.log(np.maximum(counts, 1) / rows)).sum() - 0.5 * math.log(120) * 6
    assert bic.nats * bic.local(1, [0]) == pytest.approx(expected)
    prior = 1.0 / 9.0
    expected = (gammaln(3 * prior) - gammaln(3 * prior + rows)).sum() + (gammaln(prior + counts) - gammaln(prior)).sum()
    assert bdeu.nats * bdeu.local(1, [0]) == pytest.approx(expected)


def test_scores_in_nats_have_one_nat_per_unit_and_fitted_bic_half_the_rows():
    frame = normal_frame(80, 3)
    assert ds.scores.make("evidence", frame).nats == 1.0
    assert ds.scores.adapt(Table(3), 3).nats == 1.0
    assert ds.scores.make("bic-gam", frame).nats == 40.0


# ---------------------------------------------------------------- against all DAGs listed


@pytest.mark.parametrize("n_nodes", [2, 3, 4, 5])
def test_posterior_of_an_own_score_equals_enumeration(n_nodes):
    score = Table(n_nodes)
    sure = ds.posterior(table(n_nodes), score=score, n_samples=0)
    dags, probabilities = naive.listed(score.log_weights)
    np.testing.assert_allclose(sure.edge_probability, np.tensordot(probabilities, dags, 1), rtol=0, atol=1e-9)
    both = np.tensordot(probabilities, dags | dags.transpose(0, 2, 1), 1)
    np.testing.assert_allclose(sure.adjacency_probability, both, rtol=0, atol=1e-9)
    paths = np.tensordot(probabilities, naive.closure(dags).astype(float), 1)
    np.testing.assert_allclose(sure.path_probability, paths, rtol=0, atol=1e-9)
    assert sure.details["log_evidence"] == pytest.approx(naive.log_total(score.log_weights))


@pytest.mark.parametrize("max_parents", [None, 1, 2])
@pytest.mark.parametrize(
    "knowledge",
    [
        None,
        ds.Knowledge(required=[(0, 1), (1, 2)]),
        ds.Knowledge(forbidden=[(0, 1), (2, 4), (3, 0)]),
        ds.Knowledge(required=[(4, 0)], tiers=[[3, 4], [0, 1]]),
    ],
    ids=["nothing known", "required", "forbidden", "tiers"],
)
def test_knowledge_and_max_parents_condition_the_posterior(knowledge, max_parents):
    score = Table(5, seed=1)
    sure = ds.posterior(table(5), score=score, knowledge=knowledge, max_parents=max_parents, random_state=0)
    dags, probabilities = naive.listed(score.log_weights)
    names = [f"x{k}" for k in range(5)]
    allowed = np.ones(len(dags), dtype=bool)
    if knowledge is not None:
        allowed &= (dags <= knowledge.allowed_edges(names)).all(axis=(1, 2))
        allowed &= (dags >= knowledge.required_edges(names)).all(axis=(1, 2))
    if max_parents is not None:
        allowed &= dags.sum(axis=1).max(axis=1) <= max_parents
    probabilities = probabilities * allowed / probabilities[allowed].sum()
    np.testing.assert_allclose(sure.edge_probability, np.tensordot(probabilities, dags, 1), rtol=0, atol=1e-9)
    drawn = np.unique(sure.samples, axis=0).astype(int)
    possible = {dag.tobytes() for dag in dags[allowed].astype(int)}
    assert {dag.tobytes() for dag in drawn} <= possible


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("bdeu", discrete_frame(100, 4)),
        ("bic-discrete", discrete_frame(100, 4)),
        ("bic-linear", normal_frame(25, 4)),
        ("bic-quadratic", normal_frame(40, 4)),
        ("evidence", normal_frame(80, 4)),
    ],
)
def test_weights_of_a_made_score_are_its_rewards_in_nats(name, frame):
    further = {"penalty": "parameters"} if name in ("bic-linear", "bic-quadratic") else {}
    score = ds.scores.make(name, frame, **further)
    dags, _ = naive.listed(np.zeros((4, 8)))
    logs = score.nats * score.rewards_of(dags)
    probabilities = np.exp(logs - np.logaddexp.reduce(logs))
    sure = ds.posterior(frame, score=score, n_samples=0)
    np.testing.assert_allclose(sure.edge_probability, np.tensordot(probabilities, dags, 1), rtol=0, atol=1e-9)
    by_name = ds.posterior(frame, score=name, n_samples=0)
    np.testing.assert_allclose(by_name.edge_probability, sure.edge_probability, rtol=0, atol=1e-9)


def test_graphs_of_a_class_are_equally_likely_to_an_equivalent_score():
    sure = ds.posterior(normal_frame(300, 2), score="bic-linear")
    assert sure.adjacency_probability[0, 1] > 0.99
    assert sure.edge_probability[0, 1] == pytest.approx(sure.edge_probability[1, 0])
    assert sure.graph().undirected_edges == [("a", "b")]


# ---------------------------------------------------------------- settings


def test_one_seed_repeats_two_differ_and_the_number_of_threads_changes_nothing():
    frame = normal_frame(60, 6)
    runs = [
        ds.posterior(frame, score="bic-linear", random_state=seed, n_jobs=jobs)
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    ]
    assert np.array_equal(runs[0].samples, runs[1].samples)
    assert np.array_equal(runs[0].edge_probability, runs[1].edge_probability)
    assert not np.array_equal(runs[0].samples, runs[2].samples)


def test_auto_takes_the_score_of_searches_and_says_which():
    assert "score: bic-discrete" in ds.posterior(discrete_frame(80, 3)).notes[0]
    sure = ds.posterior(normal_frame(80, 3), noise="gaussian", models=["linear"])
    assert "score: evidence" in sure.notes[0]
    assert sure.details["score"] == "evidence"


def test_bic_is_named_as_an_approximation_and_evidence_is_not():
    frame = normal_frame(80, 3)
    assert any("approximates" in note for note in ds.posterior(frame, score="bic-linear").notes)
    assert not any("approximates" in note for note in ds.posterior(frame, score="evidence", models=["linear"]).notes)


def test_parents_are_limited_to_what_can_be_afforded_and_a_note_says_so(monkeypatch):
    score = ds.scores.make("bic-linear", normal_frame(80, 6))
    free = Restrictions(np.zeros((6, 6), dtype=bool), np.ones((6, 6), dtype=bool))
    assert most_parents(free, score) == 5
    monkeypatch.setattr(type(score), "affordable", 6 * (1 + 5 + 10))
    assert most_parents(free, score) == 2
    sure = ds.posterior(normal_frame(80, 6), score=score)
    assert any("at most 2 causes" in note for note in sure.notes)
    assert sure.samples.sum(axis=1).max() <= 2
    assert sure.details["max_parents"] == 2


def test_few_rows_limit_the_causes_that_evidence_looks_at():
    assert any("so few rows" in note for note in ds.posterior(normal_frame(40, 5), score="evidence").notes)


def test_posterior_has_the_habits_of_an_estimator():
    model = ds.Posterior(score="bic-linear", n_samples=10, random_state=0)
    copy = clone(model).fit(normal_frame(50, 3))
    assert copy.get_params()["n_samples"] == 10
    assert copy.confidence_.names == ("a", "b", "c")
    assert copy.score_.name == "bic-linear"
    assert not hasattr(model, "confidence_")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"score": "bic-gp"}, "bic-gp.*no likelihood"),
        ({"score": "bic-linear", "variances": "equal"}, "variances='equal'"),
        ({"score": "nosuch"}, "unknown score"),
        ({"score": object()}, "score must be"),
        ({"score": "bic-linear", "colour": 3}, "score_settings"),
        ({"score": "bic-linear", "models": ["linear"]}, "models"),
        ({"n_samples": -1}, "n_samples"),
        ({"max_parents": 0}, "max_parents"),
        ({"time_limit": 0}, "time_limit"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"knowledge": "none"}, "knowledge"),
        ({"progress": 3}, "progress"),
        ({"random_state": "x"}, "random_state"),
        ({"score": "bic-linear", "max_parents": 1, "knowledge": ds.Knowledge(required=[(0, 2), (1, 2)])}, "at least 2"),
        ({"score": "evidence", "max_parents": 3}, "at most 2"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(ds.InputError, match=message):
        ds.posterior(normal_frame(40, 4), **settings)


def test_rewards_of_whole_graphs_are_refused():
    class Whole:
        def reward(self, adjacency):
            return float(adjacency.sum())

    with pytest.raises(ds.InputError, match="does not split"):
        ds.posterior(table(3), score=Whole())


@pytest.mark.long
def test_sums_that_lost_precision_are_replaced_by_chains_and_a_note_says_so(monkeypatch):
    expected = ds.posterior(table(4), score="bic-linear", random_state=0)
    monkeypatch.setattr(exact, "TOLERANCE", -1.0)
    found = ds.posterior(table(4), score="bic-linear", random_state=0)
    assert found.method == "posterior, chains"
    assert any("error of" in note for note in found.notes)
    assert np.abs(found.edge_probability - expected.edge_probability).max() < 0.05


def test_the_time_limit_ends_slow_scores_with_an_error():
    started = time.perf_counter()
    with pytest.raises(ds.DagsearchError, match=r"time_limit of 0\.2 seconds"):
        ds.posterior(table(12), score=Slow(), time_limit=0.2)
    assert time.perf_counter() - started < 3.0


def test_ctrl_c_ends_slow_scores():
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ds.posterior(table(12), score=Slow())
