"""Too few rows for so many columns."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind
from dagsearch.auditing.table import RawTable
from dagsearch.data.checks import LEAST_ROWS

#: With fewer rows only the strongest effects can be told from chance.
FEW_ROWS = 50

#: With fewer rows per column some pairs of independent columns look strongly related.
ROWS_PER_COLUMN = 5

KIND = Kind(
    "few-rows",
    "medium",
    f"fewer than {FEW_ROWS} rows, or fewer than {ROWS_PER_COLUMN} for each column",
    "add rows, leave columns out, or ask how sure edges are: --confidence bootstrap",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield whether there are too few rows; those below which there is no table are found by another."""
    n_columns = len(table.variables)
    if table.n_rows < LEAST_ROWS or n_columns < 2 or table.n_rows >= max(FEW_ROWS, ROWS_PER_COLUMN * n_columns):
        return
    message = f"{table.n_rows} rows are few for {n_columns} variables"
    yield Finding((), KIND.name, KIND.severity, message, KIND.remedy)
