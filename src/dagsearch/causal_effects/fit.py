"""What a fitted regression of one variable on its causes says row by row, and how sure its curves are."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from dagsearch.causal_effects.family import Family

Floats = NDArray[np.float64]


class Fit:
    """The regression of a `Family`, whose `problem` must be empty, in the units of its targets.

    Targets are the variable itself, less its mean and in standard deviations, or whether it has a level (0 or 1).
    """

    def __init__(self, family: Family) -> None:
        self.family = family
        columns = np.hstack([*(block.columns for block in family.blocks.values()), np.zeros((family.n_rows, 0))])
        self._means = columns.mean(axis=0)
        self._columns = columns - self._means

    @cached_property
    def centre(self) -> Floats:
        """(n_targets,) mean of each target."""
        return np.asarray(self.family.targets.mean(axis=0))

    @cached_property
    def fitted(self) -> Floats:
        """(n_samples, n_targets) what the causes predict."""
        return np.asarray(self.centre + self._columns @ self.family.solution.coefficients)

    @cached_property
    def residuals(self) -> Floats:
        """(n_samples, n_targets) what the causes leave."""
        return np.asarray(self.family.targets - self.fitted)

    @property
    def degrees_of_freedom(self) -> int:
        """Rows beyond the number of coefficients."""
        return self.family.n_rows - 1 - self.family.solution.rank

    @cached_property
    def variances(self) -> Floats:
        """(n_targets,) of the residuals; NaN where there are as many coefficients as rows."""
        n_free = self.degrees_of_freedom
        return np.asarray((self.residuals**2).sum(axis=0) / n_free if n_free > 0 else np.full(len(self.centre), np.nan))

    def contribution(self, cause: int) -> Floats:
        """(n_samples, n_targets) share of one cause in the prediction, zero on average."""
        own = self.family.columns_of(cause)
        return np.asarray(self._columns[:, own] @ self.family.solution.coefficients[own])

    def partial_residuals(self, cause: int) -> Floats:
        """(n_samples, n_targets) the targets less what the other causes contribute to them."""
        return np.asarray(self.centre + self.contribution(cause) + self.residuals)

    def is_determined(self, cause: int) -> bool:
        """Whether the data tell every coefficient of a cause."""
        own = self.family.columns_of(cause)
        functions = np.eye(self.family.regression.n_columns)[own]
        return len(functions) > 0 and all(self.family.solution.value(each) is not None for each in functions)

    def means_at(self, cause: int, columns: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
        """Mean of each target where a cause has such columns and the others are as on average.

        Parameters
        ----------
        cause
            Position of the cause.
        columns
            (n, width) as its block has them.
        level
            Of the interval.

        Returns
        -------
        means, half_widths
            Each (n, n_targets): the mean, and half the width of its confidence interval, which takes the residuals for
            independent and their variance for constant.
        """
        own, solution = self.family.columns_of(cause), self.family.solution
        away = columns - self._means[own]
        means = self.centre + away @ solution.coefficients[own]
        leverages = (1.0 + np.einsum("ij,jk,ik->i", away, solution.inverse[own, own], away)) / self.family.n_rows
        quantile = student.ppf(0.5 + 0.5 * level, self.degrees_of_freedom) if self.degrees_of_freedom > 0 else np.nan
        return means, quantile * np.sqrt(np.outer(leverages, self.variances))
