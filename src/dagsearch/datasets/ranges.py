"""Ranges that a simulation draws from, as its arguments give them."""

from __future__ import annotations

import math
import numbers
from typing import Any

from dagsearch import memory
from dagsearch.checks import shown
from dagsearch.errors import InputError

Range = tuple[float, float]

MOST_LEVELS = 1_000
"""Of a variable that is drawn."""
_BYTES_PER_CELL = 24  # values, noise, and a copy


def positive_range(name: str, value: Any) -> Range:
    """Return a pair (low, high) with 0 < low <= high; a single number is both."""
    pair = (value, value) if _is_real(value) else value
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and all(map(_is_real, pair))
    if not is_pair or not 0 < pair[0] <= pair[1]:
        raise InputError(f"{name} must be a number above 0 or a pair (low, high) of such, got {shown(value)}")
    return float(pair[0]), float(pair[1])


def share(name: str, value: Any) -> float:
    """Return a number of at least 0 and below 1."""
    if not _is_real(value) or not 0 <= value < 1:
        raise InputError(f"{name} must be a number of at least 0 and below 1, got {value!r}")
    return float(value)


def level_range(name: str, value: Any) -> tuple[int, int]:
    """Return a pair (fewest, most) of whole numbers with 2 <= fewest <= most; a single number is both."""
    pair = (value, value) if isinstance(value, numbers.Integral) else value
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(n, numbers.Integral) for n in pair)
    fewest, most = map(int, pair) if is_pair else (0, 0)
    if not 2 <= fewest <= most <= MOST_LEVELS:
        raise InputError(
            f"{name} must be a whole number from 2 to {MOST_LEVELS} or a pair (fewest, most) of such, got {value!r}"
        )
    return fewest, most


def require_table(n_rows: int, n_variables: int) -> None:
    """Raise where a table of numbers is larger than what memory has room for."""
    memory.require(
        _BYTES_PER_CELL * float(n_rows) * n_variables,
        f"a table of {n_rows:,} rows of {n_variables:,} variables",
        "ask for fewer rows or variables",
    )


def _is_real(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
