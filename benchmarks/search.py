"""Searches, ours and rivals: how often known optima, how near known truths, how fast, and on how wide tables.

    python benchmarks/search.py [PART ...] [--seeds N] [--networks FOLDER_OR_WHEEL] [--rivals PYTHON ...]

Parts: ``networks`` (proven optima of asia, child and insurance), ``linear`` and ``quadratic`` (data of the paper),
``repository`` (larger Bayesian networks), ``wide`` (100 to 1,000 variables), ``syntren`` (evidence score beside exact
search). All but ``repository`` and ``wide`` need the data folder (DAGSEARCH_DATA) or a network.

``repository`` reads .bif files, which are not bundled: ``pip download --no-deps pgmpy==1.1.2`` brings a wheel that has
them, and ``--networks`` takes it as it is, or a folder of .bif or .bif.gz files.

Rivals run in environments of their own, whose interpreters ``--rivals`` names: one that has all packages, or one each,
as in ``--rivals causal-learn=a/bin/python xges=a/bin/python pgmpy=b/bin/python`` (xges asks for numpy 1, pgmpy for
numpy 2). Without it only ours run.

Each run has a process of its own, compiles on a small table first, and is killed at the time limit. It is one line of
``records.jsonl`` in the folder of results as soon as it has ended: the same command goes on where it was stopped, and
records of several folders can simply be put together in one file. A method that exceeded the limit is not tried on
other seeds of the problem, nor on problems of the part that are as large and as dense or more so.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from processes import ProcessEngine
from search_study import figure, methods, parts, run, study, tables
from search_study.methods import Means
from search_study.summary import frame_of
from search_study.task import SearchRecord
from study_runs import resume
from study_runs.command_line import chosen, command_of, conclude, positive, warn_of_other_versions

from dagsearch.errors import DagsearchError, UnknownNameError
from dagsearch.experiments.engines import Failure
from dagsearch.experiments.store import LineStore


def options():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts.PARTS)}; all if none is named")
    parser.add_argument(
        "--seeds", type=positive, metavar="N", help="runs per problem, or tables; else as the part has it"
    )
    parser.add_argument("--problems", nargs="+", default=[], metavar="NAME", help="only these, such as asia or 100-4")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help=f"of {', '.join(methods.METHODS)}")
    parser.add_argument("--networks", type=Path, metavar="FOLDER_OR_WHEEL", help="where .bif or .bif.gz files are")
    parser.add_argument("--rivals", nargs="+", default=[], metavar="PYTHON", help="interpreters, or PACKAGE=PYTHON")
    parser.add_argument("--jobs", type=positive, default=2, metavar="N", help="threads of a search")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="of one fit; else as the part has it")
    parser.add_argument("--out", type=Path, default=Path("results/search"), metavar="FOLDER")
    return parser


def runnable(names, means):
    """Those of the methods that can be run; says of the others why not."""
    reasons = {name: methods.why_not(name, means) for name in names}
    for name, reason in reasons.items():
        if reason is not None:
            print(f"{name} is left out: {reason}")
    return [name for name, reason in reasons.items() if reason is None]


def checked_problems(names, chosen_parts):
    """Names of problems, each of which one of the parts has."""
    known = [problem.name for part in chosen_parts for problem in parts.PARTS[part].problems]
    for name in names:
        if name not in known:
            raise UnknownNameError("problem", name, known)
    return names


def tell(n_done, n_all, outcome):
    """One line per run."""
    task = outcome.task
    where = f"{task.part} {task.problem}, {task.method}, seed {task.seed}"
    if isinstance(outcome, Failure):
        end = f"failed: {outcome.message}"
    elif outcome.measures is None:
        end = f"{outcome.status}{f': {task.refused}' if task.refused else f', {outcome.seconds:.1f} s'}"
    else:
        values = outcome.measures
        reward = "no member" if values["reward"] is None else f"reward {values['reward']:.6f}"
        end = f"{reward}, CPDAG SHD {values['cpdag_shd']:g}, {outcome.seconds:.2f} s, {outcome.gigabytes:.2f} GB"
    print(f"[{n_done}/{n_all}] {where}: {end}", flush=True)


def tell_of_given_up(tasks, store, time_limit):
    """Say what was not tried, since the method had exceeded the limit on a problem that is no harder."""
    for task in resume.given_up(tasks, store, time_limit, study.hopeless):
        print(
            f"{task.part} {task.problem}, {task.method}, seed {task.seed}: not tried, as it exceeded {time_limit:g} s"
        )


def write(store, folder, command):
    """Report, CSV and figure of all records; returns what the terminal shows."""
    runs = frame_of(store)
    runs.to_csv(folder / "runs.csv", index=False)
    report = tables.report(runs, command)
    (folder / "search.md").write_text(report, encoding="utf-8")
    wide = runs[runs["part"] == "wide"]
    if figure.has_points(wide):
        figure.draw(wide, folder)
    return report


def run_part(name, settings, names, means, store):
    """Run what is left of a part; returns the failures."""
    part = parts.PARTS[name]
    time_limit = settings.time_limit or part.time_limit
    tasks = study.tasks_of(name, names, settings.seeds or part.n_seeds, settings.problems)
    engine = ProcessEngine(1, time_limit, partial(run.run, means), partial(run.exceeded, means), means.n_jobs)
    failures = resume.carry_out(tasks, store, engine, tell, study.hopeless)
    tell_of_given_up(tasks, store, time_limit)
    return failures


def main(arguments=None):
    """Run what is left, and write what came of it; returns the exit code."""
    settings = options().parse_args(arguments)
    command = command_of("benchmarks/search.py", arguments)
    try:
        chosen_parts = chosen("part", settings.parts, parts.PARTS)
        checked_problems(settings.problems, chosen_parts)
        means = Means(settings.jobs, settings.networks, methods.pythons_of(settings.rivals))
        names = runnable(chosen("method", settings.methods, methods.METHODS), means)
        store = LineStore(settings.out / "records.jsonl", SearchRecord.from_line)
    except DagsearchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    ours = [record for record in store if methods.METHODS[record.task.method].package is None]
    warn_of_other_versions(ours, store)
    failures, stopped = [], False
    try:
        for name in chosen_parts:
            failures += run_part(name, settings, names, means, store)
    except KeyboardInterrupt:
        stopped = True
    return conclude(store, settings.out, partial(write, store, settings.out, command), failures, stopped)


if __name__ == "__main__":
    sys.exit(main())
