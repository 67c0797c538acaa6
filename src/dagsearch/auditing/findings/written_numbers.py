"""Numbers with marks of money, percent signs, units or separated thousands."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind, clipped
from dagsearch.auditing.repairs import converting
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "written-numbers",
    "high",
    "amounts of money, percents, units, separated thousands, decimal commas: taken for labels as they are",
    "read them as numbers",
    mended_by_fix=True,
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each such column."""
    for column in table.columns:
        if column.form == "written numbers":
            said = f"{column.name!r} holds {column.what} as text, such as {clipped(column.examples[0])!r}"
            yield converting(KIND, column, said)
