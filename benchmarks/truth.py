"""Who is right where: our methods and rivals against simulated truth.

    python benchmarks/truth.py [--grid kinds] [--rows 100 500 2000] [--variables 10 20 50] [--seeds 3] [--jobs 2]

Each run is one line of ``records.jsonl`` in the folder of results as soon as it has ended: the same command goes on
where it was stopped, and with more seeds, sizes or methods it runs only what is new. Tables, CSV and figure are of all
records in the folder. A run that exceeds the time limit is killed and recorded as such.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from pathlib import Path

from processes import ProcessEngine
from study_runs import resume
from study_runs.command_line import chosen, command_of, conclude, positive, warn_of_other_versions
from truth_study import figure, methods, run, study, tables
from truth_study.conditions import GRIDS
from truth_study.summary import frame_of, means
from truth_study.task import TruthRecord

from dagsearch.errors import DagsearchError
from dagsearch.experiments.engines import Failure
from dagsearch.experiments.store import LineStore

_BY_CONDITION = ["kind", "n_nodes", "n_rows"]


def options():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grid", choices=list(GRIDS), default="kinds", help="kinds of data")
    parser.add_argument("--rows", type=positive, nargs="+", default=[100, 500, 2000], metavar="N")
    parser.add_argument("--variables", type=positive, nargs="+", default=[10, 20, 50], metavar="N")
    parser.add_argument("--seeds", type=positive, default=3, metavar="N", help="tables per kind and size")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help=f"of {', '.join(methods.METHODS)}")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="runs at a time")
    parser.add_argument("--out", type=Path, default=Path("results/truth"), metavar="FOLDER")
    parser.add_argument("--time-limit", type=_seconds, default=300.0, metavar="SECONDS", help="of one fit")
    return parser


def _seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, got {text!r}")
    return seconds


def installed(names):
    """Those of the methods that can be run; says of the others how they could be."""
    missing = [name for name in names if not methods.METHODS[name].installed]
    for name in missing:
        print(f"{name} is left out, since its package is not installed: {methods.METHODS[name].install}")
    return [name for name in names if name not in missing]


def tell(n_done, n_all, outcome):
    """One line per run."""
    task = outcome.task
    where = f"{task.method:<8} {task.kind.name}, {task.n_nodes} variables, {task.n_rows} rows, seed {task.seed}"
    if isinstance(outcome, Failure):
        end = f"failed: {outcome.message}"
    elif outcome.metrics is None:
        end = f"{outcome.status}, {outcome.seconds:.1f} s"
    else:
        end = f"SHD {outcome.metrics['shd']:g}, F1 {outcome.metrics['f1']:.2f}, {outcome.seconds:.1f} s"
    print(f"[{n_done}/{n_all}] {where}: {end}", flush=True)


def tell_of_given_up(tasks, store, time_limit):
    """Say what was not tried, since the method had exceeded the limit on tables that are no larger."""
    given_up = resume.given_up(tasks, store, time_limit, study.hopeless)
    for method, n_tasks in Counter(task.method for task in given_up).items():
        print(f"{method} exceeded {time_limit:g} s twice: {n_tasks} run(s) on tables as large or larger not tried")


def write(store, folder, command):
    """Tables, CSV and figure of all records; returns what the terminal shows."""
    runs = frame_of(store)
    runs.to_csv(folder / "runs.csv", index=False)
    means(runs, _BY_CONDITION).to_csv(folder / "conditions.csv", index=False)
    report = tables.report(runs, command, dict.fromkeys(record.versions for record in store))
    (folder / "truth.md").write_text(report, encoding="utf-8")
    if runs["shd"].notna().any():
        figure.draw(runs, folder)
    return report


def main(arguments=None):
    """Run what is left, and write what came of it; returns the exit code."""
    settings = options().parse_args(arguments)
    command = command_of("benchmarks/truth.py", arguments)
    try:
        names = installed(chosen("method", settings.methods, methods.METHODS))
        store = LineStore(settings.out / "records.jsonl", TruthRecord.from_line)
    except DagsearchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    warn_of_other_versions(store, store)
    tasks = study.tasks_of(GRIDS[settings.grid], settings.variables, settings.rows, settings.seeds, names)
    engine, failures, stopped = ProcessEngine(settings.jobs, settings.time_limit, run.run, run.exceeded), [], False
    try:
        failures = resume.carry_out(tasks, store, engine, tell, study.hopeless)
    except KeyboardInterrupt:
        stopped = True
    tell_of_given_up(tasks, store, settings.time_limit)
    return conclude(store, settings.out, partial(write, store, settings.out, command), failures, stopped)


if __name__ == "__main__":
    sys.exit(main())
