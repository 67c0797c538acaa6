"""Exact linear relations: totals of other columns, differences, shares that add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.linear_relations import Relation
from dagsearch.auditing.relations import ROUNDING, tidy
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "linear-relations",
    "high",
    "a column that is a linear function of a few others, such as a total",
    "drop one of the columns of the relation",
)

#: Formulas with more terms are not written out.
MOST_TERMS = 6


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each relation."""
    for relation in table.linear_relations:
        names = tuple(column.name for column in (relation.target, *relation.terms))
        remedy = f"drop one of them, such as {relation.target.name!r}"
        yield Finding(names, KIND.name, KIND.severity, _in_words(relation), remedy)


def _in_words(relation: Relation) -> str:
    target, terms = relation.target, relation.terms
    if len(terms) > MOST_TERMS:
        return f"{target.name!r} is a linear function of {len(terms)} columns: {listed([c.name for c in terms])}"
    return f"{target.name!r} is {_formula(relation, terms)}"


def _plainest(pair: tuple[float, RawColumn]) -> tuple[bool, int]:
    """Terms that are added come first, then as they stand in the table."""
    return pair[0] < 0, pair[1].position


def _formula(relation: Relation, terms: Sequence[RawColumn]) -> str:
    text = ""
    for slope, term in sorted(zip(map(tidy, relation.slopes), terms, strict=True), key=_plainest):
        sign = ("-" if slope < 0 else "") if not text else (" - " if slope < 0 else " + ")
        factor = "" if abs(slope) == 1.0 else f"{abs(slope):g} "
        text += f"{sign}{factor}{term.name!r}"
    intercept, largest = tidy(relation.intercept), float(np.nanmax(np.abs(relation.target.values)))
    if abs(intercept) > ROUNDING * largest:
        text += f" {'-' if intercept < 0 else '+'} {abs(intercept):g}"
    return text
