"""The table of observations: values, names and kinds, checked once at the door.

Every :class:`Dataset` is finite and read-only. One that `as_dataset` returns is complete, too, unless whoever calls it
can handle missing cells; everybody else needs no checks of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dagsearch._interventions import settings_from, without_column
from dagsearch._reading import Column, Table, as_table, read_column, read_table
from dagsearch._twins import coinciding
from dagsearch.errors import DataError, InputError, UnknownNameError

if TYPE_CHECKING:
    from dagsearch.graph import DAG

__all__ = [
    "FEW_LEVELS",
    "MOST_LEVELS",
    "Dataset",
    "DeclaredKind",
    "Kind",
    "as_dataset",
    "checked_levels",
    "read_dataset",
    "read_table",
]

Kind = Literal["continuous", "discrete"]

DeclaredKind = Literal["continuous", "discrete", "ordered"]
"""What users say of columns: ``"ordered"`` ones are discrete with levels that have an order."""

#: A column of whole numbers with at most this many different values is taken to be discrete.
FEW_LEVELS = 10

#: A column has at most this many levels: their codes are 32-bit integers.
MOST_LEVELS = int(np.iinfo(np.int32).max)

_LEAST_ROWS = 3


@dataclass(frozen=True, eq=False)
class Dataset:
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

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64, order="C")
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "declared_levels", tuple(self.declared_levels) or (None,) * len(self.names))
        object.__setattr__(self, "n_variables", self.n_variables or len(self.names))
        object.__setattr__(self, "ordered", tuple(map(bool, self.ordered)) or (False,) * len(self.names))
        _require_fitting_parts(self)
        _require_distinct_names(self.names)
        _require_known_kinds(self)
        _require_size(self)
        _require_values(self)
        _require_finite(self)
        object.__setattr__(self, "was_set", _checked_settings(self))
        object.__setattr__(self, "declared_levels", _checked_declarations(self))

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
            raise DataError(f"missing values: {where}; drop these rows or columns, or impute the values")

    def complete_rows(self) -> Dataset:
        """Return the rows in which no cell is missing.

        Raises
        ------
        DataError
            If they are too few to be a table.
        """
        complete = np.flatnonzero(~np.isnan(self.values).any(axis=1))
        if len(complete) < _LEAST_ROWS:
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
        return np.array([_n_different(column) for column in self.values.T], dtype=np.int64)

    def coinciding_columns(self) -> tuple[tuple[str, ...], ...]:
        """Return groups of columns that hold the same information, by their names; constant columns belong to none.

        Continuous columns do if their values are equal, discrete ones if each level of one always comes with the same
        level of the other: what levels are called says nothing about causes. The data cannot tell which of such columns
        is the cause of others, nor the direction between them.
        """
        is_discrete = np.array([kind == "discrete" for kind in self.kinds])
        return tuple(tuple(self.names[j] for j in group) for group in coinciding(self.values, is_discrete))

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
            values[seen, j] = _equal_frequency_bins(self.values[seen, j], n_bins)
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
        for name, constant in zip(self.names, _constant_columns(self.values), strict=True):
            if constant:
                raise DataError(f"column {name!r} is constant, a continuous score needs variation; drop it")


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns, (n_samples, n_columns), with mean 0 and standard deviation 1; constant ones become zeros."""
    # Scaling by a power of two is exact, and squares of the result neither overflow nor vanish.
    _, exponents = np.frexp(np.abs(values).max(axis=0, initial=0.0))
    scaled = np.ldexp(values, -exponents)
    spread = np.where(_constant_columns(values), 1.0, scaled.std(axis=0))
    centred: NDArray[np.float64] = np.where(_constant_columns(values), 0.0, scaled - scaled.mean(axis=0)) / spread
    return centred


def as_dataset(
    X: Any,
    kinds: Mapping[str, DeclaredKind] | None = None,
    names: Sequence[str] | None = None,
    interventions: Any = None,
    may_miss: bool = False,
) -> Dataset:
    """Check a table of observations and turn it into a `Dataset`; the table itself is never changed.

    Text, booleans and categories become discrete columns, and so do whole numbers with at most
    `FEW_LEVELS` different values and fewer of them than half the rows. Other numbers are continuous.
    The categories of a pandas Categorical or polars Enum, used or not, are its `Dataset.declared_levels`; booleans
    declare two. A pandas Categorical that is ordered is an ordered column (`Dataset.ordered`). An Enum is so only if
    `kinds` says so: its categories have a sequence, which need not mean anything.

    Parameters
    ----------
    X
        A pandas or polars DataFrame, a 2-D array or anything array-like (n_samples, n_nodes), or a `Dataset`.
    kinds
        The kind of single columns by name, where the inferred one is wrong. ``"ordered"``: discrete, and levels have an
        order, that of the numbers or of the categories that the column's type lists.
    names
        Names for the columns in place of the table's own; the columns of an array are x0, x1, ... by default.
    interventions
        Which variables an experimenter set in which row: the name of a column that says so (the variable that was set,
        several separated by semicolons, nothing where none was), which is then no variable itself; such entries as a
        sequence, one per row; or a boolean table of all variables, or a data frame with a column for each that was set.
    may_miss
        Whether cells may be missing (they are NaN then) rather than refused.

    Returns
    -------
    Dataset
        `X` itself if it is a `Dataset` and nothing else is given.

    Raises
    ------
    DataError
        If the table cannot be used; the message names the column and what to do.
    InputError
        If `kinds` or `names` do not fit the table.
    """
    if isinstance(X, Dataset):
        data = _with_kinds(X, kinds, names)
    else:
        table = as_table(X)
        node_names = tuple(map(str, table.names if names is None else names))
        if len(node_names) != len(table.columns):
            raise InputError(f"names must have {len(table.columns)} entries, one per column, got {len(node_names)}")
        if isinstance(interventions, str):
            node_names, table, interventions = without_column(node_names, table, interventions)
        data = _assembled(node_names, table, _declared_kinds(kinds, node_names))
    if interventions is not None:
        data = replace(data, was_set=settings_from(interventions, data.names, data.n_samples))
    if not may_miss:
        data.require_complete()
    return data


