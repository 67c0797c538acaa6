"""Which columns hold the same: equal values, other labels for the same rows, or another unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.relations import ROUNDING, line_through, pairwise_correlations, scaled

#: One less a squared correlation that is worth confirming on all rows.
_ALIKE = 1e-9

#: With fewer rows that hold both, columns may agree by chance.
_LEAST_ROWS = 10


def twin_groups(variables: Sequence[RawColumn], rows: NDArray[np.intp]) -> list[list[RawColumn]]:
    """Groups of at least two columns that hold the same; ``rows`` are those on which candidates are found."""
    leader = {column.position: column.position for column in variables}
    for first, second in [*_same_levels(variables), *_same_line(variables, rows)]:
        old, new = leader[second.position], leader[first.position]
        leader.update({position: new for position, led in leader.items() if led == old})
    found: dict[int, list[RawColumn]] = {}
    for column in variables:
        found.setdefault(leader[column.position], []).append(column)
    return [group for group in found.values() if len(group) > 1]


def _same_levels(variables: Sequence[RawColumn]) -> Iterator[tuple[RawColumn, RawColumn]]:
    """Discrete columns of which each tells the same rows apart."""
    by_levels: dict[bytes, RawColumn] = {}
    for column in variables:
        if not column.is_discrete or column.n_seen < _LEAST_ROWS:
            continue
        numbered = pd.factorize(column.values)[0].astype(np.int32).tobytes()
        first = by_levels.setdefault(numbered, column)
        if first is not column:
            yield first, column


def _same_line(variables: Sequence[RawColumn], rows: NDArray[np.intp]) -> Iterator[tuple[RawColumn, RawColumn]]:
    """Columns of numbers of which one is a linear function of the other."""
    columns = [column for column in variables if column.is_finite_number]
    if len(columns) < 2:
        return
    correlations = pairwise_correlations(scaled(columns, rows))
    for i, j in np.argwhere(np.triu(1.0 - np.square(correlations) < _ALIKE, 1)):
        first, second = columns[i], columns[j]
        line = line_through(second, [first])
        if line is not None and line.largest_residual < ROUNDING and (first.seen & second.seen).sum() >= _LEAST_ROWS:
            yield first, second
