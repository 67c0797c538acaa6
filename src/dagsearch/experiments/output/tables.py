"""The paper's tables with our numbers: what stands in each cell, whatever the format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dagsearch.experiments.output import text
from dagsearch.experiments.output.difference import Difference, compare
from dagsearch.experiments.output.published import Published, published
from dagsearch.experiments.output.summary import Cell, Findings, cells
from dagsearch.experiments.study import Experiment, Row

EXCEEDS = "≠"
CANNOT_TELL = "?"
NOT_RUN = "not run"


@dataclass(frozen=True)
class Entry:
    """What a cell of a table shows: ours, the paper's, and their difference.

    Attributes
    ----------
    row, method
        Which cell it is.
    cell
        Ours.
    paper
        The paper's; None if it has no such cell.
    difference
        Ours against the paper's; None if there are not two means.
    is_best
        Whether no other method of ours is better in the row.
    """

    row: Row
    method: str
    cell: Cell
    paper: Published | None
    difference: Difference | None
    is_best: bool

    @property
    def ours_text(self) -> str:
        """Our mean and interval, or why there is none."""
        if self.cell.mean is None:
            return self.cell.mark or NOT_RUN
        return text.with_interval(self.cell.mean, self.cell.half_width, self.row.measure)

    @property
    def paper_text(self) -> str:
        """The paper's mean and interval, or its mark; empty if it has no such cell."""
        if self.paper is None:
            return ""
        if self.paper.mean is None:
            return self.paper.mark
        if self.row.measure == "seconds":
            return text.clock(self.paper.mean, tenths=False)
        return text.with_interval(self.paper.mean, self.paper.half_width, self.row.measure)

    @property
    def difference_text(self) -> str:
        """The difference with a sign of its weight; of times, the paper's divided by ours."""
        if self.difference is None:
            return ""
        if self.row.measure == "seconds":
            return "" if self.difference.ratio is None else f"{text.brief(self.difference.ratio)} : 1"
        weight = {True: f" {EXCEEDS}", False: "", None: f" {CANNOT_TELL}"}[self.difference.exceeds]
        return text.number(self.difference.value, self.row.measure, signed=True) + weight


@dataclass(frozen=True)
class Table:
    """A table of the paper with our numbers.

    Attributes
    ----------
    experiment
        Whose table it is.
    titles
        Of the columns, one for each method.
    lines
        The cells of each row, in the order of the columns.
    """

    experiment: Experiment
    titles: tuple[str, ...]
    lines: tuple[tuple[Entry, ...], ...]

    @property
    def entries(self) -> Iterator[Entry]:
        """All cells, row by row."""
        for line in self.lines:
            yield from line

    @property
    def has_times(self) -> bool:
        """Whether it shows how long runs took."""
        return any(row.measure == "seconds" for row in self.experiment.rows)

    @property
    def has_phases(self) -> bool:
        """Whether it shows more than one stage of a method."""
        return any(row.phase for row in self.experiment.rows)

    @property
    def head_titles(self) -> tuple[str, ...]:
        """Titles of what `heads` tells."""
        return ("Phase", "Data", "Metric") if self.has_phases else ("Data", "Metric")

    @property
    def heads(self) -> Iterator[tuple[str, ...]]:
        """Phase (if there are any), block and measure of each line, with what the line above has said left out."""
        phase = block = ""
        for row in self.experiment.rows:
            is_new_phase = row.phase != phase
            is_new_block = is_new_phase or row.block != block
            measure = f"{text.measure_title(row.measure)} {text.arrow(row.measure)}"
            names = (row.phase if is_new_phase else "", row.block if is_new_block else "", measure)
            yield names if self.has_phases else names[1:]
            phase, block = row.phase, row.block


def build_table(experiment: Experiment, found: Iterable[Findings]) -> Table:
    """The table of an experiment, by the runs there are."""
    ours = cells(experiment, found)
    lines = tuple(_line(experiment, row, ours) for row in experiment.rows)
    return Table(experiment, tuple(_column_title(experiment, method) for method in experiment.columns), lines)


def _line(experiment: Experiment, row: Row, ours: Mapping[tuple[Row, str], Cell]) -> tuple[Entry, ...]:
    best = _best(row, [ours[row, method] for method in experiment.columns])
    entries = []
    for method in experiment.columns:
        cell, paper = ours[row, method], published(experiment.name, row, method)
        is_best = cell.mean is not None and text.number(cell.mean, row.measure) == best
        entries.append(Entry(row, method, cell, paper, compare(cell, paper), is_best))
    return tuple(entries)


def _best(row: Row, of_row: list[Cell]) -> str | None:
    """The best mean as it is printed, so that ties are ties to the eye; None if nothing can be compared."""
    means = [cell.mean for cell in of_row if cell.mean is not None]
    if len(means) < 2:
        return None
    return text.number(max(means) if text.is_better_high(row.measure) else min(means), row.measure)


def _column_title(experiment: Experiment, method: str) -> str:
    """Title of a column; the paper's exact method is another program than ours."""
    is_published = any(published(experiment.name, row, method) for row in experiment.rows)
    return "GOBNILP (ours: Exact)" if method == "exact" and is_published else text.title(method)
