"""Categories of which some levels are hardly ever there."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

#: Rows of a level below which nothing can be said about it.
LEAST_ROWS = 3

#: With fewer rows every level is rare.
LEAST_TABLE = 100

KIND = Kind(
    "rare-levels", "low", f"levels of a category with fewer than {LEAST_ROWS} rows", "merge them with other levels"
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all columns with rare levels at once; those with very many levels are found by another."""
    found = [column for column in table.discrete if column.n_seen >= LEAST_TABLE and _n_rare(column)]
    found = [column for column in found if column.n_different > 2 and 2 * _n_rare(column) < column.n_different]
    if found:
        names = tuple(column.name for column in found)
        n_levels = sum(_n_rare(column) for column in found)
        what = "level" if n_levels == 1 else "levels"
        message = f"{n_levels} {what} of {listed(names)} {'is' if n_levels == 1 else 'are'} in 1 or 2 rows only"
        yield Finding(names, KIND.name, KIND.severity, message, KIND.remedy)


def _n_rare(column: RawColumn) -> int:
    return int((column.levels.counts < LEAST_ROWS).sum())
