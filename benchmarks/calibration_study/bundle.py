"""The small table that dagsearch brings along: sums by bins of all tables of a condition, a line per condition.

It is read by `dagsearch.confidence.calibration`, which says what the columns mean.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calibration_study.summary import Cell
from dagsearch.confidence.calibration import COLUMNS, KINDS
from dagsearch.scores import MODELS

BUNDLED = Path("src/dagsearch/confidence/calibration.csv")
_TROUBLES = {"": "", "error": "measurement error", "hidden": "a hidden common cause"}
# What families leave as `dagsearch.scores.make` has it.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "evidence": {"models": MODELS, "noise": "any"},
    "bdeu": {"sample_size": 1.0},
}


def write(cells: Iterable[Cell], path: Path) -> Path:
    """Write the table, and return its path."""
    text = io.StringIO()
    lines = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    lines.writeheader()
    lines.writerows(_line(cell) for cell in cells)
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def _line(cell: Cell) -> dict[str, Any]:
    line: dict[str, Any] = {
        "family": cell.family.name,
        "title": cell.family.title,
        "score": cell.family.score,
        "settings": _as_text({**_DEFAULTS.get(cell.family.score, {}), **cell.family.settings}),
        "graphs": cell.family.graphs,
        "trouble": _TROUBLES[cell.family.trouble],
        "system": cell.system,
        "n_rows": cell.n_rows,
        "n_tables": len(cell.records),
    }
    for kind in KINDS:
        total = cell.total(kind)
        line[f"{kind}_counts"] = _joined(total.counts, 0)
        line[f"{kind}_claimed"] = _joined(total.probabilities, 3)
        line[f"{kind}_true"] = _joined(total.truths, 0)
    return line


def _as_text(settings: Mapping[str, Any]) -> str:
    """Settings as ``name=value`` with spaces between; a list has ``+`` between its members."""
    return " ".join(f"{name}={_value(value)}" for name, value in settings.items())


def _value(value: Any) -> str:
    return "+".join(value) if isinstance(value, tuple | list) else f"{value:g}" if isinstance(value, float) else value


def _joined(sums: np.ndarray, n_digits: int) -> str:
    return " ".join(f"{value:.{n_digits}f}" for value in sums)
