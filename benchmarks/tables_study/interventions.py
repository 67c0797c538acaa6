"""Directions from experiments: linear Gaussian tables, some of whose variables were set in some rows.

No method can know directions inside an equivalence class from observations of such data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import dagsearch as ds
from tables_study.part import Method, Part

N_NODES, N_EDGES = 10, 15
N_SET, SHARE = 5, 0.1


def table(condition: str, n_rows: int, seed: int) -> ds.Dataset:  # noqa: ARG001 - there is one condition only
    """A table in half of whose rows one of five variables was set."""
    return ds.datasets.simulate(
        N_NODES, n_rows, n_edges=N_EDGES, interventions=N_SET, intervention_share=SHARE, random_state=seed
    )


def untold(data: ds.Dataset) -> ds.Dataset:
    """All rows, taken for observations."""
    return replace(data, was_set=None)


def observed(data: ds.Dataset) -> ds.Dataset:
    """The rows in which nothing was set."""
    return data.take(np.flatnonzero(~data.was_set.any(axis=1)))


def _by(score: str, seen: Callable[[ds.Dataset], ds.Dataset] = lambda data: data) -> Callable[[ds.Dataset, int], Any]:
    def fit(data: ds.Dataset, seed: int) -> Any:
        return ds.discover(seen(data), score=score, random_state=seed, confidence="none").dag_

    return fit


PART = Part(
    title="Experiments",
    in_words=(
        f"{N_NODES} columns, {N_EDGES} edges, linear with Gaussian noise; {N_SET} variables were set in "
        f"{100 * SHARE:g}% of the rows each. F1 is that of directed edges: every edge has to choose a direction."
    ),
    table=table,
    conditions=("linear Gaussian",),
    rows=(1000,),
    methods={
        "told": Method(_by("bic-linear"), "dagsearch with `bic-linear`, told what was set"),
        "told, evidence": Method(_by("evidence"), "the same with `evidence`, its default"),
        "untold": Method(_by("bic-linear", untold), "`bic-linear`, all rows taken for observations"),
        "observed": Method(_by("bic-linear", observed), "`bic-linear`, from the rows in which nothing was set"),
    },
)
