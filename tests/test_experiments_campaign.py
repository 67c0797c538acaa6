"""Campaigns: tuning by held-out seeds, every run once however often they are stopped, and limits."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from experiment_tables import PretendEngine, made_up, quick_task, silent, without_times

from dagsearch.experiments import campaign
from dagsearch.experiments.campaign import Limits, carry_out, choose
from dagsearch.experiments.engines import Failure, LocalEngine
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import Experiment, Study, Tuning
from dagsearch.experiments.task import settings

GRID = (settings(exploration=0.05), settings(exploration=0.1), settings(exploration=0.2))
TUNING = Tuning(quick_task(), ("sachs", "asia"), GRID, n_seeds=2)
TUNED = Study("small", quick_task(), ("sachs", "asia"), n_seeds=3, tuning=TUNING)
GREEDY = Study("small", quick_task(method="greedy", settings=settings(edge_budget=12, prune="none")), ("sachs",))
TIMED = replace(TUNED, base=quick_task(own_cache=True), n_seeds=1)
SMALL = Experiment("small", "Small", (TUNED, GREEDY))
N_TUNING, N_EVALUATION = 3 * 2 * 2, 3 * 2 + 1


@pytest.fixture
def store(tmp_path):
    return RecordStore(tmp_path / "records.jsonl")


def by_exploration(task):
    return -abs(dict(task.settings).get("exploration", 9.0) - 0.1)


def keys_in(store):
    return [json.loads(line)["key"] for line in store.path.read_text().splitlines()]


def explorations(tasks):
    return {dict(task.settings).get("exploration") for task in tasks}


# ---------------------------------------------------------------- tuning


def test_the_configuration_with_the_highest_mean_reward_is_chosen(store):
    engine = PretendEngine(by_exploration)
    assert carry_out([SMALL], store, engine, Limits(), silent) == []
    assert len(engine.asked) == N_TUNING + N_EVALUATION
    assert explorations(task for task in engine.asked if task.seed % 42 == 0) == {0.1, None}
    choice = choose(TUNING, store)
    assert choice.chosen == GRID[1]
    assert choice.tuned


def test_only_rewards_over_held_out_seeds_decide(store):
    for configuration in GRID:
        for task in TUNING.tasks(configuration):
            store.append(made_up(task, reward=by_exploration(task), metrics=None))
        for task in TUNED.tasks(configuration):
            store.append(made_up(task, reward=100.0 if configuration == GRID[2] else 0.0))
    assert choose(TUNING, store).chosen == GRID[1]


def test_configurations_are_compared_on_cells_that_all_of_them_have(store):
    cells = [list(TUNING.tasks(configuration)) for configuration in GRID]
    for configuration, tasks in zip(GRID, cells, strict=True):
        store.append(made_up(tasks[0], reward=1.0 if configuration == GRID[2] else 0.0))
    store.append(made_up(cells[0][1], reward=1000.0))
    store.append(made_up(cells[0][2], reward=None))
    store.append(made_up(cells[1][2], reward=1000.0))
    store.append(made_up(cells[2][2], reward=0.0))
    choice = choose(TUNING, store)
    assert choice.chosen == GRID[2]


def test_the_mean_counts_and_not_one_cell(store):
    for configuration, rewards in zip(GRID, [(4, 0, 0, 0), (2, 2, 2, 2), (3, 0, 1, 0)], strict=True):
        for task, reward in zip(TUNING.tasks(configuration), rewards, strict=True):
            store.append(made_up(task, reward=float(reward)))
    assert choose(TUNING, store).chosen == GRID[1]


def test_without_tuning_the_first_configuration_is_used(store):
    engine = PretendEngine(by_exploration)
    carry_out([SMALL], store, engine, Limits(n_tuning_seeds=0), silent)
    assert len(engine.asked) == N_EVALUATION
    assert explorations(engine.asked) == {0.05, None}
    assert not choose(TUNING, store).tuned


def test_a_configuration_that_always_fails_leaves_nothing_to_compare(store):
    engine = PretendEngine(by_exploration, fails=lambda task: dict(task.settings).get("exploration") == 0.2)
    failures = carry_out([SMALL], store, engine, Limits(), silent)
    assert len(failures) == 4
    assert choose(TUNING, store).chosen == GRID[0]


def test_the_same_tuning_is_done_once_for_all_studies(store):
    engine = PretendEngine(by_exploration)
    carry_out([SMALL, replace(SMALL, studies=(TIMED,))], store, engine, Limits(), silent)
    assert len(engine.asked) == N_TUNING + N_EVALUATION + 2
    assert explorations(task for task in engine.asked if task.own_cache) == {0.1}


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_no_evaluation_seed_is_a_tuning_seed(experiment):
    for study in experiment.studies:
        if study.tuning is not None:
            tuned = {task.seed for each in study.tuning.grid for task in study.tuning.tasks(each)}
            assert tuned
            assert tuned.isdisjoint(task.seed for task in study.tasks())


# ---------------------------------------------------------------- every run once


@pytest.mark.parametrize("stop_after", [0, 1, 5, N_TUNING, N_TUNING + 3])
def test_a_campaign_that_is_stopped_goes_on_where_it_was(store, stop_after):
    first = PretendEngine(by_exploration, stop_after=stop_after)
    with pytest.raises(KeyboardInterrupt):
        carry_out([SMALL], store, first, Limits(), silent)
    second = PretendEngine(by_exploration)
    carry_out([SMALL], RecordStore(store.path), second, Limits(), silent)
    assert len(first.asked) == stop_after
    assert set(Counter(first.asked + second.asked).values()) == {1}
    assert len(first.asked + second.asked) == N_TUNING + N_EVALUATION
    assert sorted(keys_in(store)) == sorted(task.key for task in first.asked + second.asked)


def test_a_finished_campaign_runs_nothing_and_says_nothing(store):
    carry_out([SMALL], store, PretendEngine(), Limits(), silent)
    engine, events = PretendEngine(), []
    carry_out([SMALL], RecordStore(store.path), engine, Limits(), lambda *event: events.append(event))
    assert engine.asked == []
    assert events == []


def test_an_interrupted_campaign_ends_its_engine(store):
    class Watched(PretendEngine):
        ended = False

        def run_all(self, tasks):
            try:
                yield from super().run_all(tasks)
            finally:
                self.ended = True

    def interrupted(n_done, _n_tasks, _outcome):
        if n_done == 2:
            raise KeyboardInterrupt

    engine = Watched()
    with pytest.raises(KeyboardInterrupt) as caught:
        carry_out([SMALL], store, engine, Limits(), interrupted)
    assert caught.traceback
    assert engine.ended
    assert len(store) == 2


def test_a_run_that_fails_is_reported_not_recorded_and_tried_again(store):
    bad = next(GREEDY.tasks())
    failures = carry_out([SMALL], store, PretendEngine(fails=lambda task: task == bad), Limits(), silent)
    assert failures == [Failure(bad, "Oops: failed", "")]
    assert store.find(bad) is None
    again = PretendEngine()
    assert carry_out([SMALL], RecordStore(store.path), again, Limits(), silent) == []
    assert again.asked == [bad]
    assert store.path.read_text().count(bad.key) == 1


def test_the_listener_hears_of_each_run(store):
    events = []
    carry_out([SMALL], store, PretendEngine(), Limits(methods=("greedy",)), lambda *event: events.append(event))
    assert events == [(0, 1, None), (1, 1, made_up(next(GREEDY.tasks()), reward=-1.0))]


def test_timed_runs_are_carried_out_alone(store):
    together, alone = PretendEngine(), PretendEngine()
    carry_out([replace(SMALL, studies=(TUNED, TIMED))], store, together, Limits(), silent, alone)
    assert len(alone.asked) == 2
    assert all(task.own_cache for task in alone.asked)
    assert not any(task.own_cache for task in together.asked)


def test_one_run_on_each_table_comes_first_and_the_others_follow_table_by_table(store):
    engine = PretendEngine()
    carry_out([SMALL], store, engine, Limits(n_tuning_seeds=0), silent)
    assert [task.data for task in engine.asked] == ["sachs", "asia"] + ["sachs"] * 3 + ["asia"] * 2


def test_tables_with_few_rows_come_first_some_at_a_time(store, monkeypatch):
    monkeypatch.setattr(campaign, "_TABLES_AT_A_TIME", 2)
    studies = [Study("small", quick_task(n_rows=n_rows), ("sachs",), n_seeds=2) for n_rows in (300, 100)]
    studies += [replace(study, base=replace(study.base, method="random-search")) for study in studies]
    engine = PretendEngine()
    carry_out([Experiment("small", "Small", tuple(studies))], store, engine, Limits(), silent)
    asked = [(task.n_rows, task.seed, task.method) for task in engine.asked]
    both = ["cd-uct", "random-search"]
    assert asked == [(n_rows, seed, method) for n_rows in (100, 300) for method in both for seed in (0, 42)]


# ---------------------------------------------------------------- limits


def test_seeds_are_limited(store):
    engine = PretendEngine()
    carry_out([SMALL], store, engine, Limits(n_seeds=2, n_tuning_seeds=1), silent)
    evaluated = [task for task in engine.asked if task.seed % 42 == 0]
    assert Counter((task.method, task.seed) for task in evaluated) == {
        ("cd-uct", 0): 2,
        ("cd-uct", 42): 2,
        ("greedy", 0): 1,
    }
    assert {task.seed for task in engine.asked if task not in evaluated} == {21}


def test_more_seeds_than_there_are_change_nothing(store):
    engine = PretendEngine()
    carry_out([SMALL], store, engine, Limits(n_seeds=100, n_tuning_seeds=100), silent)
    assert len(engine.asked) == N_TUNING + N_EVALUATION


def test_methods_are_limited(store):
    engine = PretendEngine()
    carry_out([SMALL], store, engine, Limits(methods=("greedy",)), silent)
    assert [task.method for task in engine.asked] == ["greedy"]


def test_what_is_left_out_is_not_run(store):
    engine = PretendEngine()
    left_out = replace(TUNED, left_out="∞")
    carry_out([replace(SMALL, studies=(left_out, GREEDY))], store, engine, Limits(), silent)
    assert [task.method for task in engine.asked] == ["greedy"]


def test_paired_seeds_go_with_their_data_sets():
    study = replace(TUNED, paired=True, n_seeds=2, tuning=None)
    assert [(task.data, task.seed) for task in study.tasks()] == [("sachs", 0), ("asia", 42)]


def test_records_of_a_study_are_those_with_the_chosen_settings(store):
    carry_out([SMALL], store, PretendEngine(by_exploration), Limits(), silent)
    store.append(made_up(next(TUNED.tasks(GRID[0]))))
    assert [record.task for record in campaign.records_of(TUNED, store)] == list(TUNED.tasks(GRID[1]))


# ---------------------------------------------------------------- real runs


@pytest.mark.long
def test_one_job_and_two_leave_the_same_records(tmp_path):
    tuning = replace(TUNING, data=("sachs",), n_seeds=1)
    experiment = replace(SMALL, studies=(replace(TUNED, data=("sachs",), tuning=tuning), GREEDY))
    found = []
    for n_jobs in (1, 2):
        store = RecordStore(tmp_path / f"{n_jobs}.jsonl")
        assert carry_out([experiment], store, LocalEngine(n_jobs), Limits(), silent) == []
        found.append({record.task.key: without_times(record) for record in RecordStore(store.path)})
    assert len(found[0]) == 3 + 3 + 1
    assert found[0] == found[1]


def test_seeds_limit_the_tuning_as_well_unless_it_has_a_limit_of_its_own(store):
    engine = PretendEngine(by_exploration)
    carry_out([SMALL], store, engine, Limits(n_seeds=1), silent)
    assert {task.seed for task in engine.asked} == {0, 21}
    carry_out([SMALL], store, engine, Limits(n_seeds=1, n_tuning_seeds=2), silent)
    assert {task.seed for task in engine.asked} == {0, 21, 63}
