"""Beyond the paper, beside it: the paper's systems and what dagsearch does by itself, on the paper's data.

    DAGSEARCH_DATA=folder python benchmarks/beyond.py [BLOCK ...] [--methods NAME ...] [--seeds N]

Blocks: sachs, syntren, d50, asia, child, insurance. The paper's systems are read from the records of ``dagsearch
paper`` (``--records``); ours are run, each in a process of its own, which is killed at the time limit. Each run is one
line of ``records.jsonl`` in the folder of results as soon as it has ended: the same command goes on where it was
stopped.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from beyond_study import run, tables
from beyond_study.blocks import BLOCKS
from beyond_study.published import judged_runs
from beyond_study.systems import SYSTEMS
from beyond_study.task import BeyondRecord, BeyondTask
from processes import ProcessEngine
from study_runs import resume
from study_runs.command_line import chosen, conclude, positive, warn_of_other_versions

from dagsearch.errors import DagsearchError
from dagsearch.experiments.engines import Failure
from dagsearch.experiments.store import LineStore, RecordStore


def options():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help=f"of {', '.join(BLOCKS)}; all if none is named")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help=f"of {', '.join(SYSTEMS)}")
    parser.add_argument("--seeds", type=positive, default=1, metavar="N", help="runs of each of ours on each data set")
    parser.add_argument("--jobs", type=positive, default=2, metavar="N", help="threads of a fit")
    parser.add_argument("--time-limit", type=float, default=1200.0, metavar="SECONDS", help="of one fit")
    parser.add_argument("--report", action="store_true", help="run nothing; write the table of the records so far")
    parser.add_argument("--records", type=Path, default=Path("results/records.jsonl"), metavar="FILE")
    parser.add_argument("--out", type=Path, default=Path("results/beyond"), metavar="FOLDER")
    return parser


def tasks_of(blocks, methods, n_seeds):
    """All tasks, seed by seed."""
    return [
        BeyondTask(data, name, method, seed)
        for seed in range(n_seeds)
        for name in blocks
        for method in methods
        if SYSTEMS[method].on(BLOCKS[name])
        for data in BLOCKS[name].data
    ]


def tell(n_done, n_all, outcome):
    """One line per run."""
    where = f"{outcome.task.method} on {outcome.task.data}, seed {outcome.task.seed}"
    if isinstance(outcome, Failure):
        end = f"failed: {outcome.message}"
    elif outcome.metrics is None:
        end = f"{outcome.status}, {outcome.seconds:.1f} s"
    else:
        end = f"reward {outcome.reward:.3f}, SHD {outcome.metrics['shd']:g}, {outcome.seconds:.1f} s"
    print(f"[{n_done}/{n_all}] {where}: {end}", flush=True)


def never(*_):
    """No run is hopeless before it was tried."""
    return False


def write(store, of_paper, folder):
    """The table and the means of all records; returns what the terminal shows."""
    runs = tables.frame(store, judged_runs(of_paper))
    left_out = [f"{SYSTEMS[each.task.method].title} on {each.task.data}" for each in store if each.metrics is None]
    report = tables.report(runs, dict.fromkeys(record.versions for record in store), left_out)
    runs.to_csv(folder / "runs.csv", index=False)
    (folder / "beyond.md").write_text(report, encoding="utf-8")
    return report


def main(arguments=None):
    """Run what is left, and write what came of it; returns the exit code."""
    settings = options().parse_args(arguments)
    try:
        blocks = chosen("block", settings.blocks, BLOCKS)
        methods = chosen("method", settings.methods, SYSTEMS)
        store = LineStore(settings.out / "records.jsonl", BeyondRecord.from_line)
        of_paper = RecordStore(settings.records)
    except DagsearchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    warn_of_other_versions(store, store)
    engine = ProcessEngine(1, settings.time_limit, partial(run.run, settings.jobs), run.exceeded, settings.jobs)
    tasks = [] if settings.report else tasks_of(blocks, methods, settings.seeds)
    failures, stopped = [], False
    try:
        failures = resume.carry_out(tasks, store, engine, tell, never)
    except KeyboardInterrupt:
        stopped = True
    try:
        return conclude(store, settings.out, partial(write, store, of_paper, settings.out), failures, stopped)
    except DagsearchError as error:  # the truth of the paper's data sets may not be at hand
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
