"""Can the probabilities be trusted? Exact posterior, chains and bootstrap against simulated truth.

    python benchmarks/calibration.py [--tables 200] [--rows 100 500] [--only FAMILY ...] [--systems exact ...]
        [--jobs 2] [--report] [--bundle [FILE]]

A table and system is one line of ``records.jsonl`` in the folder of results as soon as it has ended: the same command
goes on where it was stopped, and with more tables it runs only what is new. Tables, CSV and figures are of all records
in the folder. ``--bundle`` writes the small table that dagsearch itself brings along
(``src/dagsearch/confidence/calibration.csv``, read by ``dagsearch.confidence.calibration_study``), and nothing else.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from calibration_study import bundle, figure, study, tables
from calibration_study.families import FAMILIES, ROWS
from calibration_study.run import run
from calibration_study.summary import cells_of, frame_of
from calibration_study.systems import SYSTEMS
from calibration_study.task import CalibrationRecord
from study_runs.command_line import chosen, command_of, conclude, positive

from dagsearch.engines import Failure, LineStore, LocalEngine
from dagsearch.errors import DagsearchError


def options():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tables",
        type=positive,
        default=200,
        metavar="N",
        help="of each family and number of rows; half where assumptions fail",
    )
    parser.add_argument("--rows", type=positive, nargs="+", default=list(ROWS), metavar="N")
    parser.add_argument("--only", nargs="+", default=[], metavar="FAMILY", help=f"of {', '.join(FAMILIES)}")
    parser.add_argument("--systems", nargs="+", default=[], metavar="SYSTEM", help=f"of {', '.join(SYSTEMS)}")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="runs at a time")
    parser.add_argument("--out", type=Path, default=Path("results/calibration"), metavar="FOLDER")
    parser.add_argument("--report", action="store_true", help="write what there is, and run nothing")
    parser.add_argument(
        "--bundle",
        type=Path,
        nargs="?",
        const=bundle.BUNDLED,
        metavar="FILE",
        help=f"write the table that dagsearch brings along, by default {bundle.BUNDLED}, and run nothing",
    )
    return parser


def tell(n_done, n_all, outcome):
    """One line per run."""
    if isinstance(outcome, Failure):
        end = f"failed: {outcome.message}"
    else:
        end = f"Brier {outcome.edges.brier:.3f}, {outcome.seconds:.1f} s"
    print(f"[{n_done}/{n_all}] {outcome.task.key}: {end}", flush=True)


def write(store, folder, command):
    """Report, CSV and figures of all records; returns what the terminal shows."""
    cells = cells_of(store)
    frame_of(cells).to_csv(folder / "calibration.csv", index=False)
    report = tables.report(cells, command, dict.fromkeys(record.versions for record in store))
    (folder / "calibration.md").write_text(report, encoding="utf-8")
    figure.draw(cells, folder, "edges", "calibration")
    figure.draw(cells, folder, "adjacencies", "adjacency")
    return report


def main(arguments=None):
    """Run what is left, and write what came of it; returns the exit code."""
    settings = options().parse_args(arguments)
    command = command_of("benchmarks/calibration.py", arguments)
    try:
        families = [FAMILIES[name] for name in chosen("family", settings.only, FAMILIES)]
        systems = chosen("system", settings.systems, SYSTEMS)
        store = LineStore(settings.out / "records.jsonl", CalibrationRecord.from_line)
    except DagsearchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if settings.bundle is not None:
        print(f"Written: {bundle.write(cells_of(store), settings.bundle)}")
        return 0
    tasks = [] if settings.report else study.tasks_of(families, settings.rows, settings.tables, systems)
    failures, stopped = [], False
    try:
        failures = study.carry_out(tasks, store, LocalEngine(run, settings.jobs), tell)
    except KeyboardInterrupt:
        stopped = True
    return conclude(store, settings.out, partial(write, store, settings.out, command), failures, stopped)


if __name__ == "__main__":
    sys.exit(main())
