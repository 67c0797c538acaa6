"""Tables with more columns than rows."""

from __future__ import annotations

from typing import Any

import dagsearch as ds
from tables_study.part import Method, Part

N_NODES, N_EDGES = 200, 200
KINDS: dict[str, dict[str, Any]] = {
    "linear": {"mechanism": "linear"},
    "linear, uniform noise": {"mechanism": "linear", "noise": "uniform"},
    "saturating": {"mechanism": "saturating"},
}


def table(condition: str, n_rows: int, seed: int) -> ds.Dataset:
    """A simulated table and its truth."""
    return ds.datasets.simulate(N_NODES, n_rows, n_edges=N_EDGES, random_state=seed, **KINDS[condition])


def _by(**settings: Any) -> Any:
    def fit(data: ds.Dataset, seed: int) -> Any:
        return ds.discover(data, confidence="none", random_state=seed, **settings).dag_

    return fit


PART = Part(
    title="More columns than rows",
    in_words=f"{N_NODES} columns, {N_EDGES} edges.",
    table=table,
    conditions=tuple(KINDS),
    rows=(60,),
    methods={
        "default": Method(_by(), "dagsearch by default"),
        "bic": Method(_by(score="bic-linear"), "the same with `bic-linear`, whose penalty is then extended BIC"),
        "order": Method(
            lambda data, seed: ds.OrderSearch(score="bic-linear", random_state=seed).fit(data).dag_,
            "`ds.OrderSearch` with it",
        ),
    },
)
