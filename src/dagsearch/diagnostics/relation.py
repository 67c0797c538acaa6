"""The relation along an edge, given the other causes: what a picture of the data and the fitted curve shows.

The regression is that of `DagEstimator.effects_`: the effect on all its causes, by a straight line, a spline or levels
each; of a categorical effect, the probabilities of its levels (a linear probability model, which may leave 0 to 1).
Points are partial residuals: the effect less what the other causes contribute to the prediction, so that they scatter
around the curve as the data do around the prediction. The curve is the prediction with the other causes as on average,
and its band the confidence interval of that mean at each place, given the graph and equal variances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.causal_effects.fit import Fit
from dagsearch.diagnostics.categories import box, counted, means_at_levels, most_frequent, of_outcomes
from dagsearch.diagnostics.f_test import FTest
from dagsearch.diagnostics.families import causes_of, fit_of, mean_of, require_fitted, sampled
from dagsearch.diagnostics.record import Record
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator

Floats = NDArray[np.float64]

CURVE, BOXES, PROBABILITIES, TABLE = "curve", "boxes", "probabilities", "table"
_KINDS = {
    ("continuous", "continuous"): CURVE,
    ("discrete", "continuous"): BOXES,
    ("continuous", "discrete"): PROBABILITIES,
    ("discrete", "discrete"): TABLE,
}
MOST_LEVELS, MOST_EFFECT_LEVELS = 12, 6
_GRID_POINTS = 60
_TRIMMED = 0.005  # of the rows at each end: curves go over the others
_N_BINS = 12


@dataclass(frozen=True, eq=False)
class Relation(Record):
    """The relation along an edge, given the other causes; what a kind does not have is None.

    Attributes
    ----------
    cause, effect
        Names.
    kind
        ``"curve"``: both are continuous. ``"boxes"``: the cause is categorical. ``"probabilities"``: the effect is.
        ``"table"``: both are.
    adjusts_for
        The other causes.
    n_rows
        Number of rows that the regression used.
    reason
        Why there is nothing to show; empty if there is something.
    p_value
        Of the F test of this cause beside the others, which takes the edge for chosen before the data were seen: a
        search that looked for it makes it too small.
    x, y
        (n_points,) Of a curve: the cause and the partial residual, in the units of the table, in some of the rows.
    grid, fit, lower, upper
        (n_grid,) Of a curve: places along the cause, the fitted mean of the effect there, and its 95% band. Of
        probabilities, `lower` and `upper` have the shape of `curves`; of boxes (n_levels,), of a table that of
        `shares`.
    levels
        Of the cause: those that are most frequent, in the order of the table.
    counts
        Rows with each level, (n_levels,); of a table with each pair of levels, (n_levels, n_effect_levels).
    quantiles
        (n_levels, 5) Of the partial residuals of a level: lower whisker, quartile, median, quartile, upper whisker.
        Whiskers end at the last value within 1.5 interquartile ranges of the box.
    means
        (n_levels,) fitted mean of the effect.
    effect_levels
        Of the effect: those that are most frequent, in the order of the table.
    curves
        (n_effect_levels, n_grid) fitted probabilities.
    bin_x, bin_shares
        (n_bins,) means of the cause in bins of equally many rows, and (n_bins, n_effect_levels) observed shares there,
        which are not adjusted for other causes.
    shares
        (n_levels, n_effect_levels) fitted probabilities.
    n_more_levels, n_more_effect_levels
        How many levels are not shown.
    """

    cause: str
    effect: str
    kind: str
    adjusts_for: tuple[str, ...]
    n_rows: int
    reason: str = ""
    p_value: float | None = None
    x: Floats | None = None
    y: Floats | None = None
    grid: Floats | None = None
    fit: Floats | None = None
    lower: Floats | None = None
    upper: Floats | None = None
    levels: tuple[str, ...] | None = None
    counts: NDArray[np.int64] | None = None
    quantiles: Floats | None = None
    means: Floats | None = None
    effect_levels: tuple[str, ...] | None = None
    curves: Floats | None = None
    bin_x: Floats | None = None
    bin_shares: Floats | None = None
    shares: Floats | None = None
    n_more_levels: int = 0
    n_more_effect_levels: int = 0


def relation(model: Any, cause: str, effect: str, most_points: int = 300) -> Relation:
    """The relation along an edge of the graph after pruning, given the other causes of the effect.

    Parameters
    ----------
    model
        A fitted estimator.
    cause, effect
        Names; of an undirected edge in either order.
    most_points
        Of a curve: the most rows that are shown as points. They are drawn at random, the same ones each time.

    Raises
    ------
    InputError
        If the model is not fitted, or the graph has no such edge.
    UnknownNameError
        If one of the variables is not in the graph.

    Examples
    --------
    >>> import numpy as np
    >>> import dagsearch as ds
    >>> x = np.random.default_rng(0).uniform(-1, 1, size=200)
    >>> table = np.column_stack([x, 2 * x + 0.1 * np.random.default_rng(1).normal(size=200)])
    >>> model = ds.OrderSearch(knowledge=ds.Knowledge(required=[("x0", "x1")]), random_state=0).fit(table)
    >>> found = relation(model, "x0", "x1")
    >>> found.kind, len(found.x), float(round(found.fit[-1] - found.fit[0], 1))
    ('curve', 200, 3.9)
    """
    model = require_fitted(model)
    checks.integer("most_points", most_points, 1)
    graph = model.pruned_dag_
    i, j = graph.index(cause), graph.index(effect)
    if i not in causes_of(model, j):
        raise InputError(
            f"the graph must have an edge from cause to effect, there is none from {cause!r} to {effect!r}"
        )
    return _relation(model, i, j, most_points)


def relations(model: Any, most_points: int = 300) -> tuple[Relation, ...]:
    """The relation along each edge of the graph after pruning, in the order of `effects_`; see `relation`."""
    model = require_fitted(model)
    checks.integer("most_points", most_points, 1)
    graph = model.pruned_dag_
    found = {
        (graph.names[i], graph.names[j]): _relation(model, i, j, most_points)
        for j in range(graph.n_nodes)
        for i in causes_of(model, j)
    }
    both_ways = [pair for line in graph.undirected_edges for pair in (line, line[::-1])]
    return tuple(found[edge] for edge in [*graph.directed_edges, *both_ways])


def _relation(model: DagEstimator, cause: int, effect: int, most_points: int) -> Relation:
    data, fit = model.data_, fit_of(model, effect)
    kind = _KINDS[data.kinds[cause], data.kinds[effect]]
    reason = fit.family.influence(cause).reason
    if not reason and not fit.is_determined(cause):
        reason = f"{data.names[cause]!r} cannot be told apart from the other causes"
    shown: dict[str, Any] = {}
    if not reason:
        shown["p_value"] = _p_value(fit, cause)
        values = data.values[fit.family.rows]
        with np.errstate(over="ignore", under="ignore"):
            columns = values[:, cause], values[:, effect]
            shown |= (
                _curve(fit, cause, *columns, most_points) if kind == CURVE else _BY_LEVEL[kind](fit, cause, *columns)
            )
    return Relation(
        cause=data.names[cause],
        effect=data.names[effect],
        kind=kind,
        adjusts_for=tuple(data.names[other] for other in fit.family.causes if other != cause),
        n_rows=fit.family.n_rows,
        reason=reason,
        **shown,
    )


def _p_value(fit: Fit, cause: int) -> float | None:
    """Whether a cause explains more than chance beside the others."""
    blocks = fit.family.blocks
    others = [block.columns for other, block in blocks.items() if other != cause]
    added = FTest(fit.family.targets, others).of(blocks[cause].columns)
    return None if added is None else added.p_value


def _curve(fit: Fit, cause: int, xs: Floats, ys: Floats, most_points: int) -> dict[str, Any]:
    """Points and a curve with its band."""
    rows, centre, unit = sampled(len(xs), most_points), mean_of(ys), fit.family.unit
    grid, columns = _grid(fit, cause, xs)
    means, half_widths = fit.means_at(cause, columns)
    middle, half = centre + unit * means[:, 0], unit * half_widths[:, 0]
    return {
        "x": xs[rows],
        "y": centre + unit * fit.partial_residuals(cause)[rows, 0],
        "grid": grid,
        "fit": middle,
        "lower": middle - half,
        "upper": middle + half,
    }


def _grid(fit: Fit, cause: int, xs: Floats) -> tuple[Floats, Floats]:
    """Places along a continuous cause without its most extreme values, and the columns of its block there."""
    block = fit.family.blocks[cause]
    standardised = block.columns[:, 0]
    first, last = np.quantile(standardised, [_TRIMMED, 1.0 - _TRIMMED])
    places = np.linspace(first, last, _GRID_POINTS)
    return mean_of(xs) + block.unit * places, block.columns_at(places)


def _boxes(fit: Fit, cause: int, xs: Floats, ys: Floats) -> dict[str, Any]:
    """Boxes of the partial residuals by the level of the cause."""
    shown = most_frequent(fit.family.blocks[cause].levels, xs, MOST_LEVELS)
    centre, unit = mean_of(ys), fit.family.unit
    means, half_widths = means_at_levels(fit, cause, shown)
    partial = centre + unit * fit.partial_residuals(cause)[:, 0]
    middle, half = centre + unit * means[:, 0], unit * half_widths[:, 0]
    return {
        "levels": shown.labels,
        "counts": counted(xs, shown),
        "quantiles": np.array([box(partial[xs == code]) for code in shown.codes]),
        "means": middle,
        "lower": middle - half,
        "upper": middle + half,
        "n_more_levels": shown.n_more,
    }


def _probabilities(fit: Fit, cause: int, xs: Floats, ys: Floats) -> dict[str, Any]:
    """Curves of the probabilities of the effect's levels, and observed shares in bins of the cause."""
    shown = most_frequent(fit.family.outcomes, ys, MOST_EFFECT_LEVELS)
    grid, columns = _grid(fit, cause, xs)
    curves, half = of_outcomes(*fit.means_at(cause, columns), shown)
    bins = [each for each in np.array_split(np.argsort(xs, kind="stable"), _N_BINS) if len(each)]
    return {
        "effect_levels": shown.labels,
        "grid": grid,
        "curves": curves.T,
        "lower": (curves - half).T,
        "upper": (curves + half).T,
        "bin_x": np.array([mean_of(xs[each]) for each in bins]),
        "bin_shares": np.array([counted(ys[each], shown) / len(each) for each in bins]),
        "n_more_effect_levels": shown.n_more,
    }


def _table(fit: Fit, cause: int, xs: Floats, ys: Floats) -> dict[str, Any]:
    """Probabilities of the effect's levels by the level of the cause."""
    shown = most_frequent(fit.family.blocks[cause].levels, xs, MOST_LEVELS)
    outcomes = most_frequent(fit.family.outcomes, ys, MOST_EFFECT_LEVELS)
    shares, half = of_outcomes(*means_at_levels(fit, cause, shown), outcomes)
    return {
        "levels": shown.labels,
        "effect_levels": outcomes.labels,
        "shares": shares,
        "lower": shares - half,
        "upper": shares + half,
        "counts": np.array([counted(ys[xs == code], outcomes) for code in shown.codes]),
        "n_more_levels": shown.n_more,
        "n_more_effect_levels": outcomes.n_more,
    }


_BY_LEVEL = {BOXES: _boxes, PROBABILITIES: _probabilities, TABLE: _table}
