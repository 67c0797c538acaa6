"""Means of the measures over the runs of a study, with 95% intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from dagsearch.experiments.campaign import choose, records_of
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import Experiment, Panel, Row, Study
from dagsearch.experiments.task import Record

CYCLIC = "\N{MULTIPLICATION SIGN}"
NOT_APPLICABLE = "---"


@dataclass(frozen=True)
class Cell:
    """One measure of one study.

    Attributes
    ----------
    mean
        Over all runs; None if there is none, or a mark instead.
    half_width
        Of the 95% interval, by Student's t over all runs; None for one run, and for a study that runs once on each
        data set.
    n_runs, n_planned
        Runs that were made, and those of the whole study.
    mark
        `CYCLIC` if a run has no value since its graph has a cycle, `NOT_APPLICABLE` if the measure does not apply, the
        study's own mark if it is left out, and empty if there is a mean or nothing was run.
    settings
        What was tuned, in words.
    random
        Whether runs on the same data set differ by their seeds.
    n_cyclic
        Runs without a value since their graph has a cycle.
    all_data
        Whether there is a run on every data set.
    """

    mean: float | None = None
    half_width: float | None = None
    n_runs: int = 0
    n_planned: int = 0
    mark: str = ""
    settings: str = ""
    random: bool = False
    n_cyclic: int = 0
    all_data: bool = True


@dataclass(frozen=True)
class Findings:
    """The finished runs of a study, and what was tuned before them, in words."""

    study: Study
    records: tuple[Record, ...]
    settings: str

    @property
    def n_planned(self) -> int:
        """Runs of the whole study."""
        return len(self.study.data[: self.study.n_seeds] if self.study.paired else self.study.data * self.study.n_seeds)

    @property
    def random(self) -> bool:
        """Whether an interval can be told: runs differ by more than the fixed data sets."""
        return self.study.n_seeds > 1

    @property
    def all_data(self) -> bool:
        """Whether there is a run on every data set."""
        return {record.task.data for record in self.records} == set(self.study.data)


@dataclass(frozen=True)
class Point:
    """One position of a curve, as a `Cell` without marks."""

    x: float
    mean: float
    half_width: float | None
    n_runs: int
    n_planned: int


@dataclass(frozen=True)
class Curve:
    """A line of a figure.

    Attributes
    ----------
    label
        The method, or the value of the setting that tells curves apart.
    points
        Positions with at least one run, from left to right.
    """

    label: str
    points: tuple[Point, ...]


def findings(experiment: Experiment, store: RecordStore) -> tuple[Findings, ...]:
    """Finished runs of all studies of an experiment."""
    return tuple(_findings(study, store) for study in experiment.studies)


def _findings(study: Study, store: RecordStore) -> Findings:
    records = tuple(records_of(study, store))
    return Findings(study, records, _settings_text(study, store) if records else "")


def _settings_text(study: Study, store: RecordStore) -> str:
    if study.tuning is None:
        return ""
    choice = choose(study.tuning, store)
    text = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in choice.chosen)
    return text if choice.tuned else f"{text}, not tuned"


def cells(experiment: Experiment, found: Iterable[Findings]) -> dict[tuple[Row, str], Cell]:
    """All cells of a table, by row and method."""
    of_studies = {(each.study.block, each.study.column): each for each in found}
    return {
        (row, method): _cell(of_studies.get((row.block, method)), row.measure)
        for row in experiment.rows
        for method in experiment.columns
    }


def _cell(found: Findings | None, measure: str) -> Cell:
    if found is None:
        return Cell(mark=NOT_APPLICABLE)
    if found.study.left_out:
        return Cell(n_planned=found.n_planned, mark=found.study.left_out)
    values = [value for record in found.records if (value := record.value(measure)) is not None]
    n_cyclic = sum(_is_cyclic(record, measure) for record in found.records)
    mark = CYCLIC if n_cyclic else NOT_APPLICABLE if len(values) < len(found.records) else ""
    shown = () if mark else values
    mean, half_width = mean_and_half_width(shown, found.random)
    return Cell(
        mean=mean,
        half_width=half_width,
        n_runs=len(found.records),
        n_planned=found.n_planned,
        mark=mark,
        settings=found.settings,
        random=found.random,
        n_cyclic=n_cyclic,
        all_data=found.all_data,
    )


def _is_cyclic(record: Record, measure: str) -> bool:
    """Whether a value is missing because of a cycle; not because the graph leaves directions open or was not pruned."""
    if measure.startswith("pruned_"):
        return record.pruned_edges is not None and record.pruned_metrics is None
    return record.metrics is None and record.value(measure) is None


def mean_and_half_width(values: Sequence[float], random: bool) -> tuple[float | None, float | None]:
    """The mean, and half the width of its 95% interval by Student's t; None for what cannot be told."""
    if not values:
        return None, None
    mean = float(np.mean(values))
    if not random or len(values) == 1:
        return mean, None
    return mean, float(stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values)))


def curves(panel: Panel, found: Iterable[Findings]) -> tuple[Curve, ...]:
    """The curves of a panel, in the order of the studies; positions without a run are left out."""
    by_label: dict[str, list[Point]] = {}
    for each in found:
        if each.study.block == panel.block:
            by_label.setdefault(_label(each.study, panel), []).extend(_points(each, panel.measure))
    return tuple(Curve(label, tuple(sorted(at, key=lambda p: p.x))) for label, at in by_label.items())


def _label(study: Study, panel: Panel) -> str:
    return study.column if panel.curves_by == "method" else str(dict(study.base.settings)[panel.curves_by])


def _points(found: Findings, measure: str) -> Iterator[Point]:
    values = [value for record in found.records if (value := record.value(measure)) is not None]
    mean, half_width = mean_and_half_width(values, found.random)
    if mean is not None and found.study.x is not None:
        yield Point(found.study.x, mean, half_width, len(values), found.n_planned)
