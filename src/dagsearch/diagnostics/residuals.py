"""What the causes of each variable leave unexplained: how much, and of which shape.

The regressions are those of `DagEstimator.effects_`, fitted to the rows that they are compared with: with few rows for
many causes, residuals look smaller and more normal than errors of prediction would.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dagsearch import checks
from dagsearch.causal_effects.fit import Fit
from dagsearch.diagnostics.categories import most_frequent, of_outcomes
from dagsearch.diagnostics.families import causes_of, fit_of, mean_of, require_fitted, sampled
from dagsearch.diagnostics.record import Record
from dagsearch.estimators.base import DagEstimator

Floats = NDArray[np.float64]

_MOST_LEVELS = 20
_N_QUANTILES = 40
_BINS = (8, 40)
_FEWEST_ROWS_OF_A_TEST = 20  # of normality, whose p-value holds for many rows
_NO_VARIATION = 1e-10  # standard deviation of residuals in units of the variable: what rounding leaves


@dataclass(frozen=True, eq=False)
class VariableResiduals(Record):
    """What the causes of one variable leave unexplained; what a kind of variable does not have is None.

    Attributes
    ----------
    name
        The variable.
    n_rows, n_causes
        Rows and causes of the regression.
    reason
        Why there is nothing to show; empty if there is something.
    explained
        Share of the variance that the causes explain, less what as many columns of noise would (adjusted R squared,
        from 0 to 1); of a categorical variable, of the zeros and ones that say which level a row has.
    skewness, kurtosis
        Of the residuals; both are 0 for a normal distribution.
    normality_p_value
        By D'Agostino and Pearson's test.
    edges, density
        (n_bins + 1,) and (n_bins,): a histogram of the residuals in standard deviations; its area is 1.
    normal_quantiles, residual_quantiles
        (n_quantiles,) of a normal distribution, and of the residuals in standard deviations.
    fitted_values, fitted_residuals
        (n_points,) prediction and residual in some of the rows, in units of the variable.
    levels, observed, predicted
        Of a categorical variable: its most frequent levels, the share of rows that have each, and the probability that
        the causes give it on average in these rows. Without causes that is the share itself.
    n_more_levels
        How many levels are not shown.
    """

    name: str
    n_rows: int
    n_causes: int
    reason: str = ""
    explained: float | None = None
    skewness: float | None = None
    kurtosis: float | None = None
    normality_p_value: float | None = None
    edges: Floats | None = None
    density: Floats | None = None
    normal_quantiles: Floats | None = None
    residual_quantiles: Floats | None = None
    fitted_values: Floats | None = None
    fitted_residuals: Floats | None = None
    levels: tuple[str, ...] | None = None
    observed: Floats | None = None
    predicted: Floats | None = None
    n_more_levels: int = 0


def residuals(
    model: Any, most_points: int = 200, variables: Iterable[str] | None = None
) -> tuple[VariableResiduals, ...]:
    """What the causes of each variable in the graph after pruning leave unexplained.

    Parameters
    ----------
    model
        A fitted estimator.
    most_points
        The most rows whose prediction and residual are given. They are drawn at random, the same ones each time.
    variables
        Names of those to look at; None: all.

    Raises
    ------
    InputError
        If the model is not fitted.
    UnknownNameError
        If there is no such variable.

    Examples
    --------
    >>> import numpy as np
    >>> import dagsearch as ds
    >>> x = np.random.default_rng(0).uniform(-1, 1, size=500)
    >>> table = np.column_stack([x, x + 0.2 * np.random.default_rng(1).normal(size=500)])
    >>> model = ds.OrderSearch(knowledge=ds.Knowledge(required=[("x0", "x1")]), random_state=0).fit(table)
    >>> [(each.name, each.n_causes, round(each.explained, 1)) for each in residuals(model)]
    [('x0', 0, 0.0), ('x1', 1, 0.9)]
    """
    model = require_fitted(model)
    checks.integer("most_points", most_points, 1)
    graph = model.pruned_dag_
    nodes = range(graph.n_nodes) if variables is None else [graph.index(name) for name in variables]
    return tuple(_of_variable(model, node, most_points) for node in nodes)


def _of_variable(model: DagEstimator, node: int, most_points: int) -> VariableResiduals:
    fit = fit_of(model, node)
    family = fit.family
    about: dict[str, Any] = {
        "name": model.data_.names[node],
        "n_rows": family.n_rows,
        "n_causes": len(causes_of(model, node)),
    }
    if family.problem:
        return VariableResiduals(**about, reason=family.problem)
    if fit.degrees_of_freedom < 1:
        return VariableResiduals(**about, reason=f"{family.n_rows} rows are too few for {about['n_causes']} causes")
    about["explained"] = _explained(fit)
    column = model.data_.values[family.rows, node]
    shown = _of_levels(fit, column) if family.outcomes is not None else _of_numbers(fit, column, most_points)
    return VariableResiduals(**about, **shown)


def _explained(fit: Fit) -> float:
    """Adjusted R squared over all targets, not below 0."""
    total = float(fit.family.targets.var(axis=0, ddof=1).sum())
    return max(0.0, 1.0 - float(fit.variances.sum()) / total)


def _of_numbers(fit: Fit, column: Floats, most_points: int) -> dict[str, Any]:
    """The shape of the residuals of a continuous variable."""
    left, unit = fit.residuals[:, 0], fit.family.unit
    rows = sampled(len(left), most_points)
    with np.errstate(over="ignore", under="ignore"):
        points = {
            "fitted_values": mean_of(column) + unit * fit.fitted[rows, 0],
            "fitted_residuals": unit * left[rows],
        }
    deviation = float(left.std())
    if deviation < _NO_VARIATION:
        return points
    scaled = left / deviation
    density, edges = np.histogram(scaled, bins=_n_bins(scaled), density=True)
    shares = (np.arange(min(_N_QUANTILES, len(left))) + 0.5) / min(_N_QUANTILES, len(left))
    return {
        **points,
        "skewness": float(stats.skew(scaled)),
        "kurtosis": float(stats.kurtosis(scaled)),
        "normality_p_value": float(stats.normaltest(scaled).pvalue) if len(left) >= _FEWEST_ROWS_OF_A_TEST else None,
        "edges": edges,
        "density": density,
        "normal_quantiles": stats.norm.ppf(shares),
        "residual_quantiles": np.quantile(scaled, shares),
    }


def _n_bins(values: Floats) -> int:
    """By Freedman and Diaconis, within limits."""
    first, third = np.quantile(values, [0.25, 0.75])
    width = 2.0 * (third - first) / len(values) ** (1.0 / 3.0)
    least, most = _BINS
    return most if width == 0.0 else int(np.clip(np.ceil(np.ptp(values) / width), least, most))


def _of_levels(fit: Fit, column: Floats) -> dict[str, Any]:
    """How likely the causes make the levels that are seen."""
    shown = most_frequent(fit.family.outcomes, column, _MOST_LEVELS)
    probabilities, _ = of_outcomes(fit.fitted, np.zeros_like(fit.fitted), shown)
    has = column[:, None] == shown.codes[None, :]
    return {
        "levels": shown.labels,
        "observed": has.mean(axis=0),
        "predicted": (probabilities * has).sum(axis=0) / has.sum(axis=0),
        "n_more_levels": shown.n_more,
    }
