"""The table of observations: values, names and kinds, finite and read-only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dagsearch._display import Displayed
from dagsearch._twins import coinciding, proportional
from dagsearch.data import checks
from dagsearch.data.checks import LEAST_ROWS, Kind
from dagsearch.data.columns import constant_columns, equal_frequency_bins, n_different, standardised
from dagsearch.errors import DataError, InputError, UnknownNameError

if TYPE_CHECKING:
    from dagsearch.graph import DAG


@dataclass(frozen=True, eq=False)
class Dataset(Displayed):
    """Observations of some variables: missing cells are NaN, infinite values are refused.

    Parameters
    ----------
    values
        Array (n_samples, n_nodes). Stored as a read-only copy in float64; text is represented by codes
        0..r-1 of its labels, booleans by 0 and 1.
    names
        The variables, in the order of the columns.
    kinds
        ``"continuous"`` or ``"discrete"`` for each variable.
    labels
        The labels of each text column, sorted or in their own order, all those seen and maybe more; None for a column
        of numbers.
    truth
        The graph that generated the data, where it is known.
    citation
        Where the data comes from.
    declared_levels
        How many levels each variable can have, seen in the rows or not; None for a variable of which nobody said so.
        Discrete scores go by it if they are told to. Empty: nothing is declared.
    was_set
        Boolean array (n_samples, n_nodes): which variables an experimenter set in which row, so that their values there
        say nothing about their causes. None: nothing was set.
    n_variables
        How many variables the table has of which this is a part: priors and penalties go by it. 0: it is whole.
    ordered
        Whether the levels of each discrete variable have an order, that of their codes. Empty: none has.
    notes
        What reading the table decided on the user's behalf.
    mended
        What was done to the table before it came here, in sentences; see `dagsearch.auditing`.

    Raises
    ------
    DataError
        If the table is too small, holds infinite values or a column without any value, if two columns share a name,
        or if a variable was set in every row. The message names the columns.
    InputError
        If the parts do not fit together, or if a column has more levels than are declared.
    """

    values: NDArray[np.float64] = field(repr=False)
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    labels: tuple[tuple[str, ...] | None, ...] = field(repr=False)
    truth: DAG | None = None
    citation: str = ""
    declared_levels: tuple[int | None, ...] = field(default=(), kw_only=True, repr=False)
    was_set: NDArray[np.bool_] | None = field(default=None, kw_only=True, repr=False)
    n_variables: int = field(default=0, kw_only=True, repr=False)
    ordered: tuple[bool, ...] = field(default=(), kw_only=True, repr=False)
    notes: tuple[str, ...] = field(default=(), kw_only=True, repr=False)
    mended: tuple[str, ...] = field(default=(), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        values = np.array(checks.as_real_numbers(self.values), dtype=np.float64, order="C")
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "names", checks.checked_names(self.names))
        object.__setattr__(self, "declared_levels", tuple(self.declared_levels) or (None,) * len(self.names))
        object.__setattr__(self, "n_variables", self.n_variables or len(self.names))
        object.__setattr__(self, "ordered", tuple(map(bool, self.ordered)) or (False,) * len(self.names))
        checks.require_fitting_parts(self)
        checks.require_distinct_names(self.names)
        checks.require_known_kinds(self)
        checks.require_size(self)
        checks.require_values(self)
        checks.require_finite(self)
        object.__setattr__(self, "notes", tuple(self.notes))
        object.__setattr__(self, "was_set", checks.checked_settings(self))
        object.__setattr__(self, "declared_levels", checks.checked_declarations(self))

    def __repr__(self) -> str:
        counts = [f"{self.kinds.count(kind)} {kind}" for kind in get_args(Kind) if kind in self.kinds]
        facts = [", ".join(counts), *(["truth known"] if self.truth is not None else [])]
        size = f"{self.n_samples} rows, {self.n_nodes} variables"
        return f"Dataset({size}: {_in_brief(self.names)}; {'; '.join(facts)})"

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def n_nodes(self) -> int:
        """Number of variables."""
        return int(self.values.shape[1])

    @property
    def is_whole(self) -> bool:
        """Whether this is no part of a table with more variables."""
        return self.n_variables == self.n_nodes

    @property
    def is_complete(self) -> bool:
        """Whether no cell is missing."""
        return not np.isnan(self.values).any()

    @property
    def all_rows_count(self) -> bool:
        """Whether every row says something about every variable and its causes: no cell is missing, none was set."""
        return self.was_set is None and self.is_complete

    def seen_together(self) -> NDArray[np.bool_]:
        """Return for which edges a row tells something, (n_nodes, n_nodes): both seen, and the effect not set."""
        seen = ~np.isnan(self.values)
        counts = seen if self.was_set is None else seen & ~self.was_set
        together: NDArray[np.bool_] = seen.T.astype(np.float64) @ counts.astype(np.float64) > 0.0
        return together

    @property
    def targets(self) -> list[tuple[str, ...]]:
        """The variables that were set together in some row, each such set once; empty if nothing was set."""
        if self.was_set is None:
            return []
        together = np.unique(self.was_set[self.was_set.any(axis=1)], axis=0)
        return [tuple(self.names[j] for j in np.flatnonzero(row)) for row in together]

    def require_complete(self) -> None:
        """Raise `DataError` if cells are missing; the message names the columns."""
        n_missing = np.isnan(self.values).sum(axis=0)
        if n_missing.any():
            where = ", ".join(f"{n_missing[j]} in column {self.names[j]!r}" for j in np.flatnonzero(n_missing))
            raise DataError(f"cells are missing: {where}; drop these rows or columns, or impute the values")

    def complete_rows(self) -> Dataset:
        """Return the rows in which no cell is missing.

        Raises
        ------
        DataError
            If they are too few to be a table.
        """
        complete = np.flatnonzero(~np.isnan(self.values).any(axis=1))
        if len(complete) < LEAST_ROWS:
            raise DataError(f"only {len(complete)} of {self.n_samples} rows have no missing cell")
        return self.take(complete)

    def standardised(self) -> NDArray[np.float64]:
        """Return the values with mean 0 and (population) standard deviation 1 in each column.

        Raises
        ------
        DataError
            If a column holds text or is constant, or if cells are missing.
        """
        self.require_complete()
        self.require_numbers()
        self.require_variation()
        return standardised(self.values)

    def codes(self) -> NDArray[np.int32]:
        """Return each column recoded to 0..r-1 by its sorted values.

        Returns
        -------
        ndarray of int32, (n_samples, n_nodes)

        Raises
        ------
        DataError
            If every value of a column is different, so that it has no levels to count, or if cells are missing.
        """
        self.require_complete()
        codes = np.empty(self.values.shape, dtype=np.int32)
        for j, column in enumerate(self.values.T):
            levels, codes[:, j] = np.unique(column, return_inverse=True)
            if len(levels) >= self.n_samples:
                raise DataError(
                    f"column {self.names[j]!r} has {len(levels)} levels in {self.n_samples} rows; "
                    "a discrete score needs values that repeat: cut the column into bins, or drop it"
                )
        return codes

    def n_levels(self) -> NDArray[np.int64]:
        """Return the number of different values of each column, (n_nodes,)."""
        return np.array([n_different(column) for column in self.values.T], dtype=np.int64)

    def coinciding_columns(self) -> tuple[tuple[str, ...], ...]:
        """Return groups of columns that hold the same information, by their names; constant columns belong to none.

        Continuous columns do if their values are equal, discrete ones if each level of one always comes with the same
        level of the other: what levels are called says nothing about causes. The data cannot tell which of such columns
        is the cause of others, nor the direction between them.
        """
        is_discrete = np.array([kind == "discrete" for kind in self.kinds])
        return tuple(tuple(self.names[j] for j in group) for group in coinciding(self.values, is_discrete))

    def proportional_columns(self) -> tuple[tuple[str, ...], ...]:
        """Return groups of continuous columns that are the same up to scale, offset and rounding, but not equal.

        To a score they are one column: an amount in two units. Nothing is said of columns with missing cells.
        """
        columns = [
            j for j, kind in enumerate(self.kinds) if kind == "continuous" and not np.isnan(self.values[:, j]).any()
        ]
        varying = [j for j in columns if not constant_columns(self.values[:, [j]])[0]]
        table = self.values[:, varying]
        groups = proportional(standardised(table), table) if len(varying) > 1 else []
        equal = {frozenset(group) for group in self.coinciding_columns()}
        named = (tuple(self.names[varying[j]] for j in group) for group in groups)
        return tuple(group for group in named if frozenset(group) not in equal)

    def take(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> Dataset:
        """Return the table of some of the rows, in the order given.

        Parameters
        ----------
        rows
            Positions of the rows.

        Raises
        ------
        DataError
            If so few rows are no table.
        """
        chosen = np.asarray(rows, dtype=np.intp)
        was_set = None if self.was_set is None else self.was_set[chosen]
        return replace(self, values=self.values[chosen], was_set=was_set)

    def arranged(self, columns: Sequence[int] | NDArray[np.integer[Any]]) -> Dataset:
        """Return the table with its columns in another order, each given once, by position; the truth is left out."""
        order = np.asarray(columns, dtype=np.intp)
        return replace(
            self,
            values=np.ascontiguousarray(self.values[:, order]),
            names=tuple(self.names[j] for j in order),
            kinds=tuple(self.kinds[j] for j in order),
            labels=tuple(self.labels[j] for j in order),
            declared_levels=tuple(self.declared_levels[j] for j in order),
            ordered=tuple(self.ordered[j] for j in order),
            was_set=None if self.was_set is None else np.ascontiguousarray(self.was_set[:, order]),
            truth=None,
        )

    def part(self, rows: NDArray[np.intp], nodes: Sequence[int]) -> Dataset:
        """Return some of the rows and variables, maybe a single one, by their positions; nothing in it was set.

        Raises
        ------
        DataError
            If so few rows are no table.
        """
        chosen = list(nodes)
        return Dataset(
            values=self.values[np.ix_(rows, np.array(chosen))],
            names=tuple(self.names[j] for j in chosen),
            kinds=tuple(self.kinds[j] for j in chosen),
            labels=tuple(self.labels[j] for j in chosen),
            declared_levels=tuple(self.declared_levels[j] for j in chosen),
            ordered=tuple(self.ordered[j] for j in chosen),
            n_variables=self.n_variables,
            notes=self.notes,
        )

    def binned(self, columns: Sequence[str], n_bins: int) -> Dataset:
        """Cut continuous columns into bins of about equal frequency, which makes them discrete.

        Equal values always share a bin; a column with many of them may end up with fewer bins, though with at
        least two unless it is constant. Missing cells stay missing. What such a column declared about its levels is
        forgotten.

        Parameters
        ----------
        columns
            Names of the columns to cut.
        n_bins
            Number of bins, at least 2.

        Raises
        ------
        InputError
            If `n_bins` is too small, or if a column is unknown or already discrete.
        """
        if n_bins < 2:
            raise InputError(f"n_bins must be at least 2, got {n_bins}")
        values, kinds, declared_levels = self.values.copy(), list(self.kinds), list(self.declared_levels)
        for name in columns:
            j = self._continuous_column(name)
            seen = ~np.isnan(self.values[:, j])
            values[seen, j] = equal_frequency_bins(self.values[seen, j], n_bins)
            kinds[j] = "discrete"
            declared_levels[j] = None
        return replace(self, values=values, kinds=tuple(kinds), declared_levels=tuple(declared_levels))

    def to_pandas(self) -> pd.DataFrame:
        """Return a new DataFrame in which text columns are categories with their labels.

        Levels that are declared but not seen are categories only if they have a label, as in samples of networks.
        """
        columns = {name: self.values[:, j].copy() for j, name in enumerate(self.names)}
        frame = pd.DataFrame(columns)
        for name, labels, ordered in zip(self.names, self.labels, self.ordered, strict=True):
            if labels is not None:
                codes = np.nan_to_num(columns[name], nan=-1.0).astype(np.int64)  # -1: missing
                frame[name] = pd.Categorical.from_codes(codes, pd.Index(labels), ordered=ordered)
        return frame

    def _continuous_column(self, name: str) -> int:
        """Return the index of a column that may be binned."""
        if name not in self.names:
            raise UnknownNameError("column", name, self.names)
        j = self.names.index(name)
        if self.kinds[j] != "continuous":
            raise InputError(f"column {name!r} is already discrete; only continuous columns can be cut into bins")
        return j

    def require_numbers(self) -> None:
        """Raise `DataError` if a column holds text or categories; the message names it."""
        for name, labels in zip(self.names, self.labels, strict=True):
            if labels is not None:
                raise DataError(
                    f"column {name!r} holds text/categories, a continuous score needs numbers; "
                    "use the score mixed, or bic-discrete if all columns are discrete, or encode it"
                )

    def require_variation(self) -> None:
        """Raise `DataError` if a column is constant."""
        for name, constant in zip(self.names, constant_columns(self.values), strict=True):
            if constant:
                raise DataError(f"column {name!r} is constant, a continuous score needs variation; drop it")


def _in_brief(names: Sequence[str], most: int = 40) -> str:
    """As many of the first names as fit on one line with so many characters."""
    shown: list[str] = []
    for name in (" ".join(name.split()) for name in names):
        if len(", ".join([*shown, name])) > most:
            break
        shown.append(name)
    first = " ".join(names[0].split())
    listed = shown or [f"{first[:most]}..."]
    return ", ".join([*listed, "..."] if shown and len(shown) < len(names) else listed)