def read_dataset(
    path: str | Path,
    kinds: Mapping[str, DeclaredKind] | None = None,
    interventions: Any = None,
    may_miss: bool = False,
    na: Sequence[str] = (),
) -> Dataset:
    """Read a table from a file and check it.

    Parameters
    ----------
    path
        A ``.csv``, ``.tsv``, ``.txt``, ``.parquet`` or ``.npy`` file, see `read_table`.
    kinds
        The kind of single columns by name, where the inferred one is wrong.
    interventions, may_miss
        As `as_dataset` takes them.
    na
        Entries that stand for a missing cell, beside those that always do.

    Raises
    ------
    DataError
        If the file cannot be read or its table cannot be used; the message starts with the path.
    InputError
        If the suffix is unknown or `kinds` does not fit the table.
    """
    table = read_table(path, na)
    try:
        return as_dataset(table, kinds, interventions=interventions, may_miss=may_miss)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def checked_levels(what: str, given: Any, n_seen: int) -> int:
    """Return the number of levels that a column is said to have.

    Parameters
    ----------
    what
        What the number is, for the message.
    given
        The number.
    n_seen
        How many different values the rows hold.

    Raises
    ------
    InputError
        If `given` is not a whole number from `n_seen` to `MOST_LEVELS`.
    """
    is_whole = isinstance(given, Integral) and not isinstance(given, bool)
    if not is_whole or not n_seen <= given <= MOST_LEVELS:
        raise InputError(
            f"{what} must be a whole number from {n_seen}, as many as the rows hold, to {MOST_LEVELS}, got {given!r}"
        )
    return int(given)


def _with_kinds(data: Dataset, kinds: Mapping[str, DeclaredKind] | None, names: Sequence[str] | None) -> Dataset:
    """Return `data` with some kinds replaced."""
    if names is not None:
        raise InputError("names must be None when X is a Dataset, which has its own")
    if not kinds:
        return data
    declared = _declared_kinds(kinds, data.names)
    said: list[str] = list(map(declared.get, data.names, data.kinds))
    ordered = [
        kind == "ordered" or (flag and name not in declared)
        for name, kind, flag in zip(data.names, said, data.ordered, strict=True)
    ]
    return replace(data, kinds=tuple(map(_plain, said)), ordered=tuple(ordered))


def _plain(kind: Any) -> Kind:
    """The kind of a column, without its order."""
    plain: Kind = "discrete" if kind == "ordered" else kind
    return plain


def _assembled(names: tuple[str, ...], table: Table, declared: dict[str, DeclaredKind]) -> Dataset:
    """Read the columns one by one and put them together."""
    ordered = [
        declared.get(name) == "ordered" or (is_so and name not in declared)
        for name, is_so in zip(names, table.ordered, strict=True)
    ]
    columns = [
        read_column(
            name, entries, may_mix=_plain(declared.get(name)) == "discrete", order=labels if is_ordered else None
        )
        for name, entries, labels, is_ordered in zip(names, table.columns, table.categories, ordered, strict=True)
    ]
    for name, column, labels, is_ordered in zip(names, columns, table.categories, ordered, strict=True):
        if is_ordered and column.labels is not None and labels is None:
            raise InputError(
                f"column {name!r} holds text, whose order is not known; make it an ordered pandas Categorical or a "
                "polars Enum, or encode it as numbers"
            )
    return Dataset(
        values=np.stack([column.values for column in columns], axis=1) if columns else np.empty((0, 0)),
        names=names,
        kinds=tuple(
            _plain(declared.get(name, _inferred_kind(column))) for name, column in zip(names, columns, strict=True)
        ),
        ordered=tuple(ordered),
        labels=tuple(column.labels for column in columns),
        declared_levels=tuple(
            2 if n_levels is None and column.is_boolean else n_levels
            for n_levels, column in zip(table.declared_levels, columns, strict=True)
        ),
    )


def _declared_kinds(kinds: Mapping[str, DeclaredKind] | None, names: tuple[str, ...]) -> dict[str, DeclaredKind]:
    """Check that the keys of `kinds` are columns."""
    declared = {str(name): kind for name, kind in (kinds or {}).items()}
    for name in declared:
        if name not in names:
            raise UnknownNameError("column", name, names)
    return declared


