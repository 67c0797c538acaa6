"""``dagsearch paper``: the paper's tables and figures, carried out and written."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dagsearch import datasets
from dagsearch.checks import jobs as checked_jobs
from dagsearch.cli.listing import is_installed
from dagsearch.datasets.registry import tell_of_changes
from dagsearch.errors import DagsearchError, InputError, MissingExtraError, UnknownNameError
from dagsearch.estimators import METHODS
from dagsearch.experiments.campaign import Limits, Listener, carry_out, tuning_tasks
from dagsearch.experiments.changes import changed, setting_names
from dagsearch.experiments.engines import ClusterEngine, Engine, Failure, LocalEngine
from dagsearch.experiments.output import write_output, write_report
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.quick import quick
from dagsearch.experiments.rules import RULES, Rules, by_rules
from dagsearch.experiments.run import require_settings
from dagsearch.experiments.store import RecordStore

if TYPE_CHECKING:
    from dagsearch.experiments.study import Experiment
    from dagsearch.experiments.task import Record, Settings

ALL, REPORT = "all", "report"
_PARTS = {"table2": ("table2a", "table2b")}
_SECONDS_BETWEEN_LINES = 60.0


def listed() -> str:
    """What there is."""
    lines = []
    for experiment in EXPERIMENTS.values():
        n_runs = sum(len(list(study.tasks())) for study in experiment.studies)
        lines.append(f"{experiment.name:<8} {experiment.title} ({n_runs:,} runs)")
    lines.append(f"{ALL:<8} All of them")
    lines.append(f"{REPORT:<8} One page with all of them, from the records so far; nothing is run")
    return "\n".join(lines)


def carry_out_paper(
    what: Sequence[str],
    out: Path,
    limits: Limits,
    is_quick: bool,
    jobs: int,
    cluster: str,
    cache: Path | None,
    changes: Settings = (),
    rules: Rules = "runs",
) -> None:
    """Run whatever has no record yet, then write the tables, the figures and the page.

    Parameters
    ----------
    what
        Names of experiments, ``"all"``, or ``"report"`` alone to run nothing.
    out
        Folder of the records and of what is made from them.
    limits
        What part of the experiments is run.
    is_quick
        Whether to run the versions that take minutes.
    jobs
        Processes on this machine.
    cluster
        Address of a Dask scheduler; empty: this machine.
    cache
        Folder where processes exchange expensive local scores; None: in ``out`` on this machine, nowhere on a cluster.
    changes
        Settings other than the paper's.
    rules
        Those of the paper's runs, or those that its text describes.

    Raises
    ------
    InputError
        If something is asked for that is not there.
    DagsearchError
        If runs failed; everything else is finished and written by then.
    """
    ruled = [by_rules(each, rules) for each in EXPERIMENTS.values()]
    everything = [changed(quick(each) if is_quick else each, changes) for each in ruled]
    chosen = [each for each in everything if each.name in _names(what)]
    _check(limits, changes, chosen)
    store = RecordStore(out / "records.jsonl")
    failures: list[Failure] = []
    if REPORT not in what:
        engine: Engine = ClusterEngine(cluster, cache) if cluster else _local_engine(out, jobs, cache)
        if isinstance(engine, ClusterEngine):
            engine.require()
        else:
            _prepare(chosen, limits)
        failures = _run(chosen, store, engine, limits)
    # Tables of unfinished experiments show what there is so far.
    files = write_output(chosen, store, out) + write_report(everything, store, out, RULES[rules])
    click.echo(f"wrote {len(files)} files to {out}; begin with {out / 'report.html'}")
    if failures:
        first = failures[0]
        click.echo(first.details, err=True)
        message = f"{first.task.method} on {first.task.data}: {first.message}"
        raise DagsearchError(
            f"{len(failures)} runs failed and will be tried again by the same command; first {message}"
        )


def _names(what: Sequence[str]) -> list[str]:
    """The experiments that are asked for."""
    if REPORT in what and len(what) > 1:
        raise InputError(f"{REPORT} is of all experiments and runs nothing: give it alone, got {' '.join(what)}")
    names: list[str] = []
    for name in what:
        if name not in (*EXPERIMENTS, *_PARTS, ALL, REPORT):
            raise UnknownNameError("table or figure", name, (*EXPERIMENTS, *_PARTS, ALL, REPORT))
        names += EXPERIMENTS if name in (ALL, REPORT) else _PARTS.get(name, (name,))
    return names


def _check(limits: Limits, changes: Settings, experiments: Sequence[Experiment]) -> None:
    """Refuse methods, data and settings that nothing is known about, rather than run nothing or the same."""
    studies = [study for experiment in experiments for study in experiment.studies]
    for what, given, known in (
        ("method", limits.methods, dict.fromkeys(name for study in studies for name in (study.method, study.column))),
        ("data", limits.blocks, dict.fromkeys(study.block.lower() for study in studies)),
        ("setting", [name for name, _ in changes], setting_names(experiments)),
    ):
        for name in given:
            if name not in known:
                raise UnknownNameError(f"{what} of {' '.join(each.name for each in experiments)}", name, known)
    if changes:
        for study in limits.studies(experiments):
            require_settings(study.base)


def _prepare(experiments: Sequence[Experiment], limits: Limits) -> None:
    """Refuse what would fail later, download data sets once rather than in each process, and tell of changed ones."""
    studies = limits.studies(experiments)
    for method in dict.fromkeys(study.method for study in studies):
        extra = METHODS[method].extra
        if extra is not None and not is_installed(extra):
            raise MissingExtraError(f"method {method}, unless others are chosen by --only,", extra)
    # The sets beyond --sets and --seeds are of no concern.
    tasks = (task for study in studies for task in study.tasks(n_seeds=limits.n_seeds, n_sets=limits.n_sets))
    for name in dict.fromkeys(task.data for task in [*tuning_tasks(studies, limits), *tasks]):
        datasets.download(name)
        tell_of_changes(name)


def _local_engine(out: Path, jobs: int, cache: Path | None) -> LocalEngine:
    return LocalEngine(checked_jobs(jobs), cache or out / "cache")


def _run(experiments: Sequence[Experiment], store: RecordStore, engine: Engine, limits: Limits) -> list[Failure]:
    """Carry the experiments out; after Ctrl-C say what is kept."""
    n_before = len(store)
    # Joblib replaces a process that has grown, for which it blames memory leaks; here it is known fits.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given to the executor")
    try:
        with _progress() as listener:
            failures = carry_out(experiments, store, engine, limits, listener, _alone(engine))
    except KeyboardInterrupt:
        click.echo(f"interrupted: {len(store) - n_before} finished runs are kept, the same command goes on", err=True)
        return []
    click.echo(f"{len(store) - n_before} runs, {len(store)} records in {store.path}")
    return failures


def _alone(engine: Engine) -> Engine:
    """Where times are measured: one run at a time, unless a cluster has a core for each."""
    return engine if isinstance(engine, ClusterEngine) else LocalEngine(1)


@contextmanager
def _progress() -> Iterator[Listener]:
    """A listener that draws a bar on a terminal, and otherwise writes a line now and then."""
    from rich.console import Console  # noqa: PLC0415 - most commands draw no bar of their own
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"))
    last = time.monotonic()
    with Progress(
        *columns,
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("")

        def show(n_done: int, n_tasks: int, outcome: Record | Failure | None) -> None:
            nonlocal last
            bar.update(task, completed=n_done, total=n_tasks, description=_in_words(outcome))
            is_due = time.monotonic() - last > _SECONDS_BETWEEN_LINES or n_done in (0, n_tasks)
            if is_due and not console.is_terminal:
                last = time.monotonic()
                click.echo(f"{n_done}/{n_tasks} runs  {_in_words(outcome)}", err=True)

        yield show


def _in_words(outcome: Record | Failure | None) -> str:
    """The run that has just ended."""
    if outcome is None:
        return ""
    run = f"{outcome.task.method} on {outcome.task.data}, seed {outcome.task.seed}"
    return f"{run}: failed, {outcome.message}" if isinstance(outcome, Failure) else f"{run}: {outcome.seconds:.1f} s"
