"""Which columns are exact linear functions of a few others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch.auditing.columns import RawColumn
from dagsearch.auditing.relations import ROUNDING, line_through, scaled, tidy

#: With fewer rows per column, columns are functions of others by chance.
LEAST_ROWS_PER_COLUMN = 3

# One less a squared multiple correlation that is worth confirming on all rows; and a share of a column's spread that a
# term must have to belong to the relation.
_ALIKE = 1e-9
_LEAST_TERM = 1e-5


class Relation(NamedTuple):
    """A column as a linear function of others."""

    target: RawColumn
    terms: list[RawColumn]
    slopes: list[float]
    intercept: float


def linear_relations(columns: Sequence[RawColumn], rows: NDArray[np.intp]) -> list[Relation]:
    """Exact relations among columns of numbers that are no twins; ``rows`` are those on which candidates are found."""
    if len(columns) < 3:
        return []
    values = scaled(columns, rows)
    values = values[~np.isnan(values).any(axis=1)]
    if len(values) < LEAST_ROWS_PER_COLUMN * len(columns):
        return []
    found = (_confirmed(columns[j], [columns[k] for k in others]) for j, others in _dependent(values))
    return [relation for relation in found if relation is not None]


def _dependent(values: NDArray[np.float64]) -> Iterator[tuple[int, list[int]]]:
    """Columns that are functions of earlier ones, with those that take part; (n_rows, n_columns) scaled."""
    values = values - values.mean(axis=0)
    left_over = np.square(np.diag(np.linalg.qr(values, mode="r"))) / len(values)
    is_new = left_over > _ALIKE
    for j in np.flatnonzero(~is_new):
        earlier = np.flatnonzero(is_new[:j])
        slopes, *_ = np.linalg.lstsq(values[:, earlier], values[:, j], rcond=None)
        yield int(j), earlier[np.abs(slopes) > _LEAST_TERM].tolist()


def _confirmed(target: RawColumn, terms: list[RawColumn]) -> Relation | None:
    """The relation if it holds on all rows, written so that the slopes are plain."""
    line = line_through(target, terms) if len(terms) > 1 else None
    if line is None or line.largest_residual > ROUNDING or (line.slopes == 0.0).any():
        return None
    ways = [Relation(target, terms, line.slopes.tolist(), line.intercept)]
    for k, other in enumerate(terms):
        rest = [term for term in terms if term is not other]
        slopes = [-slope / line.slopes[k] for slope in np.delete(line.slopes, k)]
        ways.append(Relation(other, [target, *rest], [1.0 / line.slopes[k], *slopes], -line.intercept / line.slopes[k]))
    return max(ways, key=lambda way: sum(tidy(slope) == 1.0 for slope in way.slopes))
