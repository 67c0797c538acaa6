"""What a report says: an overview, then a section for each table and figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dagsearch.experiments.campaign import Limits, tuning_tasks
from dagsearch.experiments.output import notes, text
from dagsearch.experiments.output.claims import claims
from dagsearch.experiments.output.curves import Drawing, drawings
from dagsearch.experiments.output.published import CPU_DAYS
from dagsearch.experiments.output.summary import Findings, findings
from dagsearch.experiments.output.tables import Table, build_table
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import FIRST_TUNING_SEED, SEED_STEP, Experiment
from dagsearch.experiments.task import Record


@dataclass(frozen=True)
class Section:
    """A table or a figure, with what is to be said about it.

    Attributes
    ----------
    experiment
        Whose section it is.
    found
        Its runs.
    notes, differences
        In words; differences from the paper that exceed the intervals.
    table
        None for a figure.
    of_panels
        Empty for a table.
    """

    experiment: Experiment
    found: tuple[Findings, ...]
    notes: tuple[str, ...]
    differences: tuple[str, ...] = ()
    table: Table | None = None
    of_panels: tuple[Drawing, ...] = ()

    @property
    def heading(self) -> str:
        """Its name as the paper has it, and what it shows."""
        number = self.experiment.name.removeprefix(self.experiment.kind)
        return f"{self.experiment.kind.title()} {number}: {self.experiment.title}"

    @property
    def what_was_run(self) -> str:
        """Runs and seeds, in words."""
        ran = [each for each in self.found if not each.study.left_out]
        n_runs, n_planned = sum(len(each.records) for each in ran), sum(each.n_planned for each in ran)
        last_seed = SEED_STEP * (max((each.study.n_seeds for each in ran), default=1) - 1)
        seeds = f"seeds 0 to {last_seed:,} in steps of {SEED_STEP}" if last_seed else "seed 0"
        is_tuned = any(each.study.tuning for each in ran)
        held_out = f"; tuned by the reward on held-out seeds, from {FIRST_TUNING_SEED} on" if is_tuned else ""
        return f"{n_runs:,} of {n_planned:,} runs, {seeds}{held_out}."


def sections(experiments: Iterable[Experiment], store: RecordStore) -> list[Section]:
    """A section for each experiment."""
    return [_section(experiment, store) for experiment in experiments]


def _section(experiment: Experiment, store: RecordStore) -> Section:
    found = findings(experiment, store)
    if experiment.kind == "figure":
        of_panels = drawings(experiment, found)
        said = (*claims(experiment.name, of_panels), *notes.figure_notes(found))
        return Section(experiment, found, said, of_panels=of_panels)
    table = build_table(experiment, found)
    return Section(experiment, found, tuple(notes.notes(table)), tuple(notes.differences(table)), table)


def overview(of_report: Sequence[Section], store: RecordStore) -> list[str]:
    """Facts about all runs together."""
    # Several tables and figures may show the same run.
    shown = (record for section in of_report for each in section.found for record in each.records)
    runs = {record.task.key: record for record in shown}
    tuning = {record.task.key: record for record in _tuning_records(of_report, store)}
    records = list((runs | tuning).values())
    if not records:
        return ["Nothing was run yet: all numbers below are the paper's."]
    finished = sorted(record.finished for record in records)
    seconds = sum(record.cpu_seconds for record in records)
    return [
        f"Runs: {len(runs):,} for the tables and figures, and {len(tuning):,} to choose settings.",
        f"Made from {_minute(finished[0])} to {_minute(finished[-1])} UTC.",
        f"Time on processors: {text.clock(seconds)} (h:mm:ss), which is {seconds / 86400:.3g} days; "
        f"the paper's experiments took {CPU_DAYS:,} days on single cores.",
        f"Versions: {_versions(records)}.",
        _agreement(of_report),
    ]


def _versions(records: Iterable[Record]) -> str:
    """Every version that took part, once; methods need different packages."""
    return ", ".join(dict.fromkeys(each for record in records for each in record.versions.split(", ")))


def _minute(finished: str) -> str:
    return finished[:16].replace("T", " ")


def _tuning_records(of_report: Sequence[Section], store: RecordStore) -> list[Record]:
    limits = Limits()
    tasks = tuning_tasks(limits.studies(section.experiment for section in of_report), limits)
    return [record for task in tasks if (record := store.find(task)) is not None]


def _agreement(of_report: Sequence[Section]) -> str:
    """How many cells agree with the paper; times are of other machines, and are not counted."""
    tables = [section.table for section in of_report if section.table and not section.table.has_times]
    verdicts = Counter(
        entry.difference.exceeds for table in tables for entry in table.entries if entry.difference is not None
    )
    return (
        f"Of {verdicts.total():,} cells with a number of ours and one of the paper's, times left aside, "
        f"{verdicts[False]:,} agree within their intervals, {verdicts[True]:,} differ by more, and of "
        f"{verdicts[None]:,} it cannot be told yet."
    )
