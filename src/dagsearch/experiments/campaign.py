"""Carries out experiments: first the tuning, then the runs with what was chosen; finished runs are never repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagsearch.experiments.engines import Engine, Failure
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import Experiment, Study, Tuning
from dagsearch.experiments.task import Record, Settings, Task

_TABLES_AT_A_TIME = 16


@dataclass(frozen=True)
class Limits:
    """What part of the experiments is carried out.

    Attributes
    ----------
    n_seeds
        At most so many seeds of each study; None: all.
    n_sets
        At most so many data sets of each family; None: all.
    n_tuning_seeds
        At most so many held-out seeds; 0: nothing is tuned; None: as many as ``n_seeds`` allows.
    methods
        Only these, or these columns of tables; empty: all.
    blocks
        Only these families of data sets, in lower case; empty: all.
    """

    n_seeds: int | None = None
    n_sets: int | None = None
    n_tuning_seeds: int | None = None
    methods: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()

    def studies(self, experiments: Iterable[Experiment]) -> list[Study]:
        """The studies to be carried out."""
        studies = [study for experiment in experiments for study in experiment.studies if not study.left_out]
        return [
            study
            for study in studies
            if (not self.methods or {study.method, study.column} & set(self.methods))
            and (not self.blocks or study.block.lower() in self.blocks)
        ]


@dataclass(frozen=True)
class Choice:
    """Settings that a tuning led to.

    Attributes
    ----------
    chosen
        The settings.
    tuned
        Whether every configuration was tried.
    """

    chosen: Settings
    tuned: bool


Listener = Callable[[int, int, Record | Failure | None], None]
"""Called with the number of finished runs, that of all runs, and the run that has just ended."""


def choose(tuning: Tuning, store: RecordStore) -> Choice:
    """The configuration with the highest mean reward over the seeds and data sets that all configurations were run on.

    With none such, the first of the grid.
    """
    found = [[store.find(task) for task in tuning.tasks(configuration)] for configuration in tuning.grid]
    complete = [records for records in zip(*found, strict=True) if all(_rewarded(record) for record in records)]
    if not complete:
        return Choice(tuning.grid[0], tuned=False)
    rewards = np.array([[record.reward for record in records if record is not None] for records in complete], float)
    return Choice(tuning.grid[int(rewards.mean(axis=0).argmax())], tuned=True)


def _rewarded(record: Record | None) -> bool:
    return record is not None and record.reward is not None


def chosen_settings(study: Study, store: RecordStore) -> Settings:
    """The settings of a study beyond those that it states."""
    return () if study.tuning is None else choose(study.tuning, store).chosen


def records_of(study: Study, store: RecordStore) -> list[Record]:
    """Finished runs of a study, with the settings chosen by what is known."""
    found = (store.find(task) for task in study.tasks(chosen_settings(study, store)))
    return [record for record in found if record is not None]


def carry_out(
    experiments: Sequence[Experiment],
    store: RecordStore,
    engine: Engine,
    limits: Limits,
    listener: Listener,
    alone: Engine | None = None,
) -> list[Failure]:
    """Run whatever has no record yet, and keep every record at once.

    Parameters
    ----------
    experiments
        What is to be carried out.
    store
        Where records are looked for and kept.
    engine
        Where runs are carried out.
    limits
        What part of the experiments is.
    listener
        Is told about every finished run.
    alone
        Where runs are carried out whose time is measured; None: as all others.

    Returns
    -------
    list of Failure
        Runs that raised an exception; they have no record and would be tried again.
    """
    studies = limits.studies(experiments)
    failures = _run_missing(tuning_tasks(studies, limits), store, engine, listener)
    tasks = evaluation_tasks(studies, store, limits)
    failures += _run_missing([task for task in tasks if not task.own_cache], store, engine, listener)
    return failures + _run_missing([task for task in tasks if task.own_cache], store, alone or engine, listener)


def tuning_tasks(studies: Iterable[Study], limits: Limits) -> list[Task]:
    """The runs by which settings are chosen, of all studies."""
    n_seeds = limits.n_seeds if limits.n_tuning_seeds is None else limits.n_tuning_seeds
    tunings = dict.fromkeys(study.tuning for study in studies if study.tuning is not None)
    return [
        task
        for tuning in tunings
        for configuration in tuning.grid
        for task in tuning.tasks(configuration, n_seeds, limits.n_sets)
    ]


def evaluation_tasks(studies: Iterable[Study], store: RecordStore, limits: Limits) -> list[Task]:
    """The runs that the tables and figures show, with the settings that were chosen."""
    return [
        task for study in studies for task in study.tasks(chosen_settings(study, store), limits.n_seeds, limits.n_sets)
    ]


def _run_missing(tasks: Sequence[Task], store: RecordStore, engine: Engine, listener: Listener) -> list[Failure]:
    missing = _in_good_order(store.missing(tasks))
    if not missing:
        return []
    listener(0, len(missing), None)
    with closing(store.shared(missing, engine.run_all)) as outcomes:
        return store.append_all(outcomes, len(missing), listener)


def _in_good_order(tasks: Sequence[Task]) -> list[Task]:
    """Some tables at a time, those with few rows first: one task of each, then all others table by table.

    Processes that begin on different tables do not fit the same regressions; what they have fitted then serves the
    others.
    """
    by_table: dict[tuple[Any, ...], list[Task]] = {}
    for task in tasks:
        by_table.setdefault((task.data, task.n_rows, task.seed if task.n_rows else None), []).append(task)
    groups = sorted(by_table.values(), key=lambda group: group[0].n_rows or 0)
    batches = [groups[k : k + _TABLES_AT_A_TIME] for k in range(0, len(groups), _TABLES_AT_A_TIME)]
    return [
        task
        for batch in batches
        for task in [*(group[0] for group in batch), *(later for group in batch for later in group[1:])]
    ]
