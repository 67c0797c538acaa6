"""Categories with very many levels."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

#: Every level of a cause is a parameter or more: beyond this, tables of probabilities are mostly empty.
MANY_LEVELS = 30

#: From this many levels on, each needs its rows.
SOME_LEVELS = 10

#: Rows per level on average below which a level can hardly be told from others.
LEAST_ROWS_PER_LEVEL = 10

KIND = Kind(
    "many-levels",
    "medium",
    f"categories with more than {MANY_LEVELS} levels, or more than {SOME_LEVELS} with fewer than "
    f"{LEAST_ROWS_PER_LEVEL} rows each",
    "merge levels, drop the column, or say that levels have an order: --ordered NAME",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all such columns at once."""
    found = [column for column in table.variables if column.is_text and _has_many(column)]
    if found:
        names = tuple(column.name for column in found)
        most = max(column.n_different for column in found)
        has = "has" if len(found) == 1 else "have up to"
        message = f"{listed(names)} {has} {most:,} levels in {table.n_rows:,} rows"
        yield Finding(names, KIND.name, KIND.severity, message, "merge levels, or drop the column")


def _has_many(column: RawColumn) -> bool:
    n_levels = column.n_different
    return n_levels > MANY_LEVELS or (n_levels > SOME_LEVELS and column.n_seen < LEAST_ROWS_PER_LEVEL * n_levels)
