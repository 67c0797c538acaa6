"""The columns by which a variable explains others: a straight line, a spline, or one column per level.

A spline is a natural cubic one with its knots at quantiles: straight beyond the outer knots, so that few rows far away
do not decide its slope.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset

Floats = NDArray[np.float64]

_KNOTS = 5
_ROWS_PER_COLUMN = 20  # fewer, and straight lines are all that is fitted
_OUTER = 0.05  # share of the rows beyond the outer knots, at each end


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a categorical variable that are seen in some rows.

    Attributes
    ----------
    codes
        (n_levels,) their values in the table, ascending.
    labels
        What they are called.
    reference
        Position of the level that others are compared with: of two levels the first, otherwise the most frequent.
    """

    codes: Floats
    labels: tuple[str, ...]
    reference: int

    @property
    def others(self) -> list[int]:
        """Positions of the levels that are compared with the reference."""
        return [k for k in range(len(self.codes)) if k != self.reference]

    def indicators(self, column: Floats) -> Floats:
        """(n_samples, n_levels - 1) which of the other levels a row has, as zeros and ones."""
        found: Floats = (column[:, None] == self.codes[self.others][None, :]).astype(np.float64)
        return found


def levels_of(data: Dataset, node: int, rows: NDArray[np.intp]) -> Levels | None:
    """The levels of a variable in some rows; None for a continuous one."""
    if data.kinds[node] == "continuous":
        return None
    codes, counts = np.unique(data.values[rows, node], return_counts=True)
    labels = data.labels[node]
    called = [f"{code:g}" if labels is None else labels[int(code)] for code in codes]
    return Levels(codes, tuple(called), 0 if len(codes) <= 2 else int(counts.argmax()))


@dataclass(frozen=True, eq=False)
class Block:
    """The columns of one cause, and how they change as it does.

    Attributes
    ----------
    columns
        (n_samples, width)
    slopes
        (n_samples, width) derivatives of the columns by the cause, for a continuous one; otherwise empty.
    levels
        Of a categorical cause.
    unit
        What the values were divided by before columns were made of them.
    knots
        Of a spline, in such units around the mean; otherwise empty.
    """

    columns: Floats
    slopes: Floats
    levels: Levels | None
    unit: float = 1.0
    knots: Floats = field(default_factory=lambda: np.zeros(0))

    def straight(self) -> Block:
        """The same without what makes it more than a straight line."""
        return replace(self, columns=self.columns[:, :1], slopes=self.slopes[:, :1], knots=np.zeros(0))

    def columns_at(self, values: Floats) -> Floats:
        """The columns, (n, width), of other values of a continuous cause, in units around the mean."""
        return natural_spline(values, self.knots)[0] if len(self.knots) else values[:, None]

    def columns_of_levels(self) -> Floats:
        """The columns, (n_levels, width), of each level of a categorical cause."""
        return np.zeros((0, 0)) if self.levels is None else self.levels.indicators(self.levels.codes)


def block_of(data: Dataset, node: int, rows: NDArray[np.intp], bends: bool) -> Block:
    """Columns for a cause in some rows; a continuous one is a spline if it `bends`, and a straight line otherwise."""
    values, levels = data.values[rows, node], levels_of(data, node, rows)
    if levels is not None:
        return Block(levels.indicators(values), np.empty((len(rows), 0)), levels)
    centred, unit = centred_and_scaled(values)
    knots = _knots(centred) if bends else np.zeros(0)
    if len(knots) < 3:
        return Block(centred[:, None], np.ones((len(rows), 1)), None, unit)
    return Block(*natural_spline(centred, knots), None, unit, knots)


def bends(n_rows: int, n_causes: int) -> bool:
    """Whether there are rows enough to fit more than straight lines."""
    return n_rows >= _ROWS_PER_COLUMN * max(n_causes, 1) * (_KNOTS - 1)


def centred_and_scaled(values: Floats) -> tuple[Floats, float]:
    """Values with mean 0 and standard deviation 1, and the deviation; zeros and 0 where they are all the same."""
    if (values == values[0]).all():
        return np.zeros_like(values), 0.0
    # Halves of the largest numbers that there are can be subtracted, and moderate numbers squared.
    size = float(np.abs(values).max())
    moderate = values / size
    centred = moderate - moderate.mean()
    deviation = float(centred.std())
    return (centred / deviation, deviation * size) if deviation > 0.0 else (np.zeros_like(values), 0.0)


def _knots(values: Floats) -> Floats:
    """Knots at quantiles, each value once."""
    return np.unique(np.quantile(values, np.linspace(_OUTER, 1.0 - _OUTER, _KNOTS)))


def natural_spline(values: Floats, knots: Floats) -> tuple[Floats, Floats]:
    """A basis of natural cubic splines without the constant, and its derivatives, each (n_samples, n_knots - 1).

    T. Hastie, R. Tibshirani and J. Friedman, "The elements of statistical learning", 2009, equations 5.4 and 5.5.
    """
    x, last = values[:, None], knots[-1]
    above, beyond = np.maximum(x - knots[None, :-1], 0.0), np.maximum(x - last, 0.0)
    spans = last - knots[:-1]
    d, d_slope = (above**3 - beyond**3) / spans, 3.0 * (above**2 - beyond**2) / spans
    curved, curved_slopes = d[:, :-1] - d[:, -1:], d_slope[:, :-1] - d_slope[:, -1:]
    return np.hstack([x, curved]), np.hstack([np.ones_like(x), curved_slopes])
