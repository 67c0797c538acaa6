"""How sure estimators are of their graphs: by the bootstrap, or by the posterior."""

from __future__ import annotations

import numpy as np
import pytest
from bootstrap_runs import assert_same, linear_frame

import dagsearch as ds
from dagsearch.errors import TimeLimitError


def test_an_estimator_tells_how_sure_it_is_by_the_bootstrap_and_finds_the_same_graph():
    frame = linear_frame()
    plain = ds.RandomSearch(score="bic-linear", sims_per_node=5, random_state=0).fit(frame)
    assert plain.confidence_ is None
    unsure = ds.RandomSearch(score="bic-linear", sims_per_node=5, random_state=0, confidence="bootstrap").fit(frame)
    assert unsure.dag_ == plain.dag_
    assert unsure.result_.edges == plain.result_.edges
    assert unsure.confidence_.method == "bootstrap"
    assert unsure.confidence_.details["n_replicates"] == 100
    assert unsure.confidence_.adjacency_probability[0, 1] > 0.5


@pytest.mark.parametrize("confidence", ["bootstrap", "posterior"])
def test_the_seed_of_the_fit_repeats_the_confidence_too(confidence):
    frame = linear_frame()
    settings = {"score": "bic-linear", "confidence": confidence}
    fresh = ds.GreedySearch(**settings).fit(frame)
    again = ds.GreedySearch(**settings, random_state=fresh.result_.seed).fit(frame)
    assert_same(again.confidence_, fresh.confidence_)


def test_an_estimator_tells_how_sure_it_is_by_the_posterior_of_its_own_score_and_knowledge():
    frame = linear_frame()
    knowledge = ds.Knowledge(forbidden=[("b", "a")])
    settings = {"score": "bic-linear", "penalty": "parameters", "min_effect": 0.02, "knowledge": knowledge}
    model = ds.GreedySearch(**settings, random_state=0, confidence="posterior").fit(frame)
    score = ds.scores.make("bic-linear", frame, penalty="parameters", min_effect=0.02)
    expected = ds.posterior(frame, score, knowledge=knowledge, n_samples=0)
    assert np.allclose(model.confidence_.edge_probability, expected.edge_probability, rtol=0, atol=1e-12)
    assert model.confidence_.edge_probability[1, 0] == 0.0
    assert model.confidence_.method.startswith("posterior")


def test_what_the_posterior_does_not_share_with_the_method_is_said():
    frame = linear_frame()
    notes = ds.LiNGAM(score="bic-linear", random_state=0, confidence="posterior").fit(frame).confidence_.notes
    assert "the posterior is that of bic-linear, by which lingam does not construct its graph" in notes
    notes = ds.GreedySearch(score="bic-linear", edge_budget=2, confidence="posterior").fit(frame).confidence_.notes
    assert "the posterior knows no edge budget" in notes


def test_an_estimator_averages_over_specifications_with_its_own_knowledge():
    frame = linear_frame()
    knowledge = ds.Knowledge(forbidden=[("b", "a")])
    fit = ds.GreedySearch(score="bic-linear", knowledge=knowledge, random_state=0, confidence="specifications")
    found = fit.fit(frame).confidence_
    expected = ds.posterior(frame, specifications="auto", knowledge=knowledge, n_samples=0)
    assert [each.name for each in found.specifications] == [each.name for each in expected.specifications]
    assert np.allclose(found.edge_probability, expected.edge_probability, rtol=0, atol=1e-12)
    assert found.edge_probability[1, 0] == 0.0


def test_specifications_are_for_complete_rows_of_numbers(monkeypatch):
    monkeypatch.setattr(ds.GreedySearch, "_construct", None)
    frame = linear_frame()
    with pytest.raises(ds.InputError, match="column 'kind' is discrete"):
        ds.GreedySearch(confidence="specifications").fit(frame.assign(kind=["x", "y"] * (len(frame) // 2)))
    with pytest.raises(ds.DataError, match="specifications need complete rows"):
        ds.GreedySearch(confidence="specifications").fit(frame.mask(frame > frame.quantile(0.99)))


def test_confidence_that_cannot_be_is_refused_before_the_search(monkeypatch):
    monkeypatch.setattr(ds.GreedySearch, "_construct", None)
    with pytest.raises(ds.InputError, match=r"confidence='posterior': .*'bic-gp'.*or confidence='bootstrap'"):
        ds.GreedySearch(score="bic-gp", confidence="posterior").fit(linear_frame())
    score = ds.scores.make("bic-linear", linear_frame())
    with pytest.raises(ds.InputError, match="score must be a name for a bootstrap"):
        ds.GreedySearch(score=score, confidence="bootstrap").fit(linear_frame())
    with pytest.raises(ds.UnknownNameError, match="unknown confidence 'high': choose from none, posterior, bootstrap"):
        ds.GreedySearch(confidence="high").fit(linear_frame())


@pytest.mark.parametrize("confidence", ["posterior", "specifications"])
def test_a_posterior_that_takes_longer_than_the_time_limit_is_left_out_and_the_graph_kept(confidence, monkeypatch):
    frame = linear_frame()
    fit = ds.GreedySearch(score="bic-linear", confidence=confidence, time_limit=60.0, random_state=0)
    given = []

    def fitted(self, _):
        given.append(self.time_limit)
        raise TimeLimitError("time_limit of 60 seconds was over before the posterior was there")

    monkeypatch.setattr(ds.Posterior, "fit", fitted)
    model = fit.fit(frame)
    assert given == [60.0]
    assert model.dag_.n_edges
    assert model.confidence_ is None
    assert (
        "confidence: none, since time_limit of 60 seconds was over before the posterior was there"
        in model.result_.notes
    )
