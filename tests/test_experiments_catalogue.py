"""The experiments of the paper as they are described: everything named exists, and the numbers are the paper's."""

from __future__ import annotations

import inspect
from itertools import pairwise

import pytest

from dagsearch import datasets, scores
from dagsearch.estimators import METHODS
from dagsearch.experiments.paper import BUDGETS, EXPERIMENTS
from dagsearch.experiments.task import TRUE_NUMBER

ALL = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)


def tasks_of(study):
    """All runs of a study, whatever is chosen, and those by which it is."""
    if study.tuning is None:
        yield from study.tasks()
        return
    for configuration in study.tuning.grid:
        yield from study.tasks(configuration)
        yield from study.tuning.tasks(configuration)


def study_of(name, block, method):
    (study,) = (s for s in EXPERIMENTS[name].studies if (s.block, s.column) == (block, method))
    return study


def settings_of(name, block, method):
    return dict(study_of(name, block, method).base.settings)


# ---------------------------------------------------------------- everything named exists


@ALL
def test_every_task_names_a_data_set_and_a_score_for_its_kind(experiment):
    for study in experiment.studies:
        for task in tasks_of(study):
            info = datasets.describe(task.data)
            allowed = scores.DISCRETE if info.kind == "discrete" else scores.CONTINUOUS
            assert task.score in allowed
            assert task.n_rows is None or task.n_rows < info.n_samples


@ALL
def test_every_task_names_a_method_and_arguments_that_it_takes(experiment):
    for study in experiment.studies:
        # Data set and seed are no arguments that could be refused.
        for method, arguments in {(task.method, task.settings) for task in tasks_of(study)}:
            given = {name: 1 if value == TRUE_NUMBER else value for name, value in arguments}
            assert set(given) <= set(inspect.signature(METHODS[method]).parameters)
            METHODS[method](**given).check()


@ALL
def test_methods_and_data_sets_suit_each_other(experiment):
    for study in experiment.studies:
        for data in study.data:
            assert datasets.describe(data).kind in METHODS[study.method].data_kinds


@ALL
def test_tasks_of_a_study_are_all_different(experiment):
    for study in experiment.studies:
        keys = [task.key for task in study.tasks()]
        assert len(set(keys)) == len(keys)
        assert bool(keys) != bool(study.left_out)


@ALL
def test_rows_columns_and_panels_have_something_to_show(experiment):
    blocks = {study.block for study in experiment.studies}
    assert {part.block for part in (*experiment.rows, *experiment.panels)} == blocks
    assert set(experiment.columns) <= {study.column for study in experiment.studies}
    assert {study.method for study in experiment.studies} <= set(METHODS)
    places = [(study.block, study.column, study.x, study.base.settings) for study in experiment.studies]
    assert len(set(places)) == len(places)
    assert experiment.kind == ("figure" if experiment.name.startswith("figure") else "table")
    assert all(study.x is not None for study in experiment.studies) == (experiment.kind == "figure")


def test_loaded_data_sets_have_a_true_graph(data_folder):
    assert data_folder
    for name in {data for experiment in EXPERIMENTS.values() for study in experiment.studies for data in study.data}:
        if not name.startswith("gp10-") or name.endswith("-1"):
            assert datasets.load(name).truth.n_edges > 0


# ---------------------------------------------------------------- the paper's numbers


@ALL
def test_seeds_are_multiples_of_42_from_zero(experiment):
    for study in experiment.studies:
        seeds = sorted({task.seed for task in study.tasks()})
        assert seeds == [42 * k for k in range(len(seeds))]


@pytest.mark.parametrize("name", ["table1", "table5"])
def test_sachs_has_49_edges_and_1178_simulations_per_node(name):
    for method in ("cd-uct", "random-search"):
        chosen = settings_of(name, "Sachs", method)
        assert chosen["edge_budget"] == 49
        assert chosen["sims_per_node"] == 1178
        assert "horizon" not in chosen
    assert settings_of(name, "Sachs", "greedy") == {"edge_budget": 49, "prune": "cam"}


