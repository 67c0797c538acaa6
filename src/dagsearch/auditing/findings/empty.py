"""Columns in which all cells are missing."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.repairs import dropping
from dagsearch.auditing.table import RawTable

KIND = Kind("all-missing", "high", "columns in which all cells are missing", "drop the column", mended_by_fix=True)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all such columns at once."""
    empty = [column for column in table.columns if column.form == "empty"] if table.n_rows else []
    if empty:
        names = tuple(column.name for column in empty)
        message = f"all cells are missing in {listed(names)}"
        yield dropping(KIND, empty, message, "all cells are missing")
