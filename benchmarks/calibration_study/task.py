"""One system on one table, and the record that it leaves."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Self

from calibration_study.bins import Reliability


@dataclass(frozen=True)
class CalibrationTask:
    """Everything that decides the outcome of a run.

    Attributes
    ----------
    family
        As in `calibration_study.families.FAMILIES`.
    n_rows
        Of the table.
    table
        Its number.
    system
        As in `calibration_study.systems.SYSTEMS`.
    """

    family: str
    n_rows: int
    table: int
    system: str

    @property
    def key(self) -> str:
        """Identifier of the task."""
        return f"{self.family} {self.n_rows} {self.table} {self.system}"


@dataclass(frozen=True)
class CalibrationRecord:
    """What came of a run: sums by bins instead of all edges, so that thousands of records stay small.

    Attributes
    ----------
    task
        What was run.
    edges, adjacencies
        Of ordered pairs, and of unordered ones.
    settings
        What the system was told or says of itself: parents, replicates, whether chains agree.
    seconds
        Of the work, local scores included that no system before it had asked for.
    versions
        Of the code.
    """

    task: CalibrationTask
    edges: Reliability
    adjacencies: Reliability
    settings: dict[str, int | bool]
    seconds: float
    versions: str

    def to_line(self) -> str:
        """The record as one line of JSON."""
        stored = {
            **asdict(self.task),
            "edges": self.edges.to_json(),
            "adjacencies": self.adjacencies.to_json(),
            "settings": self.settings,
            "seconds": self.seconds,
            "versions": self.versions,
        }
        return json.dumps(stored, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The record that `to_line` wrote; ValueError, KeyError or TypeError if it is none."""
        stored = json.loads(line)
        task = CalibrationTask(*(stored[name] for name in ("family", "n_rows", "table", "system")))
        edges, adjacencies = (Reliability.from_json(stored[name]) for name in ("edges", "adjacencies"))
        return cls(task, edges, adjacencies, stored["settings"], stored["seconds"], stored["versions"])
