"""Experiments in a table: which variables were set by an experimenter, in which rows.

A row of such a table comes from nature but for the variables that were set: their values there say nothing about what
causes them, and all the more about what they cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dagsearch.data.reading import MISSING_ENTRIES, Table, as_table
from dagsearch.errors import DataError, InputError, UnknownNameError

SEPARATOR = ";"
"""Between the names of variables that were set in the same row."""


def without_column(names: tuple[str, ...], table: Table, column: str) -> tuple[tuple[str, ...], Table, pd.Series[Any]]:
    """Take the column that says what was set out of a table; returns names, table and the column's entries.

    Raises
    ------
    UnknownNameError
        If there is no such column.
    """
    if column not in names:
        raise UnknownNameError("interventions: column", column, names)
    at = names.index(column)
    kept = [k for k in range(len(names)) if k != at]
    rest = Table(
        names=[table.names[k] for k in kept],
        columns=[table.columns[k] for k in kept],
        categories=[table.categories[k] for k in kept],
        ordered=[table.ordered[k] for k in kept],
        notes=table.notes,
    )
    return tuple(names[k] for k in kept), rest, table.columns[at]


def settings_from(interventions: Any, names: Sequence[str], n_samples: int) -> NDArray[np.bool_]:
    """Which variables were set in which row, (n_samples, n_nodes).

    Parameters
    ----------
    interventions
        Entries such as ``"a"``, ``"a;b"`` or nothing (None, NaN, empty), one per row; or a boolean table with a column
        for each variable, or for those that were set if it has names.
    names
        The variables.
    n_samples
        Number of rows.

    Raises
    ------
    InputError
        If the form is none of these, or the number of rows another.
    UnknownNameError
        If a variable is named that is not in the table.
    """
    if isinstance(interventions, str):
        raise InputError(
            f"interventions={interventions!r} names a column, and the table has none of that name among its variables; "
            "give it with the whole table"
        )
    if not hasattr(interventions, "__len__"):
        raise InputError(f"interventions must be a column, entries of rows, or a boolean table, got {interventions!r}")
    if len(interventions) != n_samples:
        raise InputError(f"interventions must have one row for each of the {n_samples} rows, got {len(interventions)}")
    if getattr(interventions, "ndim", 1) == 2 or hasattr(interventions, "columns"):
        return _from_table(interventions, names)
    return _from_entries(interventions, names)


def entries_of(was_set: NDArray[np.bool_], names: Sequence[str]) -> list[str]:
    """Write what `settings_from` reads: the names of what was set in each row, (n_samples, n_nodes), or nothing.

    Raises
    ------
    InputError
        If the name of a variable that was set would be read as something else.
    """
    labels = np.array(names, dtype=object)
    for name in labels[was_set.any(axis=0)]:
        if _named(name) != [name]:
            raise InputError(f"a variable that is set needs a name that can be part of a list, got {name!r}")
    return [SEPARATOR.join(labels[row]) for row in was_set]


def _from_entries(entries: Iterable[Any], names: Sequence[str]) -> NDArray[np.bool_]:
    """From the names of what was set, row by row."""
    position = {name: j for j, name in enumerate(names)}
    listed = [_named(entry) for entry in entries]
    was_set = np.zeros((len(listed), len(names)), dtype=bool)
    for row, variables in enumerate(listed):
        for name in variables:
            if name not in position:
                raise UnknownNameError(f"interventions: row {row + 1}: variable", name, names)
            was_set[row, position[name]] = True
    return was_set


def _named(entry: Any) -> list[str]:
    """The names in one entry."""
    if isinstance(entry, str):
        parts: list[Any] = entry.split(SEPARATOR)
    elif isinstance(entry, Iterable):
        parts = list(entry)
    else:
        parts = [] if pd.isna(entry) else [entry]
    stripped = (str(part).strip() for part in parts)
    return [name for name in stripped if name not in MISSING_ENTRIES]


def _from_table(table: Any, names: Sequence[str]) -> NDArray[np.bool_]:
    """From a boolean table; one without names has all variables in order."""
    read = as_table(table)
    given = list(map(str, read.names)) if hasattr(table, "columns") else list(names)
    if len(given) != len(read.columns):
        raise InputError(
            f"interventions must have a column for each of the {len(names)} variables, got {len(read.columns)}"
        )
    was_set = np.zeros((len(read.columns[0]), len(names)), dtype=bool)
    for name, column in zip(given, read.columns, strict=True):
        if name not in names:
            raise UnknownNameError("interventions: variable", name, names)
        values = column.to_numpy()
        if not all(value in (True, False) for value in values):  # 0 and 1 are equal to them
            raise DataError(f"interventions: column {name!r} must hold True and False alone")
        was_set[:, list(names).index(name)] = values.astype(bool)
    return was_set
