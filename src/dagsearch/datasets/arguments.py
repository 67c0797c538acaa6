"""Checks of the arguments of a simulation: each error names the argument, what is allowed and what was given."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from dagsearch.errors import InputError, UnknownNameError

Range = tuple[float, float]


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return a name from a list."""
    names = list(allowed)
    if not isinstance(value, str) or value not in names:
        raise UnknownNameError(name, value, names)
    return value


def boolean(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def whole(name: str, value: Any, least: int) -> int:
    """Return a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def positive(name: str, value: Any) -> float:
    """Return a finite number above 0."""
    if not _is_real(value) or not 0 < value < math.inf:
        raise InputError(f"{name} must be a number above 0, got {value!r}")
    return float(value)


def positive_range(name: str, value: Any) -> Range:
    """Return a pair (low, high) with 0 < low <= high; a single number is both."""
    pair = (value, value) if _is_real(value) else value
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and all(map(_is_real, pair))
    if not is_pair or not 0 < pair[0] <= pair[1] < math.inf:
        raise InputError(f"{name} must be a number above 0 or a pair (low, high) of such, got {value!r}")
    return float(pair[0]), float(pair[1])


def level_range(name: str, value: Any) -> tuple[int, int]:
    """Return a pair (fewest, most) of whole numbers with 2 <= fewest <= most; a single number is both."""
    pair = (value, value) if isinstance(value, numbers.Integral) else value
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(n, numbers.Integral) for n in pair)
    fewest, most = map(int, pair) if is_pair else (0, 0)
    if not 2 <= fewest <= most:
        raise InputError(f"{name} must be a whole number of at least 2 or a pair (fewest, most) of such, got {value!r}")
    return fewest, most


def seed_of(random_state: Any) -> int:
    """Return the seed that an integer, a numpy generator or None stands for, so that a run can be repeated."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
    return whole("random_state", random_state, 0)


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
