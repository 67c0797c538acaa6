"""The posterior of tables that are too wide for exact sums: a search, candidate causes around what it found, chains."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dagsearch.confidence.candidates import choose_candidates, weigh_subsets
from dagsearch.confidence.chains import ChainSettings, ChainsOutcome, sample_dags
from dagsearch.confidence.result import Confidence
from dagsearch.confidence.weights import Report, Restrictions
from dagsearch.graph.bitset import Rows
from dagsearch.scores import Score
from dagsearch.search.monitor import Monitor, OutOfTimeError
from dagsearch.search.orders import OrderSettings, default_kicks, default_restarts, order_search
from dagsearch.search.protocol import FINISHED, TIME_LIMIT, Problem

METHOD = "posterior, chains"
N_STARTS = 2
"""Searches whose graphs chains start from."""
N_CANDIDATES, N_FITTED_CANDIDATES = 14, 12
"""Candidate causes of a variable; fewer where local scores take milliseconds."""
MOST_SETS, MOST_FITTED_SETS = 200_000, 20_000
"""Sets of candidates of all variables that are weighed."""


def sample_posterior(
    score: Score,
    names: tuple[str, ...],
    restrictions: Restrictions,
    n_samples: int,
    rng: np.random.Generator,
    monitor: Monitor,
    report: Report,
    n_jobs: int,
) -> Confidence:
    """Sample DAGs by Markov chains that start from graphs of a search.

    Parameters
    ----------
    score
        A score whose rewards are log probabilities.
    names
        Names of the variables.
    restrictions
        Edges that are required or allowed, and the most causes of a variable.
    n_samples
        Number of DAGs that are kept of those sampled.
    rng
        Source of randomness.
    monitor, report
        Clock and listener; what is ended before there are samples raises.
    n_jobs
        Threads.
    """
    found = _searched(score, restrictions, rng, monitor, n_jobs)
    most = _most_parents(score, restrictions, found)
    n_candidates = _n_candidates(score)

    def local_nats(nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        report(0.0, "weighing sets of causes")
        terms = score.terms(nodes, rows)
        nats: NDArray[np.float64] = score.nats * (terms[:, 0] - terms[:, 1])
        return nats

    with score.session():
        candidates = choose_candidates(
            local_nats, found, n_candidates, restrictions.allowed, restrictions.required, most
        )
        log_weights = weigh_subsets(
            local_nats,
            candidates,
            restrictions.required,
            most,
            lambda share: report(share, "weighing sets of causes"),
        )
    outcome = sample_dags(log_weights, candidates, found, ChainSettings(n_jobs=n_jobs), rng, monitor)
    return _confidence(score, names, outcome, most, n_samples)


def _searched(
    score: Score, restrictions: Restrictions, rng: np.random.Generator, monitor: Monitor, n_jobs: int
) -> list[NDArray[np.int8]]:
    """Graphs that searches over orders find."""
    d = score.n_nodes
    limit = restrictions.max_parents or score.max_parents or d - 1
    problem = Problem(restrictions.required, restrictions.allowed, None, min(limit, d - 1))
    settings = OrderSettings(default_restarts(score), default_kicks(score), n_jobs)
    found = []
    with score.session():
        for own in rng.spawn(N_STARTS):
            found.append(order_search(problem, score, settings, own, monitor).adjacency)
            if monitor.status != FINISHED:
                raise OutOfTimeError if monitor.status == TIME_LIMIT else KeyboardInterrupt
    return found


def _n_candidates(score: Score) -> int:
    return N_FITTED_CANDIDATES if score.is_fitted else N_CANDIDATES


def _most_parents(score: Score, restrictions: Restrictions, found: list[NDArray[np.int8]]) -> int:
    """As many causes as sets can be weighed of, but no fewer than in the graphs that were found."""
    d = score.n_nodes
    n_candidates = min(_n_candidates(score), d - 1)
    affordable = MOST_FITTED_SETS if score.is_fitted else MOST_SETS
    most = 1
    while most < n_candidates and d * sum(math.comb(n_candidates, k) for k in range(most + 2)) <= affordable:
        most += 1
    most = max(most, *(int(graph.sum(axis=0).max()) for graph in found))
    limits = [limit for limit in (restrictions.max_parents, score.max_parents) if limit is not None]
    return min([most, n_candidates, *limits])


def _confidence(score: Score, names: tuple[str, ...], outcome: ChainsOutcome, most: int, n_samples: int) -> Confidence:
    which = np.linspace(0, outcome.n_samples - 1, min(n_samples, outcome.n_samples)).astype(np.int64)
    samples = outcome.adjacencies(which)
    return Confidence(
        names=names,
        edge_probability=outcome.edge_probabilities,
        path_probability=_path_frequencies(outcome),
        method=METHOD,
        notes=outcome.notes,
        samples=samples if n_samples else None,
        details={
            "score": score.name,
            "max_parents": most,
            "n_chains": outcome.agreement.n_chains,
            "largest_difference": outcome.agreement.largest_difference,
            "r_hat": outcome.agreement.r_hat,
            "chains_agree": outcome.agrees,
            "status": outcome.status,
        },
    )


_MOST_FOR_PATHS = 2_000


def _path_frequencies(outcome: ChainsOutcome) -> NDArray[np.float64]:
    """How many of the sampled DAGs have a path from each variable to each other."""
    which = np.linspace(0, outcome.n_samples - 1, min(_MOST_FOR_PATHS, outcome.n_samples)).astype(np.int64)
    graphs = outcome.adjacencies(which)
    total = np.zeros(graphs.shape[1:])
    for graph in graphs:
        reached = graph.astype(bool)
        for between in range(len(reached)):
            reached |= reached[:, between, np.newaxis] & reached[between]
        total += reached
    return total / len(graphs)
