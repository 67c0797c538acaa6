"""What gives probabilities: the exact posterior, Markov chains in its place, the bootstrap of a fast search."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

import dagsearch as ds
from calibration_study.families import FAMILIES, Family
from dagsearch.confidence import by_chains
from dagsearch.confidence.weights import Restrictions
from dagsearch.scores import Score
from dagsearch.search.monitor import Monitor

System = Callable[[Family, ds.Dataset, Score, np.random.Generator], ds.Confidence]


@lru_cache(maxsize=1)
def table_and_score(family: str, n_rows: int, number: int) -> tuple[ds.Dataset, Score]:
    """A table and its score, which keeps local scores: what systems that follow each other on a table share."""
    data = FAMILIES[family].table(n_rows, number)
    return data, ds.scores.make(FAMILIES[family].score, data, **FAMILIES[family].settings)


def exact(family: Family, data: ds.Dataset, score: Score, rng: np.random.Generator) -> ds.Confidence:
    """Sums over all DAGs."""
    found = ds.posterior(data, score=score, max_parents=family.max_parents, n_samples=0, random_state=rng)
    if found.method == by_chains.METHOD:
        raise ds.DagsearchError(f"the posterior must be exact here, got {found.method!r}: {'; '.join(found.notes)}")
    return found


def chains(family: Family, data: ds.Dataset, score: Score, rng: np.random.Generator) -> ds.Confidence:
    """What `dagsearch.posterior` does on wider tables, at its default length."""
    required = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
    allowed = ~np.eye(data.n_nodes, dtype=bool)
    restrictions = Restrictions(required, allowed, family.max_parents)
    return by_chains.sample_posterior(score, data.names, restrictions, 0, rng, Monitor(None), lambda *_: None, 1)


def bootstrap(family: Family, data: ds.Dataset, score: Score, rng: np.random.Generator) -> ds.Confidence:  # noqa: ARG001 - replicates have scores of their own
    """How often a search finds an edge: over orders from one start, or greedy where local scores take milliseconds."""
    search = ds.GreedySearch() if family.score == "evidence" else ds.OrderSearch(n_restarts=1, n_kicks=0)
    search.set_params(score=family.score, prune="none", max_parents=family.max_parents, **family.settings)
    return ds.bootstrap(search, data, n=family.n_replicates, random_state=rng)


SYSTEMS: dict[str, System] = {"exact": exact, "chains": chains, "bootstrap": bootstrap}
"""By name."""
