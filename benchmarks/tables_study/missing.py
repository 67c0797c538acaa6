"""Tables with missing cells, at random or depending on other columns."""

from __future__ import annotations

import logging
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import norm, rankdata

import dagsearch as ds
from dagsearch.errors import DataError
from tables_study.part import Method, Part

N_NODES, N_EDGES = 10, 15
KINDS: dict[str, dict[str, Any]] = {
    "linear": {"mechanism": "linear"},
    "linear, uniform noise": {"mechanism": "linear", "noise": "uniform"},
    "smooth": {"mechanism": "gp"},
    "discrete": {"mechanism": "discrete"},
}
GAPS = {
    "complete": (0.0, 0),
    "10% at random": (0.1, 0),
    "25% at random": (0.25, 0),
    "40% at random": (0.4, 0),
    "10% by other columns": (0.1, 3),
    "25% by other columns": (0.25, 3),
}
"""Share of missing cells, and how many columns are complete and decide where the others have gaps."""

_STEEPNESS = 1.5
_MOST_IN_A_CELL = 0.95


def table(condition: str, n_rows: int, seed: int) -> ds.Dataset:
    """A simulated table with gaps, and its truth."""
    kind, _, gaps = condition.partition(": ")
    data = ds.datasets.simulate(N_NODES, n_rows, n_edges=N_EDGES, random_state=seed, **KINDS[kind])
    share, n_deciding = GAPS[gaps]
    if not share:
        return data
    rng = np.random.default_rng([seed, n_rows])
    chances = _chances(data.values, share, n_deciding, rng)
    return replace(data, values=np.where(rng.random(chances.shape) < chances, np.nan, data.values))


def _chances(values: np.ndarray, share: float, n_deciding: int, rng: np.random.Generator) -> np.ndarray:
    """How probable it is that each cell is missing."""
    chances = np.full(values.shape, share)
    if not n_deciding:
        return chances
    deciding = rng.permutation(values.shape[1])[:n_deciding]
    for column in range(values.shape[1]):
        ranks = rankdata(values[:, rng.choice(deciding)]) / (len(values) + 1)
        steep = norm.cdf(_STEEPNESS * norm.ppf(ranks))
        chances[:, column] = np.minimum(share * steep / steep.mean(), _MOST_IN_A_CELL)
    chances[:, deciding] = 0.0
    return chances


def _by(missing: str) -> Any:
    """The default method with one way of handling gaps; where too few rows are left it finds nothing."""

    def fit(data: ds.Dataset, seed: int) -> Any:
        try:
            return ds.discover(data, missing=missing, confidence="none", random_state=seed).dag_
        except DataError:
            return ds.DAG.from_edges([], names=data.names)

    return fit


def _mvpc(data: ds.Dataset, seed: int) -> Any:  # noqa: ARG001 - it draws nothing
    from causallearn.search.ConstraintBased.PC import pc

    logging.disable(logging.WARNING)
    test = "mv_fisherz" if data.kinds[0] == "continuous" else "gsq"
    marks = pc(data.values, indep_test=test, mvpc=True, show_progress=False).G.graph
    # -1 at the row's end of an edge and 1 at the column's: row -> column; anything else is open, both ways here.
    directed = (marks == -1) & (marks.T == 1)
    undirected = (marks != 0) & ~directed & ~directed.T
    return ds.PDAG((directed | undirected).astype(np.int8), data.names)


def _is_continuous(condition: str) -> bool:
    return not condition.startswith("discrete")


PART = Part(
    title="Missing cells",
    in_words=f"{N_NODES} columns, {N_EDGES} edges, four kinds of data (`simulate`).",
    table=table,
    conditions=tuple(f"{kind}: {gaps}" for kind, gaps in product(KINDS, GAPS)),
    rows=(1000,),
    methods={
        "local": Method(_by("local"), 'dagsearch by default, `missing="local"`'),
        "drop": Method(_by("drop"), 'the same with `missing="drop"`'),
        "impute": Method(_by("impute"), 'the same with `missing="impute"`, one draw'),
        "mvpc": Method(
            _mvpc, "PC of causal-learn for missing values", ("causallearn",), "pip install causal-learn", _is_continuous
        ),
    },
)
