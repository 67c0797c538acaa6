"""How many levels the columns of a discrete score have: as seen in the rows, as declared, or as given by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset, checked_levels
from dagsearch.errors import InputError, UnknownNameError

Levels = Literal["seen", "declared"] | Mapping[str, int]


def require_levels(levels: Any) -> None:
    """Check the form of ``levels``, whatever the table.

    Raises
    ------
    InputError
        If it is neither ``"seen"`` nor ``"declared"`` nor a mapping.
    """
    if isinstance(levels, str) and levels not in ("seen", "declared"):
        raise UnknownNameError("levels", levels, ("seen", "declared"))
    if not isinstance(levels, str | Mapping):
        raise InputError(
            f"levels must be 'seen', 'declared', or a mapping from column to number of levels, got {levels!r}"
        )


def known_levels(data: Dataset, levels: Levels) -> dict[str, int]:
    """Return the columns for which ``levels`` says more than the rows do, with their numbers of levels.

    Parameters
    ----------
    data
        The table.
    levels
        ``"seen"``: none of them; ``"declared"``: those that declare their levels; or the numbers by column. Its
        form is checked by `require_levels`.

    Raises
    ------
    InputError
        If ``levels`` is ``"declared"`` and no column declares anything, or if a column has more levels in the rows than
        it is given.
    UnknownNameError
        If it names a column that is not in the table.
    """
    if isinstance(levels, Mapping):
        return _given_levels(data, levels)
    if levels == "seen":
        return {}
    declared = {name: n for name, n in zip(data.names, data.declared_levels, strict=True) if n is not None}
    if not declared:
        raise InputError(
            "levels='declared', but no column declares its levels: pandas Categorical, polars Enum and boolean columns "
            "do; or give the number of levels of each column by its name"
        )
    return declared


def _given_levels(data: Dataset, levels: Mapping[str, int]) -> dict[str, int]:
    """Check numbers of levels by column."""
    given = {str(name): n_levels for name, n_levels in levels.items()}
    for name in given:
        if name not in data.names:
            raise UnknownNameError("column", name, data.names)
    n_seen = dict(zip(data.names, data.n_levels().tolist(), strict=True))
    return {name: checked_levels(f"levels of column {name!r}", n, n_seen[name]) for name, n in given.items()}


def cardinalities(data: Dataset, known: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the number of levels of each column, (n_nodes,): ``known``, or as seen in the rows."""
    n_seen = data.n_levels().tolist()
    return np.array([known.get(name, n) for name, n in zip(data.names, n_seen, strict=True)], dtype=np.int64)
