"""Tables of numbers and categories."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import dagsearch as ds
from dagsearch.scores.choose import N_BINS
from tables_study.degenerate_gaussian import DegenerateGaussian
from tables_study.part import Method, Part
from tables_study.thresholds import threshold_table

N_NODES, N_EDGES = 10, 15
_LEVELS = (2, 5)

# With the defaults of `simulate` nearly all edges are plain to see, and a score that has its models finds them all.
_STRENGTHS: dict[str, dict[str, Any]] = {
    "strong": {},
    "weak": {"weights": (0.2, 0.6), "noise_scale": (1.5, 3.0)},
}
_THRESHOLDS = "thresholds"


def table(condition: str, n_rows: int, seed: int) -> ds.Dataset:
    """A table of which half of the columns are categories."""
    if condition == _THRESHOLDS:
        return threshold_table(N_NODES, N_EDGES, n_rows, _LEVELS, seed)
    return ds.datasets.simulate(
        N_NODES,
        n_rows,
        n_edges=N_EDGES,
        mechanism="mixed",
        n_levels=_LEVELS,
        random_state=seed,
        **_STRENGTHS[condition],
    )


def _mixed(data: ds.Dataset, seed: int) -> Any:
    return ds.CDUCT(random_state=seed).fit(data).dag_


def _binned(data: ds.Dataset, seed: int) -> Any:
    continuous = [name for name, kind in zip(data.names, data.kinds, strict=True) if kind == "continuous"]
    return ds.CDUCT(score="bic-discrete", random_state=seed).fit(data.binned(continuous, N_BINS)).dag_


def _degenerate_gaussian(data: ds.Dataset, seed: int) -> Any:
    return ds.OrderSearch(score=DegenerateGaussian(data), random_state=seed).fit(data).dag_


def _pgmpy(data: ds.Dataset, seed: int) -> Any:  # noqa: ARG001 - it draws nothing
    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.estimators import HillClimbSearch

        found = HillClimbSearch(data.to_pandas()).estimate(scoring_method="bic-cg", show_progress=False)
    return ds.DAG.from_edges(list(found.edges()), names=data.names)


PART = Part(
    title="Numbers and categories",
    in_words=(
        f"{N_NODES} columns, {N_EDGES} edges, half of the columns categories of {_LEVELS[0]} to {_LEVELS[1]} levels "
        '(`simulate(mechanism="mixed")`), with strong effects, its default, and with weak ones: categories are drawn '
        "by softmax, which is also what the score `mixed` fits, so that it plays at home. Thresholds: linear models, "
        "and categories by where a sum of causes and normal noise falls, which is the model of no score."
    ),
    table=table,
    conditions=(*_STRENGTHS, _THRESHOLDS),
    rows=(500, 2000),
    methods={
        "mixed": Method(_mixed, 'dagsearch by default: CD-UCT with `score="mixed"`'),
        "bins": Method(_binned, f"CD-UCT with `bic-discrete` on numbers cut into {N_BINS} bins"),
        "dg": Method(_degenerate_gaussian, "degenerate Gaussian score, searched by `ds.OrderSearch`"),
        "pgmpy": Method(_pgmpy, "hill climbing by the conditional Gaussian BIC", ("pgmpy",), "pip install pgmpy"),
    },
)
