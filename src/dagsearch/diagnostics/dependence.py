"""What residuals still depend on: a graph says that, given its causes, a variable depends on no other but its effects.

Each variable is tested against each other one that is neither a cause of it nor comes after it: does the regression of
`DagEstimator.effects_` explain more with it, as a straight line, spline or levels? That is an F test, which takes the
noise for equally large in all rows; noise that grows with a variable can make it see too much.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.causal_effects.design import bends, block_of
from dagsearch.causal_effects.family import Family, usable_rows
from dagsearch.data import Dataset
from dagsearch.diagnostics.f_test import FTest
from dagsearch.diagnostics.families import causes_of, require_fitted, sampled
from dagsearch.diagnostics.record import Record
from dagsearch.estimators.base import DagEstimator
from dagsearch.graph.separation import reachable

_MOST_ROWS = 10_000


@dataclass(frozen=True)
class LeftOver(Record):
    """A variable whose residual still depends on another one.

    Attributes
    ----------
    variable, other
        Names.
    p_value
        Of the F test, not corrected for the number of tests.
    share
        Of the variance that the causes leave, what the other variable explains.
    """

    variable: str
    other: str
    p_value: float
    share: float


@dataclass(frozen=True)
class Dependence(Record):
    """What residuals still depend on.

    Attributes
    ----------
    found
        The pairs, the least p-value first.
    n_tested
        How many pairs were tested.
    level
        Probability of at least one pair in `found` if the graph and the regressions are right (Holm's correction).
    n_rows
        The most rows that a test used.
    summary
        All that in words.
    """

    found: tuple[LeftOver, ...]
    n_tested: int
    level: float
    n_rows: int
    summary: str


def dependence(model: Any, level: float = 0.05) -> Dependence:
    """Test whether the residual of any variable depends on others that the graph says it does not depend on.

    Parameters
    ----------
    model
        A fitted estimator.
    level
        Probability of any false alarm.

    Raises
    ------
    InputError
        If the model is not fitted.
    """
    model = require_fitted(model)
    checks.real("level", level, 0.0, 1.0, strict=True)
    tested: list[LeftOver] = []
    n_rows = 0
    columns = _Columns(model.data_)
    for node in range(model.data_.n_nodes):
        for n_used, pair in _tests_of(model, node, columns):
            tested.append(pair)
            n_rows = max(n_rows, n_used)
    found = _after_holm(tested, level)
    return Dependence(found, len(tested), level, n_rows, _in_words(len(found), len(tested), level, n_rows, model))


class _Columns:
    """What stands for a variable beside others: the same in each test of a table where all rows count."""

    def __init__(self, data: Dataset) -> None:
        self._data, self._same_rows = data, data.all_rows_count
        self._known: dict[tuple[int, bool], NDArray[np.float64]] = {}

    def of(self, node: int, rows: NDArray[np.intp], curved: bool) -> NDArray[np.float64]:
        """Its columns, (n_rows, width)."""
        if not self._same_rows:
            return block_of(self._data, node, rows, curved).columns
        if (node, curved) not in self._known:
            self._known[node, curved] = block_of(self._data, node, rows, curved).columns
        return self._known[node, curved]


def _tests_of(model: DagEstimator, node: int, columns: _Columns) -> Iterator[tuple[int, LeftOver]]:
    """Test the residual of one variable against all that come neither directly before it nor after it."""
    data, causes = model.data_, causes_of(model, node)
    after = reachable(model.pruned_dag_.adjacency, [node])
    others = [other for other in range(data.n_nodes) if other not in after and other not in causes and other != node]
    rows = usable_rows(data, node, causes)
    if not others or not len(rows):
        return
    rows = rows[sampled(len(rows), _MOST_ROWS)]
    for seen, group in _by_rows(np.isnan(data.values[rows][:, others]), others):
        family = Family(data, node, causes, rows[seen], not model.is_linear)
        if family.problem:
            continue
        curved = not model.is_linear and bends(family.n_rows, len(causes) + 1)
        test = FTest(family.targets, [block.columns for block in family.blocks.values()])
        tested = test.of_each([columns.of(other, family.rows, curved) for other in group])
        for other, added in zip(group, tested, strict=True):
            if added is not None:
                yield family.n_rows, LeftOver(data.names[node], data.names[other], *added)


def _by_rows(missing: NDArray[np.bool_], others: list[int]) -> Iterator[tuple[NDArray[np.bool_], list[int]]]:
    """The other variables by the rows in which they are seen."""
    alike: dict[bytes, list[int]] = {}
    for place, pattern in enumerate(missing.T):
        alike.setdefault(pattern.tobytes(), []).append(place)
    for places in alike.values():
        yield ~missing[:, places[0]], [others[place] for place in places]


def _after_holm(tested: list[LeftOver], level: float) -> tuple[LeftOver, ...]:
    """Pairs that are significant whatever the others are, by Holm's correction."""
    ordered = sorted(tested, key=lambda pair: (pair.p_value, pair.variable, pair.other))
    for k, pair in enumerate(ordered):
        if pair.p_value > level / (len(ordered) - k):
            return tuple(ordered[:k])
    return tuple(ordered)


def _in_words(n_found: int, n_tested: int, level: float, n_rows: int, model: DagEstimator) -> str:
    """What the tests say."""
    if not n_tested:
        return "Nothing to test: each variable is a cause or an effect of each other one, or rows are too few."
    pairs = "pair" if n_tested == 1 else "pairs"
    drawn = f", on {n_rows} rows drawn at random" if n_rows == _MOST_ROWS < model.data_.n_samples else ""
    said = (
        f"The graph says of {n_tested} {pairs} of variables that the one does not depend on the other, given its "
        f"causes (F tests, {level:.0%} for any false alarm{drawn})."
    )
    if not n_found:
        return f"{said} No test objects."
    return (
        f"{said} {n_found} {'test objects' if n_found == 1 else 'tests object'}: a missing edge, a hidden common "
        "cause, an error of measurement or another kind of relation than the model knows can each be the reason."
    )
