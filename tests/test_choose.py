"""What ``score="auto"`` stands for, how many models of the mean it affords, and the causes that few rows tell apart."""

from itertools import pairwise

import numpy as np
import pytest
from common import discrete_frame, make, normal_frame

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.scores import choose as choice
from dagsearch.scores.choose import AFFORDABLE_SECONDS, choose, estimated_seconds

ALL = ("linear", "additive", "joint")
FAMILIES = {
    ALL: None,
    ("linear", "additive"): "with linear and additive models only",
    ("linear",): "with linear models only",
}


def table_of(n_samples, n_nodes):
    return ds.as_dataset(np.random.default_rng(0).normal(size=(n_samples, n_nodes)))


# ---------------------------------------------------------------- models of the mean


@pytest.mark.parametrize("shape", [(20, 2), (200, 6), (853, 11), (1000, 20)])
def test_small_tables_get_all_models_and_no_further_word(shape):
    chosen = choose(table_of(*shape))
    assert (chosen.score, chosen.reason, dict(chosen.settings)) == ("evidence", "all columns are continuous", {})


@pytest.mark.parametrize(
    ("shape", "models"),
    [((5000, 60), ("linear", "additive")), ((2000, 150), ("linear",)), ((50_000, 60), ("linear",))],
)
def test_large_tables_get_fewer_models_and_are_told_how_long_all_would_take(shape, models):
    chosen = choose(table_of(*shape))
    assert (chosen.score, chosen.settings["models"]) == ("evidence", models)
    minutes = estimated_seconds(shape[1], shape[0], ALL) / 60
    assert minutes > AFFORDABLE_SECONDS / 60
    assert chosen.reason == (
        f"all columns are continuous; {FAMILIES[models]}, since all models would take about {minutes:,.0f} minutes "
        "of one core"
    )


@pytest.mark.parametrize("models", FAMILIES)
def test_the_richest_models_that_can_be_afforded_are_taken(monkeypatch, models):
    data = table_of(300, 8)
    seconds = estimated_seconds(8, 300, models)
    monkeypatch.setattr(choice, "AFFORDABLE_SECONDS", seconds)
    assert choose(data).settings.get("models", ALL) == models
    monkeypatch.setattr(choice, "AFFORDABLE_SECONDS", seconds * 0.999)
    cheaper = [family for family in FAMILIES if estimated_seconds(8, 300, family) < seconds]
    assert choose(data).settings.get("models", ALL) == (cheaper[0] if cheaper else ("linear",))


@pytest.mark.parametrize("models", FAMILIES)
def test_estimates_grow_with_rows_and_columns(models):
    by_rows = [estimated_seconds(20, n_samples, models) for n_samples in (100, 1000, 10_000, 100_000)]
    by_columns = [estimated_seconds(n_nodes, 1000, models) for n_nodes in (2, 5, 10, 11, 30, 100, 1000)]
    for estimates in (by_rows, by_columns):
        assert all(less < more for less, more in pairwise(estimates))
        assert estimates[0] > 0


@pytest.mark.parametrize("n_samples", [50, 1000, 100_000])
def test_estimates_grow_with_the_models(n_samples):
    linear, additive, joint = (estimated_seconds(20, n_samples, models) for models in reversed(FAMILIES))
    assert linear < additive < joint


def test_the_choice_reaches_the_score_and_what_was_asked_for_goes_before_it(monkeypatch):
    monkeypatch.setattr(choice, "AFFORDABLE_SECONDS", 0.0)
    model = make(ds.GreedySearch).fit(normal_frame(60, 4))
    assert model.result_.settings["models"] == list(model.score_.models) == ["linear"]
    assert "with linear models only, since all models would take about" in model.result_.notes[0]
    model = make(ds.GreedySearch, models=["joint", "additive"]).fit(normal_frame(60, 4))
    assert model.result_.settings["models"] == list(model.score_.models) == ["additive", "joint"]


def test_models_that_were_asked_for_are_not_said_to_be_left_out(monkeypatch):
    monkeypatch.setattr(choice, "AFFORDABLE_SECONDS", 0.0)
    model = make(ds.GreedySearch, models=["joint", "additive"]).fit(normal_frame(60, 4))
    assert "linear models only" not in model.result_.notes[0]


