"""Levels of categorical variables as they are shown: the most frequent ones, and what a regression says of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch.causal_effects.design import Levels
from dagsearch.causal_effects.fit import Fit

Floats = NDArray[np.float64]

_WHISKERS = 1.5  # in interquartile ranges, as Tukey has them


class Shown(NamedTuple):
    """Some levels of a variable, in the order of the table."""

    positions: NDArray[np.intp]  # among all levels
    codes: Floats
    labels: tuple[str, ...]
    n_more: int


def most_frequent(levels: Levels | None, column: Floats, most: int) -> Shown:
    """The levels that most rows have, of equally frequent ones the first; a continuous variable has none."""
    if levels is None:
        return Shown(np.zeros(0, dtype=np.intp), np.zeros(0), (), 0)
    counts = np.bincount(np.searchsorted(levels.codes, column), minlength=len(levels.codes))
    chosen = np.sort(np.argsort(-counts, kind="stable")[:most])
    labels = tuple(levels.labels[k] for k in chosen)
    return Shown(chosen, levels.codes[chosen], labels, len(levels.codes) - len(chosen))


def counted(column: Floats, shown: Shown) -> NDArray[np.int64]:
    """(n_levels,) rows with each level."""
    return np.array([np.count_nonzero(column == code) for code in shown.codes])


def means_at_levels(fit: Fit, cause: int, shown: Shown) -> tuple[Floats, Floats]:
    """Means and half widths of intervals, each (n_levels, n_targets), with the other causes as on average."""
    return fit.means_at(cause, fit.family.blocks[cause].columns_of_levels()[shown.positions])


def of_outcomes(means: Floats, half_widths: Floats, shown: Shown) -> tuple[Floats, Floats]:
    """The same by the levels of the effect, (n, n_effect_levels): of two levels, only the second is regressed."""
    if means.shape[1] == 1:
        means, half_widths = np.hstack([1.0 - means, means]), np.hstack([half_widths, half_widths])
    return means[:, shown.positions], half_widths[:, shown.positions]


def box(values: Floats) -> Floats:
    """Lower whisker, quartile, median, quartile, upper whisker."""
    first, median, third = np.quantile(values, [0.25, 0.5, 0.75])
    reach = _WHISKERS * (third - first)
    within = values[(values >= first - reach) & (values <= third + reach)]
    return np.array([min(within.min(), first), first, median, third, max(within.max(), third)])
