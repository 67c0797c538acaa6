"""One variable explained by others: what a change of each of these does to it.

A continuous variable is regressed as it is; of a categorical one the probabilities of its levels are (a linear
probability model), so that every number is a change of a mean or of a probability, whatever the kinds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dagsearch.causal_effects.design import Block, Levels, bends, block_of, centred_and_scaled, levels_of
from dagsearch.causal_effects.regression import Regression, Solution
from dagsearch.data import Dataset

Floats = NDArray[np.float64]

_ROUNDING = 1e-12
SLOPE, AVERAGE_SLOPE, DIFFERENCE = "slope", "average slope", "difference"


@dataclass(frozen=True)
class Influence:
    """What a change of one variable does to another one, others being held fixed.

    Attributes
    ----------
    kind
        ``"slope"``: per unit of the cause. ``"average slope"``: the same, where it differs from row to row.
        ``"difference"``: from one level of the cause to another.
    coefficient
        The change; None if it is more than one number, or not determined.
    standardised
        The same with cause and effect in standard deviations; a variable of two levels is 0 and 1.
    contrasts
        The changes by the level of the cause, or by the level of the effect whose probability they are of, or by both
        as ``cause -> effect``.
    reference
        The level that others are compared with, of a categorical cause.
    outcome
        The level whose probability changes, of an effect with two levels.
    rising
        Share of the rows in which the slope is positive, where it differs from row to row.
    reason
        Why there is no number, if there is none.
    """

    kind: str
    coefficient: float | None = None
    standardised: float | None = None
    contrasts: Mapping[str, float] = field(default_factory=dict, hash=False)
    reference: str | None = None
    outcome: str | None = None
    rising: float | None = None
    reason: str = ""


def usable_rows(data: Dataset, effect: int, nodes: Sequence[int], never_set: Sequence[int] = ()) -> NDArray[np.intp]:
    """Rows in which all these variables are seen, and neither the effect nor others were set by an experiment."""
    usable = ~np.isnan(data.values[:, [effect, *nodes]]).any(axis=1)
    if data.was_set is not None:
        usable &= ~data.was_set[:, [effect, *never_set]].any(axis=1)
    return np.flatnonzero(usable)


class Family:
    """A variable and those that explain it, in some rows of a table.

    Parameters
    ----------
    data
        The table.
    effect, causes
        Positions of the variable and of those that explain it.
    rows
        Positions of the rows, without missing cells in these columns.
    additive
        Whether continuous causes may have an influence that is no straight line, if there are rows enough. Each gets a
        spline if that is worth its coefficients by BIC.
    """

    def __init__(
        self, data: Dataset, effect: int, causes: Sequence[int], rows: NDArray[np.intp], additive: bool
    ) -> None:
        self.names = data.names
        self.effect, self.causes, self.rows, self.n_rows = effect, list(causes), rows, len(rows)
        curved = additive and bool(causes) and bends(len(rows), len(causes))
        self.blocks: dict[int, Block] = {}
        self.problem = ""
        if len(rows) < 2:
            self.problem = f"only {len(rows)} rows have all that is needed"
            return
        self.blocks = {cause: block_of(data, cause, rows, curved) for cause in causes}
        self.outcomes: Levels | None = levels_of(data, effect, rows)
        self.targets, self.unit = self._made_targets(data.values[rows, effect])
        if curved and not self.problem:
            self._straighten()

    def _straighten(self) -> None:
        """Leave curves to the causes that need them by BIC, each judged beside the curves of the others."""
        regression = Regression(np.hstack([block.columns for block in self.blocks.values()]), self.targets)
        everything = np.arange(regression.n_columns)
        full, price = regression.unexplained(everything), math.log(self.n_rows) / self.n_rows
        kept = dict(self.blocks)
        for cause, block in self.blocks.items():
            if block.levels is not None or block.columns.shape[1] == 1:
                continue
            own = self.columns_of(cause)
            rest = np.delete(everything, np.arange(own.start + 1, own.stop))
            # What rounding leaves of a perfect fit is no reason for a curve.
            ratio = (regression.unexplained(rest) + _ROUNDING) / (full + _ROUNDING)
            if math.log(ratio) < price * (block.columns.shape[1] - 1):
                kept[cause] = block.straight()
        self.blocks = kept

    def _made_targets(self, column: Floats) -> tuple[Floats, float]:
        """What is regressed, (n_samples, n_targets), and the unit in which it is."""
        if self.outcomes is None:
            centred, unit = centred_and_scaled(column)
            self.problem = "" if unit else f"{self.names[self.effect]!r} does not vary in these rows"
            return centred[:, None], unit
        codes = self.outcomes.codes
        if len(codes) < 2:
            self.problem = f"{self.names[self.effect]!r} does not vary in these rows"
        chosen = codes[1:] if len(codes) == 2 else codes
        return (column[:, None] == chosen[None, :]).astype(np.float64), 1.0

    @cached_property
    def regression(self) -> Regression:
        """The regression of all targets on the columns of all causes."""
        columns = [block.columns for block in self.blocks.values()]
        return Regression(np.hstack([*columns, np.zeros((self.n_rows, 0))]), self.targets)

    @cached_property
    def solution(self) -> Solution:
        """The fit to all rows."""
        return self.regression.solve()

    def changes(self, cause: int, solution: Solution, weights: Floats | None = None) -> Floats | None:
        """What the cause does, (n_changes, n_targets), in the original units; None if that is not determined.

        Continuous causes have one change, categorical ones one for each level but the reference.
        """
        block = self.blocks[cause]
        own = self.columns_of(cause)
        if block.levels is None:
            share = np.full(self.n_rows, 1.0 / self.n_rows) if weights is None else weights / weights.sum()
            asked = (share @ block.slopes)[None, :]
        else:
            asked = np.eye(block.columns.shape[1])
        changes = []
        for function in asked:
            full = np.zeros(self.regression.n_columns)
            full[own] = function
            value = solution.value(full) if block.unit else None
            if value is None:
                return None
            with np.errstate(over="ignore", under="ignore"):
                changes.append(value / block.unit * self.unit)
        return np.array(changes) if changes and np.isfinite(changes).all() else None

    def influence(self, cause: int) -> Influence:
        """What a change of one cause does, the others being held fixed."""
        if self.problem:
            return Influence(SLOPE, reason=self.problem)
        block = self.blocks[cause]
        kind = DIFFERENCE if block.levels is not None else SLOPE if block.columns.shape[1] == 1 else AVERAGE_SLOPE
        changes = self.changes(cause, self.solution)
        if changes is None:
            return Influence(kind, reason=self._why_not(cause))
        single = changes.size == 1
        return Influence(
            kind,
            coefficient=float(changes[0, 0]) if single else None,
            standardised=self._standardised(cause, float(changes[0, 0])) if single else None,
            contrasts=self.named(cause, changes),
            reference=None if block.levels is None else block.levels.labels[block.levels.reference],
            outcome=self.outcomes.labels[1] if self.outcomes is not None and len(self.outcomes.codes) == 2 else None,
            rising=self._rising(cause) if kind == AVERAGE_SLOPE and self.targets.shape[1] == 1 else None,
        )

    def named(self, cause: int, changes: Floats) -> dict[str, float]:
        """Changes by the levels that they are about; empty if there is no level to name."""
        levels = self.blocks[cause].levels
        from_levels = [""] if levels is None else [levels.labels[k] for k in levels.others]
        to_levels = [""] if changes.shape[1] == 1 or self.outcomes is None else list(self.outcomes.labels)
        return {
            " -> ".join(filter(None, (start, end))): float(changes[i, j])
            for i, start in enumerate(from_levels)
            for j, end in enumerate(to_levels)
            if start or end
        }

    def _standardised(self, cause: int, change: float) -> float | None:
        """The change in standard deviations of the effect for one standard deviation of the cause."""
        block = self.blocks[cause]
        cause_deviation = block.unit if block.levels is None else float(block.columns.std())
        deviation = self.unit if self.outcomes is None else float(self.targets.std())
        with np.errstate(over="ignore", under="ignore"):
            ratio = np.float64(change) / deviation * cause_deviation
        return float(ratio) if np.isfinite(ratio) else None

    def _rising(self, cause: int) -> float:
        """Share of the rows in which the slope is positive."""
        own = self.solution.coefficients[self.columns_of(cause), 0]
        return float(np.mean(self.blocks[cause].slopes @ own > 0.0))

    def columns_of(self, cause: int) -> slice:
        """Where the columns of a cause are among those of all."""
        widths = [self.blocks[each].columns.shape[1] for each in self.causes]
        start = sum(widths[: self.causes.index(cause)])
        return slice(start, start + self.blocks[cause].columns.shape[1])

    def _why_not(self, cause: int) -> str:
        """Why the data do not determine what a cause does."""
        block, name = self.blocks[cause], self.names[cause]
        if block.unit == 0.0 or (block.levels is not None and len(block.levels.codes) < 2):
            return f"{name!r} does not vary in these rows"
        if self.n_rows <= self.regression.n_columns:
            return f"{self.n_rows} rows are too few for {len(self.causes)} causes"
        return f"{name!r} cannot be told apart from the other causes"
