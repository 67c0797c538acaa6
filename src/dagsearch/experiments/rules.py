"""The rules by which the authors' runs went, where they are others than their text describes.

| | text | runs |
|---|---|---|
| the horizon ends | simulations | rollouts: the tree may grow beyond it |
| the first decision is searched beforehand | without exploration | with the exploration as it is |
| SynTReN: horizon, simulations per node | 16, 337 | 8, 97 |
| d=50: horizon | 8 | 4 |
| discrete data: horizon | 4 | 2 |
| discrete data: exploration | tuned | 0.025 |
| discrete data: a decision goes to the child | with most visits | with the highest mean |
| discrete data: the best graph | has the budget's size | has any size |
| discrete data: simulations per node of random search | 1000 | 100 |

Figure 3 is the same by both: it compares times of runs that differ in how they track cycles.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from dagsearch.experiments.study import Experiment, Study, with_settings
from dagsearch.experiments.task import Task, settings

Rules = Literal["runs", "text"]
RULES: dict[Rules, str] = {
    "runs": "Searches go by the rules of the paper's published runs.",
    "text": "Searches go by the rules that the paper's text describes, which are not those of its published runs.",
}
"""What is said of results."""

_DISCRETE = ("Asia", "Child", "Insurance")
_EVERYWHERE: dict[str, Any] = {"calibration": "exploring"}
_ON_DISCRETE_DATA: dict[str, Any] = {
    "horizon": 2,
    "horizon_ends": "rollouts",
    "exploration": 0.025,
    "final_move": "highest-mean",
    "keep": "any-size",
}
_BY_BLOCK: dict[str, dict[str, Any]] = {
    "SynTReN": {"horizon": 8, "horizon_ends": "rollouts", "sims_per_node": 97},
    "d=50": {"horizon": 4, "horizon_ends": "rollouts"},
    **dict.fromkeys(_DISCRETE, _ON_DISCRETE_DATA),
}
_ROLLOUTS_ON_DISCRETE_DATA = 100
_OF_TIMES_ALONE = "timing"


def by_rules(experiment: Experiment, rules: Rules) -> Experiment:
    """The experiment, which follows the text, by the rules that are asked for."""
    if rules == "text":
        return experiment
    return replace(experiment, studies=tuple(_as_it_was_run(study) for study in experiment.studies))


def _as_it_was_run(study: Study) -> Study:
    if study.method == "random-search" and study.block in _DISCRETE:
        return replace(study, base=_changed(study.base, {"sims_per_node": _ROLLOUTS_ON_DISCRETE_DATA}))
    if study.method != "cd-uct" or study.block == _OF_TIMES_ALONE:
        return study
    changes = _EVERYWHERE | _BY_BLOCK.get(study.block, {})
    tuning = study.tuning and replace(study.tuning, base=_changed(study.tuning.base, changes))
    return replace(study, base=_changed(study.base, changes), tuning=None if "exploration" in changes else tuning)


def _changed(task: Task, changes: dict[str, Any]) -> Task:
    return with_settings(task, settings(**changes))
