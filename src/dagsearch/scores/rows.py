"""Scores on tables in which not every row counts for every local score: cells are missing, or variables were set.

For a variable and its parents count the rows in which all of them were seen and the variable was not set. Where cells
are missing these rows change with the parents, and so do averages over them, by more than a needless parent gains: the
average over the rows of each set (node-average likelihood, Bodewes and Scutari 2021) needs penalties that outgrow this,
and takes many false edges otherwise. So a set is compared on *its own* rows with the best of its subsets that lack one
parent, and what it gains there, per row, is added to the value of that subset,

    f(P) = f(P - q) + (L(P; rows of P) - L(P - q; rows of P)) / |rows of P|,   q in P that is missed least.

A needless parent is then judged on equal rows, and pays its penalty, which is that of fewer rows. What is left of the
chance by which the rows of P and of P - q differ is priced: one standard error of the mean gain of P - q over the rows
that P loses. All of it counts as if the variable had been seen in every row in which it was not set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch._twins import Twins
from dagsearch.data import Dataset
from dagsearch.errors import DataError, InputError
from dagsearch.graph.bitset import Rows, members_of_each, row_of, rows_of
from dagsearch.scores.base import Score, empty_family
from dagsearch.scores.fitpool import Key
from dagsearch.scores.pooled import PooledScore

LEAST_ROWS = 10
ROWS_PER_VARIABLE = 5
"""A set with missing cells is judged on at least `LEAST_ROWS` rows, and so many more for each variable in it."""

_LARGEST_SPREAD = 1.0  # of the gain of a row, in nats
_MOST_PER_ROW = 50.0  # no score gains more by one parent, in nats per row

Maker = Callable[[Dataset], Score]
Vector = NDArray[np.float64]


class _Step(NamedTuple):
    """A set of parents on its own rows beside the best of its subsets that lack one; terms are (value, penalty)."""

    n_rows: int
    dropped: int  # the parent that is missed least
    gained: Vector  # (2,) terms of the set less those of the subset
    spread: float  # standard deviation of what the subset gains in a row, in nats


class PartialScore(PooledScore):
    """Any decomposable score, each local value by the rows that count for it.

    Parameters
    ----------
    data
        A table with missing cells or variables that were set.
    make
        Makes the score on a complete table of some of the rows and columns.
    n_jobs
        Fits at a time.
    takes_gaps
        Whether ``make`` handles missing cells itself, so that only rows in which a variable was set are left out here.

    Raises
    ------
    DataError
        If a column suits the score in no way; the message names it.
    """

    fits_all_nodes: ClassVar[bool] = False

    def __init__(self, data: Dataset, make: Maker, n_jobs: int = 1, takes_gaps: bool = False) -> None:
        self._data, self._make = data, make
        self._seen = ~np.isnan(data.values) | takes_gaps
        self._counts = self._seen if data.was_set is None else self._seen & ~data.was_set
        self._always_seen = np.flatnonzero(self._seen.all(axis=0)).tolist()
        self._without_gaps = self._scores_without_gaps()
        first = self._without_gaps[0].score
        if first.equal_variances:
            raise InputError("variances='equal' needs every row of every variable, but cells are missing or were set")
        self.is_per_row = first.is_per_row  # type: ignore[misc] # as all of these, of the score that it stands for
        self._nats = first.nats * (data.n_samples / first.family.n_samples if first.is_per_row else 1.0)
        family = empty_family(data.n_nodes, n_samples=float(data.n_samples), penalise_parameters=True)
        super().__init__(data.n_nodes, family, n_jobs, Twins(data.n_nodes, []))
        self.name = first.name  # type: ignore[misc]
        self.no_probability = first.no_probability  # type: ignore[misc]
        self.approximates = first.approximates or not data.is_complete  # type: ignore[misc]
        self.penalty, self.levels = first.penalty, first.levels

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the score that it stands for."""
        return self._without_gaps[0].score.settings

    @property
    def nats(self) -> float:
        """As if all rows counted."""
        return self._nats

    @property
    def class_targets(self) -> list[tuple[str, ...]] | None:
        """What was set, if every cell was seen and the score that it stands for is the same for equivalent DAGs."""
        return self._data.targets if self._seen.all() and self._without_gaps[0].score.is_equivalent else None

    @property
    def max_parents(self) -> int | None:
        """The most parents that the rows of every variable can tell apart."""
        limits = [limit for part in self._without_gaps if (limit := part.score.max_parents) is not None]
        return min(limits, default=None)

    def best_values(self) -> Vector:
        """Bounds for any parents: what each of them may gain."""
        alone = self.terms(np.arange(self.n_nodes), rows_of([()] * self.n_nodes, self.n_nodes))[:, 0]
        bounds: Vector = alone + (self.n_nodes - 1) * self._as_reward(_MOST_PER_ROW)
        return bounds

    def compute(self, nodes: NDArray[np.int64], rows: Rows) -> Vector:
        """Terms (value, penalty), (n, 2), of each (node, parent set)."""
        asked = list(zip(nodes.tolist(), members_of_each(rows, len(nodes)), strict=True))
        fits = self._fitted([(node, *parents) for node, parents in asked])
        return np.array([self._added_up(*each, fit) for each, fit in zip(asked, fits, strict=True)])

    def _added_up(self, node: int, parents: Key, fit: Vector) -> Vector:
        """Terms of a set: its own where nothing is missing, or those of a subset and what the set adds to them."""
        if not self._has_gaps(parents):
            return fit
        step = _Step(int(fit[0]), int(fit[1]), fit[2:4], float(fit[4]))
        subset = tuple(p for p in parents if p != step.dropped)
        added = self._scaled(step.gained, node, step.n_rows)
        if step.spread:
            chance = math.sqrt(1.0 / step.n_rows - 1.0 / len(self._rows(node, subset)))
            added[1] += self._share(node) * self._as_reward(step.spread * chance)
        below: Vector = self.terms(np.array([node]), row_of(subset, self.n_nodes))[0]
        return below + added

    def _terms_of(self, *_: Any) -> tuple[float, float]:
        raise NotImplementedError("terms build on those of subsets: see compute")

    def _fit(self, key: Key) -> Vector:
        """Terms of a node, the first of the key, with its parents, the rest; or the fields of a `_Step`."""
        node, parents = key[0], key[1:]
        if not self._has_gaps(parents):
            part = self._without_gaps[node]
            (terms,) = part.terms(node, [parents])
            return self._scaled(terms, node, part.n_rows)
        step = self._step(node, parents)
        return np.array([step.n_rows, step.dropped, *step.gained, step.spread])

    def _step(self, node: int, parents: Key) -> _Step:
        """Compare a set with its subsets on its own rows; nothing is gained where they tell nothing."""
        rows = self._rows(node, parents)
        part = self._part(rows, (node, *parents))
        if part is None:
            rarest = min(parents, key=lambda p: int(self._seen[:, p].sum()))
            price = math.log(self._data.n_samples) * (1.0 if self.is_per_row else max(len(rows), 1))
            return _Step(len(rows), rarest, np.array([0.0, price]), 0.0)
        subsets = [tuple(p for p in parents if p != dropped) for dropped in parents]
        terms = part.terms(node, [parents, (), *subsets])
        rewards = terms[:, 0] - terms[:, 1]
        best = 2 + int(rewards[2:].argmax())
        gain_per_row = (rewards[best] - rewards[1]) * part.score.nats / part.n_rows
        # Of a log likelihood ratio the variance is about twice the mean, and in Gaussian models at most 1.
        spread = min(math.sqrt(max(2.0 * gain_per_row, 0.0)), _LARGEST_SPREAD)
        return _Step(len(rows), parents[best - 2], terms[0] - terms[best], spread)

    def _part(self, rows: NDArray[np.intp], nodes: Key) -> _Part | None:
        """The score on some rows and columns; None if that is no table to judge by."""
        values = self._data.values[np.ix_(rows, np.array(nodes))]
        if len(rows) < LEAST_ROWS + ROWS_PER_VARIABLE * len(nodes) or (values == values[0]).all(axis=0).any():
            return None
        try:
            return _Part(self._make(self._data.part(rows, nodes)), nodes)
        except DataError:  # no value of a discrete column repeats in so few rows
            return None

    def _scores_without_gaps(self) -> list[_Part]:
        """For each variable the score on all of its rows, with the columns that are always seen beside it.

        Variables that have the same rows share it.
        """
        shared: dict[tuple[bytes, Key], _Part] = {}
        for node in range(self._data.n_nodes):
            key = self._key_without_gaps(node)
            if key not in shared:
                rows = np.flatnonzero(self._counts[:, node])
                if len(rows) < LEAST_ROWS:
                    raise DataError(
                        f"column {self._data.names[node]!r} has {len(rows)} rows in which it was seen and not set, at "
                        f"least {LEAST_ROWS} are needed; drop it"
                    )
                shared[key] = _Part(self._make(self._data.part(rows, key[1])), key[1])
        return [shared[self._key_without_gaps(node)] for node in range(self._data.n_nodes)]

    def _key_without_gaps(self, node: int) -> tuple[bytes, Key]:
        """The rows of a variable, packed, and the columns that are seen in all of them."""
        nodes = sorted({node, *self._always_seen})
        return np.packbits(self._counts[:, node]).tobytes(), tuple(nodes)

    def _has_gaps(self, parents: Key) -> bool:
        """Whether the rows of a set are not simply those of its variable."""
        return not self._seen[:, list(parents)].all()

    def _rows(self, node: int, parents: Key) -> NDArray[np.intp]:
        """The rows that count."""
        return np.flatnonzero(self._counts[:, node] & self._seen[:, list(parents)].all(axis=1))

    def _share(self, node: int) -> float:
        """Share of the rows in which a variable was not set."""
        return 1.0 if self._data.was_set is None else float(1.0 - self._data.was_set[:, node].mean())

    def _scaled(self, terms: Vector, node: int, n_rows: int) -> Vector:
        """Terms on some rows as if the variable had been seen in all in which it was not set."""
        per_row = terms if self.is_per_row else terms * (self._data.n_samples / max(n_rows, 1))
        scaled: Vector = self._share(node) * per_row
        return scaled

    def _as_reward(self, nats_per_row: float) -> float:
        return nats_per_row * self._data.n_samples / self._nats


class _Part(NamedTuple):
    """A score on some rows and columns of a table."""

    score: Score
    nodes: Sequence[int]

    @property
    def n_rows(self) -> int:
        return int(self.score.family.n_samples)

    def terms(self, node: int, sets: Sequence[Key]) -> Vector:
        """Terms (value, penalty), (n_sets, 2), of a node with each set of parents, by their numbers in the whole."""
        place = {node: k for k, node in enumerate(self.nodes)}
        rows = rows_of([[place[p] for p in parents] for parents in sets], len(self.nodes))
        found: Vector = self.score.terms(np.full(len(sets), place[node]), rows)
        return found
