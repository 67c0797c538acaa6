"""Specifications: the grid that is fixed beforehand, scales of columns, and averages by hand."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

import dagsearch as ds
from dagsearch._scales import different_scales, rescaled
from dagsearch.confidence.specifications import chosen_specifications

SETTINGS = {"noise": "gaussian", "min_effect": 0.0}


def skewed_frame(n=120, seed=0):
    """All columns positive, a curved effect."""
    rng = np.random.default_rng(seed)
    a = np.exp(rng.normal(size=n))
    b = 1.0 + np.sqrt(a) + 0.3 * rng.random(n)
    return pd.DataFrame({"a": a, "b": b, "c": np.exp(0.5 * np.log(b) + 0.1 * rng.normal(size=n))})


# ---------------------------------------------------------------- scales


def test_logs_are_taken_of_columns_that_are_positive_throughout():
    values = np.array([[1.0, -1.0, 0.0], [math.e, 2.0, 3.0], [math.e**2, 5.0, 4.0]])
    expected = [[0.0, -1.0, 0.0], [1.0, 2.0, 3.0], [2.0, 5.0, 4.0]]
    assert np.allclose(rescaled(values, "log"), expected, rtol=0, atol=1e-12)


def test_normal_scores_are_the_quantiles_of_ranks_and_equal_values_share_one():
    quantile = NormalDist().inv_cdf
    values = np.array([[10.0, 3.0], [-5.0, 3.0], [7.0, 1.0], [1e9, 8.0]])
    expected = np.array([[3, 2.5], [1, 2.5], [2, 1], [4, 4]]) / 5
    scores = rescaled(values, "normal-scores")
    assert np.allclose(scores, [[quantile(share) for share in row] for row in expected], rtol=0, atol=1e-12)


def test_as_measured_is_a_copy():
    values = np.ones((3, 2))
    same = rescaled(values, "measured")
    assert np.array_equal(same, values)
    assert not np.shares_memory(same, values)


def test_a_scale_that_changes_nothing_but_units_is_left_out():
    frame = skewed_frame()
    assert different_scales(frame.to_numpy()) == ("measured", "log", "normal-scores")
    assert different_scales(frame.to_numpy() - 10.0) == ("measured", "normal-scores")
    one_positive = frame.assign(b=frame.b - 10.0, c=frame.c - 10.0).to_numpy()
    assert different_scales(one_positive) == ("measured", "log", "normal-scores")
    ranked = rescaled(frame.to_numpy(), "normal-scores")
    assert different_scales(7.0 * ranked - 1e3) == ("measured",)
    assert different_scales(frame.to_numpy() * 1e300) == ("measured", "log", "normal-scores")


# ---------------------------------------------------------------- which


def test_the_automatic_grid_has_every_scale_with_every_model_alone():
    grid = chosen_specifications("auto", ds.as_dataset(skewed_frame()), "auto", None)
    scales, models = ("measured", "log", "normal-scores"), ("linear", "additive", "joint")
    assert [(each.scale, each.models) for each in grid] == [(scale, (model,)) for scale in scales for model in models]
    assert {(each.score, each.noise, each.min_effect) for each in grid} == {("evidence", "gaussian", 0.0)}
    assert grid[4].name == "log, additive"
    shaped = chosen_specifications("auto", ds.as_dataset(skewed_frame()), "evidence", {"noise": "shape"})
    assert {(each.noise, each.min_effect) for each in shaped} == {("shape", 0.0)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"specifications": "all"}, "unknown specifications 'all': choose from auto"),
        ({"specifications": []}, r"specifications must be 'auto' or a list of dagsearch.Specification, got \[\]"),
        ({"specifications": ["linear"]}, "specifications must be 'auto' or a list"),
        ({"specifications": 3}, "specifications must be 'auto' or a list"),
        ({"specifications": "auto", "score": "bic-linear"}, "must be 'evidence', got 'bic-linear'"),
        ({"specifications": "auto", "models": ("linear",)}, "models are what specifications='auto' varies"),
        ({"specifications": "auto", "levels": "seen"}, "takes noise and min_effect beside it, got levels"),
        ({"specifications": [ds.Specification(name="a")], "noise": "any"}, "noise is a setting of each specification"),
        ({"specifications": [ds.Specification(name="a")], "score": "bdeu"}, "score is said by each specification"),
        ({"specifications": [ds.Specification(name="a")] * 2}, "names of their own"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    with pytest.raises(ds.InputError, match=message):
        ds.posterior(skewed_frame(), **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "name of a specification must be a text"),
        ({"scale": "root"}, "unknown scale 'root': choose from measured, log, normal-scores"),
        ({"models": ("cubic",)}, "unknown models 'cubic'"),
        ({"noise": "loud"}, "unknown noise 'loud'"),
        ({"min_effect": 1.5}, "min_effect must be"),
        ({"score": "best"}, "unknown score 'best'"),
    ],
)
def test_a_specification_with_a_wrong_part_is_refused(arguments, message):
    with pytest.raises(ds.InputError, match=message):
        ds.Specification(**{"name": "a", **arguments})


def test_the_automatic_grid_is_for_continuous_columns():
    mixed = skewed_frame().assign(k=["yes", "no"] * 60)
    with pytest.raises(ds.InputError, match="specifications='auto' is for continuous columns, column 'k' is discrete"):
        ds.posterior(mixed, specifications="auto")


# ---------------------------------------------------------------- averages


@pytest.fixture(scope="module")
def averaged():
    return ds.posterior(skewed_frame(), score="evidence", specifications="auto", n_samples=90, random_state=0)


def test_the_average_is_that_of_posteriors_of_tables_rescaled_by_hand(averaged):
    frame = skewed_frame()
    quantiles = frame.rank().map(lambda rank: NormalDist().inv_cdf(rank / 121))
    expected = []
    for table in (frame, np.log(frame), quantiles):
        for model in ("linear", "additive", "joint"):
            expected.append(ds.posterior(table, "evidence", models=(model,), **SETTINGS, n_samples=0))
    assert [each.name for each in averaged.specifications][:4] == [
        "measured, linear",
        "measured, additive",
        "measured, joint",
        "log, linear",
    ]
    for found, own in zip(averaged.specifications, expected, strict=True):
        assert np.allclose(found.edge_probability, own.edge_probability, rtol=0, atol=1e-8)
    for name in ("edge_probability", "adjacency_probability", "path_probability"):
        by_hand = sum(getattr(own, name) for own in expected) / 9
        assert np.allclose(getattr(averaged, name), by_hand, rtol=0, atol=1e-8)
    assert np.ptp([own.edge_probability[0, 1] for own in expected]) > 0.2


def test_samples_are_pooled_as_many_of_each(averaged):
    assert averaged.samples.shape == (90, 3, 3)
    assert [len(each.confidence.samples) for each in averaged.specifications] == [10] * 9
    assert np.array_equal(averaged.samples[10:20], averaged.specifications[1].confidence.samples)
    assert averaged.sampler is None
    assert len(averaged.sample(90, random_state=0)) == 90


def test_it_shows_what_each_specification_says_beside_the_average(averaged):
    shown = str(averaged)
    assert averaged.method in shown
    assert "9 normal-scores, joint" in shown
    line = next(line for line in shown.splitlines()[8:] if "b -> c" in line or "c -> b" in line)
    i, j = (1, 2) if "b -> c" in line else (2, 1)
    assert line.split()[3:] == [f"{each.edge_probability[i, j]:.2f}" for each in averaged.specifications]
    stored = json.loads(json.dumps(averaged.to_dict()))
    assert [each["name"] for each in stored["specifications"]] == [each.name for each in averaged.specifications]
    own = stored["specifications"][2]["pairs"][0]
    assert own["forward"] == averaged.specifications[2].edge_probability[0, 1]
    assert averaged.notes == ("average over 9 specifications, each of the same weight",)


def test_one_seed_repeats(averaged):
    again = ds.posterior(skewed_frame(), specifications="auto", n_samples=90, random_state=0, n_jobs=2)
    assert np.array_equal(again.samples, averaged.samples)
    assert np.array_equal(again.edge_probability, averaged.edge_probability)
    assert again.details == averaged.details == {"seed": 0}


def test_a_list_of_ones_own_is_averaged_with_what_each_notes():
    frame = skewed_frame()
    mine = [
        ds.Specification(name="plain", score="bic-linear"),
        ds.Specification(name="logs", scale="log", models="linear", noise="shape", min_effect=0.02),
    ]
    knowledge = ds.Knowledge(forbidden=[("c", "a")])
    found = ds.Posterior(specifications=mine, knowledge=knowledge, n_samples=0).fit(frame).confidence_
    plain = ds.posterior(frame, "bic-linear", knowledge=knowledge, n_samples=0)
    logs = ds.posterior(
        np.log(frame), "evidence", models=("linear",), noise="shape", min_effect=0.02, knowledge=knowledge, n_samples=0
    )
    by_hand = (plain.edge_probability + logs.edge_probability) / 2
    assert np.allclose(found.edge_probability, by_hand, rtol=0, atol=1e-9)
    assert found.edge_probability[2, 0] == 0.0
    assert found.samples is None
    assert any(note.startswith("plain: bic-linear approximates") for note in found.notes)
    assert mine[1].models == ("linear",)


def test_discrete_columns_stay_as_they_are_on_every_scale():
    rng = np.random.default_rng(0)
    data = ds.as_dataset(pd.DataFrame({"a": rng.random(50) + 1, "k": rng.integers(1, 4, 50)}))
    table = ds.Specification(name="l", scale="log").table(data)
    assert np.array_equal(table.values[:, 1], data.values[:, 1])
    assert np.allclose(table.values[:, 0], np.log(data.values[:, 0]), rtol=0, atol=1e-12)
    assert table.kinds == data.kinds


def test_the_time_limit_is_that_of_all_specifications_together():
    mine = [ds.Specification(name=str(k), models=("linear",)) for k in range(3)]
    with pytest.raises(ds.DagsearchError, match=r"time_limit of .* was over before"):
        ds.posterior(skewed_frame(), specifications=mine, time_limit=1e-6)
    assert ds.posterior(skewed_frame(), specifications=mine, time_limit=100.0).n_nodes == 3
