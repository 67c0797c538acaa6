"""Identifiers and row numbers: columns that only tell rows apart."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind, clipped, listed
from dagsearch.auditing.repairs import dropping
from dagsearch.auditing.table import RawTable, is_counter, is_identifier, is_permutation

KIND = Kind(
    "identifiers",
    "high",
    "row numbers, and entries that all differ: they tell rows apart and nothing else",
    "drop the column",
    mended_by_fix=True,
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield row numbers, other identifiers, then whole numbers that may be either ranks or identifiers."""
    found = [column for column in table.named if is_identifier(column)]
    counters = [column for column in found if is_counter(column)]
    if counters:
        names = [column.name for column in counters]
        message = f"{listed(names)} {'counts' if len(names) == 1 else 'count'} the rows"
        yield dropping(KIND, counters, message, "it counts the rows" if len(names) == 1 else "they count rows")
    others = [column for column in found if not is_counter(column)]
    if others:
        names = [column.name for column in others]
        example = clipped(others[0].examples[0])
        message = f"no two rows are the same in {listed(names)}, such as {example!r}"
        yield dropping(KIND, others, message, "no two rows are the same")
    for column in table.named:
        if is_permutation(column) and not is_identifier(column):
            message = f"{column.name!r} holds each of {column.n_seen} whole numbers once: a rank, or an identifier"
            yield Finding((column.name,), KIND.name, "medium", message, "drop the column unless it is a rank")
