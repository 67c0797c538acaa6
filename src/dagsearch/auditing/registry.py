"""All kinds of findings, the most important first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from dagsearch.auditing.finding import Finding, Kind
from dagsearch.auditing.findings import (
    collinear,
    constants,
    dates,
    dependent_rows,
    determined,
    duplicate_rows,
    empty,
    few_rows,
    identifiers,
    infinite,
    levels,
    linear,
    missing,
    missing_codes,
    mixed_text,
    names,
    near_constants,
    numbers_as_text,
    other_entries,
    outliers,
    rare_levels,
    repeated_ids,
    scales,
    size,
    skewed,
    twins,
    written_numbers,
)
from dagsearch.auditing.table import RawTable


class Check(Protocol):
    """A module that looks for one kind of finding."""

    @property
    def KIND(self) -> Kind:  # noqa: N802 - a constant of the module
        """What it looks for."""
        ...

    def find(self, table: RawTable) -> Iterator[Finding]:
        """Yield the cases in a table."""
        ...


CHECKS: tuple[Check, ...] = (
    size,
    names,
    other_entries,
    mixed_text,
    infinite,
    empty,
    identifiers,
    constants,
    written_numbers,
    dates,
    missing_codes,
    twins,
    linear,
    dependent_rows,
    repeated_ids,
    determined,
    collinear,
    missing,
    levels,
    near_constants,
    few_rows,
    duplicate_rows,
    outliers,
    skewed,
    rare_levels,
    scales,
    numbers_as_text,
)
"""In the order in which findings of the same severity are told."""

KINDS: tuple[Kind, ...] = tuple(check.KIND for check in CHECKS)
"""What is looked for."""
