"""Sums over the tables of a condition: how well probabilities fit the truth, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calibration_study.bins import Reliability
from calibration_study.families import FAMILIES, Family
from calibration_study.systems import SYSTEMS
from calibration_study.task import CalibrationRecord

_N_RESAMPLED = 500
_MEASURES = ("calibration_error", "error_above_lowest", "brier", "base_brier", "n_sure", "right_of_sure")


@dataclass(frozen=True)
class Cell:
    """A system on all tables of a condition.

    Attributes
    ----------
    family, n_rows, system
        Which condition, and what gave the probabilities.
    records
        One per table.
    """

    family: Family
    n_rows: int
    system: str
    records: list[CalibrationRecord]

    def total(self, what: str) -> Reliability:
        """The sum over tables; ``"edges"`` or ``"adjacencies"``."""
        return Reliability.total([getattr(record, what) for record in self.records])

    def standard_error(self, what: str) -> float:
        """Of the calibration error, by drawing tables anew: pairs of one table are not independent."""
        if len(self.records) < 2:
            return float("nan")
        parts = [getattr(record, what) for record in self.records]
        n = len(parts)
        weights = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=_N_RESAMPLED)
        return float(np.std([Reliability.total(parts, each).calibration_error for each in weights], ddof=1))

    @property
    def settings(self) -> dict[str, Any]:
        """Of the first record; of ``agree`` and ``failed`` the sum over tables."""
        summed = ("agree", "failed")
        kept = {name: value for name, value in self.records[0].settings.items() if name not in summed}
        found = {name for record in self.records for name in record.settings if name in summed}
        return {**kept, **{name: sum(int(r.settings.get(name, 0)) for r in self.records) for name in sorted(found)}}


def cells_of(records: Iterable[CalibrationRecord]) -> list[Cell]:
    """Records by condition and system, in the order of the families."""
    kept: dict[tuple[str, int, str], list[CalibrationRecord]] = {}
    for record in records:
        task = record.task
        kept.setdefault((task.family, task.n_rows, task.system), []).append(record)
    rows = sorted({n_rows for _, n_rows, _ in kept})
    return [
        Cell(family, n_rows, system, kept[family.name, n_rows, system])
        for family in FAMILIES.values()
        for n_rows in rows
        for system in SYSTEMS
        if (family.name, n_rows, system) in kept
    ]


def frame_of(cells: Iterable[Cell]) -> pd.DataFrame:
    """One row per condition and system: all measures of edges and of adjacencies."""
    return pd.DataFrame([_row(cell) for cell in cells])


def _row(cell: Cell) -> dict[str, Any]:
    row: dict[str, Any] = {
        "family": cell.family.name,
        "score": cell.family.score,
        "n_rows": cell.n_rows,
        "system": cell.system,
        "tables": len(cell.records),
    }
    for what in ("edges", "adjacencies"):
        total = cell.total(what)
        row |= {f"{what}_pairs": int(total.n_pairs), f"{what}_base_rate": round(total.base_rate, 4)}
        row |= {f"{what}_{name}": round(getattr(total, name), 4) for name in _MEASURES}
        row[f"{what}_calibration_error_se"] = round(cell.standard_error(what), 4)
        row[f"{what}_claimed_of_sure"] = round(total.claimed_of_sure, 4)
    return {**row, "seconds": round(float(np.mean([record.seconds for record in cell.records])), 2)}
