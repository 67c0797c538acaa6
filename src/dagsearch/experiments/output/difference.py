"""Ours against the paper's."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from dagsearch.experiments.output.published import Published
from dagsearch.experiments.output.summary import Cell


@dataclass(frozen=True)
class Difference:
    """How far our mean is from the paper's.

    Attributes
    ----------
    value
        Ours minus the paper's.
    ratio
        The paper's divided by ours; None if ours is zero.
    exceeds
        Whether the difference is more than both intervals together (the root of the sum of their squares) and more
        than what rounding to the paper's digits hides; None if this cannot be told.
    why_open
        Why it cannot be told; empty if it can.
    """

    value: float
    ratio: float | None
    exceeds: bool | None
    why_open: str = ""


def compare(cell: Cell, paper: Published | None) -> Difference | None:
    """The difference of the means; None if there are not two of them."""
    if paper is None or paper.mean is None or cell.mean is None:
        return None
    value = cell.mean - paper.mean
    ratio = paper.mean / cell.mean if cell.mean else None
    if cell.random and cell.n_runs == 1:
        return Difference(value, ratio, None, "one run of a random method")
    if not cell.all_data:
        return Difference(value, ratio, None, "not all data sets were run")
    margin = max(hypot(cell.half_width or 0.0, paper.half_width or 0.0), paper.resolution)
    # Decimal numbers are not binary ones: a difference of exactly the margin does not exceed it.
    return Difference(value, ratio, abs(value) > margin + 1e-9)
