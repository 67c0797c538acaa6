"""The vocabulary in which experiments are described: studies, how they are tuned, and how results are laid out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from dagsearch.experiments.task import Settings, Task, settings

# The paper's evaluation seeds are multiples of 42; tuning seeds never are.
SEED_STEP = 42
FIRST_TUNING_SEED = 21


@dataclass(frozen=True)
class Tuning:
    """A choice of settings by the mean reward over held-out seeds; the truth is not looked at.

    Attributes
    ----------
    base
        The task to be tuned; its data set and seed are replaced.
    data
        Data sets on which every configuration is run.
    grid
        The configurations; the first one is used where nothing was tuned.
    n_seeds
        Held-out seeds per data set.
    """

    base: Task
    data: tuple[str, ...]
    grid: tuple[Settings, ...]
    n_seeds: int = 5

    def tasks(self, configuration: Settings, n_seeds: int | None = None, n_sets: int | None = None) -> Iterator[Task]:
        """The runs that judge one configuration, or those of the first seeds and data sets."""
        n_seeds = self.n_seeds if n_seeds is None else min(n_seeds, self.n_seeds)
        base = with_settings(self.base, configuration)
        for k in range(n_seeds):
            for data in self.data[:n_sets]:
                yield replace(base, data=data, seed=FIRST_TUNING_SEED + SEED_STEP * k)


@dataclass(frozen=True)
class Study:
    """One method on one family of data sets: a column in one block of a table, or one point of a curve.

    Attributes
    ----------
    block
        The family of data sets, as the paper names it.
    base
        The task to be repeated; its data set and seed are replaced.
    data
        Data sets of the family.
    n_seeds
        Runs per data set; all share the evaluation seeds. With ``paired``, runs in all.
    paired
        Whether the k-th seed goes with the k-th data set alone.
    tuning
        How further settings are chosen; None: there is nothing to choose.
    x
        Where the study stands on the axis of a figure.
    left_out
        Why nothing is run, as a mark in the table; empty if it is run.
    name
        What tells it from another study of the same method on the same data; empty if there is none.
    """

    block: str
    base: Task
    data: tuple[str, ...]
    n_seeds: int = 1
    paired: bool = False
    tuning: Tuning | None = None
    x: float | None = None
    left_out: str = ""
    name: str = ""

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.base.method

    @property
    def column(self) -> str:
        """Its column in a table: its own name, or that of the method."""
        return self.name or self.method

    def tasks(self, chosen: Settings = (), n_seeds: int | None = None, n_sets: int | None = None) -> Iterator[Task]:
        """The runs of the study with the settings that were chosen, or those of the first seeds and data sets."""
        if self.left_out:
            return
        n_seeds = self.n_seeds if n_seeds is None else min(n_seeds, self.n_seeds)
        base = with_settings(self.base, chosen)
        for k in range(n_seeds):
            for data in self.data[k : k + 1] if self.paired else self.data[:n_sets]:
                yield replace(base, data=data, seed=SEED_STEP * k)


def with_settings(task: Task, more: Settings) -> Task:
    """The task with further settings."""
    return replace(task, settings=settings(**{**dict(task.settings), **dict(more)}))


@dataclass(frozen=True)
class Row:
    """A row of a table: a measure of the studies in a block.

    Attributes
    ----------
    phase
        ``"Construct"``, ``"Prune"`` or empty.
    block
        The block of studies.
    measure
        As `dagsearch.experiments.task.Record.value` takes it.
    """

    phase: str
    block: str
    measure: str


@dataclass(frozen=True)
class Panel:
    """A part of a figure: one measure of all studies in a block, a curve per method or per curve label.

    Attributes
    ----------
    block
        The block of studies.
    measure
        As `dagsearch.experiments.task.Record.value` takes it.
    x_label, y_label
        What the axes show.
    log_x, log_y
        Whether an axis is logarithmic.
    curves_by
        What tells curves apart: the method, or the setting of this name.
    """

    block: str
    measure: str
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False
    curves_by: str = "method"


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of the paper: what is run for it, and how it is laid out.

    Attributes
    ----------
    name
        As the command line takes it.
    title
        What it shows, in a sentence.
    studies
        What is run.
    rows, columns
        Layout of a table: its rows, and the columns of its studies in their order.
    panels
        Layout of a figure.
    """

    name: str
    title: str
    studies: tuple[Study, ...]
    rows: tuple[Row, ...] = ()
    columns: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()

    @property
    def kind(self) -> Literal["table", "figure"]:
        """What it is."""
        return "figure" if self.panels else "table"