def _inferred_kind(column: Column) -> Kind:
    """Take labels, booleans and few whole numbers for discrete."""
    if column.labels is not None or column.is_boolean:
        return "discrete"
    seen = column.values[~np.isnan(column.values)]
    if not np.array_equal(seen, np.round(seen)):
        return "continuous"
    n_levels = len(np.unique(seen))
    return "discrete" if n_levels <= FEW_LEVELS and 2 * n_levels < len(seen) else "continuous"


def _equal_frequency_bins(values: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Give every value the bin in which the middle of its ranks falls, so that ties stay together."""
    is_seen = ~np.isnan(values)
    if not is_seen.all():
        bins = np.full(len(values), np.nan)
        bins[is_seen] = _equal_frequency_bins(values[is_seen], n_bins)
        return bins
    _, level, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle_ranks = np.cumsum(counts) - counts / 2
    bins = np.floor(middle_ranks * n_bins / len(values))
    _, dense_bins = np.unique(bins, return_inverse=True)
    return np.asarray(dense_bins[level], dtype=np.float64)


def _n_different(column: NDArray[np.float64]) -> int:
    """Number of different values; missing cells are none."""
    return len(np.unique(column[~np.isnan(column)]))


def _constant_columns(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    first = np.take_along_axis(values, np.isnan(values).argmin(axis=0)[None], axis=0)  # of the values that were seen
    constant: NDArray[np.bool_] = ((values == first) | np.isnan(values)).all(axis=0)
    return constant


def _require_fitting_parts(data: Dataset) -> None:
    if data.values.ndim != 2:
        raise DataError(f"values must have 2 dimensions (samples x variables), got {data.values.ndim}")
    for part in ("names", "kinds", "labels", "declared_levels", "ordered"):
        n_entries = len(getattr(data, part))
        if n_entries != data.n_nodes:
            raise InputError(f"{part} must have {data.n_nodes} entries, one per column, got {n_entries}")
    if data.truth is not None and tuple(data.truth.names) != data.names:
        raise InputError("truth must be a graph over the columns of the data, in the same order")


def _require_distinct_names(names: tuple[str, ...]) -> None:
    for j, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"column {j} has an empty name; give every column a name")
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"{count} columns have the name {name!r}; give every column a name of its own")


def _require_known_kinds(data: Dataset) -> None:
    for name, kind, labels, ordered in zip(data.names, data.kinds, data.labels, data.ordered, strict=True):
        if kind not in get_args(Kind):
            raise InputError(f"the kind of column {name!r} must be 'continuous', 'discrete' or 'ordered', got {kind!r}")
        if ordered and kind != "discrete":
            raise InputError(f"column {name!r} is {kind}; only discrete columns can be ordered")
        if kind == "continuous" and labels is not None:
            raise DataError(f"column {name!r} holds text/categories and cannot be continuous; encode it as numbers")


def _require_size(data: Dataset) -> None:
    if data.values.size == 0:
        raise DataError(f"the table is empty ({data.n_samples} rows, {data.n_nodes} columns)")
    if data.n_variables < 2:
        raise DataError(f"the table must have at least 2 columns, got only {data.names[0]!r}")
    if data.n_samples < _LEAST_ROWS:
        raise DataError(f"the table must have at least {_LEAST_ROWS} rows, got {data.n_samples}")


def _require_values(data: Dataset) -> None:
    empty = [data.names[j] for j in np.flatnonzero(np.isnan(data.values).all(axis=0))]
    if empty:
        raise DataError(f"all cells are missing in {', '.join(map(repr, empty))}: drop what holds no value")


def _checked_settings(data: Dataset) -> NDArray[np.bool_] | None:
    """Return what was set as a read-only copy; None if it is nothing."""
    if data.was_set is None or not np.any(data.was_set):
        return None
    was_set = np.array(data.was_set, dtype=bool)
    if was_set.shape != data.values.shape:
        raise InputError(f"was_set must have the shape of the values, {data.values.shape}, got {was_set.shape}")
    for j in np.flatnonzero(was_set.all(axis=0)):
        raise DataError(
            f"column {data.names[j]!r} was set in every row, so that nothing tells about its causes: drop the column, "
            "or add rows in which it was observed"
        )
    was_set.setflags(write=False)
    return was_set


def _require_finite(data: Dataset) -> None:
    infinite = np.argwhere(np.isinf(data.values))
    if len(infinite):
        row, j = infinite[0]
        raise DataError(
            f"column {data.names[j]!r}: row {row + 1} holds {data.values[row, j]}; "
            "drop this row or column, or replace infinite values"
        )


def _checked_declarations(data: Dataset) -> tuple[int | None, ...]:
    """Return the declared numbers of levels as plain integers."""
    return tuple(
        None if n_levels is None else checked_levels(f"declared_levels of column {name!r}", n_levels, _n_different(x))
        for name, n_levels, x in zip(data.names, data.declared_levels, data.values.T, strict=True)
    )
