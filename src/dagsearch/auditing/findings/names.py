"""Columns without a name, or with one that others have too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable

KIND = Kind("names", "high", "columns without a name, or with the same one", "give every column a name of its own")


def find(table: RawTable) -> Iterator[Finding]:
    """Yield empty names, then names that are there more than once."""
    empty = [column.position + 1 for column in table.columns if not column.name.strip()]
    if empty:
        what = "column" if len(empty) == 1 else "columns"
        message = f"{what} {listed(empty)} {'has' if len(empty) == 1 else 'have'} no name"
        yield Finding((), KIND.name, KIND.severity, message, KIND.remedy)
    counts = Counter(column.name for column in table.columns if column.name.strip())
    for name, count in counts.items():
        if count > 1:
            yield Finding((name,), KIND.name, KIND.severity, f"{count} columns have the name {name!r}", KIND.remedy)
