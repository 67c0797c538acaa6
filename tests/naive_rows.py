"""Slow, obvious twins of scores on tables in which not all rows count."""

from __future__ import annotations

import math

import numpy as np


def rows_that_count(values: np.ndarray, was_set: np.ndarray, node: int, parents: tuple[int, ...]) -> list[int]:
    """Rows in which the node and its parents were seen, and the node was not set."""
    return [
        row
        for row in range(len(values))
        if not was_set[row, node] and not any(math.isnan(values[row, column]) for column in (node, *parents))
    ]


def discrete_bic(values: np.ndarray, levels: list[int], node: int, parents: tuple[int, ...]) -> float:
    """Log likelihood of counts less half log(n) per free parameter, per row."""
    counts: dict[tuple[float, ...], dict[float, int]] = {}
    for row in values:
        of_cell = counts.setdefault(tuple(row[list(parents)]), {})
        of_cell[row[node]] = of_cell.get(row[node], 0) + 1
    log_likelihood = sum(
        count * math.log(count / sum(of_cell.values())) for of_cell in counts.values() for count in of_cell.values()
    )
    n, n_parameters = len(values), (levels[node] - 1) * math.prod(levels[p] for p in parents)
    return (log_likelihood - 0.5 * math.log(n) * n_parameters) / n


class NaiveRows:
    """Discrete BIC by the rows that count, as the text of `dagsearch.scores.rows` says it."""

    def __init__(self, values: np.ndarray, was_set: np.ndarray | None = None) -> None:
        self.values = values
        self.was_set = np.zeros(values.shape, dtype=bool) if was_set is None else was_set
        self.levels = [len(set(column[~np.isnan(column)])) for column in values.T]

    def on_rows_of(self, larger: tuple[int, ...], node: int, parents: tuple[int, ...]) -> float:
        """The score of a set, on the rows of another."""
        rows = rows_that_count(self.values, self.was_set, node, larger)
        return discrete_bic(self.values[rows], self.levels, node, parents)

    def local(self, node: int, parents: tuple[int, ...]) -> float:
        """f of a set, times the share of rows in which the node was not set."""
        return self._value(node, parents) * (1.0 - self.was_set[:, node].mean())

    def _value(self, node: int, parents: tuple[int, ...]) -> float:
        own = self.on_rows_of(parents, node, parents)
        if not parents:
            return own
        subsets = [tuple(p for p in parents if p != dropped) for dropped in parents]
        if not np.isnan(self.values[:, parents]).any():
            return own
        best = max(subsets, key=lambda subset: self.on_rows_of(parents, node, subset))
        of_best = self.on_rows_of(parents, node, best)
        n_rows = len(rows_that_count(self.values, self.was_set, node, parents))
        n_before = len(rows_that_count(self.values, self.was_set, node, best))
        gain = max(of_best - self.on_rows_of(parents, node, ()), 0.0)
        chance = min(math.sqrt(2.0 * gain), 1.0) * math.sqrt(1.0 / n_rows - 1.0 / n_before)
        return self._value(node, best) + own - of_best - chance
