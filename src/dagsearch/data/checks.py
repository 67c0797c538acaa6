"""What every table must be like, with a message that names the column where it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dagsearch._visible import half_of_a_pair
from dagsearch.data.columns import n_different
from dagsearch.errors import DataError, InputError

if TYPE_CHECKING:
    from dagsearch.data.dataset import Dataset

Kind = Literal["continuous", "discrete"]

#: A column has at most this many levels: their codes are 32-bit integers.
MOST_LEVELS = int(np.iinfo(np.int32).max)

# Floats hold whole numbers exactly up to here.
_EXACT = 2**53

#: A table has at least this many rows.
LEAST_ROWS = 3


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


def as_real_numbers(values: Any) -> NDArray[Any]:
    """Return an array that floats can hold: no complex numbers, and no whole numbers with more digits."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"values must be an array of numbers ({error})") from error
    if array.dtype.kind not in "fiub":
        raise DataError(f"values must be real numbers, got entries of type {array.dtype}")
    if array.dtype.kind in "iu" and array.size and max(int(array.max()), -int(array.min())) > _EXACT:
        raise DataError(f"values must be whole numbers up to {_EXACT} or floats, got {int(array.max())}")
    return array


def checked_names(given: Any) -> tuple[Any, ...]:
    """Return names for columns as a tuple; raise for a text, which is no list of names, and for what is no name."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"names must be a list of texts, one per column, got {given!r}")
    names = tuple(given)
    for name in names:
        if name is None or not isinstance(name, Hashable):
            raise InputError(f"names must be a list of texts, one per column, got {name!r} among them")
    return tuple(str(name) if isinstance(name, str) else name for name in names)  # numpy's texts are no plain ones


def require_fitting_parts(data: Dataset) -> None:
    """Raise if the parts of a table have different sizes."""
    if data.values.ndim != 2:
        raise DataError(f"values must have 2 dimensions (samples x variables), got {data.values.ndim}")
    for part in ("names", "kinds", "labels", "declared_levels", "ordered"):
        n_entries = len(getattr(data, part))
        if n_entries != data.n_nodes:
            raise InputError(f"{part} must have {data.n_nodes} entries, one per column, got {n_entries}")
    if data.truth is not None and tuple(data.truth.names) != data.names:
        raise InputError("truth must be a graph over the columns of the data, in the same order")


def require_distinct_names(names: tuple[str, ...]) -> None:
    """Raise if a name is empty, there twice, or no text that a file can hold."""
    for j, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise InputError(f"names must be a list of texts, one per column, got {name!r} among them")
        if not name.strip():
            raise DataError(f"column {j} has an empty name; give every column a name")
        if half_of_a_pair(name):
            raise DataError(broken_name(name))
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"{count} columns have the name {name!r}; give every column a name of its own")


def broken_name(name: str) -> str:
    """What is said of a name that no file can hold."""
    return f"column {name[:80]!r} has a name with half a surrogate pair, which no file can hold; give it another one"


def require_known_kinds(data: Dataset) -> None:
    """Raise for a kind that is unknown or does not suit its column."""
    for name, kind, labels, ordered in zip(data.names, data.kinds, data.labels, data.ordered, strict=True):
        if kind not in get_args(Kind):
            raise InputError(f"the kind of column {name!r} must be 'continuous', 'discrete' or 'ordered', got {kind!r}")
        if ordered and kind != "discrete":
            raise InputError(f"column {name!r} is {kind}; only discrete columns can be ordered")
        if kind == "continuous" and labels is not None:
            raise DataError(f"column {name!r} holds text/categories and cannot be continuous; encode it as numbers")


def require_size(data: Dataset) -> None:
    """Raise if there are too few rows or columns."""
    if data.values.size == 0:
        raise DataError(f"the table is empty ({data.n_samples} rows, {data.n_nodes} columns)")
    if data.n_variables < 2:
        raise DataError(f"the table must have at least 2 columns, got only {data.names[0]!r}")
    if data.n_samples < LEAST_ROWS:
        raise DataError(f"the table must have at least {LEAST_ROWS} rows, got {data.n_samples}")


def require_values(data: Dataset) -> None:
    """Raise if columns hold no value at all."""
    empty = [data.names[j] for j in np.flatnonzero(np.isnan(data.values).all(axis=0))]
    if empty:
        raise DataError(f"all cells are missing in {', '.join(map(repr, empty))}: drop what holds no value")


def checked_settings(data: Dataset) -> NDArray[np.bool_] | None:
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


def require_finite(data: Dataset) -> None:
    """Raise for infinite values."""
    infinite = np.argwhere(np.isinf(data.values))
    if len(infinite):
        row, j = infinite[0]
        raise DataError(
            f"column {data.names[j]!r}: row {row + 1} holds {data.values[row, j]}; "
            "drop this row or column, or replace infinite values"
        )


def checked_declarations(data: Dataset) -> tuple[int | None, ...]:
    """Return the declared numbers of levels as plain integers."""
    return tuple(
        None if n_levels is None else checked_levels(f"declared_levels of column {name!r}", n_levels, n_different(x))
        for name, n_levels, x in zip(data.names, data.declared_levels, data.values.T, strict=True)
    )
