"""Dates and times."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, clipped
from dagsearch.auditing.repairs import converting
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "dates",
    "high",
    "dates and times, which are refused or taken for labels",
    "read them as days, or drop the column",
    mended_by_fix=True,
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each column of dates."""
    for column in table.columns:
        if column.form == "dates":
            yield _finding(column)


def _finding(column: RawColumn) -> Finding:
    said = f"{column.name!r} holds {'times' if 'midnight' in column.what else 'dates'}"
    said += f" such as {clipped(column.examples[0])!r}"
    if column.n_wrong:
        row, text = column.wrong[0]
        message = f"{said}, and {column.n_wrong} other entries, the first in row {row}: {clipped(text)!r}"
        return Finding((column.name,), KIND.name, KIND.severity, message, "correct these entries, then use --fix")
    if not column.is_certain:
        remedy = "write them as 2020-01-31, or drop the column"
        message = f"{said}, and no row tells whether day or month comes first"
        return Finding((column.name,), KIND.name, KIND.severity, message, remedy)
    return converting(KIND, column, said)
