"""Sampling of DAGs: independent runs from several starts, until they agree or have run long enough."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from dagsearch.confidence.chains.agreement import Agreement, agreement
from dagsearch.confidence.chains.outcome import ChainsOutcome, as_matrix
from dagsearch.confidence.chains.replica import Kept, Replica
from dagsearch.confidence.chains.settings import ChainSettings
from dagsearch.confidence.chains.starts import random_start, start_from_graph
from dagsearch.confidence.chains.tables import parent_tables
from dagsearch.errors import InputError
from dagsearch.kernels.partition_sums import ParentTables
from dagsearch.search.monitor import Monitor, OutOfTimeError, Progress

_SECONDS_PER_CALL = 0.05  # between two looks at the clock
_FEWEST_RECORDS = 4  # of each run, however early it is ended


def sample_dags(
    log_weights: NDArray[np.float64],
    candidates: NDArray[np.int64],
    starts: Sequence[NDArray[np.int8]],
    settings: ChainSettings,
    rng: np.random.Generator,
    monitor: Monitor,
) -> ChainsOutcome:
    """Sample DAGs by the product of their nodes' weights, all DAGs being equally probable beforehand.

    Parameters
    ----------
    log_weights
        (n_nodes, 2^n_candidates) log weights of parent sets, in nats: bit c of a column's number stands for candidate
        c. -inf: not allowed.
    candidates
        (n_nodes, n_candidates) possible parents of each node; rows that have fewer end in -1.
    starts
        Graphs that a search found, (n_nodes, n_nodes) each. Every second run starts from one of them, the others from
        random graphs, so that agreement of the runs means something.
    settings
        Length, temperatures and moves.
    rng
        Source of randomness.
    monitor
        Clock, time limit and listener.

    Raises
    ------
    InputError
        If the arrays do not fit together, or no DAG is allowed.
    """
    tables = parent_tables(candidates, log_weights)
    replicas = _replicas(tables, starts, settings, rng)
    run = _Run(replicas, settings, monitor)
    with monitor.guard():
        run.until_enough(tables.candidates)
    for replica in replicas:
        while replica.n_records < _FEWEST_RECORDS:
            replica.advance(_FEWEST_RECORDS)
    return _outcome(log_weights, tables.candidates, replicas, settings, monitor.status)


def _replicas(
    tables: ParentTables, starts: Sequence[NDArray[np.int8]], settings: ChainSettings, rng: np.random.Generator
) -> list[Replica]:
    """Runs at their starts."""
    n_nodes = len(tables.candidates)
    replicas = []
    for k, own in enumerate(rng.spawn(settings.n_replicas)):
        if starts and k % 2 == 0:
            start = np.asarray(starts[k // 2 % len(starts)], dtype=np.int8)
            if start.shape != (n_nodes, n_nodes):
                raise InputError(f"starts must have the shape ({n_nodes}, {n_nodes}), got {start.shape}")
            layers = start_from_graph(tables, start)
        else:
            layers = random_start(tables, own)
        replicas.append(Replica(tables, layers, int(own.integers(2**63)), settings))
    return replicas


class _Run:
    """All runs, side by side in threads, which one monitor watches."""

    def __init__(self, replicas: list[Replica], settings: ChainSettings, monitor: Monitor) -> None:
        self._replicas = replicas
        self._settings = settings
        self._monitor = monitor
        self._lock = threading.Lock()
        self._has_ended = False
        self._n_target = 0

    def until_enough(self, candidates: NDArray[np.int64]) -> None:
        """Run for as long as the settings say, or until the runs agree."""
        if self._settings.n_records is not None:
            self._until(self._settings.n_records)
            return
        n_records, longest = self._settings.fewest_records, self._settings.longest(len(candidates))
        self._until(n_records)
        while n_records < longest and not self._is_enough(candidates):
            n_records = min(2 * n_records, longest)
            self._until(n_records)

    def _is_enough(self, candidates: NDArray[np.int64]) -> bool:
        """Whether the runs agree, with a margin to what would just do."""
        reached = _agreement(candidates, [replica.kept() for replica in self._replicas])
        return reached.largest_difference <= self._settings.aim and reached.agrees

    def _until(self, n_records: int) -> None:
        """Run until each has so many records; what ended one of them early is raised."""
        self._n_target = n_records
        n_threads = min(self._settings.n_jobs, len(self._replicas))
        if n_threads == 1:
            self._advance(self._replicas)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            jobs = [pool.submit(self._advance, self._replicas[k::n_threads]) for k in range(n_threads)]
            failures = [failure for job in jobs if (failure := job.exception())]
        # Those that were told to end tell nothing about why.
        for failure in sorted(failures, key=lambda failure: isinstance(failure, OutOfTimeError)):
            raise failure

    def _advance(self, replicas: list[Replica]) -> None:
        """Run those of one thread in turns, so that all have about as many records if they are ended early."""
        chunk = 1
        while any(replica.n_records < self._n_target for replica in replicas):
            for replica in replicas:
                started = self._monitor.seconds
                n_left = self._n_target - replica.n_records
                if n_left > 0 and replica.advance(min(chunk, n_left)) == chunk:
                    slower = (self._monitor.seconds - started) / _SECONDS_PER_CALL
                    chunk = int(np.clip(chunk / max(slower, 0.1), 1, 1_000))
                self._check()

    def _check(self) -> None:
        """Report, and raise if the runs are to end."""
        with self._lock:
            if self._has_ended:
                raise OutOfTimeError
            try:
                self._monitor.check(self._progress)
            except BaseException:
                self._has_ended = True
                raise

    def _progress(self, seconds: float) -> Progress:
        done = sum(replica.n_records for replica in self._replicas)
        total = self._n_target * len(self._replicas)
        return Progress(done / total, done, total, 0, float("nan"), seconds, "sampling graphs")


def _agreement(candidates: NDArray[np.int64], kept: list[Kept]) -> Agreement:
    by_chain = np.array([as_matrix(candidates, run.shares) for run in kept])
    return agreement(by_chain, [run.log_scores for run in kept])


def _outcome(
    log_weights: NDArray[np.float64],
    candidates: NDArray[np.int64],
    replicas: list[Replica],
    settings: ChainSettings,
    status: str,
) -> ChainsOutcome:
    kept = [replica.kept() for replica in replicas]
    by_chain = np.array([as_matrix(candidates, run.shares) for run in kept])
    parents = np.concatenate([run.parents for run in kept])
    counts = sum(replica.counts[0] for replica in replicas)
    n_nodes = len(candidates)
    return ChainsOutcome(
        candidates=candidates,
        parents=parents,
        chain=np.repeat(np.arange(len(kept)), [len(run.parents) for run in kept]),
        log_scores=log_weights[np.arange(n_nodes), parents].sum(axis=1),
        edge_probabilities=by_chain.mean(axis=0),
        edge_probabilities_by_chain=by_chain,
        agreement=agreement(by_chain, [run.log_scores for run in kept]),
        acceptance=counts[:, 1] / np.maximum(counts[:, 0], 1),
        share_of_pairs=float((candidates >= 0).sum() / max(n_nodes * (n_nodes - 1), 1)),
        n_steps=min(replica.n_records for replica in replicas) * settings.steps_between_records(n_nodes),
        status=status,
    )
