"""Where tables come in: from data frames, arrays and files to a `Dataset`, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dagsearch.data.checks import Kind, checked_names
from dagsearch.data.dataset import Dataset
from dagsearch.data.interventions import settings_from, without_column
from dagsearch.data.problems import Problem, means_numbers, name_problems, raise_all, value_problems
from dagsearch.data.reading import Column, Table, as_table, read_column, read_file
from dagsearch.errors import DataError, InputError, UnknownNameError, as_place, in_brief

DeclaredKind = Literal["continuous", "discrete", "ordered"]
"""What users say of columns: ``"ordered"`` ones are discrete with levels that have an order."""

#: A column of whole numbers with at most this many different values is taken to be discrete.
FEW_LEVELS = 10


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
        A pandas or polars DataFrame, a pyarrow Table, a dictionary of columns, a 2-D array or anything array-like
        (n_samples, n_nodes), the path of a file that `read_dataset` reads, or a `Dataset`.
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
    if isinstance(X, str | Path):
        return read_dataset(X, kinds, interventions, may_miss, names=names)
    if isinstance(X, Dataset):
        data = _with_kinds(X, kinds, names)
    else:
        table = X if isinstance(X, Table) else as_table(X)
        node_names = tuple(map(str, table.names if names is None else checked_names(names)))
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
    names: Sequence[str] | None = None,
) -> Dataset:
    """Read a table from a file and check it.

    Parameters
    ----------
    path
        A text file, a ``.parquet``, ``.feather``, ``.xlsx``, ``.dta`` or ``.npy`` file, maybe compressed: see
        `read_table`.
    kinds
        The kind of single columns by name, where the inferred one is wrong.
    interventions, may_miss
        As `as_dataset` takes them.
    na
        Entries that stand for a missing cell, beside those that always do.
    names
        Names for the columns in place of the file's own.

    Raises
    ------
    DataError
        If the file cannot be read or its table cannot be used; the message starts with the path.
    InputError
        If the suffix is unknown or `kinds` does not fit the table.
    """
    table = read_file(path, na)
    try:
        return as_dataset(table, kinds, names, interventions, may_miss)
    except DataError as error:
        raise DataError(f"{as_place(path)}: {error}") from error


def _with_kinds(data: Dataset, kinds: Mapping[str, DeclaredKind] | None, names: Sequence[str] | None) -> Dataset:
    """Return `data` with some kinds replaced."""
    if names is not None:
        raise InputError("names must be None when X is a Dataset, which has its own")
    declared = _declared_kinds(kinds, data.names)
    if not declared:
        return data
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
    columns = _columns(names, table, declared, ordered)
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
        notes=table.notes,
    )


def _columns(
    names: tuple[str, ...], table: Table, declared: dict[str, DeclaredKind], ordered: Sequence[bool]
) -> list[Column]:
    """Read all columns; an error lists the problems of all of them."""
    columns, problems = [], name_problems(names)
    if table.columns and not len(table.columns[0]):
        raise_all(problems)
        return [Column(np.empty(0)) for _ in names]  # what else a column is nobody asks of an empty table
    for name, entries, labels, is_ordered in zip(names, table.columns, table.categories, ordered, strict=True):
        may_mix = _plain(declared.get(name)) == "discrete"
        try:
            column = read_column(name, entries, may_mix=may_mix, order=labels if is_ordered else None)
        except DataError as error:
            problems.append(Problem(str(error), means_numbers(entries)))
            continue
        columns.append((name, column))
    raise_all([*problems, *value_problems([(name, column.values) for name, column in columns])])
    return [column for _, column in columns]


def _declared_kinds(kinds: Mapping[str, DeclaredKind] | None, names: tuple[str, ...]) -> dict[str, DeclaredKind]:
    """Check that the keys of `kinds` are columns."""
    if kinds is not None and not isinstance(kinds, Mapping):
        raise InputError(f"kinds must be a dictionary from columns to kinds, got {in_brief(repr(kinds))}")
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
