"""Columns that hold one value only."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.repairs import dropping
from dagsearch.auditing.table import RawTable
from dagsearch.data.checks import LEAST_ROWS

KIND = Kind("constants", "high", "columns that hold one value only", "drop the column", mended_by_fix=True)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all constant columns at once."""
    if table.n_rows < LEAST_ROWS:
        return
    found = [column for column in table.named if column.n_different == 1]
    if not found:
        return
    names = [column.name for column in found]
    has_gaps = any(column.n_seen < table.n_rows for column in found)
    message = f"{listed(names)} {'holds' if len(names) == 1 else 'hold'} one value only"
    if has_gaps:
        message += ", where there is any; if an empty cell means another value, write it"
    yield dropping(KIND, found, message, "one value only")
