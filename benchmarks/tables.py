"""Tables as they are in practice: what methods make of them, against simulated truth.

    python benchmarks/tables.py PART [--rows 500 2000] [--seeds 30] [--methods NAME ...] [--jobs 2]

Each run is one line of ``records.jsonl`` in the folder of results as soon as it has ended: the same command goes on
where it was stopped. The report of a part is ``PART.md``, its runs ``PART.csv``.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from processes import ProcessEngine
from study_runs import resume
from study_runs.command_line import chosen, command_of, conclude, positive, warn_of_other_versions
from tables_study import run, summary
from tables_study.parts import PARTS
from tables_study.task import TablesRecord

from dagsearch.errors import DagsearchError
from dagsearch.experiments.engines import Failure
from dagsearch.experiments.store import LineStore


def options():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=list(PARTS), help="the difficulty that tables have")
    parser.add_argument(
        "--rows", type=positive, nargs="+", default=[], metavar="N", help="by default those of the part"
    )
    parser.add_argument("--seeds", type=positive, default=30, metavar="N", help="tables per condition and size")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="runs at a time")
    parser.add_argument("--out", type=Path, default=Path("results/tables_in_practice"), metavar="FOLDER")
    parser.add_argument("--time-limit", type=positive, default=600, metavar="SECONDS", help="of one fit")
    return parser


def installed(part, names):
    """Those of the methods that can be run; says of the others how they could be."""
    missing = [name for name in names if not part.methods[name].installed]
    for name in missing:
        print(f"{name} is left out, since its package is not installed: {part.methods[name].install}")
    return [name for name in names if name not in missing]


def tell(n_done, n_all, outcome):
    """One line per run."""
    task = outcome.task
    if isinstance(outcome, Failure):
        end = f"failed: {outcome.message}"
    elif outcome.metrics is None:
        end = outcome.status
    else:
        end = f"skeleton F1 {outcome.metrics['skeleton_f1']:.2f}, {outcome.metrics['n_reversed']:g} wrong directions"
    where = f"{task.method:<8} {task.condition}, {task.n_rows} rows, seed {task.seed}"
    print(f"[{n_done}/{n_all}] {where}: {end}", flush=True)


def write(name, store, folder, command):
    """Report and runs of a part; returns what the terminal shows."""
    records = [record for record in store if record.task.part == name]
    runs = summary.frame_of(records)
    runs.to_csv(folder / f"{name}.csv", index=False)
    report = summary.report(PARTS[name], runs, command, dict.fromkeys(record.versions for record in records))
    (folder / f"{name}.md").write_text(report, encoding="utf-8")
    return report


def main(arguments=None):
    """Run what is left, and write what came of it; returns the exit code."""
    settings = options().parse_args(arguments)
    part = PARTS[settings.part]
    try:
        names = installed(part, chosen("method", settings.methods, part.methods))
        store = LineStore(settings.out / "records.jsonl", TablesRecord.from_line)
    except DagsearchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    warn_of_other_versions((record for record in store if record.task.part == settings.part), store)
    tasks = run.tasks_of(settings.part, settings.rows or part.rows, settings.seeds, names)
    engine = ProcessEngine(settings.jobs, float(settings.time_limit), run.run, run.exceeded)
    failures, stopped = [], False
    try:
        failures = resume.carry_out(tasks, store, engine, tell, lambda *_: False)
    except KeyboardInterrupt:
        stopped = True
    command = command_of("benchmarks/tables.py", arguments)
    return conclude(store, settings.out, partial(write, settings.part, store, settings.out, command), failures, stopped)


if __name__ == "__main__":
    sys.exit(main())
