"""The same experiments in minutes: fewer seeds, data sets, points and simulations, and nothing tuned.

What comes out shows that everything runs and what it looks like; the numbers are not the paper's.
"""

from __future__ import annotations

import math
from dataclasses import replace

from dagsearch.experiments.study import Experiment, Study, Tuning
from dagsearch.experiments.task import Settings, settings

CUT_DOWN = "cut down by --quick: not to be held against the paper"
N_SEEDS = 2
_MOST_SIMS_PER_NODE = 30.0
_MOST_ON_LARGE_TABLES = {"cd-uct": 1.0, "random-search": 0.1}  # a rollout there meets nothing but new parent sets
_LARGE_TABLES = ("SynTReN", "d=50")
_N_ITERATIONS = 50
_MOST_OF_BLOCK = {"samples": 500, "timing": 30}  # rows and variables: cubic and worse
_EVERY_SO_MANY_POINTS = 3


def quick(experiment: Experiment) -> Experiment:
    """The experiment, cut down to what takes a minute or so."""
    studies = [_shrunk(study) for study in experiment.studies]
    if experiment.panels:
        kept = {block: _some_positions(studies, block) for block in {study.block for study in studies}}
        studies = [study for study in studies if study.x in kept[study.block]]
    return replace(experiment, title=f"{experiment.title} ({CUT_DOWN})", studies=tuple(studies))


def _some_positions(studies: list[Study], block: str) -> set[float | None]:
    """Every third position of a figure's axis, the first one included, with tables of moderate size."""
    most = _MOST_OF_BLOCK.get(block, math.inf)
    positions = sorted({study.x for study in studies if study.block == block and study.x is not None})
    positions = [x for x in positions if x <= most]
    return set(positions[::_EVERY_SO_MANY_POINTS])


def _shrunk(study: Study) -> Study:
    left_out = study.left_out or ("not in --quick" if _takes_long(study) else "")
    base = replace(study.base, settings=_fewer(study))
    n_seeds = 1 if base.own_cache else min(study.n_seeds, N_SEEDS)
    data = study.data if study.paired else study.data[:1]
    return replace(study, base=base, data=data, n_seeds=n_seeds, tuning=_untuned(study), left_out=left_out)


def _untuned(study: Study) -> Tuning | None:
    """The study's tuning without seeds: its first configuration is taken."""
    return None if study.tuning is None else replace(study.tuning, n_seeds=0)


def _takes_long(study: Study) -> bool:
    """RL-BIC's compilation on each table takes a quarter of a minute."""
    return study.block == "SynTReN" and study.method == "rl-bic"


def _fewer(study: Study) -> Settings:
    """The settings with fewer simulations and iterations; a number that is a figure's axis stays what it is."""
    given = dict(study.base.settings)
    if study.method == "rl-bic":
        given["n_iterations"] = _N_ITERATIONS
    if "sims_per_node" in given and study.x != given["sims_per_node"]:
        is_large = study.block in _LARGE_TABLES or study.base.own_cache
        most = _MOST_ON_LARGE_TABLES[study.method] if is_large else _MOST_SIMS_PER_NODE
        given["sims_per_node"] = min(given["sims_per_node"], most)
    return settings(**given)
