"""Columns that are nearly linear functions of others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagsearch.auditing.finding import Finding, Kind, listed
from dagsearch.auditing.linear_relations import LEAST_ROWS_PER_COLUMN
from dagsearch.auditing.relations import pairwise_correlations, scaled
from dagsearch.auditing.table import RawTable

#: What a second column leaves unexplained: rounding of one that is measured twice, or in two units.
LEFT_BY_ONE = 1e-3

#: What all others leave unexplained of a column: less than noise of any measurement.
LEFT_BY_ALL = 1e-4

KIND = Kind(
    "near-collinear",
    "medium",
    f"columns of which one other explains all but {LEFT_BY_ONE:.1%} of the variance, or all others all but "
    f"{LEFT_BY_ALL:.2%}",
    "keep one of them, or leave what they have in common to one column",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield pairs, then a group of columns of which others leave nothing."""
    explained = [relation.target for relation in table.linear_relations]
    columns = [column for column in table.distinct if column in table.measured and column not in explained]
    if len(columns) < 2:
        return
    values = scaled(columns, table.sampled_rows)
    correlations = pairwise_correlations(values)
    alike: set[int] = set()
    for i, j in np.argwhere(np.triu(1.0 - np.square(correlations) < LEFT_BY_ONE, 1)):
        alike |= {int(i), int(j)}
        names = (columns[i].name, columns[j].name)
        message = f"{listed(names)} are nearly the same: correlation {correlations[i, j]:.5f}"
        yield Finding(names, KIND.name, KIND.severity, message, "keep one of them")
    complete = values[~np.isnan(values).any(axis=1)]
    if alike or len(complete) < LEAST_ROWS_PER_COLUMN * len(columns):
        return
    inverse = np.linalg.pinv(np.corrcoef(complete, rowvar=False), hermitian=True)
    found = tuple(columns[j].name for j in np.flatnonzero(np.diag(inverse) > 1.0 / LEFT_BY_ALL))
    if found:
        message = f"other columns explain nearly all of {listed(found)}"
        yield Finding(found, KIND.name, KIND.severity, message, "drop one of these columns")
