"""The paper's experiments by the rules of its text, and by those of its runs."""

from __future__ import annotations

import pytest

from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.rules import by_rules
from dagsearch.experiments.run import METHODS
from dagsearch.experiments.task import TRUE_NUMBER


def study(name, block, method, rules="runs"):
    (found,) = (
        each
        for each in by_rules(EXPERIMENTS[name], rules).studies
        if (each.block, each.method, each.column) == (block, method, method)
    )
    return found


def chosen(*which):
    return dict(study(*which).base.settings)


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_the_text_is_what_experiments_follow_without_a_word(experiment):
    assert by_rules(experiment, "text") is experiment


def test_syntren_was_run_with_horizon_8_of_rollouts_and_97_simulations_per_node():
    assert chosen("table1", "SynTReN", "cd-uct") == {
        "prune": "cam",
        "edge_budget": 97,
        "sims_per_node": 97,
        "horizon": 8,
        "horizon_ends": "rollouts",
        "calibration": "exploring",
    }
    assert (
        study("table1", "SynTReN", "cd-uct").tuning.base.settings == study("table1", "SynTReN", "cd-uct").base.settings
    )


def test_sachs_was_run_with_another_calibration_only():
    text, runs = (chosen("table1", "Sachs", "cd-uct", rules) for rules in ("text", "runs"))
    assert runs == text | {"calibration": "exploring"}


def test_the_figure_of_times_is_the_same_by_both_rules():
    assert by_rules(EXPERIMENTS["figure3"], "runs").studies == EXPERIMENTS["figure3"].studies


def test_d50_was_run_with_horizon_4_of_rollouts():
    assert chosen("table2b", "d=50", "cd-uct").items() >= {"horizon": 4, "horizon_ends": "rollouts"}.items()


@pytest.mark.parametrize("block", ["Asia", "Child", "Insurance"])
def test_discrete_data_were_run_untuned_and_graphs_of_any_size_counted(block):
    assert chosen("table2a", block, "cd-uct") == {
        "edge_budget": TRUE_NUMBER,
        "sims_per_node": 1000,
        "horizon": 2,
        "horizon_ends": "rollouts",
        "calibration": "exploring",
        "exploration": 0.025,
        "final_move": "highest-mean",
        "keep": "any-size",
    }
    assert study("table2a", block, "cd-uct").tuning is None
    assert chosen("table2a", block, "random-search")["sims_per_node"] == 100


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_other_methods_were_run_as_the_text_says_and_all_settings_are_ones_that_methods_take(name):
    for text, runs in zip(EXPERIMENTS[name].studies, by_rules(EXPERIMENTS[name], "runs").studies, strict=True):
        if text.method not in ("cd-uct", "random-search"):
            assert runs == text
        settings = {key: value for key, value in runs.base.settings if value != TRUE_NUMBER}
        METHODS[runs.method](**settings).check()