@pytest.mark.parametrize("name", ["table1", "table5"])
def test_syntren_has_97_edges_337_simulations_and_horizon_16(name):
    assert settings_of(name, "SynTReN", "cd-uct") == {
        "edge_budget": 97,
        "horizon": 16,
        "prune": "cam",
        "sims_per_node": 337,
    }
    assert settings_of(name, "SynTReN", "random-search")["sims_per_node"] == 33
    assert len(study_of(name, "SynTReN", "cd-uct").data) == 10


@pytest.mark.parametrize(("name", "variances"), [("table1", "different"), ("table5", "equal")])
def test_tables_differ_by_the_variances(name, variances):
    assert {study.base.variances for study in EXPERIMENTS[name].studies} == {variances}
    assert {study.base.score for study in EXPERIMENTS[name].studies} == {"bic-gp"}


@pytest.mark.parametrize(("timed", "name"), [("table3", "table1"), ("table4", "table5")])
def test_times_are_those_of_the_same_runs_on_their_own(timed, name):
    for study in EXPERIMENTS[timed].studies:
        same = study_of(name, study.block, study.column)
        assert study.base.own_cache
        assert not same.base.own_cache
        assert study.base.settings == same.base.settings
        assert study.base.variances == same.base.variances
        assert study.tuning == same.tuning


def test_d50_has_horizon_8_and_a_thousand_simulations():
    chosen = settings_of("table2b", "d=50", "cd-uct")
    assert (chosen["horizon"], chosen["sims_per_node"], chosen["edge_budget"]) == (8, 1000, TRUE_NUMBER)


@pytest.mark.parametrize("block", ["Asia", "Child", "Insurance"])
def test_discrete_data_have_horizon_4_and_a_thousand_simulations(block):
    chosen = settings_of("table2a", block, "cd-uct")
    assert (chosen["horizon"], chosen["sims_per_node"], chosen["edge_budget"]) == (4, 1000, TRUE_NUMBER)


@pytest.mark.parametrize(
    ("name", "block", "n_seeds"),
    [
        ("table1", "Sachs", 100),
        ("table1", "SynTReN", 20),
        ("table5", "Sachs", 100),
        ("table5", "SynTReN", 20),
        ("table2a", "Asia", 50),
        ("table2a", "Child", 50),
        ("table2a", "Insurance", 50),
        ("table2b", "d=50", 50),
    ],
)
def test_numbers_of_seeds_are_the_paper_s(name, block, n_seeds):
    for method in ("cd-uct", "random-search", "random-sampling"):
        assert len({task.seed for task in study_of(name, block, method).tasks()}) == n_seeds


def test_figures_have_the_paper_s_numbers_of_seeds():
    assert {study.n_seeds for study in EXPERIMENTS["figure2"].studies} == {100}
    assert {len(list(study.tasks())) for study in EXPERIMENTS["figure4"].studies} == {20}


def test_the_full_budget_of_the_figure_is_the_run_of_the_table():
    full = [s for s in EXPERIMENTS["figure2"].studies if s.x == BUDGETS[-1] and s.method == "cd-uct"]
    table = study_of("table1", "Sachs", "cd-uct")
    assert [task.key for task in full[0].tasks()] == [task.key for task in table.tasks()]
    assert full[0].tuning == table.tuning


def test_budgets_fall_by_a_factor_of_a_thousand_in_twelve_equal_steps():
    assert (BUDGETS[-1], BUDGETS[0], len(BUDGETS)) == (1178, 1.178, 13)
    ratios = [after / before for before, after in pairwise(BUDGETS)]
    assert ratios == pytest.approx([10**0.25] * 12, rel=1e-3)


def test_data_for_tuning_of_the_synthetic_figure_are_not_used_again():
    for study in EXPERIMENTS["figure4"].studies:
        if study.tuning is not None:
            assert set(study.tuning.data).isdisjoint(study.data)


def test_explorations_and_networks_are_the_paper_s_grids():
    explorations = [dict(each)["exploration"] for each in study_of("table1", "Sachs", "cd-uct").tuning.grid]
    assert sorted(explorations) == [0.025, 0.05, 0.075, 0.1]
    networks = [dict(each) for each in study_of("table1", "Sachs", "rl-bic").tuning.grid]
    assert {(each["input_dimension"], each["learning_rate"]) for each in networks} == {
        (64, 0.001),
        (64, 0.0001),
        (128, 0.001),
        (128, 0.0001),
    }
