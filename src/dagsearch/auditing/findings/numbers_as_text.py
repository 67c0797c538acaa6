"""Plain numbers that are stored as text."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind
from dagsearch.auditing.repairs import converting
from dagsearch.auditing.table import RawTable, is_identifier

KIND = Kind(
    "numbers-as-text",
    "low",
    "plain numbers stored as text: taken as numbers",
    "nothing to do; codes that are no quantities: --discrete NAME",
    mended_by_fix=True,
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each such column that is no identifier."""
    for column in table.columns:
        if column.form == "numbers as text" and not is_identifier(column):
            said = f"{column.name!r} holds numbers stored as text, and is taken as numbers"
            remedy = f"nothing to do; if they are codes of something: --discrete {column.name!r}"
            yield converting(KIND, column, said, remedy)
