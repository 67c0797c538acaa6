"""Findings that ``fix=True`` mends: by dropping columns, or by reading entries as the numbers that they mean."""

from __future__ import annotations

from collections.abc import Sequence

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, Repair, clipped, listed


def dropping(kind: Kind, columns: Sequence[RawColumn], message: str, reason: str) -> Finding:
    """A finding about columns that tell nothing; those that others speak of are not dropped."""
    names = tuple(column.name for column in columns)
    what = "the column" if len(names) == 1 else "these columns"
    gone = [column for column in columns if not column.is_kept]
    remedy = f"drop {what}: --fix (fix=True)"
    return Finding(names, kind.name, kind.severity, message, remedy, without(gone, reason))


def without(columns: Sequence[RawColumn], reason: str) -> Repair | None:
    """What dropping columns does; None if there are none."""
    if not columns:
        return None
    names = [column.name for column in columns]
    return Repair(f"dropped {listed(names, len(names))}: {reason}", tuple(column.position for column in columns))


def converting(kind: Kind, column: RawColumn, message: str, remedy: str = "") -> Finding:
    """A finding about a column whose entries mean numbers."""
    what = column.what or "numbers"
    first = float(column.values[column.seen.argmax()])  # of which the first example is the text
    done = f"read {column.name!r} as {what} ({clipped(column.examples[0])!r} is {first:g})"
    return Finding(
        (column.name,),
        kind.name,
        kind.severity,
        message,
        remedy or f"read it as {what}: --fix (fix=True)",
        Repair(done, converted=(column.position,)),
    )
