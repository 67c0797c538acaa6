"""Several rows for the same person or thing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.table import RawTable, looks_like_id

#: A column of fewer different entries is a category, whatever it is called.
LEAST_ENTRIES = 10

_PERSONS = re.compile(
    r"^(subject|patient|participant|person|user|customer|client|respondent|student|household)s?$", re.I
)

KIND = Kind(
    "repeated-ids",
    "medium",
    "identifiers that several rows share: these rows depend on one another",
    "take one row for each, or the mean of its rows; then drop the column",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield all such columns at once."""
    found = [column for column in table.variables if _is_repeated(column)]
    if found:
        names = tuple(column.name for column in found)
        first = found[0]
        share = f"{first.n_seen:,} rows share {first.n_different:,} entries of {first.name!r}"
        message = f"{listed(names)} {'names' if len(names) == 1 else 'name'} whom a row is about, and {share}"
        yield Finding(names, KIND.name, KIND.severity, message, KIND.remedy)


def _is_repeated(column: RawColumn) -> bool:
    is_id = looks_like_id(column.name) or _PERSONS.fullmatch(column.name.strip()) is not None
    is_code = column.is_text or (column.is_whole and column.form in ("numbers", "numbers as text"))
    return is_id and is_code and LEAST_ENTRIES < column.n_different < column.n_seen
