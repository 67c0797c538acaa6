"""Columns in which nearly all rows hold the same value."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

#: One row in two hundred: a thousand rows then have five of the other values, of which no cause can be learnt.
#: Rare diseases (one in a hundred) are still variables.
LEAST_SHARE = 0.005

#: With fewer rows a share says nothing.
LEAST_ROWS = 100

KIND = Kind(
    "near-constants",
    "medium",
    f"one value in more than {1 - LEAST_SHARE:.1%} of the rows",
    "drop the column, or add rows in which it differs",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all such columns at once."""
    found = [column for column in table.variables if _is_nearly_constant(column)]
    if found:
        names = tuple(column.name for column in found)
        fewest = min(column.n_seen - int(column.levels.counts.max()) for column in found)
        n_rows = f"{fewest} {'row' if fewest == 1 else 'rows'}"
        others = "" if len(names) == 1 else " at the least"
        message = f"nearly all rows hold one value in {listed(names)}: {n_rows}{others} differ"
        yield Finding(names, KIND.name, KIND.severity, message, KIND.remedy)


def _is_nearly_constant(column: RawColumn) -> bool:
    # A column of so many different values has no value that nearly all rows hold.
    if column.n_seen < LEAST_ROWS or column.n_different > LEAST_SHARE * column.n_seen + 1:
        return False
    return bool(column.n_seen - column.levels.counts.max() < LEAST_SHARE * column.n_seen)
