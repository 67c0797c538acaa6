"""Directions from experiments: linear Gaussian tables, some of whose variables were set in some rows.

No method can know directions inside an equivalence class from observations of such data. Each table is learnt from
three times: with what was set, without being told, and from the rows alone in which nothing was set.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

import dagsearch as ds
from dagsearch.report.directions import class_open_edges

N_NODES, N_EDGES, N_ROWS = 10, 15, 1000
N_SET, SHARE = 5, 0.1

METHODS: dict[str, Callable[..., Any]] = {
    "order": lambda data, score: ds.OrderSearch(score=score, random_state=0).fit(data),
    "discover": lambda data, score: ds.discover(data, score=score, random_state=0, confidence="none"),
}
SCORES = ("bic-linear", "evidence")


@dataclass(frozen=True)
class Row:
    """One fit.

    Attributes
    ----------
    told
        ``"interventions"``: what was set; ``"nothing"``: all rows are taken for observations; ``"observed rows"``:
        those in which nothing was set, alone.
    arrowhead_f1
        Of all directed edges of the graph, each of which has to choose a direction.
    decided_f1
        The same with edges that the score leaves open, which then have no arrowhead.
    skeleton_f1
        Whatever the directions.
    """

    table: int
    method: str
    score: str
    told: str
    arrowhead_f1: float
    decided_f1: float
    skeleton_f1: float
    shd: int
    seconds: float


def rows(n_tables: int = 20, scores: Iterable[str] = SCORES, methods: Iterable[str] = tuple(METHODS)) -> Iterator[Row]:
    """Fit methods with scores to tables, told and not; an evidence fit takes some 3 to 13 seconds, others one."""
    for table in range(n_tables):
        data = experiment(table)
        for score, method, (told, given) in product(scores, methods, versions(data).items()):
            yield _row(table, method, score, told, given)


def experiment(seed: int) -> ds.Dataset:
    """A table in half of whose rows one of five variables was set."""
    return ds.datasets.simulate(
        N_NODES, N_ROWS, n_edges=N_EDGES, interventions=N_SET, intervention_share=SHARE, random_state=seed
    )


def versions(data: ds.Dataset) -> dict[str, ds.Dataset]:
    """The table, by what a method is told of it."""
    untouched = np.flatnonzero(~data.was_set.any(axis=1))
    return {"interventions": data, "nothing": replace(data, was_set=None), "observed rows": data.take(untouched)}


def f1(found: set[Any], true: set[Any]) -> float:
    """Harmonic mean of precision and recall; 1 if there is nothing to find and nothing was found."""
    n_all = len(found) + len(true)
    return 2 * len(found & true) / n_all if n_all else 1.0


def _row(table: int, method: str, score: str, told: str, given: ds.Dataset) -> Row:
    """Fit a method to one version of a table, and judge what it finds."""
    started = time.perf_counter()
    model = METHODS[method](given, score)
    seconds = time.perf_counter() - started
    edges, true = set(model.dag_.edges), set(given.truth.edges)
    is_open = {frozenset(pair) for pair in class_open_edges(model) or []}
    return Row(
        table=table,
        method=method,
        score=score,
        told=told,
        arrowhead_f1=f1(edges, true),
        decided_f1=f1({edge for edge in edges if frozenset(edge) not in is_open}, true),
        skeleton_f1=f1(set(map(frozenset, edges)), set(map(frozenset, true))),
        shd=int(ds.metrics.compare(model.dag_, given.truth)["shd"]),
        seconds=seconds,
    )
