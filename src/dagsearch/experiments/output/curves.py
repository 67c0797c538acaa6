"""What a figure shows, before anything is drawn: panels of curves, and the paper's numbers beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from dagsearch.experiments.output.published import SPEED_UPS, published
from dagsearch.experiments.output.summary import Curve, Findings, Point, curves
from dagsearch.experiments.output.table_formats import csv_text
from dagsearch.experiments.study import Experiment, Panel, Row

CYCLE_TRACKING = "cycle_tracking"
INCREMENTAL = "incremental"
RATIO = "naive / incremental"
RL_BIC_OF_THE_PAPER = "RL-BIC (paper)"

_CSV_HEAD = ("experiment", "block", "measure", "curve", "x", "mean", "half_width", "n_runs", "n_planned")


@dataclass(frozen=True)
class Drawing:
    """A panel with its curves.

    Attributes
    ----------
    panel
        The axes.
    curves
        Ours.
    level
        The paper's mean of RL-BIC, drawn as a horizontal line; None if there is none.
    marks
        Single numbers of the paper, as (x, y).
    """

    panel: Panel
    curves: tuple[Curve, ...]
    level: float | None = None
    marks: tuple[tuple[float, float], ...] = ()


def drawings(experiment: Experiment, found: Sequence[Findings]) -> tuple[Drawing, ...]:
    """All panels of a figure; one that compares two ways of tracking cycles gets a panel of their ratio."""
    drawn = [Drawing(panel, curves(panel, found), _level(experiment, panel)) for panel in experiment.panels]
    return (*drawn, *(_ratio(each) for each in drawn if each.panel.curves_by == CYCLE_TRACKING))


def _level(experiment: Experiment, panel: Panel) -> float | None:
    """RL-BIC's mean by the paper's tables 1 and 3, for the figure that varies the budgets of its rivals."""
    if experiment.name != "figure2":
        return None
    if panel.measure == "seconds":
        table, phase = "table3", ""
    else:
        table, phase = "table1", "Prune" if panel.measure.startswith("pruned_") else "Construct"
    cell = published(table, Row(phase, panel.block, panel.measure), "rl-bic")
    return None if cell is None else cell.mean


def _ratio(drawing: Drawing) -> Drawing:
    """How many times longer the naive way takes, where both were run; the paper's text tells its two ends."""
    incremental = {point.x: point for each in drawing.curves if each.label == INCREMENTAL for point in each.points}
    naive = {point.x: point for each in drawing.curves if each.label != INCREMENTAL for point in each.points}
    ratios = tuple(_ratio_at(x, naive[x], incremental[x]) for x in sorted(naive.keys() & incremental.keys()))
    panel = replace(drawing.panel, measure="ratio", y_label=RATIO, log_y=False)
    return Drawing(panel, (Curve(RATIO, ratios),), marks=tuple(SPEED_UPS.items()))


def _ratio_at(x: float, naive: Point, incremental: Point) -> Point:
    n_runs, n_planned = min(naive.n_runs, incremental.n_runs), min(naive.n_planned, incremental.n_planned)
    return Point(x, naive.mean / incremental.mean, None, n_runs, n_planned)


def points_csv(experiment: Experiment, of_panels: tuple[Drawing, ...]) -> str:
    """All points of a figure, one line each."""
    lines = (
        (experiment.name, each.panel.block, each.panel.measure, curve.label, *astuple(point))
        for each in of_panels
        for curve in each.curves
        for point in curve.points
    )
    return csv_text(_CSV_HEAD, lines)
