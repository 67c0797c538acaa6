"""Experiments with other settings than the paper's text has, such as those of the authors' prototype."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dagsearch.experiments.study import Experiment, Study, with_settings
from dagsearch.experiments.task import Settings, Task


def changed(experiment: Experiment, changes: Settings) -> Experiment:
    """The experiment with other values of settings, in every study that states them.

    Parameters
    ----------
    experiment
        What is to be changed.
    changes
        New values by name; studies that do not state a setting do not get it.
    """
    if not changes:
        return experiment
    what = ", ".join(f"{name}={value}" for name, value in changes)
    studies = tuple(_changed_study(study, changes) for study in experiment.studies)
    return replace(experiment, title=f"{experiment.title} ({what})", studies=studies)


def setting_names(experiments: Iterable[Experiment]) -> list[str]:
    """The settings that some study states."""
    return sorted({name for each in experiments for study in each.studies for name, _ in study.base.settings})


def _changed_study(study: Study, changes: Settings) -> Study:
    tuning = study.tuning and replace(study.tuning, base=_changed_task(study.tuning.base, changes))
    return replace(study, base=_changed_task(study.base, changes), tuning=tuning)


def _changed_task(task: Task, changes: Settings) -> Task:
    stated = {name for name, _ in task.settings}
    return with_settings(task, tuple((name, value) for name, value in changes if name in stated))
