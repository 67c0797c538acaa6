"""Numbers that stand for missing cells, such as -999."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

#: What people write for "not known".
CODES = tuple(sign * (10.0**digits - 1.0) for digits in (2, 3, 4, 5, 6) for sign in (-1, 1))

KIND = Kind(
    "missing-codes",
    "high",
    "numbers such as -999 that stand for missing cells, far from all others",
    "make them missing: --na -999",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each code."""
    found: dict[float, list[RawColumn]] = {}
    for column in table.numbers:
        for code in CODES:
            if column.form != "dates" and column.n_different > 2 and _is_code(column, code):
                found.setdefault(code, []).append(column)
    for code, columns in found.items():
        names = tuple(column.name for column in columns)
        n_cells = sum(int((column.values == code).sum()) for column in columns)
        message = f"{n_cells} cells of {listed(names)} hold {code:.0f}, far from all others: a code for missing?"
        yield Finding(names, KIND.name, KIND.severity, message, f"make them missing: --na {code:.0f}")


def positions(table: RawTable) -> set[int]:
    """Where columns with such codes are."""
    names = {name for finding in find(table) for name in finding.columns}
    return {column.position for column in table.columns if column.name in names}


def _is_code(column: RawColumn, code: float) -> bool:
    """Whether a value is there more than once, is the least or largest, and is far from the rest."""
    values, counts = column.levels
    if code not in (values[0], values[-1]) or counts[np.searchsorted(values, code)] < 2:
        return False
    rest = values[1:] if values[0] == code else values[:-1]
    distance = min(abs(rest[0] - code), abs(rest[-1] - code))
    return bool((code < 0 <= rest[0]) or distance > 2 * np.ptp(rest))
