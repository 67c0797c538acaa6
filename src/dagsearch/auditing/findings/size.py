"""Tables that are too small for anything."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind
from dagsearch.auditing.table import RawTable
from dagsearch.data.checks import LEAST_ROWS

KIND = Kind(
    "size",
    "high",
    f"fewer than {LEAST_ROWS} rows, or fewer than 2 columns that vary",
    "add rows or columns",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield that nothing can be learnt from so little."""
    if table.n_rows < LEAST_ROWS:
        message = f"the table has {table.n_rows} rows, at least {LEAST_ROWS} are needed"
        yield Finding((), KIND.name, KIND.severity, message, "add rows")
    elif len(table.variables) < 2 and all(column.is_usable for column in table.columns):
        message = f"the table has {len(table.variables)} columns that vary and tell more than rows apart, 2 are needed"
        yield Finding((), KIND.name, KIND.severity, message, "add columns")
