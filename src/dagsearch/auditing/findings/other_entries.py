"""Entries that are neither numbers nor text."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "other-entries",
    "high",
    "entries that are neither numbers nor text: lists, complex numbers, durations",
    "turn them into numbers or text, or drop the column",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each such column."""
    for column in table.columns:
        if column.form == "other":
            message = f"{column.name!r} holds entries of type {column.what}, which no method takes"
            yield Finding((column.name,), KIND.name, KIND.severity, message, KIND.remedy)