@pytest.mark.parametrize("settings", [{"models": ["linear"]}, {"noise": "gaussian"}, {"min_effect": 0.1}])
def test_what_only_other_scores_have_is_refused_where_the_columns_call_for_another(settings):
    ((name, value),) = settings.items()
    with pytest.raises(InputError, match=f"{name}=.* is for .*evidence.*; bic-discrete does not take it"):
        make(ds.GreedySearch, **settings).fit(discrete_frame())
    assert make(ds.GreedySearch, **settings).fit(normal_frame(60, 4)).result_.settings[name] == value


# ---------------------------------------------------------------- causes that few rows tell apart


def crowded_table():
    """60 rows and 30 columns, the last of which has six causes, each of which explains half of what is left."""
    x = np.random.default_rng(0).normal(size=(60, 30))
    x[:, 29] = x[:, :6] @ 2.0 ** -np.arange(0, 3, 0.5) + 0.1 * x[:, 29]
    return x


CHEAP = {"models": ["linear"], "noise": "gaussian", "sims_per_node": 0.2}
NOTE = "at most 3 causes of a variable, as evidence can tell no more apart on so few rows"


@pytest.mark.parametrize("edge_budget", [None, 40])
@pytest.mark.parametrize("kind", [ds.CDUCT, ds.GreedySearch], ids=lambda kind: kind.method)
def test_few_rows_limit_the_number_of_causes_with_a_note(kind, edge_budget):
    model = make(kind, edge_budget=edge_budget, **CHEAP).fit(crowded_table())
    assert model.result_.notes[1:] == (NOTE,)
    assert model.result_.settings["max_parents"] == 3
    assert model.dag_.adjacency.sum(axis=0).max() == 3
    assert edge_budget is None or model.dag_.n_edges == edge_budget


def test_the_limit_is_what_keeps_more_causes_away():
    x = crowded_table()
    score = ds.scores.make("evidence", x, models=["linear"], noise="gaussian")
    assert score.max_parents == 3
    assert score.local(29, range(6)) > score.local(29, range(3)) + 5


@pytest.mark.parametrize(("n_samples", "most"), [(19, 1), (39, 1), (40, 2), (60, 3), (79, 3), (80, None)])
def test_one_cause_is_told_apart_for_twenty_rows(n_samples, most):
    model = make(ds.GreedySearch, **CHEAP).fit(normal_frame(n_samples, 5))
    assert model.result_.settings["max_parents"] == most
    assert any("can tell no more apart" in note for note in model.result_.notes) is (most is not None)


def test_a_limit_that_is_asked_for_holds_without_a_note_or_is_refused():
    model = make(ds.GreedySearch, max_parents=2, **CHEAP).fit(crowded_table())
    assert model.dag_.adjacency.sum(axis=0).max() == model.result_.settings["max_parents"] == 2
    assert len(model.result_.notes) == 1
    message = (
        "max_parents must be at most 3: evidence can tell no more causes of a variable apart on so few rows, got 4"
    )
    with pytest.raises(InputError, match=message):
        make(ds.GreedySearch, max_parents=4, **CHEAP).fit(crowded_table())


@pytest.mark.parametrize("score", ["bic-linear", "bic-gp"])
def test_other_scores_have_no_such_limit(score):
    model = make(ds.GreedySearch, score=score, edge_budget=12).fit(normal_frame(30, 6))
    assert model.result_.settings["max_parents"] is None
    assert not any("can tell no more apart" in note for note in model.result_.notes)


def test_required_causes_beyond_the_limit_stay():
    required = [(f"x{cause}", "x29") for cause in range(5)]
    model = make(ds.GreedySearch, knowledge=ds.Knowledge(required=required), **CHEAP).fit(crowded_table())
    assert sorted(model.dag_.parents("x29")) == [f"x{cause}" for cause in range(5)]
    assert model.dag_.adjacency[:, :29].sum(axis=0).max() <= 3


def test_pruning_knows_how_few_causes_are_possible():
    """25 rows cannot test 29 causes together, but no variable gets more than one."""
    model = make(ds.GreedySearch, edge_budget=5, **CHEAP).fit(crowded_table()[:25])
    assert model.dag_.adjacency.sum(axis=0).max() == 1
    assert model.result_.settings["prune"] == "cam"
