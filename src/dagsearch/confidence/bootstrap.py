"""Bootstrap: how often a method finds an edge, a direction or a path when rows are drawn anew.

It works for every method, and tells how stable its answers are; not whether its assumptions hold.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import numpy as np
from sklearn.base import clone

from dagsearch import checks
from dagsearch.auditing import mended_dataset
from dagsearch.confidence.frequencies import frequencies
from dagsearch.confidence.replicates import Finding, How, Replicate, Resampling
from dagsearch.confidence.result import Confidence
from dagsearch.data import as_dataset
from dagsearch.engines import ClusterEngine, Failure, LineStore, LocalEngine, attempt
from dagsearch.errors import DagsearchError, InputError, MissingExtraError
from dagsearch.parameters import CommonParameters
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.progress import progress_bar
from dagsearch.search.protocol import FINISHED, INTERRUPTED, TIME_LIMIT

Outcomes = Generator[Finding | Failure, None, None]

METHOD = "bootstrap"
FILE_NAME = "bootstrap.jsonl"
"""In a folder that is given as ``store``."""

_SECONDS_ALONE = 5.0
"""About what it takes to start processes; what is done by then needs none."""

_BROKEN = "broken"
_GO_ON = "The store keeps what is finished: the same call goes on from here."
"""What to say when an engine breaks down; without a store there is nothing to go on from."""


def bootstrap(
    estimator: Any,
    data: Any,
    n: int = 100,
    how: How = "rows",
    random_state: Any = None,
    n_jobs: int = 1,
    engine: str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
    time_limit: float | None = None,
) -> Confidence:
    """Fit a method on replicates of a table, and count edges, directions and paths.

    Where the method leaves the direction of an edge open, it counts one for adjacency and a half for each direction;
    paths are made of directed edges alone. The result depends on table, method, ``n``, ``how`` and ``random_state``,
    not on where the replicates are carried out.

    Parameters
    ----------
    estimator
        Any estimator of this package, or an object of your own with ``fit(X)`` that then has ``pruned_dag_`` or
        ``dag_`` (the former is taken if there are both). It is never fitted itself: each replicate gets a copy with a
        ``random_state`` of its own.
    data
        pandas or polars data frame, 2-D array, or `Dataset`. Estimators of this package are given tables whose kinds
        and declared levels are those of the whole; others are given some rows of what is given here.
    n
        Number of replicates.
    how
        ``"rows"``: as many rows as the table has, drawn with replacement; ``"subsample"``: half of the rows, drawn
        without. A replicate that the method refuses (a column has become constant, say) is drawn anew at most three
        times; ``notes`` tells how many were, and how many failed all the same and do not count.
    random_state
        Seed or generator.
    n_jobs
        Processes; they are started if the replicates take longer than starting them does. -1 stands for all cores.
        With more than one, each replicate has one thread.
    engine
        Address of a running Dask cluster, such as ``"tcp://10.0.0.1:8786"``, which then carries the replicates out.
    store
        A folder, or a file (with a suffix, such as ``"replicates.jsonl"``), in which every finished replicate is kept
        at once; those found there are not repeated. Needs a ``random_state``.
    progress
        Whether to draw a bar on standard error.
    time_limit
        Seconds after which no replicate is waited for; those finished make the result, as after Ctrl-C.

    Raises
    ------
    InputError
        If an argument or the table is wrong.
    DagsearchError
        If all replicates failed, or none was finished in time.

    Examples
    --------
    >>> import dagsearch as ds
    >>> sure = ds.bootstrap(ds.GES(), ds.datasets.load("asia"), n=20, random_state=0)
    >>> sure.method
    'bootstrap'
    """
    checks.integer("n", n, 1)
    checks.one_of("how", how, get_args(How))
    checks.real("time_limit", time_limit, 0.0, strict=True, optional=True)
    checks.boolean("progress", progress)
    work = _work(estimator, data, how, checks.seed_of(random_state), checks.jobs(n_jobs), engine)
    kept = _store(store, random_state)
    tally = _Tally(work.replicates(n, named=kept is not None), kept)
    with _monitor(progress, time_limit) as monitor:
        tally.fill(work, checks.jobs(n_jobs), engine, monitor)
    return tally.confidence(work)


def _work(estimator: Any, data: Any, how: How, seed: int, n_jobs: int, engine: str | None) -> Resampling:
    """What replicates have in common, checked."""
    if not callable(getattr(estimator, "fit", None)) or isinstance(estimator, type):
        raise InputError(f"estimator must be an object with fit(X), got {estimator!r}")
    if engine is not None and not isinstance(engine, str):
        raise InputError(f"engine must be the address of a Dask cluster or None, got {engine!r}")
    n_threads = 1 if engine is not None or n_jobs > 1 else None
    if not isinstance(estimator, CommonParameters):
        names = as_dataset(data, may_miss=True).names
        rows = data if hasattr(data, "columns") or hasattr(data, "take") else np.asarray(data)
        return Resampling(clone(estimator, safe=False), rows, names, how, seed, n_threads)
    require_repeatable(estimator)
    if hasattr(estimator, "check"):
        estimator.check()
    told = {"kinds": estimator.kinds, "interventions": estimator.interventions}
    table = mended_dataset(data, **told) if estimator.fix else as_dataset(data, **told, may_miss=True)
    # A replicate in which a column happens to be constant must keep it.
    repeated = clone(estimator).set_params(interventions=None, fix=False)
    return Resampling(repeated, table, table.names, how, seed, n_threads)


def require_repeatable(estimator: CommonParameters) -> None:
    """Raise `InputError` for an estimator whose score was made of one table: replicates need one of their own."""
    score = getattr(estimator, "score", "")
    if not isinstance(score, str):
        raise InputError(
            f"score must be a name for a bootstrap, got {score!r}, which judges by one table and knows no replicate of "
            "it"
        )


def _store(store: str | Path | None, random_state: Any) -> LineStore[Finding] | None:
    """The file of finished replicates."""
    if store is None:
        return None
    if not isinstance(store, str | Path):
        raise InputError(f"store must be a folder, a file or None, got {store!r}")
    if random_state is None:
        raise InputError("store needs a random_state: without one the replicates of the next run would be others")
    path = Path(store)
    is_folder = os.path.isdir(path) or not path.suffix
    return LineStore(path / FILE_NAME if is_folder else path, Finding.from_line)


@contextmanager
def _monitor(progress: bool, time_limit: float | None) -> Iterator[Monitor]:
    if not progress:
        yield Monitor(time_limit)
        return
    with progress_bar(METHOD) as listener:
        yield Monitor(time_limit, listener)


@dataclass
class _Tally:
    """What came of the replicates so far."""

    replicates: list[Replicate]
    kept: LineStore[Finding] | None
    findings: list[Finding] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    status: str = FINISHED
    breakdown: str = ""

    def fill(self, work: Resampling, n_jobs: int, engine: str | None, monitor: Monitor) -> None:
        """Carry out what is not in the store, until all is done or time is over."""
        missing = self.replicates
        if self.kept is not None:
            missing = self.kept.missing(self.replicates)
            self.findings = [found for each in self.replicates if (found := self.kept.find(each)) is not None]
        advice = "" if self.kept is None else _GO_ON
        run_all = partial(_outcomes, work, n_jobs=n_jobs, engine=engine, advice=advice)
        try:
            with monitor.guard(), closing(self._outcomes(missing, run_all)) as outcomes:
                for outcome in outcomes:
                    self._add(outcome)
                    monitor.check(self._progress)
        except (InputError, MissingExtraError):
            raise
        except DagsearchError as error:  # an engine that broke down
            if not self.findings:
                raise
            self.status, self.breakdown = _BROKEN, str(error)
        else:
            # A limit that was met with the last replicate cut nothing off.
            self.status = monitor.status if self._n_done < len(self.replicates) else FINISHED
        self.findings.sort(key=lambda found: found.task.number)
        self.failures.sort(key=lambda failure: failure.task.number)

    def confidence(self, work: Resampling) -> Confidence:
        """Frequencies, and what to know about them."""
        self._require_findings()
        graphs = [found.graph for found in self.findings]
        n_nodes = len(work.names)
        counted = frequencies(graphs, n_nodes)
        all_dags = all(graph.acyclic and not graph.undirected for graph in graphs)
        return Confidence(
            names=work.names,
            edge_probability=counted.edges,
            path_probability=counted.paths,
            adjacency_probability=counted.adjacent,
            method=METHOD,
            notes=tuple(self._notes()),
            samples=np.array([graph.adjacency(n_nodes) for graph in graphs], dtype=np.int8) if all_dags else None,
            details={
                "how": work.how,
                "n_replicates": len(self.findings),
                "n_asked": len(self.replicates),
                "n_failed": len(self.failures),
                "n_redrawn": sum(found.n_redraws > 0 for found in self.findings),
                "status": self.status,
                "seed": work.seed,
            },
        )

    def _outcomes(
        self,
        missing: list[Replicate],
        run_all: Callable[[Iterable[Replicate]], Generator[Finding | Failure, None, None]],
    ) -> Generator[Finding | Failure, None, None]:
        """What comes of replicates; those of a store may be shared with other processes."""
        return run_all(missing) if self.kept is None else self.kept.shared(missing, run_all)

    @property
    def _n_done(self) -> int:
        return len(self.findings) + len(self.failures)

    def _add(self, outcome: Finding | Failure) -> None:
        if isinstance(outcome, Failure):
            self.failures.append(outcome)
            return
        if self.kept is not None:
            self.kept.append(outcome)
        self.findings.append(outcome)

    def _progress(self, seconds: float) -> Progress:
        n_all = len(self.replicates)
        return Progress(self._n_done / n_all, self._n_done, n_all, 0, float("nan"), seconds)

    def _require_findings(self) -> None:
        if self.findings:
            return
        if self.failures:
            n_failed, first = len(self.failures), self.failures[0].message
            raise DagsearchError(f"all {n_failed} replicates that were carried out failed; the first: {first}")
        if self.status == INTERRUPTED:
            raise KeyboardInterrupt
        raise DagsearchError("time_limit was over before a replicate was finished; allow more")

    def _notes(self) -> Iterator[str]:
        n_found, n_all = len(self.findings), len(self.replicates)
        reasons = {TIME_LIMIT: "the time limit was over", INTERRUPTED: "interrupted", _BROKEN: self.breakdown}
        if self.status != FINISHED:
            yield f"{n_found} replicates of the {n_all} asked for: {reasons[self.status]}"
        redrawn = [found for found in self.findings if found.n_redraws]
        if redrawn:
            yield (
                f"{len(redrawn)} of {n_all} replicates were drawn anew, since the method refused them; the first: "
                f"{redrawn[0].refusal}"
            )
        if self.failures:
            first = self.failures[0].message
            yield f"{len(self.failures)} of {n_all} replicates failed and do not count; the first: {first}"
        n_cyclic = sum(not found.graph.acyclic for found in self.findings)
        if n_cyclic:
            yield f"{n_cyclic} of {n_found} graphs have cycles; their edges count like those of others"
        n_open = sum(bool(found.graph.undirected) for found in self.findings)
        if n_open:
            yield (
                f"{n_open} of {n_found} graphs leave directions open: such an edge counts a half each way, and is on "
                "no path"
            )


def _outcomes(
    work: Resampling, replicates: Iterable[Replicate], n_jobs: int, engine: str | None, advice: str
) -> Outcomes:
    """What comes of replicates: in this process for as long as starting others would take, and then in these."""
    if engine is not None:
        yield from ClusterEngine(work, engine, argument="engine", advice=advice).run_all(replicates)
        return
    waiting, started = iter(replicates), time.perf_counter()
    replicate = next(waiting, None)
    while replicate is not None and (n_jobs == 1 or time.perf_counter() - started < _SECONDS_ALONE):
        yield attempt(work, replicate)
        replicate = next(waiting, None)
    if replicate is not None:
        yield from LocalEngine(work, n_jobs, advice).run_all(chain([replicate], waiting))
